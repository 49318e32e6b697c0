#include "base/interrupt.h"
#include "runtime/instruction_makers.h"
#include "runtime/plan_passes.h"

namespace gk {
namespace {

Status AddUnit(const Unit& unit, PlanDraft* draft) {
  const Node& node = *unit.nodes[0];
  if (unit.fusable) {
    if (unit.nodes.size() == 1 && MakeTile(node, draft)) return OkStatus();
    if (!MakeScalars(unit, draft)) MakeCluster(unit, draft);
    return OkStatus();
  }
  if (draft->slots.Of({unit.nodes[0], 0}) >= 0) return OkStatus();  // argument
  if (node.op().Has(kConstant)) return MakeConstant(node, draft);
  if (MakeView(node, draft) || MakeLowered(node, draft) ||
      MakeRow(node, draft)) {
    return OkStatus();
  }
  return MakeKernel(node, draft);
}

}  // namespace

Status ChooseInstructions(PlanDraft* draft) {
  Plan& plan = *draft->plan;
  const RewriteGraph& f = draft->function();
  for (const Node* arg : f.arguments) {
    plan.arguments.push_back(draft->slots.Add(*arg, 0, Home::kArgument));
  }
  for (const Unit& unit : draft->units) {
    PollInterrupt();
    GK_RETURN_IF_ERROR(AddUnit(unit, draft));
  }
  for (const Output& r : f.results) {
    const SlotId s = draft->slots.Of(r);
    if (s < 0) {
      return Internal("Function {} returns {}:{}, which has no value", f.name,
                      r.node->name(), r.index);
    }
    plan.results.push_back(s);
  }
  return OkStatus();
}

}  // namespace gk
