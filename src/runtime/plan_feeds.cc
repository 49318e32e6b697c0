#include "base/interrupt.h"
#include "runtime/feeds.h"
#include "runtime/plan_passes.h"

namespace gk {

Status FindFeeds(PlanDraft* draft) {
  Plan& plan = *draft->plan;
  for (size_t pc = 0; pc + 1 < plan.instructions.size(); ++pc) {
    PollInterrupt();
    plan.instructions[pc].feeds_next = !WhyNotFed(plan, pc);
  }
  return OkStatus();
}

}  // namespace gk
