// Slices of tensors, their gradients and assignments to them.
#include "ops/fn/array_slice.h"

#include <cstring>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/variable.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"
#include "ops/int32_attrs.h"
#include "ops/strided_slice.h"

namespace gk {
namespace {

// ---- Slice ----

Status SliceShape(InferenceContext& c) {
  PartialTensorShape begin_shape, size_shape;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &begin_shape));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &size_shape));
  const PartialTensorShape& x = c.input(0);
  int64_t rank = x.rank();
  for (int64_t length : {begin_shape.dim(0), size_shape.dim(0)}) {
    if (length < 0) continue;
    if (rank >= 0 && length != rank) {
      return InvalidArgument("Shape must be rank {} but is rank {}", length,
                             rank);
    }
    rank = length;
  }
  if (rank < 0 || rank > kMaxRank) return OkStatus();
  PartialTensorShape out =
      PartialTensorShape::UnknownOfRank(static_cast<int>(rank));
  const PartialTensorShape partial = c.ValueAsShape(2);
  auto begin = c.ValueAsInts(1);
  auto size = c.ValueAsInts(2);
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = x.unknown_rank() ? kUnknownDim : x.dim(i);
    if (!size) {
      if (partial.rank() == rank) out.SetDim(i, partial.dim(i));
      continue;
    }
    const int64_t s = (*size)[i];
    if (s < -1) {
      return InvalidArgument("Slice size {} of dimension {} must be >= -1", s,
                             i);
    }
    if (s >= 0) {
      out.SetDim(i, s);
    } else if (begin && dim >= 0 && (*begin)[i] >= 0 && (*begin)[i] <= dim) {
      out.SetDim(i, dim - (*begin)[i]);
    }
    if (begin && dim >= 0 && s >= 0 &&
        ((*begin)[i] < 0 || (*begin)[i] > dim || s > dim - (*begin)[i])) {
      return InvalidArgument(
          "Slice of dimension {} of size {} from {} of size {} is out of "
          "bounds",
          i, dim, (*begin)[i], s);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeSlice(KernelContext& c) {
  const Tensor& x = c.input(0);
  const int rank = x.rank();
  const Tensor &begin_in = c.input(1), &size_in = c.input(2);
  if (begin_in.rank() != 1 || size_in.rank() != 1 ||
      begin_in.num_elements() != rank || size_in.num_elements() != rank) {
    return InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size {}, but "
        "got shapes {} and {} instead.",
        rank, begin_in.shape().DebugString(), size_in.shape().DebugString());
  }
  std::vector<int64_t> begin, size;
  GK_RETURN_IF_ERROR(IntegerValues(begin_in, &begin));
  GK_RETURN_IF_ERROR(IntegerValues(size_in, &size));
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = x.dim(i), b = begin[i];
    if (b < 0 || b > dim) {
      return InvalidArgument("Expected begin[{}] in [0, {}], but got {}", i,
                             dim, b);
    }
    if (size[i] == -1) size[i] = dim - b;
    if (size[i] < 0 || size[i] > dim - b) {
      return InvalidArgument("Expected size[{}] in [0, {}], but got {}", i,
                             dim - b, size[i]);
    }
  }
  const TensorShape shape{std::span<const int64_t>(size)};
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  StridedBox box;
  int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    box.AddAxis(size[i], from[i], to[i]);
    offset += begin[i] * from[i];
  }
  if (shape.num_elements() == 0) return OkStatus();
  return CopyBox(box, x, offset, out, 0);
}

// dy, with zeros where the input was left out: Pad by begin and the rest.
void SliceGradient(GradContext& g) {
  const DataType index = g.x(1).dtype();
  const Tensor dy = g.dy(0);
  const Tensor whole = ShapeTensor(g.x(0), index);
  Tensor after = ops::Sub(ops::Sub(whole, ShapeTensor(dy, index)), g.x(1));
  const Tensor columns[] = {g.x(1), after};
  Tensor paddings = ops::Pack(columns, 1);
  g.Set(0, ops::Pad(dy, paddings));
}

// ---- Strided slices ----

