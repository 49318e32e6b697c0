#include <algorithm>
#include <utility>

#include "base/event_log.h"
#include "framework/logical_device.h"
#include "framework/placement_log.h"
#include "runtime/plan_passes.h"
#include "runtime/plan_profile.h"

namespace gk {
namespace {

void LogNodes(const RewriteGraph& f) {
  for (const auto& node : f.graph->nodes()) {
    LogPlacement(node->name(), node->op().name,
                 std::max(0, FindDevice(node->device())));
  }
}

StatusOr<Ref<Plan>> Build(RewriteGraph function, PlanOptions options) {
  const EventSpan span(EventKind::kPlanning, "plan", function.name);
  PlanDraft draft(std::move(function), options);
  for (PlanPass pass : kPlanPasses) GK_RETURN_IF_ERROR(pass(&draft));
  Plan& plan = *draft.plan;
  if (LogsPlacement()) LogNodes(plan.function);
  plan.profile = PlanProfile::MakeIfWanted(plan);
  plan.watched = plan.checked || plan.profile;
  return draft.plan;
}

}  // namespace

StatusOr<Ref<Plan>> Plan::Make(RewriteGraph function, bool merge_updates) {
  GK_ASSIGN_OR_RETURN(Ref<Plan> plan, Build(std::move(function),
                                            {.merge_updates = merge_updates}));
  plan->MakeSharedStates();
  return plan;
}

StatusOr<Ref<Plan>> Plan::MakeLoopBody(RewriteGraph function) {
  GK_ASSIGN_OR_RETURN(Ref<Plan> plan,
                      Build(std::move(function), {.loop_body = true}));
  plan->MakeSharedStates();
  return plan;
}

}  // namespace gk
