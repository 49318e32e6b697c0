#include "ops/queue/accumulator.h"

#include <algorithm>
#include <mutex>

#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/list/list_access.h"
#include "ops/queue/waiting.h"

namespace gk {
namespace {

// Halves are added as floats and rounded each time.
template <class T>
void AddTo(const T* from, int64_t n, T* sum) {
  for (int64_t i = 0; i < n; ++i) {
    sum[i] = Convert<T>(Convert<ComputeType<T>>(sum[i]) +
                        Convert<ComputeType<T>>(from[i]));
  }
}

template <class T>
void DivideBy(int64_t count, int64_t n, T* values) {
  const auto by = static_cast<ComputeType<T>>(count);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = Convert<T>(Convert<ComputeType<T>>(values[i]) / by);
  }
}

// The dtypes that TensorFlow has accumulators of.
template <class F>
bool VisitAccumulated(DataType dtype, F&& f) {
  return VisitType<half, float, double>(dtype, std::forward<F>(f));
}

Status CheckDType(DataType wanted, const Tensor& gradient) {
  if (gradient.dtype() == wanted) return OkStatus();
  return InvalidArgument("Expected a gradient of type {}, got {}",
                         DataTypeString(wanted),
                         DataTypeString(gradient.dtype()));
}

Status ShapeMismatch(const PartialTensorShape& wanted,
                     const PartialTensorShape& got) {
  return InvalidArgument("Shape mismatch: expected {}, got {}",
                         wanted.DebugString(), got.DebugString());
}

StatusOr<Tensor> CopyOf(const Tensor& t) {
  GK_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(t.dtype(), t.shape()));
  GK_RETURN_IF_ERROR(CopyInto(t, &copy, 0));
  return copy;
}

}  // namespace

Status AccumulatorResource::Apply(int64_t step, const Tensor& gradient) {
  GK_RETURN_IF_ERROR(CheckDType(traits_.dtype, gradient));
  const std::lock_guard lock(mutex_);
  if (step < step_) return OkStatus();
  if (!traits_.shape.IsCompatibleWith(gradient.shape())) {
    return ShapeMismatch(traits_.shape, gradient.shape());
  }
  if (count_ == 0) {
    GK_ASSIGN_OR_RETURN(sum_, CopyOf(gradient));
  } else if (!(gradient.shape() == sum_.shape())) {
    return ShapeMismatch(sum_.shape(), gradient.shape());
  } else {
    VisitAccumulated(traits_.dtype, [&](auto tag) {
      using T = decltype(tag);
      AddTo(gradient.data<T>(), sum_.num_elements(), sum_.data<T>());
    });
  }
  ++count_;
  changed_.notify_all();
  return OkStatus();
}

Status AccumulatorResource::CheckGradient(const SparseGradient& g) const {
  GK_RETURN_IF_ERROR(CheckDType(traits_.dtype, g.values));
  if (g.indices.rank() != 1) {
    return InvalidArgument(
        "Input indices should be vector but received shape: {}",
        g.indices.shape().DebugString());
  }
  if (g.values.rank() == 0) {
    return InvalidArgument("Values cannot be 0-dimensional.");
  }
  if (g.indices.dim(0) != g.values.dim(0)) {
    return InvalidArgument("Expected {} non-empty input values, got {}",
                           g.indices.dim(0), g.values.dim(0));
  }
  // What is known of the whole from the values, and from its shape.
  PartialTensorShape rows = g.values.shape();
  rows.SetDim(0, kUnknownDim);
  if (!traits_.shape.IsCompatibleWith(rows)) {
    return ShapeMismatch(traits_.shape, rows);
  }
  if (g.shape && g.shape.num_elements() > 0) {
    GK_ASSIGN_OR_RETURN(const TensorShape whole,
                        TensorShape::Make(g.shape.flat<int64_t>()));
    if (!rows.IsCompatibleWith(whole)) return ShapeMismatch(whole, rows);
    if (!traits_.shape.IsCompatibleWith(whole)) {
      return ShapeMismatch(traits_.shape, whole);
    }
  }
  const int64_t size = traits_.shape.unknown_rank() || traits_.shape.rank() == 0
                           ? kUnknownDim
                           : traits_.shape.dim(0);
  for (const int64_t index : g.indices.flat<int64_t>()) {
    if (size >= 0 && (index >= size || index < 0)) {
      return InvalidArgument(
          "Shape mismatch: index of slice ({}) exceeded limits of shape; "
          "index must be in [0, {})",
          index, size);
    }
  }
  return OkStatus();
}

