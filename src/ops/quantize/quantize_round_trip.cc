// Numbers as they come back from a quantised form.
#include "ops/fn/quantize_round_trip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/isa.h"
#include "kernels/math/rounding.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"
#include "ops/with_attrs/QuantizeAndDequantizeV4Grad.h"

namespace gk {
namespace {

struct Rounding {
  bool is_signed, narrow, range_given, half_up = false;
  int64_t bits, axis;
};

Status CheckBits(const Rounding& r, std::string_view quote) {
  if (r.bits > 0 && r.bits < (r.is_signed ? 62 : 63)) return OkStatus();
  return InvalidArgument(
      "num_bits is out of range: {} with {}signed_input_{} "
      "{}",
      r.bits, quote, quote, r.is_signed ? 1 : 0);
}

Status CheckAxis(int64_t axis, int rank) {
  if (axis < -1) {
    return InvalidArgument("Axis must be at least -1. Found {}", axis);
  }
  if (axis >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Axis cannot be >= kint32max value, got {}", axis);
  }
  if (axis >= 0 && rank >= 0 && axis >= rank) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           axis + 1, rank);
  }
  return OkStatus();
}

Status CheckRange(KernelContext& c, const Rounding& r) {
  const Tensor &x = c.input(0), &min = c.input(1), &max = c.input(2);
  if (!r.range_given) return OkStatus();
  for (const Tensor* t : {&min, &max}) {
    const char* const name = t == &min ? "input_min" : "input_max";
    if (r.axis < 0 && t->rank() != 0) {
      return InvalidArgument("{} must be a scalar.", name);
    }
    if (r.axis >= 0 && t->rank() != 1) {
      return InvalidArgument(
          "Shape must be rank 1 for {}_tensor when the "
          "axis is specified",
          name);
    }
    if (r.axis >= 0 && t->dim(0) != x.dim(r.axis)) {
      return InvalidArgument(
          "{}_tensor is the wrong size for the axis: {} "
          "vs. {}",
          name, t->dim(0), x.dim(r.axis));
    }
  }
  return OkStatus();
}

// One channel: elements i of [outer, inner], `stride` apart outside.
template <class T>
struct Channel {
  const T* x;
  T* y;
  int64_t outer, inner, stride;

  template <class F>
  GK_INLINE void Each(F f) const {
    for (int64_t o = 0; o < outer; ++o) {
      const T* from = x + o * stride;
      T* to = y + o * stride;
#pragma GCC ivdep
      for (int64_t i = 0; i < inner; ++i) f(from[i], to[i]);
    }
  }
};

// The ends of what the channel holds, of a NaN at its begin no others.
template <class T>
struct FindRangeBody {
  static GK_INLINE void Run(const Channel<T>& channel, T* min, T* max) {
    constexpr int kLanes = 32;
    const T first = *channel.x;
    T low[kLanes], high[kLanes];
    for (int l = 0; l < kLanes; ++l) low[l] = high[l] = first;
    for (int64_t o = 0; o < channel.outer; ++o) {
      const T* from = channel.x + o * channel.stride;
      int64_t i = 0;
      for (; i + kLanes <= channel.inner; i += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
          const T v = from[i + l];
          low[l] = v < low[l] ? v : low[l];
          high[l] = v > high[l] ? v : high[l];
        }
      }
      for (; i < channel.inner; ++i) {
        low[0] = from[i] < low[0] ? from[i] : low[0];
        high[0] = from[i] > high[0] ? from[i] : high[0];
      }
    }
    *min = *std::min_element(low, low + kLanes);
    *max = *std::max_element(high, high + kLanes);
  }
};

template <class T, bool kHalfUp>
struct RoundBody {
  static GK_INLINE void Run(const Channel<T>& channel, T min, T max, T scale,
                            T inverse) {
    channel.Each([&](T v, T & to) __attribute__((always_inline)) {
      const T below = max < v ? max : v;
      const T inside = below < min ? min : below;
      const T scaled = (v == v ? inside : v) * scale;
      to = (kHalfUp ? math::Floor(scaled + T(0.5)) : math::Rint(scaled)) *
           inverse;
    });
  }
};

