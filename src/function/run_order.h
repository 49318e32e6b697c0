// What runs before what in the graph that is being built. Eagerly everything
// runs in its order anyway.
#ifndef GK_FUNCTION_RUN_ORDER_H_
#define GK_FUNCTION_RUN_ORDER_H_

#include <string_view>
#include <vector>

#include "function/func_graph.h"

namespace gk {

// While it lives, ops of the graph run after these nodes of it. Left in the
// reverse order; nothing if the graph is null.
class RunsAfter {
 public:
  RunsAfter(FuncGraph* graph, const std::vector<Node*>& before)
      : graph_(graph) {
    if (graph_) Begin(graph, before);
  }
  ~RunsAfter() {
    if (graph_ && !graph_->finished()) End(graph_.get());
  }
  RunsAfter(const RunsAfter&) = delete;

  static void Begin(FuncGraph* graph, const std::vector<Node*>& before);
  static void End(FuncGraph* graph) { graph->scopes().PopControlInputs(); }

 private:
  Ref<FuncGraph> graph_;
};

// The node of `graph` that makes a tensor; null for what is no tensor of it.
Node* MakerOf(const Tensor& t, const Graph* graph);

// An op that is done when all of these are.
Node* Group(FuncGraph* graph, const std::vector<Node*>& before,
            std::string_view name = "group_deps");

}  // namespace gk

#endif  // GK_FUNCTION_RUN_ORDER_H_