Status AccumulatorResource::Merge(const SparseGradient& g) {
  const std::span<const int64_t> theirs = g.indices.flat<int64_t>();
  const size_t n = indices_.size(), m = theirs.size();
  std::vector<int64_t> indices, counts, from_sum, from_gradient;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    const bool mine = j == m || (i < n && indices_[i] <= theirs[j]);
    const bool both = mine && j < m && indices_[i] == theirs[j];
    indices.push_back(mine ? indices_[i] : theirs[j]);
    counts.push_back((mine ? row_counts_[i] : 0) + (!mine || both));
    from_sum.push_back(mine ? static_cast<int64_t>(i) : -1);
    from_gradient.push_back(!mine || both ? static_cast<int64_t>(j) : -1);
    i += mine;
    j += !mine || both;
  }
  TensorShape shape = sum_.shape();
  shape.SetDim(0, static_cast<int64_t>(indices.size()));
  GK_ASSIGN_OR_RETURN(Tensor sum, Tensor::Allocate(traits_.dtype, shape));
  const int64_t row = indices.empty() ? 0 : sum.num_elements() / sum.dim(0);
  VisitAccumulated(traits_.dtype, [&](auto tag) {
    using T = decltype(tag);
    T* to = sum.data<T>();
    for (size_t k = 0; k < indices.size(); ++k, to += row) {
      const bool mine = from_sum[k] >= 0;
      std::copy_n(mine ? sum_.data<T>() + from_sum[k] * row
                       : g.values.data<T>() + from_gradient[k] * row,
                  row, to);
      if (mine && from_gradient[k] >= 0) {
        AddTo(g.values.data<T>() + from_gradient[k] * row, row, to);
      }
    }
  });
  sum_ = std::move(sum);
  indices_ = std::move(indices);
  row_counts_ = std::move(counts);
  return OkStatus();
}

Status AccumulatorResource::Apply(int64_t step, const SparseGradient& g) {
  const std::lock_guard lock(mutex_);
  if (step < step_) return OkStatus();
  GK_RETURN_IF_ERROR(CheckGradient(g));
  if (count_ == 0) {
    GK_ASSIGN_OR_RETURN(sum_, CopyOf(g.values));
    const std::span<const int64_t> indices = g.indices.flat<int64_t>();
    indices_.assign(indices.begin(), indices.end());
    row_counts_.assign(indices_.size(), 1);
  } else {
    PartialTensorShape rows = sum_.shape();
    rows.SetDim(0, kUnknownDim);
    if (!rows.IsCompatibleWith(g.values.shape())) {
      return ShapeMismatch(rows, g.values.shape());
    }
    GK_RETURN_IF_ERROR(Merge(g));
  }
  ++count_;
  changed_.notify_all();
  return OkStatus();
}

Status AccumulatorResource::WaitFor(int64_t required,
                                    const CancellationToken* cancellation,
                                    Lock& lock) {
  if (required <= 0) {
    return InvalidArgument("Argument num_required must be positive, but was {}",
                           required);
  }
  Waiting waiting(cancellation);
  while (count_ < required) {
    GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
  }
  return OkStatus();
}

void AccumulatorResource::BeginNextStep() {
  count_ = 0;
  ++step_;
  sum_ = Tensor();
  indices_.clear();
  row_counts_.clear();
}

Status AccumulatorResource::Take(int64_t required,
                                 const CancellationToken* cancellation,
                                 Tensor* average) {
  Lock lock(mutex_);
  GK_RETURN_IF_ERROR(WaitFor(required, cancellation, lock));
  if (traits_.mean) {
    VisitAccumulated(traits_.dtype, [&](auto tag) {
      using T = decltype(tag);
      DivideBy(count_, sum_.num_elements(), sum_.data<T>());
    });
  }
  *average = std::move(sum_);
  BeginNextStep();
  return OkStatus();
}

Status AccumulatorResource::Take(int64_t required,
                                 const CancellationToken* cancellation,
                                 SparseGradient* average) {
  Lock lock(mutex_);
  GK_RETURN_IF_ERROR(WaitFor(required, cancellation, lock));
  const auto n = static_cast<int64_t>(indices_.size());
  const int64_t row = n == 0 ? 0 : sum_.num_elements() / n;
  if (traits_.mean) {
    VisitAccumulated(traits_.dtype, [&](auto tag) {
      using T = decltype(tag);
      for (int64_t i = 0; i < n; ++i) {
        DivideBy(row_counts_[i], row, sum_.data<T>() + i * row);
      }
    });
  }
  std::vector<int64_t> shape(sum_.shape().dims().begin(),
                             sum_.shape().dims().end());
  shape[0] = traits_.shape.unknown_rank() || traits_.shape.rank() == 0
                 ? kUnknownDim
                 : traits_.shape.dim(0);
  average->indices = Tensor::Vector<int64_t>(indices_);
  average->shape = Tensor::Vector<int64_t>(shape);
  average->values = std::move(sum_);
  BeginNextStep();
  return OkStatus();
}

int64_t AccumulatorResource::num_accumulated() {
  const std::lock_guard lock(mutex_);
  return count_;
}

void AccumulatorResource::set_step(int64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
}

}  // namespace gk
