// Joining tensors along an axis.
#include "ops/fn/array_concat.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/axis_parts.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatOffset.h"
#include "ops/fn/ShapeN.h"
#include "ops/fn/Slice.h"
#include "ops/fn/array_shape.h"
#include "ops/fn/array_split.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

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
  const TensorVector sizes = ops::ShapeN(parts, DataType::kInt32);
  const TensorVector offsets =
      ops::ConcatOffset(CastTo(g.x(axis_at), DataType::kInt32), sizes);
  for (int i = 0; i < count; ++i) {
    if (!g.wants(first + i)) continue;
    g.Set(first + i, ops::Slice(dy, offsets[i], sizes[i]));
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
};

}  // namespace

GK_REGISTER_OPS(array_concat)

}  // namespace gk
