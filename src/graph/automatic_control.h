// AutomaticControl: control dependencies between ops with side effects, so
// that a graph runs them as its program was written.
//
// For each resource: a write waits for the last write and the reads since, a
// read waits for the last write. An argument may be any of the captured
// resources in some call, so both count as one; so may what a name in the
// process stands for (shared_name), which is one resource wherever a handle is
// made of that name. Whoever iterates over a dataset uses what its functions
// use. Prints, checks and calls into the host language keep program order among
// themselves and with every write; what the host language does may change any
// resource, so reads keep it, too. Not thread-safe; owned by what builds or
// rewrites the graph.
#ifndef GK_GRAPH_AUTOMATIC_CONTROL_H_
#define GK_GRAPH_AUTOMATIC_CONTROL_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/graph.h"

namespace gk {

class AutomaticControl {
 public:
  // Adds `node`'s control inputs; it was just made. For calls, records which
  // resource inputs are only read (_read_only_resource_inputs).
  void Add(Node* node);
  // Of a graph that is only put in order: adds control inputs, records
  // nothing on the node.
  void Order(Node* node);
  // In the order made.
  const std::vector<Node*>& must_run() const { return must_run_; }
  void AddMustRun(Node* node);
  void set_must_run(std::vector<Node*> nodes) { must_run_ = std::move(nodes); }
  // A resource that callers give.
  void AddArgument(const Node* placeholder) { arguments_.insert(placeholder); }

 private:
  struct History {
    Node* last_write = nullptr;
    std::vector<Node*> reads;
  };
  static void Use(History* history, ResourceUse use, Node* node);

  using Resource = std::pair<const Node*, int>;
  using Uses = std::map<Resource, ResourceUse>;

  // What may be one resource although the edges differ: of two kinds.
  enum class Origin { kArgument, kShared, kOther };
  Origin OriginOf(const Node* resource) const;
  // The resource that an edge has: the first handle made of its name.
  Resource ResourceOf(const Output& edge);
  void UseAliases(const Node* resource, ResourceUse use, Node* node);
  // A node that takes a dataset runs the functions of all that it is made of:
  // adds what they use.
  void AddDatasetUses(const Node& node, Uses* uses);
  void Order(Node* node, const FunctionEffects& effects);

  std::map<Resource, History> resources_;
  // What the dataset of an iterator uses, by the iterator.
  std::map<Resource, Uses> behind_;
  std::set<const Node*> arguments_;
  // Handles by container and name.
  std::map<std::pair<std::string, std::string>, const Node*> shared_;
  History order_;
  History host_;
  std::vector<Node*> must_run_;
};

}  // namespace gk

#endif  // GK_GRAPH_AUTOMATIC_CONTROL_H_
