// A draft after some of the passes that make a plan, for the tests of one.
#ifndef GK_RUNTIME_PLAN_DRAFT_FOR_TEST_H_
#define GK_RUNTIME_PLAN_DRAFT_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/plan_passes.h"

namespace gk {

// As the function stands, without passes over its graph.
inline PlanDraft DraftAfter(PlanPass last, const GraphFunction& f,
                            PlanOptions options = {}) {
  InitRuntime();
  PlanDraft draft(RewriteGraph::CloneOf(f), options);
  for (PlanPass pass : kPlanPasses) {
    ThrowIfError(pass(&draft));
    if (pass == last) break;
  }
  return draft;
}

// The node of that name; a test's mistake if there is none.
inline Node* NodeOf(const PlanDraft& draft, std::string_view name) {
  for (const auto& node : draft.function().graph->nodes()) {
    if (node->name() == name) return node.get();
  }
  ADD_FAILURE() << "no node " << name;
  return nullptr;
}

inline SlotId SlotOf(const PlanDraft& draft, std::string_view name,
                     int index = 0) {
  return draft.slots.Of({NodeOf(draft, name), index});
}

// The instruction that makes slot `s`; -1 if none does.
inline int MakerOf(const Plan& plan, SlotId s) {
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const Instruction& now = plan.instructions[i];
    if (s >= now.first_output && s < now.first_output + now.num_outputs) {
      return i;
    }
  }
  return -1;
}

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_DRAFT_FOR_TEST_H_
