#include "grappler/optimize.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "base/checks.h"
#include "base/function_ref.h"
#include "base/interrupt.h"
#include "grappler/check_passes.h"
#include "grappler/common_subexpressions.h"
#include "grappler/constant_folding.h"
#include "grappler/empty_loops.h"
#include "grappler/example_check.h"
#include "grappler/inline_calls.h"
#include "grappler/large_constants.h"
#include "grappler/order_effects.h"
#include "grappler/pass.h"
#include "grappler/prune.h"
#include "grappler/simplify.h"

namespace gk {
namespace {

constexpr int kMaxRounds = 3;

constexpr Pass kPasses[] = {
    {"constant_folding", FoldConstants},
    {"known_branches", TakeKnownBranches},
    {"order_effects", OrderEffects},
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

// Runs a pass, checked if passes are.
Status RunPass(std::string_view name, RewriteGraph* function,
               FunctionRef<Status()> run) {
  if (!ChecksOn()) return run();
  const PassCheck check(name, function);
  GK_RETURN_IF_ERROR(run());
  return check.Verify(*function);
}

// Who is told of the graph after each pass.
using AfterPass = FunctionRef<Status(std::string_view pass)>;

Status RunPasses(RewriteGraph* function, AfterPass after) {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (const Pass& pass : kPasses) {
      GK_RETURN_IF_ERROR(RunPass(pass.name, function,
                                 [&] { return pass.run(function, &changed); }));
      GK_RETURN_IF_ERROR(after(pass.name));
    }
    if (!changed) break;
  }
  return OkStatus();
}

Status RunAll(const GraphFunction& function, RewriteGraph* f,
              AfterPass after) {
  GK_RETURN_IF_ERROR(RunPass("inline_calls", f, [&] {
    if (!InlineCalls(&function, f).ok()) {
      *f = RewriteGraph::CloneOf(function);
    }
    return OkStatus();
  }));
  GK_RETURN_IF_ERROR(after("inline_calls"));
  bool changed = false;
  for (const Pass& pass :
       {Pass{"prune", Prune}, {"order_effects", OrderEffects}}) {
    GK_RETURN_IF_ERROR(
        RunPass(pass.name, f, [&] { return pass.run(f, &changed); }));
    GK_RETURN_IF_ERROR(after(pass.name));
  }
  return RunPasses(f, after);
}

Status InferAll(RewriteGraph* function) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  std::vector<bool> is_argument(function->graph->num_nodes());
  for (const Node* n : function->arguments) is_argument[n->id()] = true;
  for (Node* node : order) {
    PollInterrupt();
    if (!is_argument[node->id()]) GK_RETURN_IF_ERROR(InferShapes(node));
  }
  return OkStatus();
}

// Runs the passes on `function`. If they are checked they have to give what
// `before` gives; if they do not, they run again to find the one that errs.
Status RunChecked(const RewriteGraph& before, RewriteGraph* function,
                  FunctionRef<Status(RewriteGraph*, AfterPass)> run) {
  const auto nobody = [](std::string_view) { return OkStatus(); };
  GK_RETURN_IF_ERROR(run(function, nobody));
  if (!ChecksOn()) return OkStatus();
  function->spliced.clear();
  const Status all = CompareByExample("The passes together", before, *function);
  if (all.code() != Code::kInternal) return all;
  RewriteGraph again = before.Clone();
  GK_RETURN_IF_ERROR(run(&again, [&](std::string_view pass) {
    return CompareByExample(Format("Pass {}", pass), before, again);
  }));
  return all;
}

}  // namespace

bool RunsGraphPasses() { return PassesRun().load(std::memory_order_relaxed); }
void SetGraphPasses(bool on) {
  PassesRun().store(on, std::memory_order_relaxed);
}

StatusOr<RewriteGraph> Optimize(const GraphFunction& function) {
  RewriteGraph f = RewriteGraph::CloneOf(function);
  if (!RunsGraphPasses()) {
    bool changed = false;
    GK_RETURN_IF_ERROR(Prune(&f, &changed));
    return f;
  }
  const auto run = [&](RewriteGraph* graph, AfterPass after) {
    return RunAll(function, graph, after);
  };
  GK_RETURN_IF_ERROR(ChecksOn()
                         ? RunChecked(RewriteGraph::CloneOf(function), &f, run)
                         : RunChecked(f, &f, run));
  return f;
}

Status OptimizeForShapes(RewriteGraph* function) {
  GK_RETURN_IF_ERROR(InferAll(function));
  if (!RunsGraphPasses()) return OkStatus();
  const auto run = [](RewriteGraph* graph, AfterPass after) {
    return RunPasses(graph, after);
  };
  return ChecksOn() ? RunChecked(function->Clone(), function, run)
                        : RunChecked(*function, function, run);
}

Status OptimizeAgain(RewriteGraph* function, FunctionRef<bool()> go_on,
                     bool* changed) {
  GK_RETURN_IF_ERROR(RunPass("large_constants", function, [&] {
    return FoldLargeConstants(function, go_on, changed);
  }));
  return RunPass("prune", function, [&] { return Prune(function, changed); });
}

}  // namespace gk
