// Joining tensors along an axis and taking them apart again.
#include "ops/fn/array_concat.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/array_shape.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// A tensor seen from one axis: [outer, axis, inner].
struct AxisView {
  int64_t outer = 1, inner = 1;
};
AxisView ViewAt(const TensorShape& shape, int axis) {
  AxisView v;
  for (int i = 0; i < axis; ++i) v.outer *= shape.dim(i);
  for (int i = axis + 1; i < shape.rank(); ++i) v.inner *= shape.dim(i);
  return v;
}

// Copies [outer, n, inner] between two arrays whose rows have other lengths.
Status CopyPart(const Tensor& from, int64_t from_at, int64_t from_row,
                Tensor* to, int64_t to_at, int64_t to_row, int64_t outer,
                int64_t width) {
  StridedBox box;
  box.AddAxis(outer, from_row, to_row);
  box.AddAxis(width, 1, 1);
  return CopyBox(box, from, from_at, to, to_at);
}

Status ConcatShapeOf(InferenceContext& c, int first, int count, int axis_at) {
  const PartialTensorShape& axis_shape = c.input(axis_at);
  if (axis_shape.rank() > 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           axis_shape.rank());
  }
  int rank = -1;
  for (int i = 0; i < count; ++i) {
    const int r = c.input(first + i).rank();
    if (r < 0) continue;
    if (r == 0) {
      return InvalidArgument(
          "Can't concatenate scalars (use tf.stack instead)");
    }
    if (rank >= 0 && r != rank) {
      return InvalidArgument("Shapes must be equal rank, but are {} and {}",
                             rank, r);
    }
    rank = r;
  }
  if (rank < 0) return OkStatus();
  auto axis_value = c.ValueAsInts(axis_at);
  if (!axis_value || axis_value->size() != 1) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(rank));
    return OkStatus();
  }
  const int axis = NormalAxis((*axis_value)[0], rank);
  if (axis < 0) {
    return InvalidArgument(
        "Shape must be at least rank {} but is rank {}",
        (*axis_value)[0] < 0 ? -(*axis_value)[0] : (*axis_value)[0] + 1, rank);
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(rank);
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const PartialTensorShape& s = c.input(first + i);
    if (s.unknown_rank()) {
      sum = kUnknownDim;
      continue;
    }
    for (int d = 0; d < rank; ++d) {
      if (d == axis) {
        sum = sum < 0 || s.dim(d) < 0 ? kUnknownDim : sum + s.dim(d);
        continue;
      }
      int64_t merged;
      if (Status st =
              InferenceContext::MergeDims(out.dim(d), s.dim(d), &merged);
          !st.ok()) {
        return InvalidArgument(
            "Dimension {} in both shapes must be equal, but are {} and {}. "
            "Shapes are {} and {}.",
            d, out.dim(d), s.dim(d), c.input(first).DebugString(),
            s.DebugString());
      }
      out.SetDim(d, merged);
    }
  }
  out.SetDim(axis, sum);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ConcatShape(InferenceContext& c) {
  return ConcatShapeOf(c, 1, c.num_inputs() - 1, 0);
}
Status ConcatV2Shape(InferenceContext& c) {
  return ConcatShapeOf(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
}

Status ConcatInputs(KernelContext& c, int first, int count, int axis_at) {
  const Tensor& axis_tensor = c.input(axis_at);
  if (axis_tensor.rank() > 1 || axis_tensor.num_elements() != 1) {
    return InvalidArgument(
        "{} tensor should be a scalar integer, but got shape {}",
        axis_at == 0 ? "concat_dim" : "axis",
        axis_tensor.shape().DebugString());
  }
  int64_t axis_value;
  GK_RETURN_IF_ERROR(IntegerValue(axis_tensor, "axis", &axis_value));
  const TensorShape& shape0 = c.input(first).shape();
  const int rank = shape0.rank();
  for (int i = 0; i < count; ++i) {
    if (c.input(first + i).rank() == 0) {
      return InvalidArgument(
          "ConcatOp : Can't concatenate scalars (use tf.stack instead)");
    }
  }
  const int axis = NormalAxis(axis_value, rank);
  if (axis < 0) {
    return InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [{}, {}), "
        "but got {}",
        -rank, rank, axis_value);
  }
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const TensorShape& s = c.input(first + i).shape();
    if (s.rank() != rank) {
      return InvalidArgument(
          "ConcatOp : Ranks of all input tensors should match: shape[0] = {} "
          "vs. shape[{}] = {}",
          shape0.DebugString(), i, s.DebugString());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != axis && s.dim(d) != shape0.dim(d)) {
        return InvalidArgument(
            "ConcatOp : Dimension {} in both shapes must be equal: shape[0] = "
            "{} vs. shape[{}] = {}",
            d, shape0.DebugString(), i, s.DebugString());
      }
    }
    if (__builtin_add_overflow(sum, s.dim(axis), &sum)) {
      return InvalidArgument("ConcatOp : the joined dimension is too large");
    }
  }
  InlinedVector<int64_t, 8> dims(shape0.dims());
  dims[axis] = sum;
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(first).dtype(), shape, &out));
  const AxisView v = ViewAt(shape, axis);
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    const Tensor& x = c.input(first + i);
    const int64_t width = x.dim(axis) * v.inner;
    GK_RETURN_IF_ERROR(
        CopyPart(x, 0, width, out, at, sum * v.inner, v.outer, width));
    at += width;
  }
  return OkStatus();
}

