#include "ops/random/random_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "framework/op_record.h"
#include "kernels/gather.h"
#include "kernels/random_distributions.h"
#include "kernels/shuffle.h"
#include "ops/element_moves.h"
#include "ops/random/random_fill.h"

namespace gk {
namespace {

// About what a deviate costs; slices depend on it, results do not.
constexpr int64_t kDeviateNs = 100;

}  // namespace

Status ShuffleRows(const Philox& gen, const Tensor& value, KernelContext& c) {
  const int64_t n = value.dim(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, value.dtype(), value.shape(), &out));
  if (value.num_elements() == 0) return OkStatus();
  if (value.num_elements() == n && !IsObjectType(value.dtype())) {
    return VisitMoved(value.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_trivially_copyable_v<T>) {
        T* const to = static_cast<T*>(out->raw_data());
        std::copy_n(static_cast<const T*>(value.raw_data()), n, to);
        ShuffleInPlace(gen, n, to);
      }
    });
  }
  std::vector<int64_t> order(n);
  RandomPermutation(gen, n, order.data());
  return VisitMoved(value.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    GatherRows(static_cast<const T*>(value.raw_data()), order.data(),
               static_cast<T*>(out->raw_data()), 1, 1, n, n,
               value.num_elements() / n, ThreadPool::Global());
  });
}

StatusOr<CategoricalSizes> CheckCategorical(const Tensor& logits,
                                            const Tensor& num_samples) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits should be a matrix, got shape {}",
                           logits.shape().DebugString());
  }
  if (!num_samples.shape().IsScalar()) {
    return InvalidArgument("num_samples should be a scalar, got shape {}",
                           num_samples.shape().DebugString());
  }
  CategoricalSizes sizes{logits.dim(0), logits.dim(1),
                         num_samples.scalar<int32_t>()};
  if (sizes.samples < 0) {
    return InvalidArgument("num_samples should be non-negative, got {}",
                           sizes.samples);
  }
  if (sizes.classes < 1) {
    return InvalidArgument("num_classes should be positive, got {}",
                           sizes.classes);
  }
  return sizes;
}

Status SampleCategorical(const Philox& gen, const CategoricalSizes& sizes,
                         KernelContext& c) {
  const Tensor& logits = c.input(0);
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make(std::array{sizes.rows, sizes.samples}));
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("output_dtype"), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  std::vector<double> scratch(sizes.classes);
  std::vector<int64_t> narrow;
  int64_t* drawn = nullptr;
  if (out->dtype() == DataType::kInt64) {
    drawn = out->data<int64_t>();
  } else {
    narrow.resize(shape.num_elements());
    drawn = narrow.data();
  }
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          logits.dtype(), [&](auto tag) {
            using T = decltype(tag);
            if constexpr (std::is_same_v<T, float> ||
                          std::is_same_v<T, double>) {
              RandomCategorical<T>(gen, logits.data<T>(), sizes.rows,
                                   sizes.classes, sizes.samples, scratch.data(),
                                   drawn);
            } else {
              std::vector<float> wide(logits.num_elements());
              const T* from = logits.data<T>();
              for (size_t i = 0; i < wide.size(); ++i) {
                wide[i] = static_cast<float>(from[i]);
              }
              RandomCategorical<float>(gen, wide.data(), sizes.rows,
                                       sizes.classes, sizes.samples,
                                       scratch.data(), drawn);
            }
          });
  if (!known) {
    return c.NoKernel();
  }
  for (size_t i = 0; i < narrow.size(); ++i) {
    out->data<int32_t>()[i] = static_cast<int32_t>(narrow[i]);
  }
  return OkStatus();
}

Status CategoricalShape(InferenceContext& c) {
  PartialTensorShape logits, samples;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &logits));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &samples));
  int64_t n = kUnknownDim;
  if (auto known = c.ValueAsInts(1); known && known->size() == 1) {
    if (known->front() < 0) {
      return InvalidArgument("num_samples should be non-negative, got {}",
                             known->front());
    }
    n = known->front();
  }
  c.set_output(0, {logits.dim(0), n});
  return OkStatus();
}

