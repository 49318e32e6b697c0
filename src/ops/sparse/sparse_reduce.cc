// Sums and maxima of sparse tensors along some of their dimensions.
#include "ops/fn/sparse_reduce.h"

#include <algorithm>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/DynamicStitch.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// Which dimensions are reduced; InvalidArgument for one that is not there.
StatusOr<std::vector<bool>> ReducedDims(std::span<const int64_t> axes,
                                        int64_t rank) {
  std::vector<bool> reduced(rank);
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument(
          "Invalid reduction dimension {}, for input with {} dimensions.", axis,
          rank);
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  return reduced;
}

std::vector<int64_t> SizesLeft(std::span<const int64_t> sizes,
                               const std::vector<bool>& reduced, bool keep) {
  std::vector<int64_t> left;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!reduced[d]) left.push_back(sizes[d]);
    if (reduced[d] && keep) left.push_back(1);
  }
  return left;
}

Status DenseSumShape(InferenceContext& c) {
  const auto sizes = c.ValueAsInts(2), axes = c.ValueAsInts(3);
  if (!sizes || !axes) return OkStatus();
  GK_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                      ReducedDims(*axes, sizes->size()));
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int64_t d : SizesLeft(*sizes, reduced, c.attr<bool>("keep_dims"))) {
    if (d < 0) {
      return InvalidArgument(
          "Expected shape dimensions to be non-negative, got {}", d);
    }
    out.AddDim(d);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status SparseSumShape(InferenceContext&) { return OkStatus(); }

// The elements of the result, each with what it is made of.
struct Groups {
  std::vector<int64_t> left;    // sizes of the result
  std::vector<int64_t> places;  // of the result's elements, row by row
  std::vector<int64_t> order;   // numbers of the values, group by group
  std::vector<int64_t> starts;  // in `order`, one a group and the end
  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
};

StatusOr<Groups> GroupsOf(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2),
               &axes = c.input(3);
  const int64_t rows = indices.rank() > 0 ? indices.dim(0) : 0;
  if (values.rank() != 1 || rows != values.dim(0)) {
    return InvalidArgument(
        "indices and values rows (indexing dimension) must match. (indices = "
        "{}, values = {})",
        rows, values.rank() > 0 ? values.dim(0) : 0);
  }
  GK_RETURN_IF_ERROR(CheckSparseParts(indices, values, shape));
  if (axes.rank() > 1) {
    return InvalidArgument(
        "Expected reduction_axes to be a scalar or a vector; got shape: {}",
        axes.shape().DebugString());
  }
  std::vector<int64_t> list;
  GK_RETURN_IF_ERROR(IntegerValues(axes, &list));
  const Places places = PlacesOf(indices);
  const std::span<const int64_t> sizes = shape.flat<int64_t>();
  GK_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                      ReducedDims(list, places.rank));
  GK_RETURN_IF_ERROR(CheckSizes(sizes));
  const bool keep = c.attr<bool>("keep_dims");
  Groups groups;
  groups.left = SizesLeft(sizes, reduced, keep);
  std::vector<int64_t> kept;  // places with zeros where dimensions are reduced
  const auto rank = static_cast<int64_t>(groups.left.size());
  kept.reserve(places.n * rank);
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    for (int64_t d = 0; d < places.rank; ++d) {
      if (!reduced[d]) kept.push_back(places[i][d]);
      if (reduced[d] && keep) kept.push_back(0);
    }
  }
  const Places left{kept.data(), places.n, rank};
  groups.order = RowMajorOrder(left);
  for (int64_t k = 0; k < places.n; ++k) {
    const auto at = left[groups.order[k]];
    if (k == 0 || ComparePlaces(left[groups.order[k - 1]], at) != 0) {
      groups.starts.push_back(k);
      groups.places.insert(groups.places.end(), at.begin(), at.end());
    }
  }
  groups.starts.push_back(places.n);
  return groups;
}

template <bool kMax, class T>
T Reduced(const T* values, std::span<const int64_t> which) {
  using C = ComputeType<T>;
  C result = Convert<C>(values[which[0]]);
  for (int64_t i : which.subspan(1)) {
    const C v = Convert<C>(values[i]);
    if constexpr (kMax) {
      result = result != result || v <= result ? result : v;
    } else {
      result = static_cast<C>(result + v);
    }
  }
  return Convert<T>(result);
}

template <bool kMax>
bool ReduceGroups(const Groups& groups, const Tensor& values, auto&& put) {
  const auto each = [&](auto tag) {
    using T = decltype(tag);
    TurnPoll poll;
    for (int64_t g = 0; g < groups.size(); ++g) {
      poll();
      put(g,
          Reduced<kMax>(values.data<T>(),
                        std::span(groups.order)
                            .subspan(groups.starts[g],
                                     groups.starts[g + 1] - groups.starts[g])));
    }
  };
  if constexpr (kMax) {
    return VisitRealNumber(values.dtype(), each);
  } else {
    return VisitNumber(values.dtype(), each);
  }
}

