// Picking rows of a tensor by index.
#include "ops/fn/array_gather.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/gather.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// The least rank that has the axis.
int64_t RankForAxis(int64_t axis) {
  if (axis >= 0) return axis == INT64_MAX ? axis : axis + 1;
  return axis == INT64_MIN ? INT64_MAX : -axis;
}

Status GatherShapeOf(InferenceContext& c, std::optional<int64_t> axis,
                     int64_t batch_dims) {
  const PartialTensorShape &x = c.input(0), &indices = c.input(1);
  if (!x.unknown_rank() && x.rank() == 0) {
    return InvalidArgument("params must be at least 1 dimensional");
  }
  if (x.unknown_rank() || indices.unknown_rank()) return OkStatus();
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank()) {
    return InvalidArgument(
        "Expected batch_dims in the range [{}, {}], but got "
        "{}",
        -indices.rank(), indices.rank(), batch_dims);
  }
  const int rank = x.rank() - 1 + indices.rank() - static_cast<int>(batch_dims);
  if (rank < 0 || rank > kMaxRank) {
    return InvalidArgument("gather of shapes {} and {} has rank {}",
                           x.DebugString(), indices.DebugString(), rank);
  }
  if (!axis) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(rank));
    return OkStatus();
  }
  const int at = NormalAxis(*axis, x.rank());
  if (at < 0) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           RankForAxis(*axis), x.rank());
  }
  // Batch dims that do not fit are told when it runs.
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i < at; ++i) {
    const bool from_indices = i < batch_dims && x.dim(i) < 0;
    out.AddDim(from_indices ? indices.dim(i) : x.dim(i));
  }
  for (int i = static_cast<int>(batch_dims); i < indices.rank(); ++i) {
    out.AddDim(indices.dim(i));
  }
  for (int i = at + 1; i < x.rank(); ++i) out.AddDim(x.dim(i));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status GatherShape(InferenceContext& c) { return GatherShapeOf(c, 0, 0); }

Status GatherV2Shape(InferenceContext& c) {
  if (c.input(2).rank() > 0) {
    return InvalidArgument("axis must be scalar");
  }
  auto axis = c.ValueAsInts(2);
  std::optional<int64_t> value;
  if (axis && axis->size() == 1) value = (*axis)[0];
  return GatherShapeOf(c, value, c.attr<int64_t>("batch_dims"));
}

template <class Index>
Status GatherWith(KernelContext& c, const Tensor& indices, int axis,
                  int batch_dims) {
  const Tensor& x = c.input(0);
  const Index* at = indices.data<Index>();
  const int64_t limit = x.dim(axis);
  InlinedVector<int64_t, 8> dims;
  int64_t batch = 1, outer = 1, inner = 1, count = 1;
  for (int i = 0; i < batch_dims; ++i) {
    dims.push_back(x.dim(i));
    batch *= x.dim(i);
  }
  for (int i = batch_dims; i < axis; ++i) {
    dims.push_back(x.dim(i));
    outer *= x.dim(i);
  }
  for (int i = batch_dims; i < indices.rank(); ++i) {
    dims.push_back(indices.dim(i));
    count *= indices.dim(i);
  }
  for (int i = axis + 1; i < x.rank(); ++i) {
    dims.push_back(x.dim(i));
    inner *= x.dim(i);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const int64_t bad = FirstBadIndex(at, indices.num_elements(), limit);
  if (bad >= 0) {
    return InvalidArgument("indices{} = {} is not in [0, {})",
                           PositionString(indices.shape(), bad), at[bad],
                           limit);
  }
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    GatherRows(static_cast<const T*>(x.raw_data()), at,
               static_cast<T*>(out->raw_data()), batch, outer, limit, count,
               inner, ThreadPool::Global());
  });
}