StatusOr<PerParameter> CheckPerParameter(const Tensor& shape,
                                         const Tensor& parameter) {
  GK_ASSIGN_OR_RETURN(TensorShape outer, ShapeFromInput(shape));
  std::vector<int64_t> dims(outer.dims().begin(), outer.dims().end());
  for (const int64_t d : parameter.shape().dims()) dims.push_back(d);
  PerParameter sizes;
  GK_ASSIGN_OR_RETURN(sizes.shape, TensorShape::Make(dims));
  sizes.samples = outer.num_elements();
  sizes.parameters = parameter.num_elements();
  return sizes;
}

StatusOr<PerParameter> CheckWholeShape(const Tensor& shape,
                                       const Tensor& parameter) {
  PerParameter sizes;
  GK_ASSIGN_OR_RETURN(sizes.shape, ShapeFromInput(shape));
  const int outer = sizes.shape.rank() - parameter.rank();
  if (outer < 0 || !std::equal(parameter.shape().dims().begin(),
                               parameter.shape().dims().end(),
                               sizes.shape.dims().begin() + outer)) {
    return InvalidArgument(
        "Shape passed in must end with broadcasted shape: {} does not end with "
        "{}",
        sizes.shape.DebugString(), parameter.shape().DebugString());
  }
  sizes.parameters = parameter.num_elements();
  sizes.samples =
      sizes.parameters == 0 ? 0 : sizes.shape.num_elements() / sizes.parameters;
  return sizes;
}

Status SampleGamma(const PerParameter& sizes, const Philox& gen,
                   const Tensor& alpha, KernelContext& c) {
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, alpha.dtype(), sizes.shape, &out));
  if (sizes.shape.num_elements() == 0) return OkStatus();
  const bool known =
      VisitType<half, float, double>(alpha.dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T* a = alpha.data<T>();
        T* o = out->data<T>();
        ThreadPool::Global().ParallelRange(
            sizes.shape.num_elements(), kDeviateNs,
            [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t p = i % sizes.parameters;
                const int64_t k = i / sizes.parameters;
                o[i] = static_cast<T>(RandomGamma(gen, p * sizes.samples + k,
                                                  static_cast<double>(a[p])));
              }
            });
      });
  return known ? OkStatus() : c.NoKernel();
}

Status SamplePoisson(const PerParameter& sizes, const Philox& gen,
                     const Tensor& rate, KernelContext& c) {
  std::vector<double> rates(sizes.parameters);
  bool known = VisitType<half, float, double, int32_t, int64_t>(
      rate.dtype(), [&](auto tag) {
        const auto* r = rate.data<decltype(tag)>();
        for (size_t i = 0; i < rates.size(); ++i) {
          rates[i] = static_cast<double>(r[i]);
        }
      });
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("dtype"), sizes.shape, &out));
  if (sizes.shape.num_elements() == 0) return OkStatus();
  known &= VisitType<half, float, double, int32_t, int64_t>(
      out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        T* o = out->data<T>();
        double limit = 65504;
        if constexpr (!std::is_same_v<T, half>) {
          limit = static_cast<double>(std::numeric_limits<T>::max());
        }
        if constexpr (std::is_same_v<T, int64_t>) {
          limit = std::nextafter(limit, 0.0);
        }
        ThreadPool::Global().ParallelRange(
            sizes.shape.num_elements(), kDeviateNs,
            [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t p = i % sizes.parameters;
                const int64_t k = i / sizes.parameters;
                const double v =
                    RandomPoisson(gen, p * sizes.samples + k, rates[p], limit);
                if constexpr (std::is_integral_v<T>) {
                  o[i] = std::isfinite(v) ? static_cast<T>(v) : T(0);
                } else {
                  o[i] = static_cast<T>(v);
                }
              }
            });
      });
  return known ? OkStatus() : c.NoKernel();
}

