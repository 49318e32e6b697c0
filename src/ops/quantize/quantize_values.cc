// Floats as numbers of few bits, and back.
#include "ops/fn/quantize_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/quantize.h"
#include "ops/quantize/quantized_call.h"

namespace gk {
namespace {

// Along an axis each slice has a range of its own.
struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
  Slices(const TensorShape& shape, int64_t axis) {
    for (int i = 0; i < shape.rank(); ++i) {
      (i < axis ? outer : i == axis ? count : inner) *= shape.dim(i);
    }
  }
  // Calls fn(slice, first, end) for runs of elements of one slice.
  template <class Fn>
  void Visit(Fn&& fn) const {
    if (count == 1) {
      constexpr int64_t kRun = 1 << 12;
      const int64_t n = outer * count * inner;
      ForEach((n + kRun - 1) / kRun, 2 * kRun,
              [&](int64_t i) { fn(0, i * kRun, std::min(n, (i + 1) * kRun)); });
      return;
    }
    ForEach(outer * count, 2 * inner,
            [&](int64_t i) { fn(i % count, i * inner, (i + 1) * inner); });
  }
};

// Scalars, or vectors along the axis; sets outputs from 1 on so.
Status RangeShape(InferenceContext& c) {
  const int64_t axis = c.attr<int64_t>("axis");
  PartialTensorShape x = c.input(0);
  c.set_output(0, x);
  if (axis < -1) {
    return InvalidArgument("axis should be at least -1, got {}", axis);
  }
  if (axis == -1) {
    GK_RETURN_IF_ERROR(ScalarsFrom(c, 1));
    SetScalarOutputs(c);
    return OkStatus();
  }
  if (axis >= kMaxRank) {
    return InvalidArgument(
        "Axis must be less than input dimension, which is at most {}, got {}",
        kMaxRank, axis);
  }
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, static_cast<int>(axis) + 1, &x));
  PartialTensorShape range;
  int64_t n = x.unknown_rank() ? kUnknownDim : x.dim(axis);
  for (int i = 1; i <= 2; ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &range));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, range.dim(0), &n));
  }
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, {n});
  return OkStatus();
}

// ---- QuantizeV2 ----

// How numbers of a range become levels.
struct Quantizer {
  std::string mode;
  bool narrow = false, to_even = false;
  float least_range = 0;
};

// The whole range: with zero inside, and not too small.
Status WidenRange(const Quantizer& q, FloatRange* range) {
  if (range->max < range->min) {
    return InvalidArgument(
        "input_max_range must be larger than input_min_range.");
  }
  const float epsilon =
      std::max(1.0f, std::max(std::fabs(range->min), std::fabs(range->max))) *
      q.least_range;
  range->min = std::min(0.0f, range->min);
  range->max = std::max(0.0f, std::max(range->max, range->min + epsilon));
  return OkStatus();
}

// A whole number as one of the type, the nearest where it is out of its range.
template <class T>
T Saturated(float v) {
  constexpr float kLow = static_cast<float>(kLowestLevel<T>);
  constexpr float kHigh = static_cast<float>(kHighestLevel<T>);
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(
        static_cast<int32_t>(std::min(std::max(v, kLow), kHigh)));
  }
  if (v >= kHigh) return static_cast<T>(kHighestLevel<T>);
  return static_cast<T>(std::max(v, kLow));
}
inline float NumberOrZero(float v) { return v == v ? v : 0.0f; }

template <class T>
struct Combined {
  float min, max, scale;
  explicit Combined(const FloatRange& r)
      : min(r.min),
        max(r.max),
        scale(static_cast<float>((static_cast<double>(kHighestLevel<T>) -
                                  static_cast<double>(kLowestLevel<T>)) /
                                 (r.max - r.min))) {}
  T operator()(float v) const {
    const float inside = (std::max(std::min(v, max), min) - min) * scale;
    if constexpr (kLowestLevel<T> == 0) {
      return Saturated<T>(NumberOrZero(inside + 0.5f));
    } else {
      return Saturated<T>(
          RoundAway(inside + static_cast<float>(kLowestLevel<T>)));
    }
  }
};

