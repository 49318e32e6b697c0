// Running sums and products, and the index of the extreme.
#include "ops/fn/math_scan.h"

#include <algorithm>
#include <utility>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/reduce.h"
#include "kernels/scan.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Log.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// A scalar of one of the index types; InvalidArgument unless in [-rank,
// rank).
StatusOr<int> AxisOf(const Tensor& t, int rank, std::string_view what) {
  if (t.rank() != 0) {
    return InvalidArgument(
        "{} must be a scalar, but received tensor of "
        "shape: {}",
        what, t.shape().DebugString());
  }
  int64_t axis = 0;
  VisitType<int16_t, int32_t, int64_t>(
      t.dtype(), [&](auto tag) { axis = t.scalar<decltype(tag)>(); });
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("Expected {} in the range [{}, {}), but got {}",
                           what, -rank, rank, axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

struct Split {
  int64_t outer = 1, n = 1, inner = 1;
};

Split SplitAt(const TensorShape& s, int axis) {
  Split r;
  for (int i = 0; i < axis; ++i) r.outer *= s.dim(i);
  r.n = s.dim(axis);
  for (int i = axis + 1; i < s.rank(); ++i) r.inner *= s.dim(i);
  return r;
}

template <class... Ts>
struct Kinds {};
using Floats = Kinds<float, double, half, bfloat16>;
using Numbers = Kinds<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                      int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                      complex128>;

template <class... Ts, class Fn>
bool VisitOneOf(Kinds<Ts...>, DataType dtype, Fn&& fn) {
  return VisitType<Ts...>(dtype, std::forward<Fn>(fn));
}

template <class How, class Types>
Status ComputeScan(KernelContext& c) {
  const Tensor& in = c.input(0);
  Tensor* out;
  if (in.rank() == 0) {
    return InvalidArgument(
        "Expected axis in the range [0, 0), but got a "
        "scalar input");
  }
  GK_ASSIGN_OR_RETURN(int axis, AxisOf(c.input(1), in.rank(), "scan axis"));
  GK_RETURN_IF_ERROR(c.Allocate(0, in.dtype(), in.shape(), &out));
  if (in.num_elements() == 0) return OkStatus();
  const Split split = SplitAt(in.shape(), axis);
  const bool exclusive = c.attr<bool>("exclusive");
  const bool reverse = c.attr<bool>("reverse");
  const bool known =
      VisitOneOf(Types(), in.dtype(), [&](auto tag) {
        using T = decltype(tag);
        Scan<How>(split.outer, split.n, split.inner, exclusive, reverse,
                  in.data<T>(), out->data<T>());
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

void CumsumGradient(GradContext& g) {
  g.Set(0, ops::Cumsum(g.dy(0), g.x(1), g.attr<bool>("exclusive"),
                       !g.attr<bool>("reverse")));
}

void CumprodGradient(GradContext& g) {
  const bool exclusive = g.attr<bool>("exclusive");
  const bool reverse = g.attr<bool>("reverse");
  Tensor product = ops::Cumprod(g.x(0), g.x(1), exclusive, reverse);
  Tensor sum =
      ops::Cumsum(ops::Mul(product, g.dy(0)), g.x(1), exclusive, !reverse);
  g.Set(0, ops::DivNoNan(sum, g.x(0)));
}

double Lowest(DataType t) {
  double lowest = 0;
  VisitType<float, double>(t, [&](auto tag) {
    lowest = std::numeric_limits<decltype(tag)>::lowest();
  });
  if (t == DataType::kHalf) return -65504;
  return t == DataType::kBfloat16 ? -3.3895313892515355e38 : lowest;
}

// The sum of dy * exp(x - y) over what x is a part of, apart for each sign of
// dy, in logarithms.
void LogsumexpGradient(GradContext& g) {
  const Tensor &x = g.x(0), &axis = g.x(1), &y = g.y(0), dy = g.dy(0);
  const bool exclusive = g.attr<bool>("exclusive");
  const bool reverse = g.attr<bool>("reverse");
  const Tensor zero = ScalarLike(x, 0);
  const Tensor nothing = ScalarLike(x, Lowest(x.dtype()));
  const auto part = [&](const Tensor& grad) {
    const Tensor condition = ops::Greater(grad, zero);
    const Tensor log = ops::SelectV2(condition, ops::Log(grad), nothing);
    const Tensor sum =
        ops::CumulativeLogsumexp(ops::Sub(log, y), axis, exclusive, !reverse);
    return ops::Exp(ops::AddV2(sum, x));
  };
  const Tensor left = part(dy);
  g.Set(0, ops::Sub(left, part(ops::Neg(dy))));
}

template <bool kLargest>
Status ComputeArg(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.rank() == 0) {
    return InvalidArgument(
        "Expected dimension in the range [0, 0), but got a "
        "scalar input");
  }
  GK_ASSIGN_OR_RETURN(int axis, AxisOf(c.input(1), in.rank(), "dimension"));
  TensorShape shape = in.shape();
  shape.RemoveDim(axis);
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("output_type"), shape, &out));
  const Split s = SplitAt(in.shape(), axis);
  if (s.n == 0) {
    return InvalidArgument("Reduction axis {} is empty in shape {}", axis,
                           in.shape().DebugString());
  }
  if (out->num_elements() == 0) return OkStatus();
  bool known = false;
  VisitType<int16_t, uint16_t, int32_t, int64_t>(out->dtype(), [&](auto i) {
    using Index = decltype(i);
    if (in.dtype() == DataType::kBool) {
      ArgReduce<uint8_t, Index>(kLargest, s.outer, s.n, s.inner,
                                static_cast<const uint8_t*>(in.raw_data()),
                                out->data<Index>());
      known = true;
      return;
    }
    known = VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                      int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
        in.dtype(), [&](auto tag) {
          using T = decltype(tag);
          ArgReduce<T, Index>(kLargest, s.outer, s.n, s.inner, in.data<T>(),
                              out->data<Index>());
        });
  });
  if (known) return OkStatus();
  return c.NoKernel();
}

Status ArgShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (s.unknown_rank()) return OkStatus();
  auto axis = c.ValueAsInts(1);
  if (!axis || axis->size() != 1) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(s.rank() - 1));
    return OkStatus();
  }
  int64_t a = (*axis)[0];
  if (a < -s.rank() || a >= s.rank()) {
    return InvalidArgument(
        "Dimension ({}) must be in the range [{}, {}), "
        "where {} is the number of dimensions in the input.",
        a, -s.rank(), s.rank(), s.rank());
  }
  s.RemoveDim(static_cast<int>(a < 0 ? a + s.rank() : a));
  c.set_output(0, s);
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "Cumsum",
     .inputs = "x: T; axis: Tidx",
     .outputs = "out: T",
     .attrs = "exclusive: bool = False; reverse: bool = False; T: type in "
              "[float, double, int32, uint8, int16, int8, complex64, int64, "
              "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64]; Tidx: type in [int32, "
              "int64] = int32",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeScan<ScanSum, Numbers>},
     .gradient = CumsumGradient,
     .python = {.names = "cumsum|math.cumsum",
                .args = "x: tensor; axis: native = 0; exclusive: bool = False; "
                        "reverse: bool = False",
                .converts_first = true,
                .ragged = RaggedForm::kCumsum},
     .doc = "Running sums along an axis.\n\nArgs:\n  exclusive: each sum "
            "leaves out its own element.\n  reverse: from the end.",
     .example = ">>> tf.cumsum([1, 2, 3]).numpy().tolist()\n[1, 3, 6]",
     .test = {.shapes = "x: [3, 4]; axis: []"}},

    {.name = "Cumprod",
     .inputs = "x: T; axis: Tidx",
     .outputs = "out: T",
     .attrs = "exclusive: bool = False; reverse: bool = False; T: type in "
              "[float, double, int32, uint8, int16, int8, complex64, int64, "
              "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64]; Tidx: type in [int32, "
              "int64] = int32",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeScan<ScanProduct, Numbers>},
     .gradient = CumprodGradient,
     .python = {.names = "math.cumprod",
                .args = "x: tensor; axis: native = 0; exclusive: bool = False; "
                        "reverse: bool = False",
                .converts_first = true},
     .doc = "Running products along an axis.",
     .example = ">>> tf.math.cumprod([1, 2, 3]).numpy().tolist()\n[1, 2, 6]",
     .test = {.shapes = "x: [3, 4]; axis: []"}},

    {.name = "CumulativeLogsumexp",
     .inputs = "x: T; axis: Tidx",
     .outputs = "out: T",
     .attrs = "exclusive: bool = False; reverse: bool = False; T: type in "
              "[bfloat16, half, float, double]; Tidx: type in [int32, int64] "
              "= int32",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeScan<ScanLogSum, Floats>},
     .gradient = LogsumexpGradient,
     .python = {.names = "math.cumulative_logsumexp",
                .args = "x: tensor; axis: native = 0; exclusive: bool = False; "
                        "reverse: bool = False"},
     .doc = "Running logarithms of sums of exponentials along an axis.",
     .example = ">>> tf.math.cumulative_logsumexp([0.]).numpy().tolist()\n"
                "[0.0]",
     .test = {.shapes = "x: [3, 4]; axis: []"}},

    {.name = "ArgMax",
     .inputs = "input: T; dimension: Tidx",
     .outputs = "output: output_type",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, "
              "qint16, quint16, bool]; Tidx: type in [int16, int32, int64] = "
              "int32; output_type: type in [int16, uint16, int32, int64] = "
              "int64",
     .traits = kNoGradient,
     .shape = ArgShape,
     .kernel = {.compute = ComputeArg<true>},
     .doc = "The index of the first largest element along a dimension."},

    {.name = "ArgMin",
     .inputs = "input: T; dimension: Tidx",
     .outputs = "output: output_type",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, "
              "qint16, quint16, bool]; Tidx: type in [int32, int64] = int32; "
              "output_type: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = ArgShape,
     .kernel = {.compute = ComputeArg<false>},
     .doc = "The index of the first smallest element along a dimension."},
};

}  // namespace

GK_REGISTER_OPS(math_scan)

}  // namespace gk
