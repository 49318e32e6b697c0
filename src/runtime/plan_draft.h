// PlanDraft: a plan in the making, which passes (plan_passes.h) fill in one
// after the other. Used by one thread.
#ifndef GK_RUNTIME_PLAN_DRAFT_H_
#define GK_RUNTIME_PLAN_DRAFT_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/plan.h"
#include "runtime/plan_slots.h"
#include "runtime/schedule.h"

namespace gk {

struct PlanOptions {
  bool merge_updates = true;  // see variable_update.h
  bool loop_body = false;     // see Plan::MakeLoopBody
};

// A node that calls functions as byte code: a kernel that keeps nothing.
struct LoweredNode {
  std::unique_ptr<ScalarCode> code;
  std::vector<Output> inputs;
};

struct PlanDraft {
  PlanDraft(RewriteGraph function, PlanOptions options);

  const RewriteGraph& function() const { return plan->function; }
  int num_nodes() const { return plan->function.graph->num_nodes(); }

  const Ref<Plan> plan;
  const PlanOptions options;
  PlanSlots slots;  // the plan's values
  std::vector<Unit> units;
  std::unordered_map<int, LoweredNode> lowered;  // by node id
  std::vector<bool> read_outside;  // by node id: by others than its unit
  // By slot, the last instruction that reads what lies there; their number if
  // it is needed after all of them. Slots that share a place have it at the
  // one whose place it is.
  std::vector<int> last_use;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_DRAFT_H_
