#include "runtime/plan_passes.h"

namespace gk {

Status ScheduleUnits(PlanDraft* draft) {
  GK_ASSIGN_OR_RETURN(draft->units, MakeSchedule(draft->function(),
                                                 draft->options.merge_updates));
  return OkStatus();
}

}  // namespace gk
