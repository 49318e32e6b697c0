// Taking tensors apart along an axis.
#include "ops/fn/array_split.h"

#include <optional>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/axis_parts.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/array_concat.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

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
  // Parts one after another share the memory, where all begin as memory does.
  const Ref<Buffer>& buffer = x.buffer();
  const int64_t bytes = v.inner * DataTypeSize(x.dtype());
  if (v.outer == 1 && buffer != nullptr && bytes > 0 &&
      bytes % kAlignment == 0 && !IsObjectType(x.dtype())) {
    const size_t first = static_cast<const char*>(x.raw_data()) -
                         static_cast<const char*>(buffer->data());
    for (int i = 0; i < num; ++i) {
      c.set_output(
          i, Tensor::FromBuffer(x.dtype(), shape, buffer, first + i * bytes));
    }
    return OkStatus();
  }
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
  if (static_cast<int>(sizes->size()) != c.num_outputs()) {
    return InvalidArgument(
        "Length of size_splits should be equal to num_outputs: {} and {}",
        sizes->size(), c.num_outputs());
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
  g.Set(x, ops::ConcatV2(parts, axis));
}

const OpRecord kRecords[] = {
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

GK_REGISTER_OPS(array_split)

}  // namespace gk
