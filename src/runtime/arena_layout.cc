#include <algorithm>

#include "base/interrupt.h"
#include "runtime/arena_space.h"
#include "runtime/plan_passes.h"

namespace gk {
namespace {

// Whether an earlier result of the instruction lies there.
bool IsTaken(const Plan& plan, SlotId from, const Instruction& now, int k) {
  for (int r = 0; r < k; ++r) {
    const SlotInfo& slot = plan.slots[now.first_output + r];
    if (slot.home == Home::kArena && slot.offset == plan.slots[from].offset &&
        slot.num_bytes() > 0) {
      return true;
    }
  }
  return false;
}

// An arena slot that result `k` of instruction `i` may be written over: it
// is read for the last time there and is as large.
SlotId DyingInput(const Plan& plan, const std::vector<int>& last_use, int i,
                  int k) {
  const Instruction& now = plan.instructions[i];
  if (now.kind != Instruction::Kind::kTile &&
      now.kind != Instruction::Kind::kCluster) {
    return -1;
  }
  const SlotId result = now.first_output + k;
  const SlotId* in = plan.inputs.data() + now.first_input;
  for (int j = 0; j < now.num_inputs; ++j) {
    const SlotId from = plan.RootOf(in[j]);
    if (plan.slots[in[j]].home != Home::kArena || last_use[from] != i ||
        IsTaken(plan, from, now, k) ||
        plan.slots[from].num_bytes() != plan.slots[result].num_bytes() ||
        DataTypeSize(plan.slots[from].dtype) !=
            DataTypeSize(plan.slots[result].dtype)) {
      continue;
    }
    // Every name under which the instruction reads it must allow that.
    bool may = true;
    for (int other = 0; other < now.num_inputs && may; ++other) {
      if (plan.RootOf(in[other]) != from) continue;
      may = now.kind == Instruction::Kind::kTile ||
            plan.clusters[now.cluster].MayWriteOver(other, k);
    }
    if (may) return from;
  }
  return -1;
}

Status Place(SlotId s, ArenaSpace* space, Plan* plan) {
  SlotInfo& slot = plan->slots[s];
  if (slot.home != Home::kArena) return OkStatus();
  slot.offset = slot.num_bytes() > 0 ? space->Take(slot.num_bytes()) : 0;
  if (slot.offset >= 0) return OkStatus();
  return ResourceExhausted(
      "OOM when allocating tensor with shape{} and type {} on CPU",
      slot.shape.DebugString(), DataTypeString(slot.dtype));
}

}  // namespace

Status PlaceArena(PlanDraft* draft) {
  Plan* const plan = draft->plan.get();
  const std::vector<int>& last_use = draft->last_use;
  ArenaSpace space;
  for (const Instruction& now : plan->instructions) {
    for (int k = 0; now.once && k < now.num_outputs; ++k) {
      GK_RETURN_IF_ERROR(Place(now.first_output + k, &space, plan));
    }
  }
  std::vector<std::vector<SlotId>> dies(plan->instructions.size() + 1);
  for (size_t i = 0; i < plan->instructions.size(); ++i) {
    PollInterrupt();
    const Instruction& now = plan->instructions[i];
    for (int k = 0; !now.once && k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      SlotInfo& slot = plan->slots[s];
      if (slot.home != Home::kArena) continue;
      if (slot.num_bytes() > 0) dies[last_use[s]].push_back(s);
      if (const SlotId over = DyingInput(*plan, last_use, i, k); over >= 0) {
        slot.offset = plan->slots[over].offset;
        std::erase(dies[i], over);
        continue;
      }
      GK_RETURN_IF_ERROR(Place(s, &space, plan));
    }
    for (SlotId s : dies[i]) {
      space.Give(plan->slots[s].offset, plan->slots[s].num_bytes());
    }
  }
  plan->arena_bytes = space.bytes();
  for (SlotInfo& slot : plan->slots) {
    if (slot.view_of >= 0) slot.offset = plan->slots[slot.view_of].offset;
  }
  return OkStatus();
}

}  // namespace gk
