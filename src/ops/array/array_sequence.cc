// Tensors made of numbers alone: ranges, one-hot rows.
#include "ops/fn/array_sequence.h"

#include <cmath>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sequence.h"
#include "ops/element_moves.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Sum.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// How many elements a range has; -1 if that is too many to count.
template <class Element, class T>
Status RangeSize(T start, T limit, T delta, int64_t* size) {
  if (delta == T(0)) return InvalidArgument("Requires delta != 0: {}", delta);
  if (delta > T(0) && start > limit) {
    return InvalidArgument("Requires start <= limit when delta > 0: {}/{}",
                           start, limit);
  }
  if (delta < T(0) && start < limit) {
    return InvalidArgument("Requires start >= limit when delta < 0: {}/{}",
                           start, limit);
  }
  if constexpr (std::is_integral_v<T>) {
    // Distances in unsigned arithmetic cannot overflow.
    const uint64_t span = delta > 0 ? uint64_t(limit) - uint64_t(start)
                                    : uint64_t(start) - uint64_t(limit);
    const uint64_t step = delta > 0 ? uint64_t(delta) : -uint64_t(delta);
    const uint64_t n = span / step + (span % step != 0);
    if (n > uint64_t{INT64_MAX}) {
      return InvalidArgument("Requires ((limit - start) / delta) <= {}",
                             INT64_MAX);
    }
    *size = static_cast<int64_t>(n);
  } else {
    // Narrow floats are rounded after each operation, as the numbers are.
    const auto rounded = [](T v) { return Convert<T>(Convert<Element>(v)); };
    const T steps = rounded(rounded(limit - start) / delta);
    const double n = std::ceil(std::abs(double(steps)));
    if (!(n < 9.2e18)) {
      return InvalidArgument("Requires ((limit - start) / delta) <= {}",
                             INT64_MAX);
    }
    *size = static_cast<int64_t>(n);
  }
  return OkStatus();
}

// Calls fn with start, limit and delta in the type they are computed in and
// the element type; narrow floats compute as float. False for other types.
template <class Fn>
bool VisitRange(const Tensor& start, const Tensor& limit, const Tensor& delta,
                Status* status, Fn&& fn) {
  return VisitType<int32_t, int64_t, float, double, half, bfloat16, int8_t,
                   int16_t, uint16_t, uint32_t, uint64_t>(
      start.dtype(), [&](auto tag) {
        using T = decltype(tag);
        using C = ComputeType<T>;
        *status =
            fn(tag, Convert<C>(start.scalar<T>()),
               Convert<C>(limit.scalar<T>()), Convert<C>(delta.scalar<T>()));
      });
}

Status RangeShape(InferenceContext& c) {
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() > 0 && c.input(i).num_elements() != 1) {
      return InvalidArgument("Shape must be rank 0 but is rank {}",
                             c.input(i).rank());
    }
  }
  c.set_output(0, {kUnknownDim});
  for (int i = 0; i < 3; ++i) {
    const Tensor& v = c.value(i);
    if (!v || v.is_symbolic() || v.num_elements() != 1 ||
        v.dtype() != c.value(0).dtype()) {
      return OkStatus();
    }
  }
  Status status;
  VisitRange(c.value(0), c.value(1), c.value(2), &status,
             [&](auto tag, auto start, auto limit, auto delta) {
               int64_t size;
               Status s = RangeSize<decltype(tag)>(start, limit, delta, &size);
               if (s.ok()) c.set_output(0, {size});
               return s;
             });
  return status;
}

Status ComputeRange(KernelContext& c) {
  const char* names[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    // A vector of one element passes for a scalar.
    if (c.input(i).rank() > 1 || c.input(i).num_elements() != 1) {
      return InvalidArgument("{} must be a scalar, not shape {}", names[i],
                             c.input(i).shape().DebugString());
    }
  }
  Status status;
  const bool known =
      VisitRange(c.input(0), c.input(1), c.input(2), &status,
                 [&](auto tag, auto start, auto limit, auto delta) -> Status {
                   using T = decltype(tag);
                   int64_t size;
                   GK_RETURN_IF_ERROR(RangeSize<T>(start, limit, delta, &size));
                   Tensor* out;
                   GK_RETURN_IF_ERROR(c.Allocate(0, c.input(0).dtype(),
                                                 TensorShape({size}), &out));
                   FillRange<T>(start, delta, size, out->template data<T>());
                   return OkStatus();
                 });
  return known ? status : c.NoKernel();
}

Status LinSpaceShape(InferenceContext& c) {
  for (int i = 0; i < 3; ++i) {
    PartialTensorShape s;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &s));
  }
  c.set_output(0, {kUnknownDim});
  if (auto num = c.ValueAsInts(2)) {
    if ((*num)[0] <= 0) {
      return InvalidArgument("Requires num > 0: {}", (*num)[0]);
    }
    c.set_output(0, {(*num)[0]});
  }
  return OkStatus();
}

