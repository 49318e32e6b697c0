#include "eager/absent_device.h"

#include <atomic>

#include "framework/graph.h"

namespace gk {
namespace {

std::atomic<bool> soft_placement{true};

}  // namespace

bool SoftPlacement() { return soft_placement.load(std::memory_order_relaxed); }
void SetSoftPlacement(bool soft) {
  soft_placement.store(soft, std::memory_order_relaxed);
}

StatusOr<TensorVector> AbsentDevice::Apply(const OpRecord&,
                                           std::span<const Tensor>, AttrMap,
                                           std::string_view) {
  return InvalidArgument("{}", op_error_);
}

StatusOr<Tensor> AbsentDevice::Constant(const Tensor&, std::string_view) {
  return InvalidArgument("{}", value_error_);
}

Status AbsentDevice::Refusal() {
  OpBuilder* current = OpBuilder::Current();
  if (current == OpBuilder::Eager()) return OkStatus();
  const auto* absent = dynamic_cast<const AbsentDevice*>(current);
  return absent ? InvalidArgument("{}", absent->op_error_) : OkStatus();
}

}  // namespace gk
