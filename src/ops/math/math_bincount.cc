// Counts of small integers.
#include "base/interrupt.h"
#include "ops/fn/math_bincount.h"

#include <cmath>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

Status NegativeSize(int64_t size) {
  return InvalidArgument("size ({}) must be non-negative", size);
}

Status ReadSize(InferenceContext& c, int64_t* size) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &scalar));
  auto value = c.ValueAsInts(1);
  *size = value ? (*value)[0] : kUnknownDim;
  return value && *size < 0 ? NegativeSize(*size) : OkStatus();
}

Status BincountShape(InferenceContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  c.set_output(0, {size});
  return OkStatus();
}

Status DenseShape(InferenceContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  const PartialTensorShape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (x.rank() == 2) {
    c.set_output(0, {x.dim(0), size});
  } else {
    c.set_output(0, {size});
  }
  return OkStatus();
}

// Rows of values are counted each into its own row of bins. Values beyond the
// bins are dropped.
Status CountRows(KernelContext& c, int64_t rows, const TensorShape& shape,
                 int64_t size, bool binary) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(x, &values));
  TurnPoll poll;
  for (int64_t v : values) {
    poll();
    if (v < 0) return InvalidArgument("Input arr must be non-negative!");
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, weights.dtype(), shape, &out));
  ZeroElements(out);
  const int64_t width = rows == 0 ? 0 : x.num_elements() / rows;
  const bool weighted = weights.num_elements() > 0;
  const bool known = VisitType<int32_t, int64_t, float, double>(
      weights.dtype(), [&](auto tag) {
        using T = decltype(tag);
        T* bins = out->data<T>();
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = r * width; i < (r + 1) * width; ++i) {
            poll();
            if (values[i] >= size) continue;
            T& bin = bins[r * size + values[i]];
            if (binary) {
              bin = T(1);
            } else if constexpr (std::is_integral_v<T>) {
              using U = std::make_unsigned_t<T>;
              bin = static_cast<T>(U(bin) +
                                   U(weighted ? weights.data<T>()[i] : T(1)));
            } else {
              bin += weighted ? weights.data<T>()[i] : T(1);
            }
          }
        }
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

Status ReadSize(KernelContext& c, int64_t* size) {
  if (c.input(1).rank() != 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(1).rank());
  }
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "size", size));
  return *size < 0 ? NegativeSize(*size) : OkStatus();
}

Status ComputeBincount(KernelContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  const int64_t weights = c.input(2).num_elements();
  if (weights != 0 && weights != c.input(0).num_elements()) {
    return InvalidArgument(
        "Input indices and weights must have the same size.");
  }
  return CountRows(c, 1, TensorShape({size}), size, false);
}

Status ComputeDense(KernelContext& c) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (!(weights.shape() == x.shape()) && weights.num_elements() != 0) {
    return InvalidArgument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in "
        "which case it acts as all weights equal to 1. Received {}",
        weights.shape().DebugString());
  }
  const bool binary = c.attr<bool>("binary_output");
  if (x.rank() < 2) return CountRows(c, 1, TensorShape({size}), size, binary);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({{x.dim(0), size}}));
  return CountRows(c, x.dim(0), shape, size, binary);
}

Status HistogramShape(InferenceContext& c) {
  PartialTensorShape range, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &range));
  if (range.dim(0) >= 0 && range.dim(0) != 2) {
    return InvalidArgument("Dimension must be 2 but is {}", range.dim(0));
  }
  GK_RETURN_IF_ERROR(c.WithRank(2, 0, &scalar));
  const auto bins = c.ValueAsInts(2);
  if (bins && (*bins)[0] <= 0) {
    return InvalidArgument("Requires nbins > 0, got {}", (*bins)[0]);
  }
  c.set_output(0, {bins ? (*bins)[0] : kUnknownDim});
  return OkStatus();
}

// Into the bins of one width between the ends of the range; what lies outside
// counts in the first or the last.
template <class T, class Count>
Status CountValues(const Tensor& values, const Tensor& range, Count* counts,
                   int64_t bins) {
  const T low = range.data<T>()[0], high = range.data<T>()[1];
  if (!(low < high)) {
    return InvalidArgument(
        "value_range should satisfy value_range[0] < value_range[1], but got "
        "'[{}, {}]'",
        low, high);
  }
  const double first = static_cast<double>(low);
  const double width =
      (static_cast<double>(high) - first) / static_cast<double>(bins);
  for (const T v : values.flat<T>()) {
    // Not a distance from the end: of two infinities there is none.
    const double place =
        v <= low ? 0 : (static_cast<double>(v) - first) / width;
    if (std::isnan(place)) {
      return InvalidArgument("Histogram values must not contain NaN");
    }
    const int64_t bin = place < static_cast<double>(bins)
                            ? static_cast<int64_t>(place)
                            : bins - 1;
    ++counts[bin];
  }
  return OkStatus();
}

Status ComputeHistogram(KernelContext& c) {
  const Tensor &values = c.input(0), &range = c.input(1);
  if (range.rank() != 1 || range.num_elements() != 2) {
    return InvalidArgument(
        "value_range should be a vector of 2 elements, but its shape is {}",
        range.shape().DebugString());
  }
  if (c.input(2).rank() != 0) {
    return InvalidArgument("nbins should be a scalar.");
  }
  int64_t bins = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(2), "nbins", &bins));
  if (bins <= 0) {
    return InvalidArgument("nbins should be a positive number, but got '{}'",
                           bins);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("dtype"), TensorShape({bins}), &out));
  ZeroElements(out);
  Status status = c.NoKernel();
  VisitType<int32_t, int64_t, float, double>(values.dtype(), [&](auto tag) {
    using T = decltype(tag);
    VisitType<int32_t, int64_t>(out->dtype(), [&](auto count) {
      status = CountValues<T>(values, range, out->data<decltype(count)>(),
                              bins);
    });
  });
  return status;
}

const OpRecord kRecords[] = {
    {.name = "Bincount",
     .inputs = "arr: int32; size: int32; weights: T",
     .outputs = "bins: T",
     .attrs = "T: type in [int32, int64, float, double]",
     .shape = BincountShape,
     .kernel = {.compute = ComputeBincount},
     .doc = "How often each of the integers below size appears, or the sums "
            "of their weights."},

    {.name = "DenseBincount",
     .inputs = "input: Tidx; size: Tidx; weights: T",
     .outputs = "output: T",
     .attrs = "Tidx: type in [int32, int64]; T: type in [int32, int64, float, "
              "double]; binary_output: bool = False",
     .shape = DenseShape,
     .kernel = {.compute = ComputeDense},
     .doc = "How often each of the integers below size appears in each row."},

    {.name = "HistogramFixedWidth",
     .inputs = "values: T; value_range: T; nbins: int32",
     .outputs = "out: dtype",
     .attrs = "T: type in [int32, int64, float, double]; dtype: type in "
              "[int32, int64] = int32",
     .traits = kNoGradient,
     .shape = HistogramShape,
     .kernel = {.compute = ComputeHistogram},
     .doc = "How many values fall into each of nbins bins of one width "
            "between the two ends of value_range; those outside count in the "
            "first or the last bin.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(math_bincount)

}  // namespace gk
