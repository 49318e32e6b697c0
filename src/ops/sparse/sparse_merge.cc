// Two sparse tensors of one shape made one: sums, maxima and minima.
#include "ops/fn/sparse_merge.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <type_traits>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/sparse.h"
#include "kernels/sparse_merge.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Range.h"
#include "ops/fn/Size.h"
#include "ops/fn/SparseAddGrad.h"
#include "ops/fn/Sub.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// Operands a at inputs 0 to 2, b at 3 to 5.
Status MergeShapes(InferenceContext& c, SparseShapes* a, SparseShapes* b) {
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, a));
  return InferSparseParts(c, 3, b);
}

Status SameSizes(std::span<const int64_t> a, std::span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) {
      return InvalidArgument(
          "Operands' shapes do not match: got {} and {} for dimension {}", a[d],
          b[d], d);
    }
  }
  return OkStatus();
}

// `checks`: are places outside of the sizes refused?
Status Merge(const Places& a, const Places& b, std::span<const int64_t> sizes,
             bool checks, MergedPlaces* merged) {
  PlaceKeys keys_a = KeysOfRising(a, sizes), keys_b = KeysOfRising(b, sizes);
  if (checks && keys_a == nullptr) {
    GK_RETURN_IF_ERROR(CheckPlacesInside(a, sizes));
  }
  if (checks && keys_b == nullptr) {
    GK_RETURN_IF_ERROR(CheckPlacesInside(b, sizes));
  }
  *merged = MergePlaces(a, b, std::move(keys_a), std::move(keys_b));
  return OkStatus();
}

// ---- SparseAdd ----

Status AddShape(InferenceContext& c) {
  SparseShapes a, b;
  GK_RETURN_IF_ERROR(MergeShapes(c, &a, &b));
  int64_t rank;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(a.shape.dim(0), b.shape.dim(0), &rank));
  PartialTensorShape thresh;
  GK_RETURN_IF_ERROR(c.WithRank(6, 0, &thresh));
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rank});
  return OkStatus();
}

Status CheckAdd(const KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(3), &a_values = c.input(1),
               &b_values = c.input(4), &a_shape = c.input(2),
               &b_shape = c.input(5);
  const auto two = [](const Tensor& x, const Tensor& y) {
    return Format("{} and {}", x.shape().DebugString(),
                  y.shape().DebugString());
  };
  if (a.rank() != 2 || b.rank() != 2) {
    return InvalidArgument(
        "Input indices should be matrices but received shapes: {}", two(a, b));
  }
  if (a_values.rank() != 1 || b_values.rank() != 1) {
    return InvalidArgument(
        "Input values should be vectors but received shapes: {}",
        two(a_values, b_values));
  }
  if (a_values.dim(0) != a.dim(0) || b_values.dim(0) != b.dim(0)) {
    return InvalidArgument(
        "Expected {} and {} non-empty input values, got {} and {}", a.dim(0),
        b.dim(0), a_values.dim(0), b_values.dim(0));
  }
  if (a.dim(1) != b.dim(1)) {
    return InvalidArgument(
        "Input indices must have the same dimension, got {} and {}", a.dim(1),
        b.dim(1));
  }
  if (a_shape.rank() != 1 || b_shape.rank() != 1) {
    return InvalidArgument(
        "Input shapes should be a vector but received shapes {}",
        two(a_shape, b_shape));
  }
  if (a_shape.dim(0) != b_shape.dim(0) || a_shape.dim(0) != a.dim(1)) {
    const auto shown = [](const Tensor& shape) {
      std::string text;
      for (int64_t d : shape.flat<int64_t>()) {
        text += Format("{}{}", text.empty() ? "" : " ", d);
      }
      return text;
    };
    return InvalidArgument(
        "Operands do not have the same ranks; got shapes: {} and {}",
        shown(a_shape), shown(b_shape));
  }
  GK_RETURN_IF_ERROR(
      SameSizes(a_shape.flat<int64_t>(), b_shape.flat<int64_t>()));
  if (c.input(6).rank() != 0) {
    return InvalidArgument(
        "The magnitude threshold must be a scalar: got shape {}",
        c.input(6).shape().DebugString());
  }
  return OkStatus();
}

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