Status StridedSliceShapeOf(InferenceContext& c, const PartialTensorShape& x,
                           int begin_at, PartialTensorShape* out) {
  PartialTensorShape s;
  int64_t length = kUnknownDim;
  for (int i = begin_at; i < begin_at + 3; ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &s));
    if (length >= 0 && s.dim(0) >= 0 && s.dim(0) != length) {
      return InvalidArgument(
          "Expected begin, end, and strides to be 1D equal size tensors, but "
          "got shapes {}, {}, and {} instead.",
          c.input(begin_at).DebugString(), c.input(begin_at + 1).DebugString(),
          c.input(begin_at + 2).DebugString());
    }
    if (s.dim(0) >= 0) length = s.dim(0);
  }
  auto strides = c.ValueAsInts(begin_at + 2);
  if (x.unknown_rank() || !strides) return OkStatus();
  auto begin = c.ValueAsInts(begin_at), end = c.ValueAsInts(begin_at + 1);
  StridedSliceSpec spec;
  GK_RETURN_IF_ERROR(ResolveStridedSlice(
      x, begin, end, *strides, SliceMasks::FromAttrs(c.attrs()), &spec));
  *out = std::move(spec.final_shape);
  return OkStatus();
}

Status StridedSliceShape(InferenceContext& c) {
  PartialTensorShape out;
  GK_RETURN_IF_ERROR(StridedSliceShapeOf(c, c.input(0), 1, &out));
  c.set_output(0, std::move(out));
  // A slice of a handle's tensor keeps what is known of the values.
  if (const HandleData* h = c.input_handle(0)) c.set_output_handle(0, *h);
  return OkStatus();
}

// The selection of inputs begin_at .. begin_at + 2 in a tensor of `shape`.
Status Select(KernelContext& c, const TensorShape& shape, int begin_at,
              StridedSliceSpec* spec) {
  GK_RETURN_IF_ERROR(
      CheckInt32Attrs(c.attrs(), {"begin_mask", "end_mask", "ellipsis_mask",
                                  "new_axis_mask", "shrink_axis_mask"}));
  const Tensor &b = c.input(begin_at), &e = c.input(begin_at + 1),
               &s = c.input(begin_at + 2);
  if (b.rank() != 1 || e.rank() != 1 || s.rank() != 1 ||
      b.num_elements() != e.num_elements() ||
      b.num_elements() != s.num_elements()) {
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got "
        "shapes {}, {}, and {} instead.",
        b.shape().DebugString(), e.shape().DebugString(),
        s.shape().DebugString());
  }
  std::vector<int64_t> begin, end, strides;
  GK_RETURN_IF_ERROR(IntegerValues(b, &begin));
  GK_RETURN_IF_ERROR(IntegerValues(e, &end));
  GK_RETURN_IF_ERROR(IntegerValues(s, &strides));
  return ResolveStridedSlice(shape, begin, end, strides,
                             SliceMasks::FromAttrs(c.attrs()), spec);
}

// The selected box of a tensor of `shape`, against strides of another array
// of the selection's extents. True if it is not empty.
bool BoxOf(const StridedSliceSpec& spec, const TensorShape& shape,
           std::span<const int64_t> other, bool to_other, StridedBox* box,
           int64_t* offset) {
  const auto strides = StridesOf(shape);
  *offset = 0;
  bool any = true;
  for (size_t i = 0; i < spec.ranges.size(); ++i) {
    const SliceRange& r = spec.ranges[i];
    if (r.extent == 0) any = false;
    *offset += r.begin * strides[i];
    // A single element's stride may be too large to multiply.
    const int64_t mine = r.extent > 1 ? r.stride * strides[i] : 0;
    if (to_other) {
      box->AddAxis(r.extent, mine, other[i]);
    } else {
      box->AddAxis(r.extent, other[i], mine);
    }
  }
  return any;
}

std::vector<int64_t> DenseStrides(const StridedSliceSpec& spec) {
  std::vector<int64_t> strides(spec.ranges.size());
  int64_t stride = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= spec.ranges[i].extent;
  }
  return strides;
}

