#include <algorithm>

#include "base/interrupt.h"
#include "runtime/plan_passes.h"

namespace gk {
namespace {

// A variable that the instruction updates, or a value that it puts in one.
bool UpdateNeeds(const Plan& plan, const Instruction& now, SlotId s) {
  for (int k = 0; k < now.num_updates; ++k) {
    const VariableUpdate& u = plan.updates[now.first_update + k];
    if (u.handle == s || u.shared_slot == s) return true;
  }
  return false;
}

// Inputs whose memory dies with the instruction.
void FindOffers(const Plan& plan, const std::vector<int>& last_use, int i,
                Instruction* now) {
  const SlotId* in = plan.inputs.data() + now->first_input;
  for (int k = 0; k < std::min(now->num_inputs, 64); ++k) {
    const Home home = plan.slots[in[k]].home;
    const bool runs_own = home == Home::kOwn || home == Home::kArgument;
    if (runs_own && last_use[in[k]] == i &&
        std::count(in, in + now->num_inputs, in[k]) == 1 &&
        !UpdateNeeds(plan, *now, in[k])) {
      now->may_forward |= uint64_t{1} << k;
    }
  }
}

// No result can lie where an input does, other than by take_from: it would
// be held twice, and those that change it later would have to copy it.
bool SharesNothing(const Plan& plan, const Instruction& now) {
  if (now.kind != Instruction::Kind::kKernel) {
    return now.kind != Instruction::Kind::kBranch &&
           now.kind != Instruction::Kind::kLoop;
  }
  for (int k = 0; k < now.num_outputs; ++k) {
    const Home home = plan.slots[now.first_output + k].home;
    if (home != Home::kArena) return false;
  }
  return true;
}

// What nobody reads after the instruction, but for states whose memory stays
// for a result of the next turn.
void FindReleases(const std::vector<int>& last_use,
                  const std::vector<bool>& stays, int i, Plan* plan) {
  Instruction& now = plan->instructions[i];
  now.first_release = plan->releases.size();
  const SlotId* in = plan->inputs.data() + now.first_input;
  for (int k = 0; k < now.num_inputs; ++k) {
    const Home home = plan->slots[in[k]].home;
    if ((home != Home::kOwn && home != Home::kArgument) ||
        last_use[in[k]] != i || std::find(in, in + k, in[k]) != in + k ||
        (stays[in[k]] && SharesNothing(*plan, now))) {
      continue;
    }
    plan->releases.push_back(in[k]);
  }
  for (int k = 0; k < now.num_outputs; ++k) {
    const SlotId s = now.first_output + k;
    if (plan->slots[s].home == Home::kOwn && last_use[s] == i) {
      plan->releases.push_back(s);
    }
  }
  now.num_releases = plan->releases.size() - now.first_release;
}

// A value of its own that may be written over what dies there: sums that
// go round a loop stay where they are.
void FindTaken(const Plan& plan, Instruction* now) {
  const bool is_cluster = now->kind == Instruction::Kind::kCluster;
  if (!now->needs_output || now->num_updates > 0 ||
      (!is_cluster && now->kind != Instruction::Kind::kTile)) {
    return;
  }
  for (int k = 0; k < now->num_outputs; ++k) {
    const SlotId to = now->first_output + k;
    const SlotInfo& out = plan.slots[to];
    if (out.home != Home::kOwn) continue;
    for (int j = 0; j < std::min(now->num_inputs, 64); ++j) {
      const SlotId from = plan.inputs[now->first_input + j];
      const SlotInfo& in = plan.slots[from];
      if (((now->may_forward >> j) & 1) == 0 || in.dtype != out.dtype ||
          !(in.shape == out.shape) ||
          (is_cluster && !plan.clusters[now->cluster].MayWriteOver(j, k))) {
        continue;
      }
      now->take_from = from;
      now->take_to = to;
      return;
    }
  }
}

}  // namespace

std::vector<int> LastUses(const Plan& plan) {
  const int n = plan.instructions.size();
  std::vector<int> last(plan.slots.size(), -1);
  for (int i = 0; i < n; ++i) {
    const Instruction& now = plan.instructions[i];
    for (int k = 0; k < now.num_outputs; ++k) last[now.first_output + k] = i;
    for (int k = 0; k < now.num_inputs; ++k) {
      last[plan.RootOf(plan.inputs[now.first_input + k])] = i;
    }
    for (int k = 0; k < now.num_updates; ++k) {
      last[plan.updates[now.first_update + k].handle] = i;
    }
  }
  for (SlotId s : plan.results) last[plan.RootOf(s)] = n;
  // What is computed once is there in all turns.
  for (const Instruction& now : plan.instructions) {
    for (int k = 0; now.once && k < now.num_outputs; ++k) {
      last[now.first_output + k] = n;
    }
  }
  return last;
}

Status FindLifetimes(PlanDraft* draft) {
  Plan* const plan = draft->plan.get();
  draft->last_use = LastUses(*plan);
  const std::vector<int>& last_use = draft->last_use;
  std::vector<bool> stays(plan->slots.size());
  for (const NextState& next : plan->next_states) {
    stays[next.to] = next.spares;
  }
  for (size_t i = 0; i < plan->instructions.size(); ++i) {
    PollInterrupt();
    FindOffers(*plan, last_use, i, &plan->instructions[i]);
    FindReleases(last_use, stays, i, plan);
    FindTaken(*plan, &plan->instructions[i]);
  }
  return OkStatus();
}

}  // namespace gk