template <class C>
auto Magnitude(C v) {
  if constexpr (std::is_unsigned_v<C>) {
    return v;
  } else {
    return std::abs(v);
  }
}

// Sums of elements that both have, less those below the threshold; the others
// as they are; and their places. Gives the number of what is left.
template <class T>
int64_t Sums(const Places& a_places, const T* a, const Places& b_places,
             const T* b, auto threshold, const MergedPlaces& from,
             int64_t* places, T* sums) {
  using C = ComputeType<T>;
  const int64_t rank = a_places.rank;
  int64_t kept = 0;
  TurnPoll poll;
  for (int64_t k = 0; k < from.n; ++k) {
    poll();
    const int64_t i = from.a[k], j = from.b[k];
    // Without a jump: a value that is not there is read where the other is.
    const T x = *(i >= 0 ? a + i : b + j), y = *(j >= 0 ? b + j : a + i);
    const T sum = Convert<T>(static_cast<C>(Convert<C>(x) + Convert<C>(y)));
    const bool both = (i | j) >= 0;
    sums[kept] = both ? sum : x;
    const int64_t* const at =
        (i >= 0 ? a_places.data : b_places.data) + (i >= 0 ? i : j) * rank;
    int64_t* const to = places + kept * rank;
    for (int64_t d = 0; d < rank; ++d) to[d] = at[d];
    // What is not a number is left out, too.
    kept += !both || threshold <= Magnitude(Convert<C>(sum));
  }
  return kept;
}

// Its dtype is what the caller has: a number as an int, say.
template <class C>
C ThresholdOf(const Tensor& thresh) {
  C value{};
  VisitRealNumber(thresh.dtype(), [&](auto tag) {
    value = static_cast<C>(
        Convert<ComputeType<decltype(tag)>>(*thresh.data<decltype(tag)>()));
  });
  return value;
}

Status Outputs(DataType dtype, int64_t n, int64_t rank, Tensor* indices,
               Tensor* values) {
  GK_ASSIGN_OR_RETURN(
      *indices, Tensor::Allocate(DataType::kInt64, TensorShape({n, rank})));
  GK_ASSIGN_OR_RETURN(*values, Tensor::Allocate(dtype, TensorShape({n})));
  return OkStatus();
}

Status ComputeAdd(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckAdd(c));
  const Tensor &a_values = c.input(1), &b_values = c.input(4);
  const Places a = PlacesOf(c.input(0)), b = PlacesOf(c.input(3));
  const std::span<const int64_t> sizes = c.input(2).flat<int64_t>();
  MergedPlaces merged;
  GK_RETURN_IF_ERROR(Merge(a, b, sizes, false, &merged));
  Status status;
  const bool known = VisitNumber(a_values.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using Real = typename RealOf<T>::type;
    const auto threshold = ThresholdOf<ComputeType<Real>>(c.input(6));
    // Room for all, of which most is needed most often.
    Tensor indices, values;
    status = Outputs(a_values.dtype(), merged.n, a.rank, &indices, &values);
    if (!status.ok()) return;
    const int64_t n =
        Sums(a, a_values.data<T>(), b, b_values.data<T>(), threshold, merged,
             indices.data<int64_t>(), values.data<T>());
    if (n < merged.n) {
      const Tensor all_indices = std::move(indices),
                   all_values = std::move(values);
      status = Outputs(a_values.dtype(), n, a.rank, &indices, &values);
      if (!status.ok()) return;
      std::copy_n(all_indices.data<int64_t>(), n * a.rank,
                  indices.data<int64_t>());
      std::copy_n(all_values.data<T>(), n, values.data<T>());
    }
    c.set_output(0, std::move(indices));
    c.set_output(1, std::move(values));
  });
  if (!known) return c.NoKernel();
  GK_RETURN_IF_ERROR(status);
  c.set_output(2, c.input(2));
  return OkStatus();
}