Status ComputeConcat(KernelContext& c) {
  return ConcatInputs(c, 1, c.num_inputs() - 1, 0);
}
Status ComputeConcatV2(KernelContext& c) {
  return ConcatInputs(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
}

void ConcatGradient(GradContext& g, int first, int axis_at) {
  const int count = g.num_inputs() - 1;
  const Tensor dy = g.dy(0);
  if (count == 1) {
    g.Set(first, dy);
    return;
  }
  TensorVector parts;
  for (int i = 0; i < count; ++i) parts.push_back(g.x(first + i));
  const TensorVector sizes =
      MakeOp("ShapeN", parts, {{"out_type", DataType::kInt32}});
  TensorVector args{CastTo(g.x(axis_at), DataType::kInt32)};
  args.insert(args.end(), sizes.begin(), sizes.end());
  const TensorVector offsets = MakeOp("ConcatOffset", args);
  for (int i = 0; i < count; ++i) {
    if (!g.wants(first + i)) continue;
    g.Set(first + i, MakeOp1("Slice", {dy, offsets[i], sizes[i]}));
  }
}

Status ConcatOffsetShape(InferenceContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    PartialTensorShape s;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &s));
    c.set_output(i - 1, std::move(s));
  }
  return OkStatus();
}

Status ComputeConcatOffset(KernelContext& c) {
  if (c.input(0).rank() != 0) {
    return InvalidArgument(
        "Concat dim tensor should be a scalar integer, but got shape {}",
        c.input(0).shape().DebugString());
  }
  int64_t dim;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(0), "Concat dim", &dim));
  std::vector<int64_t> first, dims;
  int64_t offset = 0;
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).rank() != 1) {
      return InvalidArgument("input {} should be a vector, but got shape {}",
                             i - 1, c.input(i).shape().DebugString());
    }
    GK_RETURN_IF_ERROR(IntegerValues(c.input(i), &dims));
    if (i == 1) first = dims;
    const int rank = static_cast<int>(first.size());
    const int axis = NormalAxis(dim, rank);
    if (axis < 0) {
      return InvalidArgument("Concat dim is out of range: {} vs. {}", dim,
                             rank);
    }
    if (dims.size() != first.size()) {
      return InvalidArgument(
          "input {} should contain {} element(s), but got {}", i - 1, rank,
          dims.size());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != axis && dims[d] != first[d]) {
        return InvalidArgument(
            "All dimensions except {} must match. Input {} has shape [{}] and "
            "doesn't match input 0 with shape [{}].",
            axis, i - 1, JoinText(dims, " "), JoinText(first, " "));
      }
    }
    std::vector<int64_t> offsets(rank);
    offsets[axis] = offset;
    GK_ASSIGN_OR_RETURN(Tensor t, IntegerTensor(c.input(i).dtype(), offsets,
                                                TensorShape({int64_t{rank}})));
    c.set_output(i - 1, std::move(t));
    if (__builtin_add_overflow(offset, dims[axis], &offset)) {
      return InvalidArgument("Concat offsets are too large");
    }
  }
  return OkStatus();
}

Status AxisError(int64_t axis, int rank) {
  return InvalidArgument("axis = {} not in [{}, {})", axis, -rank, rank);
}

