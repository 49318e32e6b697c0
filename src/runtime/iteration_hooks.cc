#include "runtime/iteration_hooks.h"

#include "data/run_hooks.h"
#include "graph/graph.h"
#include "runtime/error_origin.h"
#include "runtime/loop_poll.h"

namespace gk {
namespace {

ErrorSite TakeSite() {
  if (LastErrorOrigin().node.empty()) return nullptr;
  auto site = std::make_shared<const ErrorOrigin>(LastErrorOrigin());
  ClearErrorOrigin();
  return site;
}

void PutSite(const ErrorSite& site) {
  SetErrorOrigin(*static_cast<const ErrorOrigin*>(site.get()));
}

Status Poll() {
  thread_local LoopPoll loop(nullptr);
  return loop.Turn("of an iteration");
}

// Does it draw random numbers that seeds determine, itself or in a function
// that it calls? Those of branches and loops keep their place.
bool DrawsFromSeeds(const GraphFunction& f, int depth) {
  constexpr int kMaxDepth = 32;
  for (const auto& node : f.graph().nodes()) {
    if (node->op().Has(kRandom)) {
      const auto* seed = node->attrs().Get<int64_t>("seed");
      const auto* seed2 = node->attrs().Get<int64_t>("seed2");
      if ((seed && *seed != 0) || (seed2 && *seed2 != 0)) return true;
    }
    const auto* callee = node->attrs().Get<FunctionAttr>("f");
    if (callee == nullptr || depth >= kMaxDepth) continue;
    const auto* inner =
        dynamic_cast<const GraphFunction*>(callee->definition.get());
    if (inner && DrawsFromSeeds(*inner, depth + 1)) return true;
  }
  return false;
}

// Another function of the same graph: places in streams belong to plans, and
// plans to functions.
Ref<FunctionDefinition> Fresh(const FunctionDefinition& definition) {
  // Every definition in a process with this runtime is a graph.
  const auto& f = static_cast<const GraphFunction&>(definition);
  if (!DrawsFromSeeds(f, 0)) return nullptr;
  return MakeRef<GraphFunction>(f.name(), f.graph_ref(), f.arguments(),
                                f.results(), f.control_outputs(), f.attrs());
}

}  // namespace

void InstallIterationHooks() {
  SetRunHooks({.take_site = TakeSite,
               .put_site = PutSite,
               .poll = Poll,
               .fresh = Fresh});
}

}  // namespace gk