template <class T>
void RoundChannel(const Rounding& r, T min, T max, const Channel<T>& channel) {
  if (!r.range_given) {
    Stamp<FindRangeBody<T>, void(const Channel<T>&, T*, T*)>::Best()(
        channel, &min, &max);
  }
  const int64_t most = r.is_signed ? (int64_t{1} << (r.bits - 1)) - 1
                                   : (int64_t{1} << r.bits) - 1;
  const int64_t least =
      r.is_signed ? -(int64_t{1} << (r.bits - 1)) + (r.narrow ? 1 : 0) : 0;
  const T low = static_cast<T>(least), high = static_cast<T>(most);
  constexpr T kHuge = std::numeric_limits<T>::max();
  const T from_min = low * min > 0 ? low / min : kHuge;
  const T from_max = high * max > 0 ? high / max : kHuge;
  T scale, inverse;
  if (from_min < from_max) {
    scale = from_min;
    inverse = min / low;
    max = high * inverse;
  } else {
    scale = from_max;
    inverse = max / high;
    min = low * inverse;
  }
  if (!r.range_given) {
    min = -std::numeric_limits<T>::infinity();
    max = std::numeric_limits<T>::infinity();
  }
  using Loop = void(const Channel<T>&, T, T, T, T);
  const auto round = r.half_up ? Stamp<RoundBody<T, true>, Loop>::Best()
                               : Stamp<RoundBody<T, false>, Loop>::Best();
  round(channel, min, max, scale, inverse);
}

template <class T>
Status RoundTrip(KernelContext& c, const Rounding& r, const Tensor& x,
                 const Tensor& min, const Tensor& max, Tensor* out) {
  int64_t outer = 1, channels = 1, inner = x.num_elements();
  if (r.axis >= 0) {
    channels = x.dim(r.axis);
    inner = 1;
    for (int i = 0; i < x.rank(); ++i) {
      if (i < r.axis) outer *= x.dim(i);
      if (i > r.axis) inner *= x.dim(i);
    }
  }
  if (r.range_given) {
    for (int64_t k = 0; k < channels; ++k) {
      const T a = min.data<T>()[k], b = max.data<T>()[k];
      if (!(a <= b)) {
        return InvalidArgument("Invalid range: input_min {} > input_max {}",
                               static_cast<double>(a), static_cast<double>(b));
      }
    }
  }
  if (x.num_elements() == 0) return OkStatus();
  ThreadPool::Global().ParallelRange(
      channels, 3 * outer * inner, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          RoundChannel<T>(r, r.range_given ? min.data<T>()[k] : T(0),
                          r.range_given ? max.data<T>()[k] : T(0),
                          {x.data<T>() + k * inner, out->data<T>() + k * inner,
                           outer, inner, channels * inner});
        }
      });
  return OkStatus();
}

// Half numbers are computed as float.
StatusOr<Tensor> Widened(const Tensor& t) {
  GK_ASSIGN_OR_RETURN(Tensor wide,
                      Tensor::Allocate(DataType::kFloat, t.shape()));
  VisitType<half, bfloat16>(t.dtype(), [&](auto tag) {
    const auto* from = t.data<decltype(tag)>();
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      wide.data<float>()[i] = static_cast<float>(from[i]);
    }
  });
  return wide;
}

Status Compute(KernelContext& c, const Rounding& r) {
  const Tensor& x = c.input(0);
  GK_RETURN_IF_ERROR(CheckAxis(r.axis, x.rank()));
  GK_RETURN_IF_ERROR(CheckRange(c, r));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.dtype() == DataType::kFloat) {
    return RoundTrip<float>(c, r, x, c.input(1), c.input(2), out);
  }
  if (x.dtype() == DataType::kDouble) {
    return RoundTrip<double>(c, r, x, c.input(1), c.input(2), out);
  }
  GK_ASSIGN_OR_RETURN(Tensor wide, Widened(x));
  GK_ASSIGN_OR_RETURN(Tensor min, Widened(c.input(1)));
  GK_ASSIGN_OR_RETURN(Tensor max, Widened(c.input(2)));
  GK_RETURN_IF_ERROR(RoundTrip<float>(c, r, wide, min, max, &wide));
  VisitType<half, bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      out->data<T>()[i] = static_cast<T>(wide.data<float>()[i]);
    }
  });
  return OkStatus();
}

// Versions 2 and 4.
Status ComputeRoundTrip(KernelContext& c) {
  const Rounding r{.is_signed = c.attr<bool>("signed_input"),
                   .narrow = c.attr<bool>("narrow_range"),
                   .range_given = c.attr<bool>("range_given"),
                   .half_up = c.attr<std::string>("round_mode") == "HALF_UP",
                   .bits = c.attr<int64_t>("num_bits"),
                   .axis = c.attr<int64_t>("axis")};
  GK_RETURN_IF_ERROR(CheckBits(r, ""));
  return Compute(c, r);
}

