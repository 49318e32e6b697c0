#include "runtime/plan_slots.h"

#include <optional>

#include "runtime/planned_shape.h"
#include "runtime/purity.h"

namespace gk {
namespace {

}  // namespace

bool IsStaticView(const Node& node) {
  const bool stack_of_one = node.op().Has(kViewOfOne) && node.num_inputs() == 1;
  if (!(node.op().Has(kView) || stack_of_one) || node.num_outputs() != 1 ||
      node.num_inputs() == 0 || HasObjects(node)) {
    return false;
  }
  // What a declared shape says that its operands do not is to be seen when the
  // op runs.
  for (int i = 1; i < node.num_inputs(); ++i) {
    const Output& in = node.input(i);
    if (!in.node->op().Has(kConstant) && !in.node->output(in.index).value) {
      return false;
    }
  }
  const Output& in = node.input(0);
  const std::optional<TensorShape> from = PlannedShape(in),
                                   to = PlannedShape(node.output(0).shape,
                                                     node.output(0).dtype);
  return in.node->output(in.index).dtype == node.output(0).dtype && from &&
         to && from->num_elements() == to->num_elements();
}

PlanSlots::PlanSlots(Plan* plan) : plan_(plan) {
  const int n = plan->function.graph->num_nodes();
  first_.assign(n, -1);
  keeps_nothing_.resize(n);
  first_output_.resize(n);
  int num_outputs = 0;
  for (const auto& node : plan->function.graph->nodes()) {
    first_output_[node->id()] = num_outputs;
    num_outputs += node->num_outputs();
  }
  escapes_.resize(num_outputs);
}

SlotId PlanSlots::Add(const Node& node, int index, Home home) {
  const Node::OutputInfo& info = node.output(index);
  SlotInfo slot;
  slot.dtype = info.dtype;
  slot.home = home;
  if (const auto shape = PlannedShape(info.shape, info.dtype)) {
    slot.is_static = true;
    slot.shape = *shape;
  }
  const SlotId id = plan_->slots.size();
  plan_->slots.push_back(std::move(slot));
  plan_->constants.emplace_back();
  if (index == 0) first_[node.id()] = id;
  return id;
}

SlotId PlanSlots::Add(const Node& node, int index) {
  const SlotId id = Add(node, index, Home::kOwn);
  SettleHome(node, index, id);
  return id;
}

SlotId PlanSlots::AddScalar(const Node& node, int index) {
  const SlotId id = Add(node, index, Home::kOwn);
  plan_->slots[id].is_static = true;
  plan_->slots[id].shape = TensorShape();
  SettleHome(node, index, id);
  return id;
}

void PlanSlots::SettleHome(const Node& node, int index, SlotId id) {
  SlotInfo& slot = plan_->slots[id];
  if (slot.is_static && !IsObjectType(slot.dtype) &&
      keeps_nothing_[node.id()] && DataTypeSize(slot.dtype) > 0 &&
      slot.num_bytes() <= kMaxPlaceBytes && !Escapes(node, index) &&
      !node.op().Has(kUpdatesInput)) {
    slot.home = Home::kArena;
  }
}

void PlanSlots::AddInputs(Instruction* instruction,
                          std::span<const Output> inputs) {
  instruction->first_input = plan_->inputs.size();
  instruction->num_inputs = inputs.size();
  for (const Output& in : inputs) plan_->inputs.push_back(Of(in));
}

}  // namespace gk
