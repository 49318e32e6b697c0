// Sparse tensors and dense ones, element by element.
#include "ops/fn/sparse_cwise.h"

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Conj.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/SparseTensorDenseAdd.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// ---- SparseTensorDenseAdd ----

Status DenseAddShape(InferenceContext& c) {
  SparseShapes a;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, &a));
  c.set_output(0, c.input(3));
  return OkStatus();
}

Status ComputeDenseAdd(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &b = c.input(3);
  GK_RETURN_IF_ERROR(CheckSparseForms(indices, values, c.input(2), "a"));
  std::vector<int64_t> sizes, wide;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &sizes));
  if (static_cast<int64_t>(sizes.size()) != b.rank()) {
    return InvalidArgument(
        "Two operands have different ranks; received: {} and {}", sizes.size(),
        b.rank());
  }
  for (int d = 0; d < b.rank(); ++d) {
    if (sizes[d] != b.dim(d)) {
      return InvalidArgument(
          "Dimension {} does not equal (no broadcasting is supported): sparse "
          "side {} vs dense side {}",
          d, sizes[d], b.dim(d));
    }
  }
  if (indices.dim(0) != values.dim(0) || indices.dim(1) != b.rank()) {
    return InvalidArgument(
        "a_indices of shape {} are not the places of {} values in a tensor of "
        "rank {}",
        indices.shape().DebugString(), values.dim(0), b.rank());
  }
  const bool is_wide = indices.dtype() == DataType::kInt64;
  if (!is_wide) GK_RETURN_IF_ERROR(IntegerValues(indices, &wide));
  const Places places{is_wide ? indices.data<int64_t>() : wide.data(),
                      indices.dim(0), indices.dim(1)};
  if (const int64_t bad = FirstOutside(places, sizes); bad >= 0) {
    const auto at = [&] {
      int64_t d = 0;
      while (places[bad][d] >= 0 && places[bad][d] < sizes[d]) ++d;
      return d;
    }();
    std::string shown;
    for (int64_t d : sizes)
      shown += Format("{}{}", shown.empty() ? "" : " ", d);
    return InvalidArgument(
        "Sparse tensor has an invalid index on dimension {}: a_indices({},{}) "
        "= {}, dense tensor shape: {}",
        at, bad, at, places[bad][at], shown);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(3, 0, b.dtype(), b.shape(), &out));
  const bool known = VisitNumber(b.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    T* to = out->data<T>();
    if (to != b.data<T>()) std::copy_n(b.data<T>(), b.num_elements(), to);
    const T* from = values.data<T>();
    VisitFlatPlaces(places.data, places.n, sizes, false,
                    [&](int64_t, std::span<const int64_t> flat) {
                      for (int64_t at : flat) {
                        to[at] = Convert<T>(static_cast<C>(
                            Convert<C>(to[at]) + Convert<C>(*from++)));
                      }
                    });
  });
  return known ? OkStatus() : c.NoKernel();
}

void DenseAddGradient(GradContext& g) {
  if (g.wants(1)) g.Set(1, ops::GatherNd(g.dy(0), g.x(0)));
  if (g.wants(3)) g.Set(3, g.dy(0));
}

// ---- SparseDenseCwiseAdd, Mul, Div ----

enum class Cwise { kAdd, kMul, kDiv };

Status CwiseShape(InferenceContext& c) {
  SparseShapes a;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, &a));
  int64_t n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(a.indices.dim(0), a.values.dim(0), &n));
  c.set_output(0, {n});
  return OkStatus();
}

