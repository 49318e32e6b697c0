// ControlGather: the NoOp by which results of a function wait for the ops
// that must run. A finished graph has it for whoever looks at the graph; the
// edges to it are in files only, as plans know the control outputs.
#ifndef GK_GRAPH_CONTROL_GATHER_H_
#define GK_GRAPH_CONTROL_GATHER_H_

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "framework/graph.h"
#include "proto/graph.gk.h"

namespace gk {

class ControlGather {
 public:
  ControlGather(const Graph& graph, std::span<const Output> results,
                std::span<Node* const> control_outputs);

  // By name: the control outputs, and reads of resources, which keep their
  // place among writes only if readers of the file know of them.
  const std::vector<Node*>& controls() const { return controls_; }
  // Nothing is to be written if nothing must run, no result can wait, or the
  // graph came from a file and holds such a NoOp.
  bool needed() const { return !waiting_.empty(); }
  // The graph's own NoOp that gathers the controls; null if it is to be made.
  const Node* node() const { return node_; }
  bool Waits(const Node* node) const { return waiting_.count(node) != 0; }
  const std::string& name() const { return name_; }

 private:
  std::vector<Node*> controls_;
  std::string name_;
  const Node* node_ = nullptr;
  std::unordered_set<const Node*> waiting_;
};

}  // namespace gk

#endif  // GK_GRAPH_CONTROL_GATHER_H_
