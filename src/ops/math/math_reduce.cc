// Reductions over axes.
#include "ops/fn/math_reduce.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/euclidean.h"
#include "kernels/reduce.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cumprod.h"
#include "ops/fn/DynamicStitch.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/InvertPermutation.h"
#include "ops/fn/ListDiff.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Transpose.h"
#include "ops/reduction_axes.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

ReduceLayout LayoutOf(const Tensor& input, const Reduction& r) {
  std::unique_ptr<bool[]> flags(new bool[r.is_reduced.size() + 1]);
  std::copy(r.is_reduced.begin(), r.is_reduced.end(), flags.get());
  return CollapseReduction(input.shape().dims(),
                           std::span<const bool>(flags.get(), input.rank()));
}

// Axes of one element, or none, leave the elements as they are: the gradients
// of what may be broadcast sum over none in most calls.
template <ReduceKind kKind>
Status ComputeReduce(KernelContext& c) {
  const Tensor& in = c.input(0);
  GK_ASSIGN_OR_RETURN(
      Reduction r, ParseReduction(in, c.input(1), c.attr<bool>("keep_dims")));
  const bool as_it_is = r.shape.num_elements() == in.num_elements();
  Tensor* out;
  GK_RETURN_IF_ERROR(as_it_is ? c.Forward(0, 0, in.dtype(), r.shape, &out)
                              : c.Allocate(0, in.dtype(), r.shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  const ReduceLayout layout = as_it_is ? ReduceLayout() : LayoutOf(in, r);
  auto run = [&](auto tag) {
    using T = decltype(tag);
    if (!as_it_is) {
      Reduce<T>(kKind, layout, in.data<T>(), out->data<T>());
    } else if (out->raw_data() != in.raw_data()) {
      std::copy_n(in.data<T>(), in.num_elements(), out->data<T>());
    }
  };
  bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(in.dtype(),
                                                                run);
  if constexpr (kKind != ReduceKind::kMax && kKind != ReduceKind::kMin) {
    known = known || VisitType<complex64, complex128>(in.dtype(), run);
  }
  if (known) return OkStatus();
  return c.NoKernel();
}

template <bool kAll>
Status ComputeLogical(KernelContext& c) {
  const Tensor& in = c.input(0);
  GK_ASSIGN_OR_RETURN(
      Reduction r, ParseReduction(in, c.input(1), c.attr<bool>("keep_dims")));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kBool, r.shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  const ReduceLayout layout = LayoutOf(in, r);
  if (kAll)
    ReduceAll(layout, in.data<bool>(), out->data<bool>());
  else
    ReduceAny(layout, in.data<bool>(), out->data<bool>());
  return OkStatus();
}

// --- gradients -----------------------------------------------------------

constexpr int64_t kRest[] = {-1}, kZero[] = {0};

// A constant where it is known.
Tensor KnownShape(const Tensor& x) {
  const PartialTensorShape s = x.partial_shape();
  return s.IsFullyDefined() ? IntegerVector(s.dims()) : ShapeTensor(x);
}

// The axes as a vector of int32 in [0, rank).
Tensor PlainAxes(const GradContext& g, const Tensor& rank) {
  Tensor list = ops::Reshape(g.x(1), IntegerVector(kRest));
  if (list.dtype() != DataType::kInt32) {
    list = ops::Cast(list, DataType::kInt32);
  }
  return ops::FloorMod(ops::AddV2(list, rank), rank);
}

// The shape of the output had it kept its dims.
Tensor KeptShape(const GradContext& g) {
  const Tensor& x = g.x(0);
  const PartialTensorShape s = x.partial_shape();
  const Tensor axes = g.x(1).KnownValue();
  if (axes && s.IsFullyDefined()) {
    std::vector<int64_t> dims(s.dims().begin(), s.dims().end());
    for (int64_t i = 0; i < axes.num_elements(); ++i) {
      int64_t a = axes.dtype() == DataType::kInt32 ? axes.data<int32_t>()[i]
                                                   : axes.data<int64_t>()[i];
      if (a < 0) a += dims.size();
      if (a >= 0 && a < static_cast<int64_t>(dims.size())) dims[a] = 1;
    }
    return IntegerVector(dims);
  }
  Tensor zero = IntegerConstant(0), one = IntegerConstant(1);
  Tensor shape = KnownShape(x);
  Tensor rank = ops::Size(shape, DataType::kInt32);
  Tensor list = PlainAxes(g, rank);
  Tensor ones = ops::Fill(ops::Shape(list, DataType::kInt32), one);
  const Tensor places[] = {ops::Range(zero, rank, one), list};
  const Tensor sizes[] = {shape, ones};
  return ops::DynamicStitch(places, sizes);
}

Tensor Kept(const GradContext& g, const Tensor& t) {
  if (g.attr<bool>("keep_dims")) return t;
  return ops::Reshape(t, KeptShape(g));
}

Tensor SpreadGradient(const GradContext& g, const Tensor& dy) {
  const Tensor values = Kept(g, dy);
  return ops::BroadcastTo(values, KnownShape(g.x(0)));
}

void SumGradient(GradContext& g) { g.Set(0, SpreadGradient(g, g.dy(0))); }

void MeanGradient(GradContext& g) {
  const Tensor &x = g.x(0), &y = g.y(0);
  const int64_t nx = x.partial_shape().num_elements();
  const int64_t ny = y.partial_shape().num_elements();
  Tensor factor;
  if (nx >= 0 && ny >= 0) {
    factor = ScalarConstant(DataType::kFloat, nx / std::max<int64_t>(ny, 1));
  } else {
    auto size = [](const Tensor& t) { return ops::Size(t, DataType::kInt32); };
    const Tensor one = IntegerConstant(1), all = size(x);
    factor = ops::FloorDiv(all, ops::Maximum(size(y), one));
  }
  Tensor dy = ops::RealDiv(g.dy(0), CastTo(factor, x.dtype()));
  g.Set(0, SpreadGradient(g, dy));
}

void SelectedGradient(GradContext& g) {
  const Tensor& x = g.x(0);
  Tensor y = Kept(g, g.y(0)), dy = Kept(g, g.dy(0));
  Tensor chosen = CastTo(ops::Equal(y, x), x.dtype());
  const Tensor tensor = ops::Sum(chosen, g.x(1));
  Tensor count = ops::Reshape(tensor, ShapeTensor(y));
  g.Set(0, ops::Mul(ops::RealDiv(chosen, count), dy));
}

// How the dims of x are ordered with the reduced ones first.
struct ReducedFirst {
  Tensor order, back;  // permutations
  Tensor reduced;      // which dims
};

ReducedFirst OrderDims(const GradContext& g) {
  const PartialTensorShape s = g.x(0).partial_shape();
  const Tensor axes = g.x(1).KnownValue();
  if (s.unknown_rank() || !axes) {
    const Tensor zero = IntegerConstant(0);
    const Tensor one = IntegerConstant(1);
    const Tensor rank = ops::Rank(g.x(0));
    const Tensor list = PlainAxes(g, rank);
    const Tensor parts[] = {
        list, ops::ListDiff(ops::Range(zero, rank, one), list)[0]};
    const Tensor order = ops::ConcatV2(parts, zero);
    return {order, ops::InvertPermutation(order), list};
  }
  std::vector<int64_t> order, back(s.rank());
  std::vector<bool> reduced(s.rank());
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    int64_t a = axes.dtype() == DataType::kInt32 ? axes.data<int32_t>()[i]
                                                 : axes.data<int64_t>()[i];
    a = a < 0 ? a + s.rank() : a;
    reduced[a] = true;
    order.push_back(a);
  }
  const Tensor list = IntegerVector(order);
  for (int i = 0; i < s.rank(); ++i) {
    if (!reduced[i]) order.push_back(i);
  }
  for (int i = 0; i < s.rank(); ++i) back[order[i]] = i;
  return {IntegerVector(order), IntegerVector(back), list};
}

// Products of all others, by exclusive products from both sides, so that
// zeros need no division.
void ProdGradient(GradContext& g) {
  const Tensor& x = g.x(0);
  const ReducedFirst dims = OrderDims(g);
  const Tensor zero = IntegerConstant(0);
  Tensor moved = ops::Transpose(x, dims.order);
  Tensor moved_shape = KnownShape(moved);
  // [reduced, kept]
  const Tensor values = ops::GatherV2(KnownShape(x), dims.reduced, zero);
  Tensor sizes = ops::Prod(values, IntegerVector(kZero), true);
  // No -1: there is nothing to infer it from if a reduced dim is 0.
  const Tensor size = ops::Size(x);
  const Tensor parts[] = {
      sizes, ops::FloorDiv(size, ops::Maximum(sizes, IntegerConstant(1)))};
  Tensor flat = ops::Reshape(moved, ops::ConcatV2(parts, zero));
  Tensor left = ops::Cumprod(flat, zero, true);
  Tensor right = ops::Cumprod(flat, zero, true, true);
  left = Conjugate(left);
  Tensor others = ops::Reshape(ops::Mul(left, Conjugate(right)), moved_shape);
  others = ops::Transpose(others, dims.back);
  g.Set(0, ops::Mul(SpreadGradient(g, g.dy(0)), others));
}

Status ComputeEuclideanNorm(KernelContext& c) {
  const Tensor& in = c.input(0);
  const bool keep = c.attr<bool>("keep_dims");
  GK_ASSIGN_OR_RETURN(Reduction r, ParseReduction(in, c.input(1), keep));
  GK_ASSIGN_OR_RETURN(Tensor squares, Tensor::Allocate(in.dtype(), in.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, in.dtype(), r.shape, &out));
  const ReduceLayout layout = LayoutOf(in, r);
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                complex128>(in.dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T* const x = in.data<T>();
        T* const s = squares.data<T>();
        T* const o = out->data<T>();
        SquareSizes(x, in.num_elements(), s);
        if (out->num_elements() > 0) {
          Reduce<T>(ReduceKind::kSum, layout, s, o);
        }
        TakeRoots(out->num_elements(), o);
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

void EuclideanNormGradient(GradContext& g) {
  Tensor y = Kept(g, g.y(0)), dy = Kept(g, g.dy(0));
  // NaN where all are zeros: there is no derivative.
  g.Set(0, ops::RealDiv(g.x(0), ops::RealDiv(y, dy)));
}

const OpRecord kRecords[] = {
    {.name = "Sum",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
              "bfloat16, qint16, quint16, uint16, complex128, half, uint32, "
              "uint64]; Tidx: type in [int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeReduce<ReduceKind::kSum>},
     .gradient = SumGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Sums over axes.",
     .test = {.shapes = "input: [2, 3, 4]; reduction_indices: [0, 2]"}},

    {.name = "Mean",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
              "bfloat16, qint16, quint16, uint16, complex128, half, uint32, "
              "uint64]; Tidx: type in [int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeReduce<ReduceKind::kMean>},
     .gradient = MeanGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Means over axes."},

    {.name = "Prod",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
              "bfloat16, qint16, quint16, uint16, complex128, half, uint32, "
              "uint64]; Tidx: type in [int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeReduce<ReduceKind::kProd>},
     .gradient = ProdGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Products over axes."},

    {.name = "Max",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
              "uint64, qint8, quint8, qint32, qint16, quint16]; Tidx: type in "
              "[int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeReduce<ReduceKind::kMax>},
     .gradient = SelectedGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Largest elements over axes; NaN if any is."},

    {.name = "Min",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
              "uint64, qint8, quint8, qint32, qint16, quint16]; Tidx: type in "
              "[int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeReduce<ReduceKind::kMin>},
     .gradient = SelectedGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Smallest elements over axes; NaN if any is."},

    {.name = "EuclideanNorm",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in [float, double, int32, "
              "uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
              "bfloat16, qint16, quint16, uint16, complex128, half, uint32, "
              "uint64]; Tidx: type in [int32, int64] = int32",
     .traits = kReduction,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeEuclideanNorm},
     .gradient = EuclideanNormGradient,
     .python = {.raw_args = "input, axis"},
     .doc = "Roots of sums of squares over axes."},

    {.name = "All",
     .inputs = "input: bool; reduction_indices: Tidx",
     .outputs = "output: bool",
     .attrs = "keep_dims: bool = False; Tidx: type in [int32, int64] = int32",
     .traits = kReduction | kNoGradient,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeLogical<true>},
     .python = {.raw_args = "input, axis"},
     .doc = "Whether all elements over axes are true."},

    {.name = "Any",
     .inputs = "input: bool; reduction_indices: Tidx",
     .outputs = "output: bool",
     .attrs = "keep_dims: bool = False; Tidx: type in [int32, int64] = int32",
     .traits = kReduction | kNoGradient,
     .shape = ReductionShape,
     .kernel = {.compute = ComputeLogical<false>},
     .python = {.raw_args = "input, axis"},
     .doc = "Whether any element over axes is true."},
};

}  // namespace

GK_REGISTER_OPS(math_reduce)

}  // namespace gk
