#include "ops/linalg/matrix_call.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "base/thread_pool.h"
#include "kernels/narrow.h"
#include "ops/element_moves.h"
#include "ops/element_type_of.h"

namespace gk {
namespace {

bool IsNarrow(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16;
}

// Which matrix of `part` each of the broadcast `batch` is.
std::vector<int64_t> PlacesOf(const TensorShape& part,
                              const TensorShape& batch) {
  std::vector<int64_t> places(batch.num_elements());
  const int shift = batch.rank() - part.rank();
  for (int64_t i = 0; i < batch.num_elements(); ++i) {
    int64_t rest = i, stride = 1;
    for (int d = batch.rank() - 1; d >= shift; --d) {
      const int64_t k = rest % batch.dim(d);
      rest /= batch.dim(d);
      if (part.dim(d - shift) != 1) places[i] += k * stride;
      stride *= part.dim(d - shift);
    }
  }
  return places;
}

}  // namespace

MatrixCall::MatrixCall(KernelContext& c) : c_(c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& x = c.input(i);
    if (!IsNarrow(x.dtype())) {
      inputs_.push_back(x);
      continue;
    }
    narrow_ = x.dtype();
    StatusOr<Tensor> wide = Tensor::Allocate(DataType::kFloat, x.shape());
    if (!wide.ok()) {
      status_ = wide.status();
      inputs_.push_back(x);
      continue;
    }
    WidenToFloat(*ElementTypeFor(x.dtype()), x.raw_data(), x.num_elements(),
                 wide->data<float>());
    inputs_.push_back(*std::move(wide));
  }
  outputs_.resize(c.num_outputs());
}

Status MatrixCall::Out(int i, DataType dtype, const TensorShape& shape,
                       Tensor** out) {
  GK_RETURN_IF_ERROR(status_);
  if (narrow_ != DataType::kInvalid && dtype == DataType::kFloat) {
    GK_ASSIGN_OR_RETURN(outputs_[i], Tensor::Zeros(dtype, shape));
    *out = &outputs_[i];
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(c_.Allocate(i, dtype, shape, out));
  ZeroElements(*out);
  return OkStatus();
}

Status MatrixCall::Finish() {
  for (int i = 0; i < c_.num_outputs(); ++i) {
    const Tensor& wide = outputs_[i];
    if (!wide) continue;
    Tensor* out;
    GK_RETURN_IF_ERROR(c_.Allocate(i, narrow_, wide.shape(), &out));
    NarrowFromFloat(*ElementTypeFor(narrow_), wide.data<float>(),
                    wide.num_elements(), out->raw_data());
  }
  return OkStatus();
}

Status CheckMatrix(const Tensor& t, int i) {
  if (t.rank() >= 2) return OkStatus();
  return InvalidArgument("Input tensor {} must have rank >= 2, got {}", i,
                         t.rank());
}

Status CheckSquare(const Tensor& t, int i) {
  GK_RETURN_IF_ERROR(CheckMatrix(t, i));
  if (RowsOf(t) == ColumnsOf(t)) return OkStatus();
  return InvalidArgument("Input matrix must be square.");
}

TensorShape BatchOf(const Tensor& t, std::initializer_list<int64_t> more) {
  TensorShape shape(t.shape().dims().first(t.rank() - 2));
  for (int64_t d : more) shape.AddDim(d);
  return shape;
}

StatusOr<TensorShape> BatchWith(const Tensor& t,
                                std::initializer_list<int64_t> more) {
  const std::span<const int64_t> batch = t.shape().dims().first(t.rank() - 2);
  std::vector<int64_t> dims(batch.begin(), batch.end());
  dims.insert(dims.end(), more);
  return TensorShape::Make(dims);
}

StatusOr<BatchPairs> PairBatches(const Tensor& a, const Tensor& b) {
  const TensorShape own = BatchOf(a), other = BatchOf(b);
  StatusOr<TensorShape> both = BroadcastShapes(own, other);
  if (!both.ok()) {
    return InvalidArgument(
        "In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
        a.shape().DebugString(), b.shape().DebugString());
  }
  BatchPairs pairs{*both, {}, {}};
  pairs.a = PlacesOf(own, *both);
  pairs.b = PlacesOf(other, *both);
  return pairs;
}

Status ForMatrices(int64_t n, int64_t cost, FunctionRef<bool(int64_t)> fn,
                   std::string_view error) {
  std::atomic<bool> failed = false;
  try {
    ThreadPool::Global().ParallelRange(
        n, std::max<int64_t>(cost, 50), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            if (!fn(i)) failed.store(true, std::memory_order_relaxed);
          }
        });
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("There is no memory for factors of matrices.");
  }
  if (failed) return InvalidArgument("{}", error);
  return OkStatus();
}

}  // namespace gk
