// NodeImporter: adds a file's nodes to a graph, producers first.
//
// For GraphDefs and function bodies, which name edges differently: "MatMul",
// "Split:1" there, "MatMul:product:0", "Split:output:1" here, where "Split::1"
// counts all outputs.
#ifndef GK_GRAPH_NODE_IMPORTER_H_
#define GK_GRAPH_NODE_IMPORTER_H_

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/attr_from_proto.h"
#include "graph/function_reader.h"
#include "graph/unregistered_results.h"

namespace gk {

class NodeImporter {
 public:
  enum Form { kGraphForm, kFunctionForm };

  NodeImporter(Form form, std::string prefix, FunctionReader* functions,
               Graph* graph)
      : form_(form),
        prefix_(std::move(prefix)),
        functions_(functions),
        carries_(form == kFunctionForm),
        graph_(graph) {}

  // Nodes that name functions which are not there become such as fail when
  // they run; else they are errors. Functions always read so.
  void set_carries(bool carries) { carries_ = carries; }
  // Whether ops of which nothing is known may have side effects.
  void set_may_be_stateful(bool may) { may_be_stateful_ = may; }
  // The type of an edge that others than these nodes will read.
  void Read(std::string edge, DataType type) {
    read_.insert_or_assign(std::move(edge), type);
  }

  // What an edge ("x", "x:1", "^x") stands for other than by these nodes.
  void Define(std::string edge, Output o) {
    defined_.insert_or_assign(std::move(edge), o);
  }
  Status Import(const std::vector<proto::NodeDef>& nodes);

  // Once imported.
  StatusOr<Output> FindEdge(std::string_view edge) const;
  Node* FindNode(std::string_view name) const;
  std::vector<Node*>& nodes() { return made_; }
  // The names of nodes, with the prefix, by those that they have because others
  // had these.
  const std::map<std::string, std::string>& renamed() const { return renamed_; }

 private:
  Status Index();
  // Numbers the names that nodes or scopes of the graph have.
  void Rename();
  // The place of the node that makes `edge`, or -1 if it is defined outside.
  StatusOr<int> ProducerOf(const std::string& edge, bool control) const;
  StatusOr<std::vector<int>> Sort() const;
  Status Make(int i);
  Status MakeRegistered(int i);
  Status MakeUnregistered(int i, Status error);
  std::string Prefixed(const std::string& name) const {
    return prefix_.empty() ? name : prefix_ + "/" + name;
  }
  // The name that a node gets.
  std::string NameOf(const proto::NodeDef& def) const;
  // The same in "loc:@x", where nodes of the file are meant.
  void RenameGroups(AttrMap* attrs) const;
  Status ReadInputs(const proto::NodeDef& def, std::vector<Output>* inputs,
                    std::vector<Node*>* controls,
                    std::vector<DataType>* types) const;
  StatusOr<AttrMap> ReadUnregisteredAttrs(const proto::NodeDef& def,
                                          proto::NodeDef* rest) const;
  FindFunction Functions() const;
  StatusOr<AttrMap> ReadAttrs(const proto::NodeDef& def,
                              const OpRecord& record) const;
  // A node whose op is the name of a function.
  StatusOr<AttrMap> ReadCall(const proto::NodeDef& def,
                             const OpRecord** record) const;
  StatusOr<int> OutputIndex(int node, std::string_view argument,
                            int64_t index) const;

  const Form form_;
  const std::string prefix_;
  FunctionReader* const functions_;
  bool carries_, may_be_stateful_ = true;
  Graph* const graph_;
  std::map<std::string, DataType> read_;
  std::unordered_map<std::string, Results> unregistered_;
  const std::vector<proto::NodeDef>* defs_ = nullptr;
  std::unordered_map<std::string, Output> defined_;
  std::unordered_map<std::string_view, int> index_;
  // By the names in the file; and new ones with those that they would be.
  std::unordered_map<std::string_view, std::string> new_names_;
  std::map<std::string, std::string> renamed_;
  std::vector<Node*> made_;
};

}  // namespace gk

#endif  // GK_GRAPH_NODE_IMPORTER_H_