// Conversions of what no integer can hold are the lowest one, as processors
// have it.
template <class T>
T NumberAs(double v) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double kEnd = -static_cast<double>(std::numeric_limits<T>::min());
    return v >= -kEnd && v < kEnd ? static_cast<T>(v)
                                  : std::numeric_limits<T>::min();
  } else {
    return static_cast<T>(v);
  }
}

Status AllocateBinomial(const TensorShape& shape, const Tensor& counts,
                        const Tensor& chances, KernelContext& c) {
  StatusOr<TensorShape> batch =
      BroadcastShapes(counts.shape(), chances.shape());
  if (!batch.ok()) {
    return InvalidArgument(
        "counts and probs must have compatible shapes: {} "
        "vs. {}",
        counts.shape().DebugString(), chances.shape().DebugString());
  }
  const int extra = shape.rank() - batch->rank();
  bool ends = extra >= 0;
  for (int i = 0; ends && i < batch->rank(); ++i) {
    ends = shape.dim(extra + i) == batch->dim(i);
  }
  if (!ends) {
    return InvalidArgument("Shape passed in must end with broadcasted shape.");
  }
  Tensor* out;
  return c.Allocate(0, c.attr<DataType>("dtype"), shape, &out);
}

Status SampleBinomial(const TensorShape& shape, const Philox& gen,
                      const Tensor& counts, const Tensor& chances,
                      KernelContext& c) {
  Tensor* const out = &c.output(0);
  const StatusOr<TensorShape> batch =
      BroadcastShapes(counts.shape(), chances.shape());
  if (shape.num_elements() == 0) return OkStatus();
  const int64_t parameters = batch->num_elements(),
                samples = shape.num_elements() / parameters;
  // Where the parameters of one batch element are.
  const auto place = [&](const Tensor& t, int64_t flat) {
    int64_t at = 0, stride = 1;
    for (int i = batch->rank() - 1; i >= 0; --i) {
      const int64_t index = flat % batch->dim(i);
      flat /= batch->dim(i);
      const int own = i - (batch->rank() - t.rank());
      if (own < 0) continue;
      if (t.dim(own) > 1) at += index * stride;
      stride *= t.dim(own);
    }
    return at;
  };
  struct Parameters {
    double count, chance;
    bool many;
  };
  std::vector<Parameters> all(parameters);
  bool known = VisitType<half, float, double, int32_t,
                         int64_t>(counts.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using F = std::conditional_t<sizeof(T) == 2, float, T>;
    for (int64_t p = 0; p < parameters; ++p) {
      const F n = static_cast<F>(counts.data<T>()[place(counts, p)]);
      const F x = static_cast<F>(chances.data<T>()[place(chances, p)]);
      const F rarer = static_cast<double>(x) <= 0.5 ? x : F(1) - x;
      // Integers wrap around.
      double expected;
      if constexpr (std::is_integral_v<F>) {
        F product;
        (void)__builtin_mul_overflow(n, rarer, &product);
        expected = static_cast<double>(product);
      } else {
        expected = static_cast<double>(n * rarer);
      }
      all[p] = {static_cast<double>(n), static_cast<double>(x), expected >= 10};
    }
  });
  known &= VisitType<half, float, double, int32_t, int64_t>(
      out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        T* o = out->data<T>();
        ThreadPool::Global().ParallelRange(
            shape.num_elements(), kDeviateNs, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t p = i % parameters, k = i / parameters;
                const double v =
                    RandomBinomial(gen, p * samples + k, all[p].count,
                                   all[p].chance, all[p].many);
                o[i] = NumberAs<T>(v);
              }
            });
      });
  return known ? OkStatus() : c.NoKernel();
}

}  // namespace gk