Status ComputeRoundTripV3(KernelContext& c) {
  Rounding r{.is_signed = c.attr<bool>("signed_input"),
             .narrow = c.attr<bool>("narrow_range"),
             .range_given = c.attr<bool>("range_given"),
             .axis = c.attr<int64_t>("axis")};
  if (c.input(3).rank() != 0) {
    return InvalidArgument(
        "Invalid shape. The `num_bits` tensor should be a scalar. Got "
        "dimensions: {}",
        c.input(3).rank());
  }
  if (c.input(0).rank() == 0) {  // as TensorFlow, of this version alone
    return InvalidArgument(
        "Axis requested is larger than input dimensions. Axis: {} Input "
        "Dimensions: 0",
        r.axis);
  }
  r.bits = *c.input(3).data<int32_t>();
  GK_RETURN_IF_ERROR(CheckBits(r, "`"));
  return Compute(c, r);
}

Status RoundTripShape(InferenceContext& c) {
  const PartialTensorShape& x = c.input(0);
  const int64_t axis = c.attr<int64_t>("axis");
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"axis"}));
  GK_RETURN_IF_ERROR(CheckAxis(axis, x.unknown_rank() ? -1 : x.rank()));
  PartialTensorShape min, max;
  if (c.attr<bool>("range_given")) {
    GK_RETURN_IF_ERROR(c.WithRank(1, axis < 0 ? 0 : 1, &min));
    GK_RETURN_IF_ERROR(c.WithRank(2, axis < 0 ? 0 : 1, &max));
    if (axis >= 0) {
      int64_t n = x.unknown_rank() ? kUnknownDim : x.dim(axis);
      GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, min.dim(0), &n));
      GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, max.dim(0), &n));
    }
  }
  c.set_output(0, x);
  return OkStatus();
}

Status RoundTripGradShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape x, c.input(0).MergeWith(c.input(1)));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"axis"}));
  const int64_t axis = c.attr<int64_t>("axis");
  GK_RETURN_IF_ERROR(CheckAxis(axis, x.unknown_rank() ? -1 : x.rank()));
  c.set_output(0, std::move(x));
  // Limits are numbers, or vectors along the axis.
  const int rank = axis == -1 ? 0 : 1;
  for (int i = 1; i < 3; ++i) {
    PartialTensorShape limit;
    GK_RETURN_IF_ERROR(c.WithRank(i + 1, rank, &limit));
    c.set_output(i, std::move(limit));
  }
  return OkStatus();
}

// Numbers of type F: the gradient, or nothing outside the limits.
template <class T, class F>
struct LimitedGradBody {
  static GK_INLINE void Run(const T* x, const T* dy, T* dx, int64_t n, F low,
                            F high) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const F v(x[i]);
      const bool inside = (v >= low) & (v <= high);
      dx[i] = static_cast<T>(F(dy[i]) * (inside ? F(1) : F(0)));
    }
  }
};

Status ComputeRoundTripGrad(KernelContext& c) {
  const Tensor &dy = c.input(0), &x = c.input(1);
  const int64_t axis = c.attr<int64_t>("axis");
  if (dy.shape() != x.shape()) {
    return InvalidArgument("gradient and input must be the same size");
  }
  GK_RETURN_IF_ERROR(CheckAxis(axis, x.rank()));
  Tensor* limits[2];
  for (int i = 0; i < 2; ++i) {
    const Tensor& t = c.input(2 + i);
    const char* const name = i == 0 ? "input_min" : "input_max";
    if (axis < 0 && t.rank() != 0) {
      return InvalidArgument("{} must be a scalar if axis is unspecified",
                             name);
    }
    if (axis >= 0 && (t.rank() != 1 || t.dim(0) != x.dim(axis))) {
      return InvalidArgument("{} must be a vector of size {} for the axis",
                             name, x.dim(axis));
    }
    GK_RETURN_IF_ERROR(c.Allocate(1 + i, x.dtype(), t.shape(), &limits[i]));
    ZeroElements(limits[i]);
  }
  Tensor* dx;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &dx));
  int64_t inner = axis < 0 ? std::max<int64_t>(x.num_elements(), 1) : 1;
  for (int i = axis + 1; axis >= 0 && i < x.rank(); ++i) inner *= x.dim(i);
  const int64_t channels = axis < 0 ? 1 : x.dim(axis);
  const bool known = VisitType<float, double, half,
                               bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T *in = x.data<T>(), *g = dy.data<T>(), *min = c.input(2).data<T>(),
            *max = c.input(3).data<T>();
    T* out = dx->data<T>();
    ThreadPool::Global().ParallelRange(
        x.num_elements(), 2, [&](int64_t begin, int64_t end) {
          using F = std::conditional_t<sizeof(T) == 2, float, T>;
          // Run by run of one channel.
          for (int64_t i = begin; i < end;) {
            const int64_t run = i / inner;
            const F low(min[run % channels]), high(max[run % channels]);
            const int64_t stop = std::min(end, (run + 1) * inner);
            using Body = LimitedGradBody<T, F>;
            Stamp<Body, void(const T*, const T*, T*, int64_t, F, F)>::Best()(
                in + i, g + i, out + i, stop - i, low, high);
            i = stop;
          }
        });
  });
  return known ? OkStatus() : c.NoKernel();
}