Status GatherAlong(KernelContext& c, int64_t axis_value, int64_t batch_dims) {
  const Tensor &x = c.input(0), &indices = c.input(1);
  if (x.rank() == 0) {
    return InvalidArgument("params must be at least 1 dimensional");
  }
  const int axis = NormalAxis(axis_value, x.rank());
  if (axis < 0) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           RankForAxis(axis_value), x.rank());
  }
  if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
    return InvalidArgument(
        "Expected batch_dims in the range [{}, {}], but got {}",
        -indices.rank(), indices.rank(), batch_dims);
  }
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims >= x.rank()) {
    return InvalidArgument(
        "batch_dims ({}) must be less than rank(params) "
        "({}).",
        batch_dims, x.rank());
  }
  if (batch_dims > axis) {
    return InvalidArgument(
        "batch_dims ({}) must be less than or equal to axis ({}).", batch_dims,
        axis);
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (x.dim(i) != indices.dim(i)) {
      return InvalidArgument(
          "params.shape[{}]: {} should be equal to indices.shape[{}]: {}", i,
          x.dim(i), i, indices.dim(i));
    }
  }
  const int batch = static_cast<int>(batch_dims);
  switch (indices.dtype()) {
    case DataType::kInt16:
      return GatherWith<int16_t>(c, indices, axis, batch);
    case DataType::kInt32:
      return GatherWith<int32_t>(c, indices, axis, batch);
    case DataType::kInt64:
      return GatherWith<int64_t>(c, indices, axis, batch);
    default:
      return InvalidArgument("indices must be integers");
  }
}

Status ComputeGather(KernelContext& c) { return GatherAlong(c, 0, 0); }

Status ComputeGatherV2(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"batch_dims"}));
  if (c.input(2).rank() != 0) {
    return InvalidArgument("axis must be scalar");
  }
  int64_t axis;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(2), "axis", &axis));
  return GatherAlong(c, axis, c.attr<int64_t>("batch_dims"));
}

// dims[from:to] of a vector.
Tensor Part(const Tensor& dims, int64_t from, int64_t to) {
  const Tensor begin = IntegerVector({{from}});
  return ops::Slice(dims, begin, IntegerVector({{to - from}}));
}
Tensor Flat(const Tensor& x) { return ops::Reshape(x, IntegerVector({{-1}})); }
Tensor Permuted(const Tensor& x, const std::vector<int64_t>& perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return x;
  return ops::Transpose(x, IntegerVector(perm));
}
Tensor WideIndices(const Tensor& t) {
  return t.dtype() == DataType::kInt16 ? CastTo(t, DataType::kInt32) : t;
}

void SliceGradientOf(GradContext& g) {
  const Tensor shape = ShapeTensor(g.x(0));
  const Tensor indices = WideIndices(g.x(1));
  const Tensor begin = IntegerVector({{1}});
  const Tensor end = IntegerVector({{0}});
  const Tensor rest =
      ops::StridedSlice(shape, begin, end, IntegerVector({{1}}), 0, 1);
  const Tensor tensor = ops::Size(indices);
  Tensor size = ops::Reshape(tensor, IntegerVector({{1}}));
  g.SetSlices(0, ops::Reshape(g.dy(0), Joined({size, rest})), Flat(indices),
              shape);
}

// The sizes of params before, at and behind the axis, and whether those
// between the batch and the axis may be more than none.
struct GatheredSizes {
  Tensor batch, outer, limit, inner;
  Tensor first;  // index of the first size behind the batch
  bool has_outer = true;
};

