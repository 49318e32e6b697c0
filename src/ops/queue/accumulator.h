// AccumulatorResource: gathers gradients of one step until there are enough of
// them, and gives their mean or sum. Thread-safe.
#ifndef GK_OPS_QUEUE_ACCUMULATOR_H_
#define GK_OPS_QUEUE_ACCUMULATOR_H_

#include <condition_variable>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/process_mutex.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

// Rows at rising indices of the first dimension. `shape`: of the whole, null
// or without elements where it was not told.
struct SparseGradient {
  Tensor indices, values, shape;
};

class AccumulatorResource final : public Resource {
 public:
  struct Traits {
    DataType dtype = DataType::kFloat;
    PartialTensorShape shape;
    bool mean = true;  // else the sum
    bool sparse = false;
    friend bool operator==(const Traits&, const Traits&) = default;
  };

  AccumulatorResource(std::string name, Traits traits)
      : name_(std::move(name)), traits_(std::move(traits)) {}

  std::string_view kind() const override { return "ConditionalAccumulator"; }
  std::string_view type_name() const override {
    return "tensorflow::ConditionalAccumulatorBase";
  }
  const std::string& name() const { return name_; }
  const Traits& traits() const { return traits_; }

  // Counted unless it is of an earlier step. InvalidArgument for one of
  // another dtype or a shape that does not fit.
  Status Apply(int64_t step, const Tensor& gradient);
  Status Apply(int64_t step, const SparseGradient& gradient);
  // Waits until so many were counted; then the next step begins.
  Status Take(int64_t required, const CancellationToken* cancellation,
              Tensor* average);
  // Of each row, the mean is of those that it was in.
  Status Take(int64_t required, const CancellationToken* cancellation,
              SparseGradient* average);
  int64_t num_accumulated();
  void set_step(int64_t step);

 private:
  using Lock = std::unique_lock<ProcessMutex>;
  Status CheckGradient(const SparseGradient& gradient) const;
  Status WaitFor(int64_t required, const CancellationToken* cancellation,
                 Lock& lock);
  // All are there and taken.
  void BeginNextStep();
  Status Merge(const SparseGradient& gradient);

  const std::string name_;
  const Traits traits_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  int64_t count_ = 0, step_ = 0;
  Tensor sum_;  // owned; of sparse ones the rows
  std::vector<int64_t> indices_, row_counts_;
};

}  // namespace gk

#endif  // GK_OPS_QUEUE_ACCUMULATOR_H_