Status CheckCwise(const Tensor& indices, const Tensor& values,
                  const Tensor& shape, const Tensor& dense) {
  GK_RETURN_IF_ERROR(CheckSparseForms(indices, values, shape, "sp"));
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "The first dimension of values and indices should match. ({} vs. {})",
        values.dim(0), indices.dim(0));
  }
  if (shape.num_elements() != indices.dim(1)) {
    return InvalidArgument(
        "Number of dimensions must match second dimension of indices. Got {} "
        "dimensions, indices shape: {}",
        shape.num_elements(), indices.shape().DebugString());
  }
  const std::span<const int64_t> sizes = shape.flat<int64_t>();
  const int added = static_cast<int>(sizes.size()) - dense.rank();
  bool fits = added >= 0;
  for (int d = 0; fits && d < dense.rank(); ++d) {
    fits = dense.dim(d) == 1 || dense.dim(d) == sizes[d + added];
  }
  if (!fits) {
    return InvalidArgument(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
        "incompatible shapes: {} vs. {}",
        ShownSizes(sizes), dense.shape().DebugString());
  }
  for (int64_t d : sizes) {
    if (d < 0) {
      return InvalidArgument("sp_shape has a negative size: {}", d);
    }
  }
  if (FirstOutside(PlacesOf(indices), sizes) >= 0) {
    return InvalidArgument(
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted "
        "shape");
  }
  return OkStatus();
}

template <Cwise kOp, class C>
C Combined(C x, C y) {
  if constexpr (kOp == Cwise::kAdd) {
    return static_cast<C>(x + y);
  } else if constexpr (kOp == Cwise::kMul) {
    return static_cast<C>(x * y);
  } else {
    if constexpr (std::is_integral_v<C> && std::is_signed_v<C>) {
      // The lowest number has no positive one, and processors trap there.
      if (y == C(-1)) {
        return static_cast<C>(std::make_unsigned_t<C>(0) -
                              static_cast<std::make_unsigned_t<C>>(x));
      }
    }
    return static_cast<C>(x / y);
  }
}

template <Cwise kOp>
Status ComputeCwise(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2),
               &dense = c.input(3);
  GK_RETURN_IF_ERROR(CheckCwise(indices, values, shape, dense));
  const Places places = PlacesOf(indices);
  // How far apart the dense tensor's elements are along the sparse one's
  // dimensions.
  std::vector<int64_t> strides(places.rank);
  int64_t apart = 1;
  for (int d = dense.rank() - 1; d >= 0; --d) {
    strides[d + places.rank - dense.rank()] = dense.dim(d) == 1 ? 0 : apart;
    apart *= dense.dim(d);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), values.shape(), &out));
  Status status;
  const bool known = VisitNumber(values.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    const T* y = dense.data<T>();
    if constexpr (kOp == Cwise::kDiv && std::is_integral_v<T>) {
      if (std::find(y, y + dense.num_elements(), T(0)) !=
          y + dense.num_elements()) {
        status = InvalidArgument(
            "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor "
            "contains zero ");
        return;
      }
    }
    const T* const x = values.data<T>();
    T* const to = out->data<T>();
    const int64_t* place = places.data;
    TurnPoll poll;
    for (int64_t i = 0; i < places.n; ++i, place += places.rank) {
      poll();
      int64_t at = 0;
      if (places.rank == 2) {
        at = place[0] * strides[0] + place[1] * strides[1];
      } else {
        for (int64_t d = 0; d < places.rank; ++d) at += place[d] * strides[d];
      }
      to[i] = Convert<T>(Combined<kOp, C>(Convert<C>(x[i]), Convert<C>(y[at])));
    }
  });
  return known ? status : c.NoKernel();
}

Tensor ConjugateOf(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Conj(x) : x;
}