template <bool kMax>
Status ComputeDense(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Groups groups, GroupsOf(c));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(groups.left));
  const Tensor& values = c.input(1);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), shape, &out));
  ZeroElements(out);
  const Places places{groups.places.data(), groups.size(),
                      static_cast<int64_t>(groups.left.size())};
  GK_RETURN_IF_ERROR(CheckPlacesInside(places, groups.left));
  std::vector<int64_t> flat(places.n);
  FlatPlaces(places, groups.left, flat.data());
  const bool known = ReduceGroups<kMax>(
      groups, values,
      [&]<class T>(int64_t g, T v) { out->data<T>()[flat[g]] = v; });
  return known ? OkStatus() : c.NoKernel();
}

template <bool kMax>
Status ComputeSparse(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Groups groups, GroupsOf(c));
  const auto rank = static_cast<int64_t>(groups.left.size());
  Tensor *indices, *values, *shape;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64,
                                TensorShape({groups.size(), rank}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, c.input(1).dtype(), TensorShape({groups.size()}), &values));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kInt64, TensorShape({rank}), &shape));
  std::ranges::copy(groups.places, indices->data<int64_t>());
  std::ranges::copy(groups.left, shape->data<int64_t>());
  const bool known = ReduceGroups<kMax>(
      groups, c.input(1),
      [&]<class T>(int64_t g, T v) { values->data<T>()[g] = v; });
  return known ? OkStatus() : c.NoKernel();
}

// The result's element spread over those that it is the sum of.
void SumGradient(GradContext& g) {
  const Tensor shape = g.x(2), zero = IntegerConstant(0),
               one = IntegerConstant(1);
  const Tensor rank = ops::Size(shape, DataType::kInt32);
  const std::vector<int64_t> flat{-1};
  const Tensor axes = ops::FloorMod(
      ops::AddV2(ops::Reshape(g.x(3), IntegerVector(flat)), rank), rank);
  const Tensor ones =
      ops::Fill(ShapeTensor(axes), IntegerConstant(1, DataType::kInt64));
  const Tensor kept =
      ops::DynamicStitch(TensorVector{ops::Range(zero, rank, one), axes},
                         TensorVector{shape, ones});
  const Tensor scale = ops::FloorDiv(
      shape, ops::Maximum(kept, IntegerConstant(1, DataType::kInt64)));
  const Tensor places = ops::FloorDiv(
      g.x(0), ops::Maximum(scale, IntegerConstant(1, DataType::kInt64)));
  g.Set(1, ops::GatherNd(ops::Reshape(g.dy(0), kept), places));
}

const OpRecord kRecords[] = {
    {.name = "SparseReduceSum",
     .inputs = "input_indices: int64; input_values: T; input_shape: int64; "
               "reduction_axes: int32",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in " GK_SPARSE_NUMBERS,
     .shape = DenseSumShape,
     .kernel = {.compute = ComputeDense<false>},
     .gradient = SumGradient,
     .doc = "Sums of a sparse tensor along dimensions, as a dense tensor."},

    {.name = "SparseReduceSumSparse",
     .inputs = "input_indices: int64; input_values: T; input_shape: int64; "
               "reduction_axes: int32",
     .outputs = "output_indices: int64; output_values: T; output_shape: int64",
     .attrs = "keep_dims: bool = False; T: type in " GK_SPARSE_NUMBERS,
     .traits = kNoGradient,
     .shape = SparseSumShape,
     .kernel = {.compute = ComputeSparse<false>},
     .doc = "Sums of a sparse tensor along dimensions, as a sparse tensor."},

    {.name = "SparseReduceMax",
     .inputs = "input_indices: int64; input_values: T; input_shape: int64; "
               "reduction_axes: int32",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = False; T: type in " GK_SPARSE_REALS,
     .traits = kNoGradient,
     .shape = DenseSumShape,
     .kernel = {.compute = ComputeDense<true>},
     .doc = "The largest of the elements that a sparse tensor has along "
            "dimensions, 0 where it has none, as a dense tensor."},

    {.name = "SparseReduceMaxSparse",
     .inputs = "input_indices: int64; input_values: T; input_shape: int64; "
               "reduction_axes: int32",
     .outputs = "output_indices: int64; output_values: T; output_shape: int64",
     .attrs = "keep_dims: bool = False; T: type in " GK_SPARSE_REALS,
     .traits = kNoGradient,
     .shape = SparseSumShape,
     .kernel = {.compute = ComputeSparse<true>},
     .doc = "The largest of the elements that a sparse tensor has along "
            "dimensions, as a sparse tensor."},
};

}  // namespace

GK_REGISTER_OPS(sparse_reduce)

}  // namespace gk