// x[i], as loops over a tensor ask for it each turn: one memcpy. False if
// the selection is anything else, or wrong.
bool RowOf(KernelContext& c, int64_t* offset, TensorShape* shape) {
  const Tensor &x = c.input(0), &b = c.input(1), &e = c.input(2),
               &s = c.input(3);
  const SliceMasks masks = SliceMasks::FromAttrs(c.attrs());
  if (x.rank() < 1 || IsObjectType(x.dtype()) || masks.shrink_axis != 1 ||
      masks.ellipsis != 0 || masks.new_axis != 0 || masks.begin != 0) {
    return false;
  }
  for (const Tensor* t : {&b, &e, &s}) {
    if (t->rank() != 1 || t->num_elements() != 1) return false;
  }
  const auto value = [](const Tensor& t) -> int64_t {
    return t.dtype() == DataType::kInt32   ? t.scalar<int32_t>()
           : t.dtype() == DataType::kInt64 ? t.scalar<int64_t>()
                                           : 0;
  };
  const int64_t n = x.dim(0);
  const int64_t at = value(b) < 0 ? n + value(b) : value(b);
  if (value(s) != 1 || at < 0 || at >= n) return false;
  *shape = x.shape();
  shape->RemoveDim(0);
  *offset = at * shape->num_elements() * DataTypeSize(x.dtype());
  return true;
}

Status ComputeStridedSlice(KernelContext& c) {
  const Tensor& x = c.input(0);
  int64_t row;
  TensorShape row_shape;
  if (RowOf(c, &row, &row_shape)) {
    Tensor* out;
    GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), row_shape, &out));
    if (out->byte_size() > 0) {
      std::memcpy(out->raw_data(), static_cast<char*>(x.raw_data()) + row,
                  out->byte_size());
    }
    return OkStatus();
  }
  StridedSliceSpec spec;
  GK_RETURN_IF_ERROR(Select(c, x.shape(), 1, &spec));
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, x.dtype(), TensorShape(spec.final_shape.dims()), &out));
  StridedBox box;
  int64_t offset;
  if (!BoxOf(spec, x.shape(), DenseStrides(spec), true, &box, &offset)) {
    return OkStatus();
  }
  return CopyBox(box, x, offset, out, 0);
}

Status StridedSliceGradShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  c.set_output(0, c.ValueAsShape(0));
  return OkStatus();
}