Status PackShape(InferenceContext& c) {
  PartialTensorShape all = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    StatusOr<PartialTensorShape> merged = all.MergeWith(c.input(i));
    if (!merged.ok()) {
      const PartialTensorShape& s = c.input(i);
      if (s.rank() != all.rank()) {
        return InvalidArgument(
            "Shapes must be equal rank, but are {} and {}\n\tFrom merging "
            "shape {} with other shapes.",
            all.rank(), s.rank(), i - 1);
      }
      return InvalidArgument(
          "Dimension 0 in both shapes must be equal, but are {} and {}. Shapes "
          "are {} and {}.\n\tFrom merging shape {} with other shapes.",
          all.dim(0), s.dim(0), all.DebugString(), s.DebugString(), i - 1);
    }
    all = *std::move(merged);
  }
  if (all.unknown_rank()) return OkStatus();
  const int64_t axis = c.attr<int64_t>("axis");
  const int at = NormalAxis(axis, all.rank() + 1);
  if (at < 0) return AxisError(axis, all.rank() + 1);
  all.InsertDim(at, c.num_inputs());
  c.set_output(0, std::move(all));
  return OkStatus();
}

Status ComputePack(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"axis"}));
  const TensorShape& shape = c.input(0).shape();
  const int64_t axis = c.attr<int64_t>("axis");
  const int n = c.num_inputs();
  const int at = NormalAxis(axis, shape.rank() + 1);
  if (at < 0) return AxisError(axis, shape.rank() + 1);
  for (int i = 1; i < n; ++i) {
    if (!(c.input(i).shape() == shape)) {
      return InvalidArgument(
          "Shapes of all inputs must match: values[0].shape = {} != "
          "values[{}].shape = {}",
          shape.DebugString(), i, c.input(i).shape().DebugString());
    }
  }
  InlinedVector<int64_t, 8> dims(shape.dims());
  dims.insert(at, n);
  GK_ASSIGN_OR_RETURN(TensorShape full, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(0).dtype(), full, &out));
  const AxisView v = ViewAt(full, at);
  for (int i = 0; i < n; ++i) {
    GK_RETURN_IF_ERROR(CopyPart(c.input(i), 0, v.inner, out, i * v.inner,
                                n * v.inner, v.outer, v.inner));
  }
  return OkStatus();
}

Status UnpackShape(InferenceContext& c) {
  PartialTensorShape s = c.input(0);
  if (s.unknown_rank()) return OkStatus();
  const int64_t axis = c.attr<int64_t>("axis");
  const int at = NormalAxis(axis, s.rank());
  if (at < 0) return AxisError(axis, s.rank());
  const int64_t num = c.attr<int64_t>("num");
  if (s.dim(at) >= 0 && s.dim(at) != num) {
    return InvalidArgument("Dimension must be {} but is {}", num, s.dim(at));
  }
  s.RemoveDim(at);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, s);
  return OkStatus();
}

Status ComputeUnpack(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"axis"}));
  const Tensor& x = c.input(0);
  const int64_t axis = c.attr<int64_t>("axis");
  const int64_t num = c.attr<int64_t>("num");
  const int at = NormalAxis(axis, x.rank());
  if (at < 0) return AxisError(axis, x.rank());
  if (x.dim(at) != num) {
    return InvalidArgument("Input shape axis {} must equal {}, got shape {}",
                           at, num, x.shape().DebugString());
  }
  TensorShape shape = x.shape();
  shape.RemoveDim(at);
  const AxisView v = ViewAt(x.shape(), at);
  for (int i = 0; i < num; ++i) {
    Tensor* out;
    GK_RETURN_IF_ERROR(c.Allocate(i, x.dtype(), shape, &out));
    GK_RETURN_IF_ERROR(CopyPart(x, i * v.inner, num * v.inner, out, 0, v.inner,
                                v.outer, v.inner));
  }
  return OkStatus();
}

Status SplitAxisError(int64_t axis, int rank) {
  return InvalidArgument(
      "-input rank(-{}) <= split_dim < input rank ({}), but got {}", rank, rank,
      axis);
}

// Sets the outputs of a split of input `x` in parts of these sizes (unknown
// ones -1) along the axis in input `axis_at`.
Status SetSplitShapes(InferenceContext& c, int x, int axis_at,
                      const std::optional<std::vector<int64_t>>& sizes) {
  PartialTensorShape s = c.input(x);
  if (s.unknown_rank()) return OkStatus();
  auto axis_value = c.ValueAsInts(axis_at);
  if (!axis_value || axis_value->size() != 1) {
    s = PartialTensorShape::UnknownOfRank(s.rank());
    for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, s);
    return OkStatus();
  }
  const int axis = NormalAxis((*axis_value)[0], s.rank());
  if (axis < 0) return SplitAxisError((*axis_value)[0], s.rank());
  const int64_t total = s.dim(axis), n = c.num_outputs();
  if (!sizes && total >= 0 && total % n != 0) {
    return InvalidArgument(
        "Dimension size must be evenly divisible by {} but is {}", n, total);
  }
  for (int i = 0; i < n; ++i) {
    int64_t size = kUnknownDim;
    if (sizes) {
      size = i < static_cast<int>(sizes->size()) ? (*sizes)[i] : kUnknownDim;
    } else if (total >= 0) {
      size = total / n;
    }
    s.SetDim(axis, size);
    c.set_output(i, s);
  }
  return OkStatus();
}