void AddGradient(GradContext& g) {
  const TensorVector parts =
      ops::SparseAddGrad(g.dy(1), g.x(0), g.x(3), g.y(0));
  g.Set(1, parts[0]);
  g.Set(4, parts[1]);
}

// ---- SparseAddGrad ----

Status AddGradShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &a));
  GK_RETURN_IF_ERROR(c.WithRank(2, 2, &b));
  c.set_output(0, {a.dim(0)});
  c.set_output(1, {b.dim(0)});
  return OkStatus();
}

Status ComputeAddGrad(KernelContext& c) {
  const Tensor &grad = c.input(0), &a = c.input(1), &b = c.input(2),
               &sum = c.input(3);
  if (a.rank() != 2 || b.rank() != 2 || sum.rank() != 2) {
    return InvalidArgument(
        "Inputs a_indices, b_indices, and sum_indices should be matrices but "
        "received shapes: {} and {} and {}",
        a.shape().DebugString(), b.shape().DebugString(),
        sum.shape().DebugString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument(
        "Input backprop_val_grad should be a vector but received shape: {}",
        grad.shape().DebugString());
  }
  if (a.dim(1) != b.dim(1) || b.dim(1) != sum.dim(1)) {
    return InvalidArgument(
        "The densified operands should have the same ndims; for A, B, sum got: "
        "{}{}{}",
        a.dim(1), b.dim(1), sum.dim(1));
  }
  if (grad.dim(0) != sum.dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of sum_indices should "
        "match (#nnz of sum): got {} and {}",
        grad.dim(0), sum.dim(0));
  }
  if (!VisitNumber(grad.dtype(), [](auto) {})) return c.NoKernel();
  const PlaceFinder sums(PlacesOf(sum));
  for (int i = 0; i < 2; ++i) {
    const Places places = PlacesOf(i == 0 ? a : b);
    Tensor* out;
    GK_RETURN_IF_ERROR(
        c.Allocate(i, grad.dtype(), TensorShape({places.n}), &out));
    GK_RETURN_IF_ERROR(VisitMoved(grad.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const from = static_cast<const T*>(grad.raw_data());
      T* const to = static_cast<T*>(out->raw_data());
      sums.Find(places, [&](int64_t k, int64_t at) {
        to[k] = at < 0 ? T{} : from[at];
      });
    }));
  }
  return OkStatus();
}

// Of each sum the gradients of what it was made of.
void AddGradGradient(GradContext& g) {
  const Tensor n = ops::Size(g.x(0), DataType::kInt64),
               one = IntegerConstant(1, DataType::kInt64);
  const Tensor numbers = ops::Range(one, ops::AddV2(n, one), one);
  const TensorVector from = ops::SparseAddGrad(numbers, g.x(1), g.x(2), g.x(3));
  // Numbers below 0 are of sums that were left out.
  g.Set(0, ops::AddV2(
               ops::UnsortedSegmentSum(g.dy(0), ops::Sub(from[0], one), n),
               ops::UnsortedSegmentSum(g.dy(1), ops::Sub(from[1], one), n)));
}

// ---- SparseSparseMaximum, SparseSparseMinimum ----

Status ExtremeShape(InferenceContext& c) {
  SparseShapes a, b;
  GK_RETURN_IF_ERROR(MergeShapes(c, &a, &b));
  int64_t rank;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(a.shape.dim(0), b.shape.dim(0), &rank));
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

// Like the ops on dense tensors: not a number if one is.
template <bool kMax, class C>
C Extreme(C x, C y) {
  const C extreme = (kMax ? x < y : y < x) ? y : x;
  const C with_y = y == y ? extreme : y;
  return x == x ? with_y : x;
}

