#include "grappler/optimize.h"

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

std::span<const Pass> AllPasses() { return kPasses; }

StatusOr<FunctionGraph> Optimize(const GraphFunction& function) {
  FunctionGraph f = FunctionGraph::CloneOf(function);
  if (!InlineCalls(&function, &f).ok()) {
    f = FunctionGraph::CloneOf(function);
  }
  bool changed = false;
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
  return RunPasses(function);
}

}  // namespace gk