Status SplitShape(InferenceContext& c) {
  return SetSplitShapes(c, 1, 0, std::nullopt);
}

Status SplitVShape(InferenceContext& c) {
  auto sizes = c.ValueAsInts(1);
  if (!sizes || c.input(0).unknown_rank()) {
    return SetSplitShapes(c, 0, 2,
                          std::vector<int64_t>(c.num_outputs(), kUnknownDim));
  }
  int64_t sum = 0;
  int rest = -1;
  for (size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] == -1) {
      rest = static_cast<int>(i);
    } else if ((*sizes)[i] < -1 ||
               __builtin_add_overflow(sum, (*sizes)[i], &sum)) {
      return InvalidArgument("Split size at index {} must be >= 0. Got: {}", i,
                             (*sizes)[i]);
    }
  }
  auto axis_value = c.ValueAsInts(2);
  const PartialTensorShape& s = c.input(0);
  if (axis_value && axis_value->size() == 1 && !s.unknown_rank()) {
    const int axis = NormalAxis((*axis_value)[0], s.rank());
    if (axis >= 0 && s.dim(axis) >= 0) {
      if (rest >= 0 ? sum > s.dim(axis) : sum != s.dim(axis)) {
        return InvalidArgument(
            "can't split axis of size {} into pieces of "
            "size [{}]",
            s.dim(axis), JoinText(*sizes, ","));
      }
      if (rest >= 0) (*sizes)[rest] = s.dim(axis) - sum;
    }
  }
  return SetSplitShapes(c, 0, 2, sizes);
}

Status SplitInto(KernelContext& c, const Tensor& x, int axis,
                 std::span<const int64_t> sizes) {
  const AxisView v = ViewAt(x.shape(), axis);
  const int64_t row = x.dim(axis) * v.inner;
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    TensorShape shape = x.shape();
    shape.SetDim(axis, sizes[i]);
    Tensor* out;
    GK_RETURN_IF_ERROR(c.Allocate(i, x.dtype(), shape, &out));
    const int64_t width = sizes[i] * v.inner;
    GK_RETURN_IF_ERROR(CopyPart(x, at, row, out, 0, width, v.outer, width));
    at += width;
  }
  return OkStatus();
}

Status SplitAxis(const Tensor& axis, const Tensor& x, bool scalar, int* out) {
  if (scalar && axis.rank() != 0) {
    return InvalidArgument("split_dim must be a scalar but has rank {}",
                           axis.rank());
  }
  if (axis.num_elements() != 1) {
    return InvalidArgument("split_dim_tensor must have exactly one element.");
  }
  int64_t value;
  GK_RETURN_IF_ERROR(IntegerValue(axis, "split_dim", &value));
  *out = NormalAxis(value, x.rank());
  return *out < 0 ? SplitAxisError(value, x.rank()) : OkStatus();
}

Status ComputeSplit(KernelContext& c) {
  int axis = 0;
  GK_RETURN_IF_ERROR(SplitAxis(c.input(0), c.input(1), true, &axis));
  const int64_t n = c.num_outputs(), total = c.input(1).dim(axis);
  if (total % n != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, "
        "but got split_dim {} (size = {}) and num_split {}",
        axis, total, n);
  }
  const std::vector<int64_t> sizes(n, total / n);
  return SplitInto(c, c.input(1), axis, sizes);
}

Status ComputeSplitV(KernelContext& c) {
  int axis = 0;
  const Tensor& x = c.input(0);
  GK_RETURN_IF_ERROR(SplitAxis(c.input(2), x, false, &axis));
  std::vector<int64_t> sizes;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &sizes));
  if (c.input(1).rank() != 1 ||
      sizes.size() != static_cast<size_t>(c.num_outputs())) {
    return InvalidArgument(
        "size of the split_tensor must be 1-D and have the same elements as "
        "outputs got {} -D and {} elements",
        c.input(1).rank(), sizes.size());
  }
  const int64_t total = x.dim(axis);
  int64_t sum = 0;
  int rest = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (rest >= 0) {
        return InvalidArgument("There can only be one -1 in the input.");
      }
      rest = static_cast<int>(i);
    } else if (sizes[i] < 0) {
      return InvalidArgument("Split size at index {} must be >= 0. Got: {}", i,
                             sizes[i]);
    } else if (__builtin_add_overflow(sum, sizes[i], &sum)) {
      sum = INT64_MAX;
    }
  }
  if (rest >= 0 ? sum > total : sum != total) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim "
        "exactly if fully specified, or be less than the size of the input "
        "along split_dim if not fully specified.  Got: {}",
        sum);
  }
  if (rest >= 0) sizes[rest] = total - sum;
  return SplitInto(c, x, axis, sizes);
}

