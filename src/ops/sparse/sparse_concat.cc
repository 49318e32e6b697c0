// Sparse tensors one after the other.
#include "ops/fn/sparse_concat.h"

#include <algorithm>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// Input i of each of the three lists.
struct Part {
  const Tensor &indices, &values, &shape;
};
Part PartOf(KernelContext& c, int i) {
  const int n = c.num_inputs() / 3;
  return {c.input(i), c.input(n + i), c.input(2 * n + i)};
}

Status ConcatShape(InferenceContext& c) {
  const int n = c.num_inputs() / 3;
  int64_t total = 0, rank = kUnknownDim;
  PartialTensorShape ignored;
  for (int i = 0; i < n; ++i) {
    PartialTensorShape indices, values, shape;
    GK_RETURN_IF_ERROR(c.WithRank(i, 2, &indices));
    GK_RETURN_IF_ERROR(c.WithRank(n + i, 1, &values));
    GK_RETURN_IF_ERROR(c.WithRank(2 * n + i, 1, &shape));
    int64_t count;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(indices.dim(0), values.dim(0), &count));
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(rank, indices.dim(1), &rank));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(rank, shape.dim(0), &rank));
    total = total < 0 || count < 0 ? kUnknownDim : total + count;
  }
  c.set_output(0, {total, rank});
  c.set_output(1, {total});
  c.set_output(2, {rank});
  return OkStatus();
}

Status CheckPart(const Part& part, const Part& first, int i) {
  if (part.indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape {} at position {}",
        part.indices.shape().DebugString(), i);
  }
  if (part.values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape {} at position {}",
        part.values.shape().DebugString(), i);
  }
  if (part.shape.rank() != 1) {
    return InvalidArgument(
        "Input shapes should be a vector but received shape {} at position {}",
        part.shape.shape().DebugString(), i);
  }
  if (part.indices.dim(0) != part.values.dim(0)) {
    return InvalidArgument(
        "Number of elements in indices ({}) and values ({}) do not match at "
        "position {}",
        part.indices.dim(0), part.values.dim(0), i);
  }
  if (part.shape.dim(0) != first.shape.dim(0)) {
    return InvalidArgument(
        "Ranks of all input tensors must match: expected {} but got {} at "
        "position {}",
        first.shape.dim(0), part.shape.dim(0), i);
  }
  if (part.indices.dim(1) != part.shape.dim(0)) {
    return InvalidArgument(
        "Index rank ({}) and shape rank ({}) do not match at position {}",
        part.indices.dim(1), part.shape.dim(0), i);
  }
  return OkStatus();
}

Status ComputeConcat(KernelContext& c) {
  const int n = c.num_inputs() / 3;
  const Part first = PartOf(c, 0);
  int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    const Part part = PartOf(c, i);
    GK_RETURN_IF_ERROR(CheckPart(part, first, i));
    total += part.values.dim(0);
  }
  const int64_t rank = first.shape.dim(0);
  const int64_t asked = c.attr<int64_t>("concat_dim");
  const int axis = NormalAxis(asked, static_cast<int>(rank));
  if (axis < 0) {
    return InvalidArgument("Concat dimension must be in range [{}, {}), got {}",
                           -rank, rank, asked);
  }
  const std::span<const int64_t> like = first.shape.flat<int64_t>();
  std::vector<int64_t> sizes(like.begin(), like.end());
  std::vector<int64_t> all(total * rank);
  int64_t at = 0, before = 0;
  for (int i = 0; i < n; ++i) {
    const Part part = PartOf(c, i);
    const std::span<const int64_t> own = part.shape.flat<int64_t>();
    for (int64_t d = 0; d < rank; ++d) {
      if (d == axis || own[d] == sizes[d]) continue;
      return InvalidArgument(
          "Input shapes must match: expected {} for dimension {} but got {} at "
          "position {}",
          sizes[d], d, own[d], i);
    }
    if (own[axis] < 0) {
      return InvalidArgument(
          "Size {} of dimension {} at position {} is "
          "negative",
          own[axis], axis, i);
    }
    const Places places{part.indices.data<int64_t>(), part.values.dim(0), rank};
    ShiftPlaces(places, axis, before, all.data() + at * rank);
    at += places.n;
    if (__builtin_add_overflow(before, own[axis], &before)) {
      return InvalidArgument(
          "The sizes of dimension {} sum up to more than 64 "
          "bits hold",
          axis);
    }
  }
  sizes[axis] = before;
  const std::vector<int64_t> order = RowMajorOrder({all.data(), total, rank});
  const DataType dtype = first.values.dtype();
  Tensor *indices, *values, *shape;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({total, rank}), &indices));
  GK_RETURN_IF_ERROR(c.Allocate(1, dtype, TensorShape({total}), &values));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kInt64, TensorShape({rank}), &shape));
  PickRows(all.data(), order, rank, indices->data<int64_t>());
  std::copy(sizes.begin(), sizes.end(), shape->data<int64_t>());
  return VisitMoved(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> joined;
    joined.reserve(total);
    for (int i = 0; i < n; ++i) {
      const Tensor& own = PartOf(c, i).values;
      const T* const from = static_cast<const T*>(own.raw_data());
      joined.insert(joined.end(), from, from + own.num_elements());
    }
    PickRows(joined.data(), order, 1, static_cast<T*>(values->raw_data()));
  });
}

const OpRecord kRecords[] = {
    {.name = "SparseConcat",
     .inputs = "indices: N * int64; values: N * T; shapes: N * int64",
     .outputs = "output_indices: int64; output_values: T; output_shape: int64",
     .attrs = "concat_dim: int; N: int >= 2; T: type",
     .traits = kNoGradient,
     .shape = ConcatShape,
     .kernel = {.compute = ComputeConcat},
     .doc = "Sparse tensors one after the other along a dimension; the others "
            "are alike."},
};

}  // namespace

GK_REGISTER_OPS(sparse_concat)

}  // namespace gk