template <bool kMax>
Status ComputeExtreme(KernelContext& c) {
  const Tensor &a_values = c.input(1), &b_values = c.input(4);
  GK_RETURN_IF_ERROR(CheckSparseParts(c.input(0), a_values, c.input(2)));
  GK_RETURN_IF_ERROR(CheckSparseParts(c.input(3), b_values, c.input(5)));
  const std::span<const int64_t> sizes = c.input(2).flat<int64_t>();
  const Places a = PlacesOf(c.input(0)), b = PlacesOf(c.input(3));
  if (a.rank != b.rank) {
    return InvalidArgument(
        "Operands do not have the same ranks; got shapes: {} and {}",
        ShownSizes(sizes), ShownSizes(c.input(5).flat<int64_t>()));
  }
  GK_RETURN_IF_ERROR(SameSizes(sizes, c.input(5).flat<int64_t>()));
  MergedPlaces merged;
  GK_RETURN_IF_ERROR(Merge(a, b, sizes, true, &merged));
  const int64_t n = merged.n;
  Tensor *indices, *values;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({n, a.rank}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, a_values.dtype(), TensorShape({n}), &values));
  PickPlaces(a, b, merged, indices->data<int64_t>());
  const bool known = VisitRealNumber(a_values.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    const T *x = a_values.data<T>(), *y = b_values.data<T>();
    T* const to = values->data<T>();
    const T none = Convert<T>(C());
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = merged.a[k], j = merged.b[k];
      to[k] =
          Convert<T>(Extreme<kMax, C>(Convert<C>(*(i < 0 ? &none : x + i)),
                                      Convert<C>(*(j < 0 ? &none : y + j))));
    }
  });
  return known ? OkStatus() : c.NoKernel();
}

const OpRecord kRecords[] = {
    {.name = "SparseAdd",
     .inputs = "a_indices: int64; a_values: T; a_shape: int64; b_indices: "
               "int64; b_values: T; b_shape: int64; thresh: Treal",
     .outputs = "sum_indices: int64; sum_values: T; sum_shape: int64",
     .attrs =
         "T: type in " GK_SPARSE_NUMBERS "; Treal: type in " GK_SPARSE_REALS,
     .shape = AddShape,
     .kernel = {.compute = ComputeAdd},
     .gradient = AddGradient,
     .doc = "The sum of two sparse tensors of one shape. Sums of two elements "
            "whose magnitude is below thresh are left out."},

    {.name = "SparseAddGrad",
     .inputs = "backprop_val_grad: T; a_indices: int64; b_indices: int64; "
               "sum_indices: int64",
     .outputs = "a_val_grad: T; b_val_grad: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .shape = AddGradShape,
     .kernel = {.compute = ComputeAddGrad},
     .gradient = AddGradGradient,
     .doc = "Gradients of SparseAdd."},

    {.name = "SparseSparseMaximum",
     .inputs = "a_indices: int64; a_values: T; a_shape: int64; b_indices: "
               "int64; b_values: T; b_shape: int64",
     .outputs = "output_indices: int64; output_values: T",
     .attrs = "T: type in " GK_SPARSE_REALS,
     .traits = kNoGradient,
     .shape = ExtremeShape,
     .kernel = {.compute = ComputeExtreme<true>},
     .doc = "The larger of the elements at each place that one of two sparse "
            "tensors has; what is not there counts as 0."},

    {.name = "SparseSparseMinimum",
     .inputs = "a_indices: int64; a_values: T; a_shape: int64; b_indices: "
               "int64; b_values: T; b_shape: int64",
     .outputs = "output_indices: int64; output_values: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .traits = kNoGradient,
     .shape = ExtremeShape,
     .kernel = {.compute = ComputeExtreme<false>},
     .doc = "The smaller of the elements at each place that one of two sparse "
            "tensors has; what is not there counts as 0."},
};

}  // namespace

GK_REGISTER_OPS(sparse_merge)

}  // namespace gk
