#include "runtime/plan_draft.h"

#include <utility>

#include "base/checks.h"

namespace gk {
namespace {

Ref<Plan> EmptyPlan(RewriteGraph function) {
  Ref<Plan> plan = MakeRef<Plan>();
  plan->function = std::move(function);
  plan->checked = ChecksOn();
  return plan;
}

}  // namespace

PlanDraft::PlanDraft(RewriteGraph function, PlanOptions options)
    : plan(EmptyPlan(std::move(function))),
      options(options),
      slots(plan.get()) {}

}  // namespace gk