GatheredSizes SizesOf(GradContext& g, const Tensor& shape) {
  const int64_t b = g.attr<int64_t>("batch_dims");
  const int r = g.x(1).partial_shape().rank();
  const int p = g.x(0).partial_shape().rank();
  const Tensor known = KnownValue(g.x(2));
  GatheredSizes sizes;
  if (known && p >= 0 && (b >= 0 || r >= 0)) {
    int64_t axis = 0;
    ThrowIfError(IntegerValue(known, "axis", &axis));
    const int from = static_cast<int>(b < 0 ? b + r : b);
    const int at = NormalAxis(axis, p);
    sizes.batch = Part(shape, 0, from);
    sizes.outer = Part(shape, from, at);
    sizes.limit = Part(shape, at, at + 1);
    sizes.inner = Part(shape, at + 1, p);
    sizes.first = IntegerVector({{from}});
    sizes.has_outer = at > from;
    return sizes;
  }
  const Tensor one = IntegerVector({{1}}), rest = IntegerVector({{-1}});
  Tensor at = ops::Reshape(CastTo(g.x(2), DataType::kInt32), one);
  const Tensor is_negative = ops::Less(at, IntegerConstant(0));
  at = ops::SelectV2(is_negative, ops::AddV2(at, RankOf(g.x(0))), at);
  sizes.first = IntegerVector({{b}});
  if (b < 0) sizes.first = ops::AddV2(sizes.first, RankOf(g.x(1)));
  const Tensor behind = ops::AddV2(at, one);
  sizes.batch = ops::Slice(shape, IntegerVector({{0}}), sizes.first);
  sizes.outer = ops::Slice(shape, sizes.first, ops::Sub(at, sizes.first));
  sizes.limit = ops::Slice(shape, at, one);
  sizes.inner = ops::Slice(shape, behind, rest);
  return sizes;
}

// dy as [batch * count] rows, summed by index to [batch * limit] of them and
// brought back to the axis.
void GatherV2Gradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor axis_value = KnownValue(g.x(2));
  int64_t axis = -1;
  if (axis_value && axis_value.num_elements() == 1) {
    ThrowIfError(IntegerValue(axis_value, "axis", &axis));
  }
  const int64_t b = g.attr<int64_t>("batch_dims");
  if (axis == 0 && b == 0) return SliceGradientOf(g);
  const Tensor shape = ShapeTensor(g.x(0));
  const GatheredSizes sizes = SizesOf(g, shape);
  const Tensor batch = ProductOf(sizes.batch), outer = ProductOf(sizes.outer),
               inner = ProductOf(sizes.inner);
  Tensor indices = WideIndices(g.x(1));
  const Tensor to_end = IntegerVector({{-1}});
  const Tensor count =
      ProductOf(ops::Slice(ShapeTensor(indices), sizes.first, to_end));
  const Tensor scalar = IntegerVector({});
  if (b != 0) {
    const Tensor start = IntegerConstant(0);
    const Tensor end = ops::Reshape(batch, scalar);
    const Tensor places =
        ops::Mul(ops::Range(start, end, IntegerConstant(1)), sizes.limit);
    const Tensor offsets =
        ops::Reshape(places, Joined({batch, IntegerVector({{1}})}));
    indices = ops::Reshape(indices, Joined({batch, count}));
    indices = ops::AddV2(indices, CastTo(offsets, indices.dtype()));
  }
  const auto exchanged = [&](const Tensor& x) {
    return sizes.has_outer ? Permuted(x, {0, 2, 1, 3}) : x;
  };
  const Tensor moved =
      exchanged(ops::Reshape(g.dy(0), Joined({batch, outer, count, inner})));
  const Tensor taken = ops::Mul(batch, count);
  const Tensor data = ops::Reshape(moved, Joined({taken, outer, inner}));
  const Tensor rows = ops::Reshape(ops::Mul(batch, sizes.limit), scalar);
  const Tensor sums = ops::UnsortedSegmentSum(data, Flat(indices), rows);
  const Tensor apart =
      ops::Reshape(sums, Joined({batch, sizes.limit, outer, inner}));
  g.Set(0, ops::Reshape(exchanged(apart), shape));
}

// ---- GatherNd ----