// Where in the dense operand each value's partner is.
Tensor PlacesInDense(const GradContext& g) {
  const Tensor shape = g.x(2), size = ShapeTensor(g.x(3), DataType::kInt64);
  const Tensor added = ops::Sub(ops::Size(shape, DataType::kInt64),
                                ops::Size(size, DataType::kInt64));
  const std::vector<int64_t> one{1};
  const Tensor first = ops::Reshape(added, IntegerVector(one));
  const Tensor full = ops::ConcatV2(
      TensorVector{ops::Fill(first, IntegerConstant(1, DataType::kInt64)),
                   size},
      IntegerConstant(0));
  const Tensor scale = ops::FloorDiv(
      shape, ops::Maximum(full, IntegerConstant(1, DataType::kInt64)));
  const Tensor scaled = ops::FloorDiv(
      g.x(0), ops::Maximum(scale, IntegerConstant(1, DataType::kInt64)));
  const std::vector<int64_t> none{0}, rest{-1, -1};
  return ops::Slice(
      scaled,
      ops::ConcatV2(TensorVector{IntegerVector(none, DataType::kInt64), first},
                    IntegerConstant(0)),
      IntegerVector(rest, DataType::kInt64));
}

template <Cwise kOp>
void CwiseGradient(GradContext& g) {
  const Tensor dy = g.dy(0), dense = g.x(3);
  const Tensor places = PlacesInDense(g);
  Tensor of_dense = dy;
  if (kOp == Cwise::kAdd) {
    g.Set(1, dy);
  } else {
    const Tensor partner = ConjugateOf(ops::GatherNd(dense, places));
    if (kOp == Cwise::kMul) {
      g.Set(1, ops::Mul(dy, partner));
      of_dense = ops::Mul(dy, ConjugateOf(g.x(1)));
    } else {
      g.Set(1, ops::RealDiv(dy, partner));
      of_dense = ops::Mul(dy, ops::RealDiv(ops::Neg(ConjugateOf(g.x(1))),
                                           ops::Mul(partner, partner)));
    }
  }
  if (g.wants(3)) {
    g.Set(3, ops::SparseTensorDenseAdd(places, of_dense,
                                       ShapeTensor(dense, DataType::kInt64),
                                       ops::ZerosLike(dense)));
  }
}

const OpRecord kRecords[] = {
    {.name = "SparseTensorDenseAdd",
     .inputs = "a_indices: Tindices; a_values: T; a_shape: Tindices; b: T",
     .outputs = "output: T",
     .attrs =
         "T: type in " GK_SPARSE_NUMBERS "; Tindices: type in [int32, int64]",
     .shape = DenseAddShape,
     .kernel = {.compute = ComputeDenseAdd},
     .gradient = DenseAddGradient,
     .doc = "The sum of a sparse tensor and a dense one of its shape."},

    {.name = "SparseDenseCwiseAdd",
     .inputs = "sp_indices: int64; sp_values: T; sp_shape: int64; dense: T",
     .outputs = "output: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .shape = CwiseShape,
     .kernel = {.compute = ComputeCwise<Cwise::kAdd>},
     .gradient = CwiseGradient<Cwise::kAdd>,
     .doc = "The values of a sparse tensor plus those of a dense one, which "
            "broadcasts, at their places."},

    {.name = "SparseDenseCwiseMul",
     .inputs = "sp_indices: int64; sp_values: T; sp_shape: int64; dense: T",
     .outputs = "output: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .shape = CwiseShape,
     .kernel = {.compute = ComputeCwise<Cwise::kMul>},
     .gradient = CwiseGradient<Cwise::kMul>,
     .doc = "The values of a sparse tensor times those of a dense one, which "
            "broadcasts, at their places."},

    {.name = "SparseDenseCwiseDiv",
     .inputs = "sp_indices: int64; sp_values: T; sp_shape: int64; dense: T",
     .outputs = "output: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .shape = CwiseShape,
     .kernel = {.compute = ComputeCwise<Cwise::kDiv>},
     .gradient = CwiseGradient<Cwise::kDiv>,
     .doc = "The values of a sparse tensor by those of a dense one, which "
            "broadcasts, at their places; integers are cut towards zero.\n\n"
            "Raises InvalidArgumentError for integers of which one is zero."},
};

}  // namespace

GK_REGISTER_OPS(sparse_cwise)

}  // namespace gk