void JoinGradients(GradContext& g, int x, const Tensor& axis) {
  TensorVector parts;
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
  if (parts.size() == 1) {
    g.Set(x, parts[0]);
    return;
  }
  parts.push_back(axis);
  g.Set(x, MakeOp("ConcatV2", parts)[0]);
}

// Of vectors joined, and of scalars made a vector.
std::optional<PartialTensorShape> JoinedElements(const ShapeValueContext& c) {
  if (c.output_shape().rank() != 1) return std::nullopt;
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i + 1 < c.num_inputs(); ++i) {
    const std::optional<PartialTensorShape> part = c.elements(i);
    if (!part || out.rank() + part->rank() > kMaxRank) return std::nullopt;
    for (int64_t d : part->dims()) out.AddDim(d);
  }
  return out;
}

std::optional<PartialTensorShape> PackedElements(const ShapeValueContext& c) {
  if (c.output_shape().rank() != 1 || c.num_inputs() > kMaxRank) {
    return std::nullopt;
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::optional<PartialTensorShape> element = c.elements(i);
    out.AddDim(element && element->rank() == 1 ? element->dim(0) : -1);
  }
  return out;
}

const OpRecord kRecords[] = {
    {.name = "Concat",
     .inputs = "concat_dim: int32; values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type",
     .shape = ConcatShape,
     .kernel = {.compute = ComputeConcat},
     .gradient = [](GradContext& g) { ConcatGradient(g, 1, 0); },
     .doc = "Joins tensors along one dimension."},

    {.name = "ConcatV2",
     .inputs = "values: N * T; axis: Tidx",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type; Tidx: type in [int32, int64] = int32",
     .shape = ConcatV2Shape,
     .shape_value = JoinedElements,
     .kernel = {.compute = ComputeConcatV2},
     .gradient =
         [](GradContext& g) { ConcatGradient(g, 0, g.num_inputs() - 1); },
     .doc = "Joins tensors along one dimension."},

    {.name = "ConcatOffset",
     .inputs = "concat_dim: int32; shape: N * shape_type",
     .outputs = "offset: N * shape_type",
     .attrs = "N: int >= 2; shape_type: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = ConcatOffsetShape,
     .kernel = {.compute = ComputeConcatOffset},
     .doc = "Where each of the joined tensors begins in the result."},

    {.name = "Pack",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; T: type; axis: int = 0",
     .traits = kViewOfOne | kCheap,
     .shape = PackShape,
     .shape_value = PackedElements,
     .kernel = {.compute = ComputePack},
     .gradient =
         [](GradContext& g) {
           TensorVector parts =
               ops::Unpack(g.dy(0), g.num_inputs(), g.attr<int64_t>("axis"));
           for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, parts[i]);
         },
     .doc = "Stacks tensors of one shape along a new dimension."},

    {.name = "Unpack",
     .inputs = "value: T",
     .outputs = "output: num * T",
     .attrs = "num: int >= 0; T: type; axis: int = 0",
     .shape = UnpackShape,
     .kernel = {.compute = ComputeUnpack},
     .gradient =
         [](GradContext& g) {
           TensorVector parts;
           for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
           g.Set(0, ops::Pack(parts, g.attr<int64_t>("axis")));
         },
     .doc = "Takes a tensor apart along one dimension."},

    {.name = "Split",
     .inputs = "split_dim: int32; value: T",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type",
     .shape = SplitShape,
     .kernel = {.compute = ComputeSplit},
     .gradient = [](GradContext& g) { JoinGradients(g, 1, g.x(0)); },
     .python = {.raw_args = "axis"},
     .doc = "Splits a tensor into parts of equal size."},

    {.name = "SplitV",
     .inputs = "value: T; size_splits: Tlen; split_dim: int32",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type; Tlen: type in [int8, int32, "
              "int64] = int64",
     .shape = SplitVShape,
     .kernel = {.compute = ComputeSplitV},
     .gradient = [](GradContext& g) { JoinGradients(g, 0, g.x(2)); },
     .python = {.raw_args = "value, size_splits, axis"},
     .doc = "Splits a tensor into parts of given sizes."},
};

}  // namespace

GK_REGISTER_OPS(array_concat)

}  // namespace gk
