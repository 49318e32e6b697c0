// Constants, and other names for what is there.
#include <cstring>

#include "runtime/error_origin.h"
#include "runtime/instruction_makers.h"

namespace gk {
namespace {

// The view of a small value that lies anywhere, as indices mostly are.
bool MakeCopy(const Node& node, PlanDraft* draft) {
  constexpr int64_t kMaxBytes = 64;
  Plan& plan = *draft->plan;
  const int64_t num_bytes =
      plan.slots[draft->slots.Of(node.input(0))].num_bytes();
  if (num_bytes == 0 || num_bytes > kMaxBytes) return false;
  Instruction i;
  i.kind = Instruction::Kind::kTile;
  i.node = &node;
  i.tile = [](void* out, const void* const* in, int64_t n, const void*) {
    std::memcpy(out, in[0], n);
    return 0;
  };
  i.num_elements = num_bytes;
  draft->slots.AddInputs(&i, node.inputs().first(1));
  for (int k = 1; k < 3; ++k) {
    plan.inputs.push_back(plan.inputs[i.first_input]);
  }
  i.first_output = draft->slots.Add(node, 0, Home::kArena);
  i.num_outputs = 1;
  plan.instructions.push_back(i);
  return true;
}

}  // namespace

Status MakeConstant(const Node& node, PlanDraft* draft) {
  const Tensor* value = node.attrs().Get<Tensor>("value");
  if (!value || !*value || value->is_symbolic()) {
    return Internal("Const node {} has no value", node.name());
  }
  const Node::OutputInfo& info = node.output(0);
  if (value->dtype() != info.dtype ||
      !info.shape.IsCompatibleWith(value->shape())) {
    return AtNode(
        InvalidArgument("The value of Const is {} {}, but {} {} is declared",
                        DataTypeString(value->dtype()),
                        value->shape().DebugString(),
                        DataTypeString(info.dtype), info.shape.DebugString()),
        node, draft->function().name);
  }
  Plan& plan = *draft->plan;
  const SlotId id = draft->slots.Add(node, 0, Home::kConstant);
  plan.constants[id] = *value;
  plan.slots[id].is_static = true;
  plan.slots[id].shape = value->shape();
  return OkStatus();
}

bool MakeView(const Node& node, PlanDraft* draft) {
  if (!IsStaticView(node)) return false;
  Plan& plan = *draft->plan;
  const SlotId from = draft->slots.Of(node.input(0));
  const Home home = plan.slots[from].home;
  if (home == Home::kConstant) {
    const SlotId id = draft->slots.Add(node, 0, home);
    plan.constants[id] = plan.constants[from].WithShape(plan.slots[id].shape);
    return true;
  }
  if (draft->slots.Escapes(node, 0)) return false;
  if (home != Home::kArena) return MakeCopy(node, draft);
  const SlotId id = draft->slots.Add(node, 0, home);
  plan.slots[id].view_of = plan.RootOf(from);
  return true;
}

}  // namespace gk
