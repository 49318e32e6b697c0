#include "graph/import_budget.h"

namespace gk {

Status ImportBudget::TakeTensor(int64_t bytes, int64_t held) {
  bytes_ += kWorth * held;
  if (bytes > held) {
    if (bytes - held > bytes_) {
      return ResourceExhausted(
          "A TensorProto of {} bytes stands for {}: the repeated values of "
          "all constants of a message may take {} bytes more. Make large "
          "constants of one value with tf.fill",
          held, bytes, bytes_);
    }
    bytes_ -= bytes - held;
  }
  return OkStatus();
}

Status ImportBudget::TakeOutputs(int64_t n) {
  if (n > outputs_) {
    return ResourceExhausted(
        "The nodes of a message may have {} more outputs, one has {}", outputs_,
        n);
  }
  outputs_ -= n;
  return OkStatus();
}

}  // namespace gk