template <class T>
struct Scaled {
  float min, max, scale;
  bool to_even;
  // Also moves the range's ends to where the levels' are.
  Scaled(const Quantizer& q, FloatRange* r) : to_even(q.to_even) {
    const float low = static_cast<float>(kLowestLevel<T> + (q.narrow ? 1 : 0));
    const float high = static_cast<float>(kHighestLevel<T>);
    constexpr float kNone = std::numeric_limits<float>::max();
    scale = std::min(low * r->min > 0 ? low / r->min : kNone,
                     high * r->max > 0 ? high / r->max : kNone);
    min = r->min = low / scale;
    max = r->max = high / scale;
  }
  T operator()(float v) const {
    const float inside = std::max(std::min(v, max), min) * scale;
    return Saturated<T>(to_even ? NumberOrZero(std::nearbyint(inside))
                                : RoundAway(inside));
  }
};

template <class T>
void Quantize(const Quantizer& q, FloatRange* range, const float* x,
              int64_t begin, int64_t end, T* y) {
  const auto all = [&](const auto level) {
    for (int64_t i = begin; i < end; ++i) y[i] = level(x[i]);
  };
  if (q.mode == "MIN_FIRST") {
    all(FloatToLevel<T>(range->min, range->max));
  } else if (q.mode == "SCALED") {
    all(Scaled<T>(q, range));
  } else {
    all(Combined<T>(*range));
  }
}

Status CheckAxis(int64_t axis, const Tensor& x) {
  if (axis < x.rank()) return OkStatus();
  return InvalidArgument(
      "Axis is on a zero-based index, so its value must always be less than "
      "number of input's dims, but given axis value was {} and input's dims "
      "was {}",
      axis, x.rank());
}

Status CheckRanges(KernelContext& c, int64_t axis, int64_t count) {
  const char* const names[] = {"", "min_range", "max_range"};
  for (int i = 1; i <= 2; ++i) {
    const Tensor& t = c.input(i);
    if (axis < 0 && t.num_elements() != 1) {
      return InvalidArgument(
          "If axis is not specified, {} must contain a single float element, "
          "but it contains {} elements",
          names[i], t.num_elements());
    }
    if (axis >= 0 && (t.rank() != 1 || t.dim(0) != count)) {
      return InvalidArgument(
          "If axis is specified, {} must be a 1-D tensor whose size matches "
          "the axis dimension of the input and output tensors, but {} has "
          "shape {}, expected {}",
          names[i], names[i], t.shape().DebugString(), count);
    }
  }
  return OkStatus();
}

Status ComputeQuantize(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Quantizer q{c.attr<std::string>("mode"), c.attr<bool>("narrow_range"),
                    c.attr<std::string>("round_mode") == "HALF_TO_EVEN",
                    c.attr<float>("ensure_minimum_range")};
  if (q.to_even && q.mode != "SCALED") {
    return InvalidArgument(
        "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode "
        "is '{}'.",
        q.mode);
  }
  const int64_t axis = std::max<int64_t>(c.attr<int64_t>("axis"), -1);
  GK_RETURN_IF_ERROR(CheckAxis(axis, x));
  const Slices slices(x.shape(), axis);
  GK_RETURN_IF_ERROR(CheckRanges(c, axis, slices.count));
  if (slices.count != 1 && q.mode == "MIN_FIRST") {
    return Unimplemented(
        "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
  }
  const DataType dtype = c.attr<DataType>("T");
  Tensor *y, *min, *max;
  GK_RETURN_IF_ERROR(c.Allocate(0, dtype, x.shape(), &y));
  const TensorShape of = axis < 0 ? TensorShape() : TensorShape({slices.count});
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kFloat, of, &min));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kFloat, of, &max));
  const int64_t ranges = axis < 0 ? 1 : slices.count;
  std::vector<FloatRange> wide(ranges);
  for (int64_t i = 0; i < ranges; ++i) {
    wide[i] = {c.input(1).data<float>()[i], c.input(2).data<float>()[i]};
    GK_RETURN_IF_ERROR(WidenRange(q, &wide[i]));
  }
  const bool known = VisitQuantized(dtype, [&](auto tag) {
    using T = decltype(tag);
    slices.Visit([&](int64_t slice, int64_t begin, int64_t end) {
      FloatRange range = wide[slice];
      Quantize(q, &range, x.data<float>(), begin, end, LevelsOf<T>(y));
    });
    for (int64_t i = 0; i < ranges; ++i) {
      if (q.mode == "SCALED") Scaled<T>(q, &wide[i]);
      min->data<float>()[i] = wide[i].min;
      max->data<float>()[i] = wide[i].max;
    }
  });
  return known ? OkStatus() : c.NoKernel();
}

// ---- Dequantize ----