Status ComputeStridedSliceGrad(KernelContext& c) {
  const Tensor& dy = c.input(4);
  std::vector<int64_t> dims;
  if (c.input(0).rank() != 1) {
    return InvalidArgument("shape must be 1-D, got shape.shape = {}",
                           c.input(0).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValues(c.input(0), &dims));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  StridedSliceSpec spec;
  GK_RETURN_IF_ERROR(Select(c, shape, 1, &spec));
  const TensorShape wanted(spec.final_shape.dims());
  if (!(dy.shape() == wanted)) {
    return InvalidArgument("shape of dy was {} instead of {}",
                           dy.shape().DebugString(), wanted.DebugString());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  ZeroElements(out);
  StridedBox box;
  int64_t offset;
  if (!BoxOf(spec, shape, DenseStrides(spec), false, &box, &offset)) {
    return OkStatus();
  }
  return CopyBox(box, dy, 0, out, offset);
}

// Writes `value`, broadcast to the selection, into `t`.
Status WriteSelection(const StridedSliceSpec& spec, const Tensor& value,
                      Tensor* t) {
  // The value's dims stand against final_shape; new axes have size 1 and
  // shrunk dims are not in it, so strides are handed out from the end.
  const PartialTensorShape& final_shape = spec.final_shape;
  const auto misfit = [&] {
    return InvalidArgument(
        "Cannot broadcast input shape {} into final shape {}",
        value.shape().DebugString(), final_shape.DebugString());
  };
  const TensorShape selected(final_shape.dims());
  if (selected.num_elements() == 0) return OkStatus();
  const int extra = final_shape.rank() - value.rank();
  TensorShape shape = value.shape();
  for (int i = 0; i < -extra; ++i) {
    if (value.dim(i) != 1) return misfit();
  }
  const auto strides = StridesOf(shape);
  std::vector<int64_t> final_strides(final_shape.rank());
  for (int i = 0; i < final_shape.rank(); ++i) {
    const int at = i - extra;
    if (at < 0) continue;
    if (value.dim(at) != 1 && value.dim(at) != final_shape.dim(i)) {
      return misfit();
    }
    final_strides[i] = value.dim(at) == 1 ? 0 : strides[at];
  }
  // The value is written through a dense copy of the selection's shape, in
  // which new and shrunk dimensions do not matter.
  GK_ASSIGN_OR_RETURN(Tensor dense, Tensor::Allocate(t->dtype(), selected));
  StridedBox spread;
  const auto dense_strides = StridesOf(selected);
  for (int i = 0; i < selected.rank(); ++i) {
    spread.AddAxis(selected.dim(i), final_strides[i], dense_strides[i]);
  }
  GK_RETURN_IF_ERROR(CopyBox(spread, value, 0, &dense, 0));
  StridedBox box;
  int64_t offset;
  if (!BoxOf(spec, t->shape(), DenseStrides(spec), false, &box, &offset)) {
    return OkStatus();
  }
  return CopyBox(box, dense, 0, t, offset);
}

Status TensorUpdateShape(InferenceContext& c) {
  PartialTensorShape selected;
  GK_RETURN_IF_ERROR(StridedSliceShapeOf(c, c.input(0), 1, &selected));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ComputeTensorUpdate(KernelContext& c) {
  const Tensor& x = c.input(0);
  StridedSliceSpec spec;
  GK_RETURN_IF_ERROR(Select(c, x.shape(), 1, &spec));
  const bool in_place = c.MayOverwrite(0);
  Tensor out = x;
  if (!in_place) {
    GK_ASSIGN_OR_RETURN(out, x.Copy());
  }
  GK_RETURN_IF_ERROR(WriteSelection(spec, c.input(4), &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ResourceAssignShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  PartialTensorShape selected;
  return StridedSliceShapeOf(
      c, h && !h->empty() ? (*h)[0].shape : PartialTensorShape(), 1, &selected);
}

Status ComputeResourceAssign(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const Tensor& value = c.input(4);
  if (value.dtype() != v->dtype()) {
    return InvalidArgument("l-value dtype {} does not match r-value dtype {}",
                           DataTypeString(v->dtype()),
                           DataTypeString(value.dtype()));
  }
  return v->Update([&](Tensor& t) -> Status {
    StridedSliceSpec spec;
    GK_RETURN_IF_ERROR(Select(c, t.shape(), 1, &spec));
    return WriteSelection(spec, value, &t);
  });
}

// begin, end or strides for ops whose Index may not be int16.
Tensor WideIndex(const Tensor& t) {
  return t.dtype() == DataType::kInt16 ? CastTo(t, DataType::kInt32) : t;
}

void StridedSliceGradient(GradContext& g) {
  const SliceMasks m = SliceMasks::FromAttrs(g.attrs());
  const Tensor begin = WideIndex(g.x(1));
  g.Set(0, ops::StridedSliceGrad(ShapeTensor(g.x(0), begin.dtype()), begin,
                                 WideIndex(g.x(2)), WideIndex(g.x(3)), g.dy(0),
                                 m.begin, m.end, m.ellipsis, m.new_axis,
                                 m.shrink_axis));
}

void StridedSliceGradGradient(GradContext& g) {
  if (!g.wants(4)) return;
  const SliceMasks m = SliceMasks::FromAttrs(g.attrs());
  g.Set(4, ops::StridedSlice(g.dy(0), g.x(1), g.x(2), g.x(3), m.begin, m.end,
                             m.ellipsis, m.new_axis, m.shrink_axis));
}

void TensorUpdateGradient(GradContext& g) {
  const SliceMasks m = SliceMasks::FromAttrs(g.attrs());
  const Tensor dy = g.dy(0);
  if (g.wants(0)) {
    g.Set(0, ops::TensorStridedSliceUpdate(
                 dy, g.x(1), g.x(2), g.x(3), ops::ZerosLike(g.x(4)), m.begin,
                 m.end, m.ellipsis, m.new_axis, m.shrink_axis));
  }
  if (g.wants(4)) {
    Tensor part = ops::StridedSlice(dy, g.x(1), g.x(2), g.x(3), m.begin, m.end,
                                    m.ellipsis, m.new_axis, m.shrink_axis);
    g.Set(4, SumToShape(part, g.x(4), part));
  }
}

// x[i] of a vector, as programs take dimensions from shapes.
std::optional<PartialTensorShape> ElementAt(const ShapeValueContext& c) {
  const std::optional<PartialTensorShape> in = c.elements(0);
  const std::optional<int64_t> at = c.integer(1);
  if (!in || !at) return std::nullopt;
  const int64_t i = *at < 0 ? *at + in->rank() : *at;
  if (i < 0 || i >= in->rank()) return std::nullopt;
  return PartialTensorShape({in->dim(static_cast<int>(i))});
}

// x[i] and x[begin:end:step] of a vector.
std::optional<PartialTensorShape> SlicedElements(const ShapeValueContext& c) {
  const SliceMasks masks = SliceMasks::FromAttrs(c.attrs());
  if (masks.shrink_axis == 1) return ElementAt(c);
  const std::optional<PartialTensorShape> in = c.elements(0);
  const std::optional<int64_t> begin = c.integer(1), end = c.integer(2),
                               step = c.integer(3);
  if (!in || !step || *step == 0 || masks.ellipsis != 0 ||
      masks.new_axis != 0 || masks.shrink_axis != 0) {
    return std::nullopt;
  }
  const int64_t n = in->rank();
  const auto bound = [&](std::optional<int64_t> v, int64_t mask, int64_t open,
                         int64_t low, int64_t high) -> std::optional<int64_t> {
    if (mask & 1) return open;
    if (!v) return std::nullopt;
    return std::clamp(*v < 0 ? *v + n : *v, low, high);
  };
  const bool forward = *step > 0;
  const std::optional<int64_t> from =
      forward ? bound(begin, masks.begin, 0, 0, n)
              : bound(begin, masks.begin, n - 1, -1, n - 1);
  const std::optional<int64_t> to = forward
                                        ? bound(end, masks.end, n, 0, n)
                                        : bound(end, masks.end, -1, -1, n - 1);
  if (!from || !to) return std::nullopt;
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int64_t i = *from; forward ? i < *to : i > *to; i += *step) {
    out.AddDim(in->dim(static_cast<int>(i)));
    if (*step > n || *step < -n) break;
  }
  return out;
}

const OpRecord kRecords[] = {
    {.name = "Slice",
     .inputs = "input: T; begin: Index; size: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: type in [int32, int64]",
     .traits = kCheap,
     .shape = SliceShape,
     .kernel = {.compute = ComputeSlice},
     .gradient = SliceGradient,
     .python = {.names = "slice", .args = "input_, begin, size"},
     .doc = "The part of a tensor that begins at `begin` and has sizes `size` "
            "(-1: all that is left)."},

    {.name = "StridedSlice",
     .inputs = "input: T; begin: Index; end: Index; strides: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: type in [int16, int32, int64]; begin_mask: int "
              "= 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: "
              "int = 0; shrink_axis_mask: int = 0",
     .traits = kSlices | kCheap,
     .shape = StridedSliceShape,
     .shape_value = SlicedElements,
     .kernel = {.compute = ComputeStridedSlice},
     .gradient = StridedSliceGradient,
     .python = {.scope = "strided_slice"},
     .doc = "The elements that x[begin:end:stride, ...] selects. Masks mark "
            "open bounds, an ellipsis, new axes and single indices."},

    {.name = "StridedSliceGrad",
     .inputs = "shape: Index; begin: Index; end: Index; strides: Index; dy: T",
     .outputs = "output: T",
     .attrs = "T: type; Index: type in [int32, int64]; begin_mask: int = 0; "
              "end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = "
              "0; shrink_axis_mask: int = 0",
     .shape = StridedSliceGradShape,
     .kernel = {.compute = ComputeStridedSliceGrad},
     .gradient = StridedSliceGradGradient,
     .doc = "Zeros of the given shape with `dy` in the place that a strided "
            "slice selects."},

    {.name = "TensorStridedSliceUpdate",
     .inputs = "input: T; begin: Index; end: Index; strides: Index; value: T",
     .outputs = "output: T",
     .attrs = "T: type; Index: type in [int32, int64]; begin_mask: int = 0; "
              "end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = "
              "0; shrink_axis_mask: int = 0",
     .traits = kUpdatesInput,
     .shape = TensorUpdateShape,
     .kernel = {.compute = ComputeTensorUpdate},
     .gradient = TensorUpdateGradient,
     .doc = "The input with `value` in the place that a strided slice "
            "selects."},

    {.name = "ResourceStridedSliceAssign",
     .inputs = "ref: resource; begin: Index; end: Index; strides: Index; "
               "value: T",
     .outputs = "",
     .attrs = "T: type; Index: type in [int32, int64]; begin_mask: int = 0; "
              "end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = "
              "0; shrink_axis_mask: int = 0",
     .traits = kStateful | kReadsResource | kWritesResource,
     .shape = ResourceAssignShape,
     .kernel = {.compute = ComputeResourceAssign},
     .doc = "Writes `value` into the part of a variable that a strided slice "
            "selects."},
};

}  // namespace

GK_REGISTER_OPS(array_slice)

}  // namespace gk
