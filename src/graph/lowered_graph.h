// LoweredGraph: the nodes of a graph file or of a function in one, with edges
// as indices, for rewriting before they become nodes of a Graph.
//
// Files come from anywhere: all that is wrong is an error. A value; borrows
// the library whose functions the nodes may call by name.
#ifndef GK_GRAPH_LOWERED_GRAPH_H_
#define GK_GRAPH_LOWERED_GRAPH_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "framework/op_record.h"
#include "graph/lowered_op.h"
#include "graph/unregistered_results.h"
#include "proto/graph.gk.h"

namespace gk {

class LoweredGraph {
 public:
  enum Form { kGraphForm, kFunctionForm };  // how edges are named

  struct Edge {
    int node = -1;
    int index = 0;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  struct Node {
    void SetOp(std::string_view op) {
      def.op = op;
      lowered = LoweredOpOf(op);
    }

    proto::NodeDef def;                    // without inputs
    LoweredOp lowered = LoweredOp::kNone;  // what its op is
    std::vector<Edge> inputs;
    std::vector<int> controls;
    // An argument, or an edge that is defined outside, by its name there.
    bool is_external = false;
    DataType type = DataType::kInvalid;  // of what is external
    bool gone = false;
    // Where it went: waiting for it is waiting for this one.
    int moved_to = -1;
  };

  // `names`: the functions and ops of the file.
  LoweredGraph(Form form, UnregisteredNodes names)
      : form_(form), names_(std::move(names)) {}

  // What an edge stands for other than by these nodes.
  void DefineExternal(const std::string& edge, DataType type);
  Status Add(const std::vector<proto::NodeDef>& defs);
  StatusOr<Edge> Parse(const std::string& edge) const;

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool Is(int node, LoweredOp op) const {
    return !nodes_[node].gone && nodes_[node].lowered == op;
  }
  bool Is(int node, std::string_view op) const {
    return !nodes_[node].gone && nodes_[node].def.op == op;
  }
  // Of an op that is neither registered nor a function.
  bool IsUnregistered(int node) const {
    return unregistered_.count(nodes_[node].def.name) != 0;
  }
  // A new node of a name that no other has.
  int AddNode(const std::string& name, std::string_view op);
  // A Const of type int32.
  int AddInteger(const std::string& name, int value);
  // An existing one, by its name.
  int FindNode(std::string_view name) const;

  StatusOr<DataType> TypeOf(Edge e) const;
  // "x:1" or "x:output:1".
  StatusOr<std::string> NameOf(Edge e) const;
  // The node that stands for `node` now, or -1 if nothing does.
  int StandsFor(int node) const;

  // The nodes that are left, in their order.
  StatusOr<std::vector<proto::NodeDef>> Write() const;
  // A node as one of a function's: edges that `names` has are named so, and
  // controls by nodes for which `keep` does not hold are left out.
  using Names = std::map<Edge, std::string>;
  StatusOr<proto::NodeDef> WriteInFunction(
      int node, const Names& names, const std::function<bool(int)>& keep) const;
  StatusOr<std::string> NameInFunction(Edge e, const Names& names) const;

 private:
  struct Outputs {
    std::vector<std::string> arguments;  // of each output
    std::vector<int> indices;            // within the argument
    std::vector<DataType> types;
  };
  StatusOr<Outputs> OutputsOf(int node) const;
  StatusOr<std::string> EdgeName(Edge e, Form form) const;
  void WriteControls(int node, const std::function<bool(int)>& keep,
                     proto::NodeDef* def) const;

  const Form form_;
  const UnregisteredNodes names_;
  std::unordered_map<std::string, Results> unregistered_;  // by nodes' names
  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<std::string, int> external_;
};

// Whether there is one of Switch, Merge, Enter, Exit and the like.
bool AnyLowered(const std::vector<proto::NodeDef>& nodes);

// Attributes of new nodes.
proto::AttrValue TypeList(const std::vector<DataType>& types);
proto::AttrValue FunctionNamed(const std::string& name);

}  // namespace gk

#endif  // GK_GRAPH_LOWERED_GRAPH_H_
