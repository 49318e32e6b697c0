#include "runtime/kept_reads.h"

#include "runtime/plan_verifier.h"

namespace gk {

KeptReads::KeptReads(const Plan& plan, Tensor* slots, void** data)
    : plan_(plan), slots_(slots), data_(data), holds_(plan.slots.size()) {
  for (const KeptRead& k : plan.kept_reads) {
    reads_.emplace_back(k, &slots[k.value], &turn_);
  }
}

void KeptReads::Begin(int first_capture) {
  first_capture_ = first_capture;
  if (!keeps_) return;
  turn_.Begin();
  running_ = true;
}

void KeptReads::ChangeArgument(SlotId handle) {
  if (holds_[handle] == 0) return;
  for (Read& read : reads_) {
    if (read.where.handle == handle) Forget(read);
  }
}

void KeptReads::Forget(Read& read) {
  if (read.variable == nullptr) return;
  read.variable->Forget(&read.value);
  read.variable = nullptr;
  read.times = 0;
  --holds_[read.where.handle];
}

bool KeptReads::Keep(int k) {
  Read& read = reads_[k];
  if (read.never || read.where.argument < first_capture_) return false;
  Forget(read);  // there is another value
  const StatusOr<VariableResource*> variable =
      VariableOf(slots_[read.where.handle]);
  if (!variable.ok()) return false;
  const uint64_t now = (*variable)->version();
  if (now != read.value.version) {
    read.value.version = now;
    read.times = 0;
  }
  if (++read.times < kUnchanged) return false;
  if (!running_) {
    turn_.Begin();
    running_ = keeps_ = true;
  }
  if (!(*variable)->Keep(&read.value)) return false;
  read.variable = *variable;
  ++holds_[read.where.handle];
  const SlotInfo& slot = plan_.slots[read.where.value];
  const Tensor& value = *read.value.slot;
  if (value.dtype() != slot.dtype ||
      (slot.is_static && !(value.shape() == slot.shape))) {
    read.never = true;
    Forget(read);
    return false;
  }
  data_[read.where.value] = value.raw_data();
  return true;
}

Status KeptReads::Check(const Instruction& now, int pc) const {
  GK_ASSIGN_OR_RETURN(const VariableResource* variable,
                      VariableOf(slots_[plan_.inputs[now.first_input]]));
  const Read& read = reads_[now.kept];
  if (read.variable == variable) {
    const StatusOr<Tensor> fresh = variable->Read();
    // What somebody assigns just now, the next read gives.
    if (variable->version() != read.value.version) return OkStatus();
    const Tensor& kept = slots_[now.first_output];
    if (fresh.ok() && fresh->impl() == kept.impl() &&
        data_[now.first_output] == kept.raw_data()) {
      return OkStatus();
    }
  }
  return PlanViolation(plan_, "kept", pc, now.first_output,
                       "the variable has another value than the one kept");
}

void KeptReads::End() {
  for (Read& read : reads_) {
    if (!read.value.kept) *read.value.slot = Tensor();
  }
  if (!running_) return;
  // From here on writers take back what they find. What one has left to this
  // run shows now.
  turn_.End();
  running_ = false;
  for (Read& read : reads_) {
    if (read.variable != nullptr &&
        read.value.version != read.variable->version()) {
      Forget(read);
    }
  }
}

void KeptReads::ForgetAll() {
  for (Read& read : reads_) Forget(read);
  if (running_) turn_.End();
  running_ = false;
}

}  // namespace gk
