// Counts of numbers in bins of one width.
#include "ops/fn/math_histogram.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "kernels/isa.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

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

// The bins of n values; false where one is no number.
template <class T>
using FindBins = bool(const T*, int64_t, T, double, double, double, int32_t*);
template <class T>
struct FindBinsBody {
  static GK_INLINE bool Run(const T* values, int64_t n, T low, double first,
                            double width, double bins, int32_t* to) {
    int64_t bad = 0;
    for (int64_t i = 0; i < n; ++i) {
      // Not a distance from the end: of two infinities there is none.
      const double above = (static_cast<double>(values[i]) - first) / width;
      const double place = values[i] <= low ? 0.0 : above;
      bad |= place != place;
      to[i] = static_cast<int32_t>(place < bins ? place : bins - 1);
    }
    return bad == 0;
  }
};

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
  constexpr int64_t kSome = 1024;
  int32_t places[kSome];
  const auto find = Stamp<FindBinsBody<T>, FindBins<T>>::Best();
  const int64_t n = values.num_elements();
  for (int64_t i = 0; i < n; i += kSome) {
    if (i % (kSome * 1024) == 0) PollInterrupt();
    const int64_t some = std::min(kSome, n - i);
    if (!find(values.data<T>() + i, some, low, first, width,
              static_cast<double>(bins), places)) {
      return InvalidArgument("Histogram values must not contain NaN");
    }
    for (int64_t k = 0; k < some; ++k) ++counts[places[k]];
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
  Status status;
  const bool known =
      VisitType<int32_t, int64_t, float, double>(values.dtype(), [&](auto tag) {
        using T = decltype(tag);
        VisitType<int32_t, int64_t>(out->dtype(), [&](auto count) {
          status =
              CountValues<T>(values, range, out->data<decltype(count)>(), bins);
        });
      });
  return known ? status : c.NoKernel();
}

const OpRecord kRecords[] = {
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

GK_REGISTER_OPS(math_histogram)

}  // namespace gk