template <class T>
void Dequantize(const std::string& mode, bool narrow, const FloatRange& r,
                const T* x, int64_t begin, int64_t end, float* y) {
  const auto all = [&](const auto number) {
    for (int64_t i = begin; i < end; ++i) y[i] = number(x[i]);
  };
  constexpr float kHigh = static_cast<float>(kHighestLevel<T>);
  if (mode == "MIN_FIRST") {
    all(LevelToFloat<T>(r.min, r.max));
  } else if (mode == "SCALED") {
    const float low = static_cast<float>(kLowestLevel<T> + (narrow ? 1 : 0));
    const float scale = kLowestLevel<T> == 0
                            ? r.max / kHigh
                            : std::max(r.min / low, r.max / kHigh);
    all([&](T v) { return static_cast<float>(v) * scale; });
  } else {
    constexpr float kLow = static_cast<float>(kLowestLevel<T>);
    const float scale = (r.max - r.min) / (kHigh - kLow);
    all([&](T v) { return (static_cast<float>(v) - kLow) * scale + r.min; });
  }
}

Status ComputeDequantize(KernelContext& c) {
  const Tensor& x = c.input(0);
  const std::string& mode = c.attr<std::string>("mode");
  const DataType dtype = c.attr<DataType>("dtype");
  if (dtype == DataType::kBfloat16 && mode != "MIN_COMBINED") {
    return InvalidArgument(
        "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is "
        "'{}'",
        mode);
  }
  const int64_t axis = std::max<int64_t>(c.attr<int64_t>("axis"), -1);
  if (axis >= x.rank()) {
    return InvalidArgument("Axis must be less than input dimension({}), got {}",
                           x.rank(), axis);
  }
  const Slices slices(x.shape(), axis);
  const int64_t ranges = axis < 0 ? 1 : slices.count;
  for (int i = 1; i <= 2; ++i) {
    if (c.input(i).num_elements() == ranges) continue;
    return InvalidArgument(
        "input_{}_tensor must have as many elements as input on the "
        "dequantization axis ({}), got {}, expected {}",
        i == 1 ? "min" : "max", axis, c.input(i).num_elements(), ranges);
  }
  if (slices.count != 1 && mode == "MIN_FIRST") {
    return Unimplemented(
        "MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, dtype, x.shape(), &y));
  Tensor floats = *y;
  if (dtype != DataType::kFloat) {
    GK_ASSIGN_OR_RETURN(floats, Tensor::Allocate(DataType::kFloat, x.shape()));
  }
  const bool narrow = c.attr<bool>("narrow_range");
  const bool known = VisitQuantized(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    slices.Visit([&](int64_t slice, int64_t begin, int64_t end) {
      const FloatRange range{c.input(1).data<float>()[slice],
                             c.input(2).data<float>()[slice]};
      Dequantize(mode, narrow, range, LevelsOf<T>(x), begin, end,
                 floats.data<float>());
    });
  });
  if (!known) return c.NoKernel();
  if (dtype == DataType::kBfloat16) {
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      y->data<bfloat16>()[i] = bfloat16(floats.data<float>()[i]);
    }
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "QuantizeV2",
     .inputs = "input: float; min_range: float; max_range: float",
     .outputs = "output: T; output_min: float; output_max: float",
     .attrs = "T: type in " GK_QUANTIZED_TYPES
              "; mode: string in [MIN_COMBINED, MIN_FIRST, SCALED] = "
              "'MIN_COMBINED'; round_mode: string in [HALF_AWAY_FROM_ZERO, "
              "HALF_TO_EVEN] = 'HALF_AWAY_FROM_ZERO'; narrow_range: bool = "
              "false; axis: int = -1; ensure_minimum_range: float = "
              "0.009999999776482582",
     .shape = RangeShape,
     .kernel = {.compute = ComputeQuantize},
     .doc = "Floats as numbers of few bits, the levels of a range, and the "
            "range as it was used."},
    {.name = "Dequantize",
     .inputs = "input: T; min_range: float; max_range: float",
     .outputs = "output: dtype",
     .attrs = "T: type in " GK_QUANTIZED_TYPES
              "; mode: string in [MIN_COMBINED, MIN_FIRST, SCALED] = "
              "'MIN_COMBINED'; narrow_range: bool = false; axis: int = -1; "
              "dtype: type in [bfloat16, float] = float",
     .shape = RangeShape,
     .kernel = {.compute = ComputeDequantize},
     .doc = "What numbers of few bits, the levels of a range, stand for."},
};

}  // namespace

GK_REGISTER_OPS(quantize_values)

}  // namespace gk
