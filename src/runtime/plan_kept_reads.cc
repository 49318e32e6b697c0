#include <algorithm>

#include "base/interrupt.h"
#include "runtime/plan_passes.h"

namespace gk {
namespace {

// By slot: arguments with which instructions do nothing but read a variable.
std::vector<bool> OnlyRead(const Plan& plan) {
  std::vector<bool> only(plan.slots.size());
  for (SlotId s : plan.arguments) only[s] = true;
  for (const Instruction& now : plan.instructions) {
    if (now.kind == Instruction::Kind::kKernel &&
        now.node->op().Has(kReadsVariable)) {
      continue;
    }
    for (int k = 0; k < now.num_inputs; ++k) {
      only[plan.inputs[now.first_input + k]] = false;
    }
    for (int k = 0; k < now.num_updates; ++k) {
      only[plan.updates[now.first_update + k].handle] = false;
    }
  }
  for (SlotId s : plan.results) only[s] = false;
  return only;
}

// Nothing dies before the end that the frame lets go after the run.
void OutlastRun(const std::vector<bool>& after, Plan* plan) {
  std::vector<SlotId> releases;
  for (Instruction& now : plan->instructions) {
    for (int k = 0; k < std::min(now.num_inputs, 64); ++k) {
      if (!after[plan->inputs[now.first_input + k]]) continue;
      now.may_forward &= ~(uint64_t{1} << k);
    }
    if (now.take_from >= 0 && after[now.take_from]) {
      now.take_from = now.take_to = -1;
    }
    const int first = releases.size();
    for (int k = 0; k < now.num_releases; ++k) {
      const SlotId s = plan->releases[now.first_release + k];
      if (!after[s]) releases.push_back(s);
    }
    now.first_release = first;
    now.num_releases = releases.size() - first;
  }
  plan->releases = std::move(releases);
}

}  // namespace

Status FindKeptReads(PlanDraft* draft) {
  if (draft->options.loop_body) return OkStatus();
  Plan* const plan = draft->plan.get();
  const std::vector<bool> only_read = OnlyRead(*plan);
  const int n = plan->instructions.size();
  std::vector<bool> after(plan->slots.size());
  for (Instruction& now : plan->instructions) {
    PollInterrupt();
    if (now.kind != Instruction::Kind::kKernel ||
        !now.node->op().Has(kReadsVariable) || now.num_inputs != 1 ||
        now.num_outputs != 1) {
      continue;
    }
    const SlotId handle = plan->inputs[now.first_input];
    const SlotId value = now.first_output;
    if (!only_read[handle] || plan->slots[value].home != Home::kOwn ||
        draft->last_use[value] >= n) {
      continue;
    }
    const auto argument =
        std::find(plan->arguments.begin(), plan->arguments.end(), handle);
    now.kind = Instruction::Kind::kRead;
    now.kept = plan->kept_reads.size();
    plan->kept_reads.push_back(
        {static_cast<int32_t>(argument - plan->arguments.begin()), handle,
         value});
    after[handle] = after[value] = true;
  }
  if (!plan->kept_reads.empty()) OutlastRun(after, plan);
  return OkStatus();
}

}  // namespace gk
