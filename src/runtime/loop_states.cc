#include <algorithm>

#include "runtime/plan_passes.h"
#include "runtime/purity.h"

namespace gk {
namespace {

// A loop holds on to the old memory of states that are not larger.
constexpr int64_t kMaxSpareBytes = 1 << 20;

// Every result is of the type and shape that the argument of its number is.
bool IsClosed(const Plan& plan) {
  if (plan.results.size() != plan.arguments.size()) return false;
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const SlotInfo& in = plan.slots[plan.arguments[i]];
    const SlotInfo& out = plan.slots[plan.results[i]];
    if (!in.is_static || !out.is_static || in.dtype != out.dtype ||
        !(in.shape == out.shape)) {
      return false;
    }
  }
  return plan.updates.empty();
}

void FindNextStates(Plan* plan) {
  plan->is_closed = IsClosed(*plan);
  if (!plan->is_closed) return;
  std::vector<bool> later(plan->slots.size());
  for (size_t i = plan->results.size(); i-- > 0;) {
    NextState next{plan->results[i], plan->arguments[i]};
    if (next.from == next.to) continue;
    const SlotInfo& slot = plan->slots[next.from];
    next.moves = slot.home == Home::kOwn && !later[next.from];
    // Large ones are worth more to others meanwhile.
    next.spares = next.moves && !IsObjectType(slot.dtype) &&
                  slot.num_bytes() <= kMaxSpareBytes;
    later[next.from] = true;
    plan->next_states.push_back(next);
  }
  // Copies are made before what they copy is moved.
  std::reverse(plan->next_states.begin(), plan->next_states.end());
}

void FindInvariants(Plan* plan) {
  std::vector<bool> same(plan->slots.size());
  for (size_t s = 0; s < same.size(); ++s) {
    same[s] = plan->slots[s].home == Home::kConstant;
  }
  for (size_t k = 0; k < plan->results.size(); ++k) {
    if (k < plan->arguments.size() && plan->results[k] == plan->arguments[k]) {
      same[plan->results[k]] = true;
    }
  }
  std::vector<bool> leaves(plan->slots.size());
  for (SlotId s : plan->results) leaves[s] = true;
  for (Instruction& now : plan->instructions) {
    bool once = now.num_updates == 0;
    if (now.kind == Instruction::Kind::kKernel) {
      once &= IsPure(*now.node) && !now.node->op().Has(kRandom);
    }
    if (now.kind == Instruction::Kind::kBranch ||
        now.kind == Instruction::Kind::kLoop) {
      once &= !HasObjects(*now.node) && !EffectsOf(*now.node).stateful;
    }
    for (int k = 0; k < now.num_inputs; ++k) {
      once &= same[plan->RootOf(plan->inputs[now.first_input + k])];
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      once &= !leaves[now.first_output + k];
    }
    now.once = once;
    for (int k = 0; once && k < now.num_outputs; ++k) {
      same[now.first_output + k] = true;
    }
  }
}

}  // namespace

Status FindLoopStates(PlanDraft* draft) {
  if (!draft->options.loop_body) return OkStatus();
  FindNextStates(draft->plan.get());
  FindInvariants(draft->plan.get());
  return OkStatus();
}

}  // namespace gk