void StraightThrough(GradContext& g) { g.Set(0, g.dy(0)); }

void LimitedGradient(GradContext& g) {
  AttrMap attrs;
  attrs.Set("axis", g.attr<int64_t>("axis"));
  const TensorVector found = ops::QuantizeAndDequantizeV4Grad(
      OpAttrs(std::move(attrs)), g.dy(0), g.x(0), g.x(1), g.x(2));
  for (int i = 0; i < 3; ++i) g.Set(i, found[i]);
}

#define ROUND_ATTRS                                                           \
  "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; " \
  "T: type in [bfloat16, half, float, double]; round_mode: string in "        \
  "[HALF_TO_EVEN, HALF_UP] = 'HALF_TO_EVEN'; narrow_range: bool = false; "    \
  "axis: int = -1"

const OpRecord kRecords[] = {
    {.name = "QuantizeAndDequantizeV2",
     .inputs = "input: T; input_min: T; input_max: T",
     .outputs = "output: T",
     .attrs = ROUND_ATTRS,
     .shape = RoundTripShape,
     .kernel = {.compute = ComputeRoundTrip},
     .gradient = StraightThrough,
     .doc = "The input as integers of num_bits bits would keep it, scaled to "
            "the range that is given or that it has. The gradient goes "
            "through.",
     .test = {.skip_gradient = true}},
    {.name = "QuantizeAndDequantizeV3",
     .inputs = "input: T; input_min: T; input_max: T; num_bits: int32",
     .outputs = "output: T",
     .attrs = "signed_input: bool = true; range_given: bool = true; T: type in "
              "[bfloat16, half, float, double]; narrow_range: bool = false; "
              "axis: int = -1",
     .shape = RoundTripShape,
     .kernel = {.compute = ComputeRoundTripV3},
     .gradient = StraightThrough,
     .doc = "As QuantizeAndDequantizeV2, with a number of bits that is a "
            "tensor.",
     .test = {.skip_gradient = true}},
    {.name = "QuantizeAndDequantizeV4",
     .inputs = "input: T; input_min: T; input_max: T",
     .outputs = "output: T",
     .attrs = ROUND_ATTRS,
     .shape = RoundTripShape,
     .kernel = {.compute = ComputeRoundTrip},
     .gradient = LimitedGradient,
     .doc = "As QuantizeAndDequantizeV2; the gradient goes through inside the "
            "range.",
     .test = {.skip_gradient = true}},
    {.name = "QuantizeAndDequantizeV4Grad",
     .inputs = "gradients: T; input: T; input_min: T; input_max: T",
     .outputs = "input_backprop: T; input_min_backprop: T; "
                "input_max_backprop: T",
     .attrs = "T: type in [bfloat16, half, float, double]; axis: int = -1",
     .shape = RoundTripGradShape,
     .kernel = {.compute = ComputeRoundTripGrad},
     .gradient =
         [](GradContext& g) {
           if (!g.wants(0)) return;
           g.Set(0,
                 ops::QuantizeAndDequantizeV4Grad(OpAttrs(g.attrs()), g.dy(0),
                                                  g.x(1), g.x(2), g.x(3))[0]);
         },
     .doc = "Gradients of QuantizeAndDequantizeV4: those of inputs in the "
            "range."},
};

}  // namespace

GK_REGISTER_OPS(quantize_round_trip)

}  // namespace gk
