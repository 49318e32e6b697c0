#include "ops/random/random_fill.h"

#include <algorithm>

#include "base/thread_pool.h"

namespace gk {
namespace {

// A multiple of kRandomGroup.
constexpr int64_t kSlice = 1 << 14;

template <class T, class Fill>
void InSlices(Tensor* out, Fill&& fill) {
  const int64_t n = out->num_elements();
  T* data = out->data<T>();
  const int64_t slices = (n + kSlice - 1) / kSlice;
  if (slices <= 1) {
    if (n > 0) fill(0, n, data);
    return;
  }
  ThreadPool::Global().ParallelFor(slices, [&](int64_t s) {
    const int64_t begin = s * kSlice;
    fill(begin, std::min(n, begin + kSlice), data + begin);
  });
}

Status NoKernel(const Tensor& t) {
  return Unimplemented("No random numbers of type {}",
                       DataTypeString(t.dtype()));
}

uint64_t SeedAt(const Tensor& seed, int64_t i) {
  uint64_t v = 0;
  VisitType<int32_t, int64_t, uint32_t, uint64_t>(seed.dtype(), [&](auto tag) {
    v = static_cast<uint64_t>(seed.data<decltype(tag)>()[i]);
  });
  return v;
}

}  // namespace

Status FillRandom(RandomKind kind, const Philox& gen, Tensor* out) {
  const bool known = VisitType<float, double, half, bfloat16>(
      out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        InSlices<T>(out, [&](int64_t begin, int64_t end, T* data) {
          switch (kind) {
            case RandomKind::kUniform:
              return FillUniform<T>(gen, begin, end, data);
            case RandomKind::kNormal:
              return FillNormal<T>(gen, begin, end, data);
            case RandomKind::kTruncatedNormal:
              return FillTruncatedNormal<T>(gen, begin, end, data);
          }
        });
      });
  return known ? OkStatus() : NoKernel(*out);
}

Status CheckIntRange(const Tensor& low, const Tensor& high) {
  if (!low.shape().IsScalar()) {
    return InvalidArgument("minval must be 0-D, got shape {}",
                           low.shape().DebugString());
  }
  if (!high.shape().IsScalar()) {
    return InvalidArgument("maxval must be 0-D, got shape {}",
                           high.shape().DebugString());
  }
  Status status;
  VisitType<int32_t, int64_t, uint32_t, uint64_t>(low.dtype(), [&](auto tag) {
    using T = decltype(tag);
    if (low.scalar<T>() >= high.scalar<T>()) {
      status = InvalidArgument("Need minval < maxval, got {} >= {}",
                               low.scalar<T>(), high.scalar<T>());
    }
  });
  return status;
}

Status FillRandomInt(const Philox& gen, const Tensor& low, const Tensor& high,
                     Tensor* out) {
  if (out->num_elements() == 0) return OkStatus();
  GK_RETURN_IF_ERROR(CheckIntRange(low, high));
  const bool known = VisitType<int32_t, int64_t, uint32_t, uint64_t>(
      out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T from = low.scalar<T>(), to = high.scalar<T>();
        InSlices<T>(out, [&](int64_t begin, int64_t end, T* data) {
          FillUniformInt<T>(gen, from, to, begin, end, data);
        });
      });
  return known ? OkStatus() : NoKernel(*out);
}

Status FillRandomFullInt(const Philox& gen, Tensor* out) {
  const bool known = VisitType<int32_t, int64_t, uint32_t, uint64_t>(
      out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        InSlices<T>(out, [&](int64_t begin, int64_t end, T* data) {
          FillFullInt<T>(gen, begin, end, data);
        });
      });
  return known ? OkStatus() : NoKernel(*out);
}

StatusOr<TensorShape> ShapeFromInput(const Tensor& shape) {
  if (shape.rank() != 1 || (shape.dtype() != DataType::kInt32 &&
                            shape.dtype() != DataType::kInt64)) {
    return InvalidArgument("shape must be a vector of {{int32,int64}}, got "
                           "shape {}",
                           shape.shape().DebugString());
  }
  if (shape.num_elements() > kMaxRank) {
    return InvalidArgument("shape has {} dimensions, more than {}",
                           shape.num_elements(), kMaxRank);
  }
  std::vector<int64_t> dims(shape.num_elements());
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = static_cast<int64_t>(SeedAt(shape, i));
    if (dims[i] < 0) {
      return InvalidArgument("Dimension {} must be >= 0", dims[i]);
    }
  }
  return TensorShape::Make(dims);
}

StatusOr<Philox> GeneratorOfSeed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return InvalidArgument("seed must have shape [2], not {}",
                           seed.shape().DebugString());
  }
  return PhiloxFromStatelessSeed(SeedAt(seed, 0), SeedAt(seed, 1));
}

StatusOr<Philox> GeneratorOfKeyCounter(const Tensor& key, const Tensor& counter,
                                       const Tensor& alg) {
  if (!alg.shape().IsScalar()) {
    return InvalidArgument("algorithm must be of shape [], not {}",
                           alg.shape().DebugString());
  }
  const auto id = static_cast<int64_t>(SeedAt(alg, 0));
  if (id != 1 && id != 3) {
    return InvalidArgument("Unsupported algorithm id: {}", id);
  }
  if (key.rank() != 1 || key.dim(0) != 1) {
    return InvalidArgument(
        "key must have shape [1], not {}. (Note that batched keys are not "
        "supported yet.)",
        key.shape().DebugString());
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument(
        "counter must be a vector with length at least 2; got shape: {}. (Note "
        "that batched counters are not supported yet.)",
        counter.shape().DebugString());
  }
  return Philox::FromKeyCounter(SeedAt(key, 0), SeedAt(counter, 0),
                                SeedAt(counter, 1));
}

Status ShapeOfInput0(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &shape));
  c.set_output(0, c.ValueAsShape(0));
  return OkStatus();
}

Status SeededShape(InferenceContext& c) {
  PartialTensorShape seed;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &seed));
  int64_t two;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(seed.dim(0), 2, &two));
  return ShapeOfInput0(c);
}

}  // namespace gk
