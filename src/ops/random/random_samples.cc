#include "ops/random/random_samples.h"

#include <cmath>
#include <limits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "framework/op_record.h"
#include "kernels/gather.h"
#include "kernels/random_distributions.h"
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
                  o[i] = std::isnan(v) ? T(0) : static_cast<T>(v);
                } else {
                  o[i] = static_cast<T>(v);
                }
              }
            });
      });
  return known ? OkStatus() : c.NoKernel();
}

}  // namespace gk
