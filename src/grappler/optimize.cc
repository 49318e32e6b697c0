#include "grappler/optimize.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "grappler/common_subexpressions.h"
#include "grappler/constant_folding.h"
#include "grappler/empty_loops.h"
#include "grappler/inline_calls.h"
#include "grappler/prune.h"
#include "grappler/simplify.h"

namespace gk {
namespace {

constexpr int kMaxRounds = 3;

constexpr Pass kPasses[] = {
    {"constant_folding", FoldConstants},
    {"known_branches", TakeKnownBranches},
    {"empty_loops", DropEmptyLoops},
    {"simplify", Simplify},
    {"common_subexpressions", MergeCommonSubexpressions},
    {"prune", Prune},
};

std::atomic<bool>& PassesRun() {
  static std::atomic<bool> on = [] {
    const char* value = std::getenv("GK_GRAPH_PASSES");
    return value == nullptr || std::string_view(value) != "0";
  }();
  return on;
}

Status RunPasses(FunctionGraph* function) {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (const Pass& pass : kPasses) {
      GK_RETURN_IF_ERROR(pass.run(function, &changed));
    }
    if (!changed) break;
  }
  return OkStatus();
}

}  // namespace

bool RunsGraphPasses() { return PassesRun().load(std::memory_order_relaxed); }
void SetGraphPasses(bool on) {
  PassesRun().store(on, std::memory_order_relaxed);
}

std::span<const Pass> AllPasses() { return kPasses; }

StatusOr<FunctionGraph> Optimize(const GraphFunction& function) {
  FunctionGraph f = FunctionGraph::CloneOf(function);
  bool changed = false;
  if (!RunsGraphPasses()) {
    GK_RETURN_IF_ERROR(Prune(&f, &changed));
    return f;
  }
  if (!InlineCalls(&function, &f).ok()) {
    f = FunctionGraph::CloneOf(function);
  }
  GK_RETURN_IF_ERROR(Prune(&f, &changed));
  GK_RETURN_IF_ERROR(RunPasses(&f));
  return f;
}

Status OptimizeForShapes(FunctionGraph* function) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  std::vector<bool> is_argument(function->graph->num_nodes());
  for (const Node* n : function->arguments) is_argument[n->id()] = true;
  for (Node* node : order) {
    if (!is_argument[node->id()]) GK_RETURN_IF_ERROR(InferShapes(node));
  }
  return RunsGraphPasses() ? RunPasses(function) : OkStatus();
}

}  // namespace gk