Status GatherNdShape(InferenceContext& c) {
  const PartialTensorShape &x = c.input(0), &indices = c.input(1);
  if (!indices.unknown_rank() && indices.rank() == 0) {
    return InvalidArgument("indices must be at least a vector");
  }
  if (x.unknown_rank() || indices.unknown_rank()) return OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return OkStatus();
  if (depth > x.rank()) {
    return InvalidArgument(
        "indices.shape[-1] must be <= params.rank, but saw "
        "indices shape: {} and params shape: {}",
        indices.DebugString(), x.DebugString());
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i + 1 < indices.rank(); ++i) out.AddDim(indices.dim(i));
  for (int i = static_cast<int>(depth); i < x.rank(); ++i) {
    out.AddDim(x.dim(i));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeGatherNd(KernelContext& c) {
  const Tensor &x = c.input(0), &indices = c.input(1);
  const std::string& policy = c.attr<std::string>("bad_indices_policy");
  if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR" &&
      policy != "IGNORE") {
    return InvalidArgument("Unknown bad_indices_policy: {}", policy);
  }
  if (x.rank() == 0) return InvalidArgument("params must be at least a vector");
  if (indices.rank() == 0) {
    return InvalidArgument("indices must be at least a vector");
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > x.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= params "
        "rank; saw: {} vs. {}",
        depth, x.rank());
  }
  InlinedVector<int64_t, 8> dims;
  int64_t rows = 1, width = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) {
    dims.push_back(indices.dim(i));
    rows *= indices.dim(i);
  }
  for (int i = static_cast<int>(depth); i < x.rank(); ++i) {
    dims.push_back(x.dim(i));
    width *= x.dim(i);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (rows > 0 && x.num_elements() == 0) {
    return InvalidArgument(
        "Requested more than 0 entries, but params is empty.  Params shape: {}",
        x.shape().DebugString());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  std::vector<int64_t> values, offsets(rows);
  GK_RETURN_IF_ERROR(IntegerValues(indices, &values));
  const auto strides = StridesOf(x.shape());
  const int64_t bad = PlacesOfIndices(
      values.data(), x.shape().dims().subspan(0, depth), strides, offsets);
  if (bad >= 0 && policy != "IGNORE") {
    TensorShape outer;
    for (int d = 0; d + 1 < indices.rank(); ++d) outer.AddDim(indices.dim(d));
    return InvalidArgument(
        "indices{} = [{}] does not index into param shape {}",
        PositionString(outer, bad),
        JoinText(std::span(values).subspan(bad * depth, depth), ", "),
        x.shape().DebugString());
  }
  if (shape.num_elements() == 0) return OkStatus();
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    TakeRuns(from, offsets, width, static_cast<T*>(out->raw_data()),
             ThreadPool::Global());
  });
}

void GatherNdGradient(GradContext& g) {
  const PartialTensorShape s = g.x(1).partial_shape();
  const Tensor indices = WideIndices(g.x(1));
  if (s.rank() == 2 && s.dim(1) == 1) {
    g.SetSlices(0, g.dy(0), Flat(indices), ShapeTensor(g.x(0)));
    return;
  }
  g.Set(0,
        ops::ScatterNd(indices, g.dy(0), ShapeTensor(g.x(0), indices.dtype()),
                       g.attr<std::string>("bad_indices_policy")));
}

const OpRecord kRecords[] = {
    {.name = "Gather",
     .inputs = "params: Tparams; indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "validate_indices: bool = True; Tparams: type; Tindices: type in "
              "[int32, int64]",
     .shape = GatherShape,
     .kernel = {.compute = ComputeGather},
     .gradient = SliceGradientOf,
     .doc = "Rows of params picked by index."},

    {.name = "GatherV2",
     .inputs = "params: Tparams; indices: Tindices; axis: Taxis",
     .outputs = "output: Tparams",
     .attrs = "batch_dims: int = 0; Tparams: type; Tindices: type in [int16, "
              "int32, int64]; Taxis: type in [int32, int64]",
     .traits = kCheap,
     .shape = GatherV2Shape,
     .kernel = {.compute = ComputeGatherV2},
     .gradient = GatherV2Gradient,
     .doc = "Slices of params along an axis picked by index; the first "
            "batch_dims dimensions of both go together."},

    {.name = "GatherNd",
     .inputs = "params: Tparams; indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "Tparams: type; Tindices: type in [int16, int32, int64]; "
              "bad_indices_policy: string = ''",
     .shape = GatherNdShape,
     .kernel = {.compute = ComputeGatherNd},
     .gradient = GatherNdGradient,
     .doc = "Slices of params picked by index tuples, the last dimension of "
            "indices."},
};

}  // namespace

GK_REGISTER_OPS(array_gather)

}  // namespace gk