Status ComputeLinSpace(KernelContext& c) {
  const char* names[] = {"start", "stop", "num"};
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() != 0) {
      return InvalidArgument("{} must be a scalar, not shape {}", names[i],
                             c.input(i).shape().DebugString());
    }
  }
  int64_t num;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(2), "num", &num));
  if (num <= 0) return InvalidArgument("Requires num > 0: {}", num);
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.input(0).dtype(), TensorShape({num}), &out));
  const bool known =
      VisitType<float, double, half, bfloat16>(out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        FillLinspace<T>(c.input(0).scalar<T>(), c.input(1).scalar<T>(), num,
                        out->data<T>());
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

Status OneHotAxisError(int64_t axis, int rank) {
  return InvalidArgument(
      "Expected axis to be -1 or between [0, {}).  But received: {}", rank,
      axis);
}

Status OneHotShape(InferenceContext& c) {
  for (int i = 1; i < 4; ++i) {
    PartialTensorShape s;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &s));
  }
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"axis"}));
  const int64_t axis = c.attr<int64_t>("axis");
  if (axis < -1) return InvalidArgument("axis must be >= -1");
  auto depth = c.ValueAsInts(1);
  if (depth && (*depth)[0] < 0) {
    return InvalidArgument("depth must be non-negative, got: {}", (*depth)[0]);
  }
  PartialTensorShape out = c.input(0);
  if (out.unknown_rank()) return OkStatus();
  const int rank = out.rank() + 1;
  if (axis >= rank) return OneHotAxisError(axis, rank);
  out.InsertDim(static_cast<int>(axis < 0 ? rank - 1 : axis),
                depth ? (*depth)[0] : kUnknownDim);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeOneHot(KernelContext& c) {
  const Tensor& indices = c.input(0);
  const char* names[] = {"indices", "depth", "on_value", "off_value"};
  for (int i = 1; i < 4; ++i) {
    if (c.input(i).rank() != 0) {
      return InvalidArgument("{} must be a scalar, but got: {}", names[i],
                             c.input(i).shape().DebugString());
    }
  }
  int64_t depth;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "depth", &depth));
  if (depth < 0) {
    return InvalidArgument("depth must be non-negative, got: {}", depth);
  }
  const int64_t axis = c.attr<int64_t>("axis");
  const int rank = indices.rank() + 1;
  if (axis < -1 || axis >= rank) return OneHotAxisError(axis, rank);
  const int at = static_cast<int>(axis < 0 ? rank - 1 : axis);
  InlinedVector<int64_t, 8> dims(indices.shape().dims());
  dims.insert(at, depth);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(2).dtype(), shape, &out));
  GK_RETURN_IF_ERROR(FillElements(c.input(3), out));
  if (shape.num_elements() == 0) return OkStatus();
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &values));
  int64_t inner = 1;
  for (int i = at + 1; i < rank; ++i) inner *= shape.dim(i);
  return VisitMoved(out->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T& on = *static_cast<const T*>(c.input(2).raw_data());
    SetHot(values, depth, inner, on, static_cast<T*>(out->raw_data()));
  });
}

// Where indices hit, the gradient belongs to on_value, elsewhere to
// off_value.
void OneHotGradient(GradContext& g) {
  const DataType t = g.dy(0).dtype();
  const Tensor one = CastTo(IntegerConstant(1), t);
  const Tensor zero = CastTo(IntegerConstant(0), t);
  const int64_t axis = g.attr<int64_t>("axis");
  auto total = [&](const Tensor& on, const Tensor& off) {
    Tensor mask = ops::OneHot(g.x(0), g.x(1), on, off, axis);
    Tensor part = ops::Mul(g.dy(0), mask);
    const Tensor start = IntegerConstant(0);
    const Tensor limit = ops::Rank(part);
    Tensor all = ops::Range(start, limit, IntegerConstant(1));
    return ops::Sum(part, all, false);
  };
  if (g.wants(2)) g.Set(2, total(one, zero));
  if (g.wants(3)) g.Set(3, total(zero, one));
}

const OpRecord kRecords[] = {
    {.name = "Range",
     .inputs = "start: Tidx; limit: Tidx; delta: Tidx",
     .outputs = "output: Tidx",
     .attrs = "Tidx: type in [bfloat16, half, float, double, int8, int16, "
              "int32, int64, uint16, uint32, uint64] = int32",
     .traits = kNoGradient | kCounts,
     .shape = RangeShape,
     .kernel = {.compute = ComputeRange},
     .python = {.scope = "range", .converts_first = true},
     .doc = "The numbers from start up to but not including limit, delta "
            "apart."},

    {.name = "LinSpace",
     .inputs = "start: T; stop: T; num: Tidx",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double]; Tidx: type in "
              "[int32, int64] = int32",
     .traits = kNoGradient,
     .shape = LinSpaceShape,
     .kernel = {.compute = ComputeLinSpace},
     .doc = "num evenly spaced numbers from start to stop."},

    {.name = "OneHot",
     .inputs = "indices: TI; depth: int32; on_value: T; off_value: T",
     .outputs = "output: T",
     .attrs = "axis: int = -1; T: type; TI: type in [uint8, int8, int32, "
              "int64] = int64",
     .shape = OneHotShape,
     .kernel = {.compute = ComputeOneHot},
     .gradient = OneHotGradient,
     .doc = "on_value where the position along a new axis is the index, "
            "off_value elsewhere; indices out of range give off_value."},
};

}  // namespace

GK_REGISTER_OPS(array_sequence)

}  // namespace gk
