// Shapes of tensors, and the same elements under another shape.
#include "ops/fn/array_shape.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

Status ShapeShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, {int64_t{c.input(i).rank()}});
  }
  return OkStatus();
}

Status ComputeShape(KernelContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    const TensorShape& s = c.input(i).shape();
    GK_ASSIGN_OR_RETURN(Tensor t,
                        IntegerTensor(c.attr<DataType>("out_type"), s.dims(),
                                      TensorShape({int64_t{s.rank()}})));
    c.set_output(i, std::move(t));
  }
  return OkStatus();
}

Status ComputeSize(KernelContext& c) {
  const int64_t n = c.input(0).num_elements();
  GK_ASSIGN_OR_RETURN(Tensor t, IntegerTensor(c.attr<DataType>("out_type"),
                                              {&n, 1}, TensorShape()));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status ComputeRank(KernelContext& c) {
  c.set_output(0, Tensor::Scalar<int32_t>(c.input(0).rank()));
  return OkStatus();
}

Status ReshapeShape(InferenceContext& c) {
  PartialTensorShape sizes;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &sizes));
  if (const auto given = c.ValueAsInts(1)) {
    for (const int64_t d : *given) {
      if (d >= -1) continue;
      return InvalidArgument("Invalid value in tensor used for shape: {}", d);
    }
  }
  PartialTensorShape out = c.ValueAsShape(1);
  if (out.unknown_rank()) return OkStatus();
  const auto& sizes_in = c.input(0).dims();
  const bool empty = std::count(sizes_in.begin(), sizes_in.end(), 0) > 0;
  const int64_t total = empty ? 0 : c.input(0).num_elements();
  int64_t known = 1;
  int unknown = -1, unknowns = 0;
  for (int i = 0; i < out.rank(); ++i) {
    if (out.dim(i) < 0) {
      unknown = i;
      ++unknowns;
    } else {
      known = MultiplyWithoutOverflow(known, out.dim(i));
      if (known < 0) {
        return InvalidArgument("Shape {} has too many elements",
                               out.DebugString());
      }
    }
  }
  if (total >= 0 && (unknowns == 0 || known == 0) && known != total) {
    return InvalidArgument(
        "Cannot reshape a tensor with {} elements to shape {} ({} elements)",
        total, out.DebugString(), known);
  }
  if (total >= 0 && unknowns == 1 && known > 0) {
    if (total % known != 0) {
      return InvalidArgument(
          "Dimension size must be evenly divisible by {} but is {}", known,
          total);
    }
    out.SetDim(unknown, total / known);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeReshape(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& sizes = c.input(1);
  if (sizes.rank() > 1) {  // a single size may be a scalar
    return InvalidArgument("sizes input must be 1-D, not {}",
                           sizes.shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(sizes, &dims));
  // Sizes other than 0 tell what -1 stands for, also among empty ones.
  const bool sized_empty = std::count(dims.begin(), dims.end(), 0) > 0;
  int64_t known = 1;
  int unknown = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      if (unknown >= 0) {
        return InvalidArgument(
            "Only one input size may be -1, not both {} and {}", unknown, i);
      }
      unknown = static_cast<int>(i);
      dims[i] = 1;
    } else if (dims[i] < 0) {
      return InvalidArgument("Size {} must be non-negative, not {}", i,
                             dims[i]);
    }
    if (dims[i] != 0) known = MultiplyWithoutOverflow(known, dims[i]);
    if (known < 0) {
      return InvalidArgument("Shape [{}] has too many elements",
                             JoinText(dims, ", "));
    }
  }
  if (unknown >= 0) {
    int64_t have = x.num_elements();
    const bool both_empty = sized_empty && have == 0;
    if (both_empty) {
      have = 1;
      for (const int64_t d : x.shape().dims()) {
        if (d != 0) have = MultiplyWithoutOverflow(have, d);
      }
      if (have < 0) {
        return InvalidArgument("Shape {} has too large dimensions",
                               x.shape().DebugString());
      }
    }
    const int64_t missing = have / known;
    if (!both_empty && missing * known != have) {
      return InvalidArgument(
          "Input to reshape is a tensor with {} values, but the requested "
          "shape requires a multiple of {}",
          have, known);
    }
    dims[unknown] = missing;
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (shape.num_elements() != x.num_elements()) {
    return InvalidArgument(
        "Input to reshape is a tensor with {} values, but the requested shape "
        "has {}",
        x.num_elements(), shape.num_elements());
  }
  c.set_output(0, x.WithShape(shape));
  return OkStatus();
}

Status ExpandDimsShape(InferenceContext& c) {
  const PartialTensorShape& x = c.input(0);
  auto dim = c.ValueAsInts(1);
  if (dim && dim->size() != 1) {
    return InvalidArgument("'dim' input must be a tensor with a single value");
  }
  if (x.unknown_rank()) return OkStatus();
  if (!dim) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(x.rank() + 1));
    return OkStatus();
  }
  const int at = NormalAxis((*dim)[0], x.rank() + 1);
  if (at < 0) {
    return InvalidArgument("dim {} not in the interval [{}, {}].", (*dim)[0],
                           -x.rank() - 1, x.rank());
  }
  PartialTensorShape out = x;
  out.InsertDim(at, 1);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeExpandDims(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).num_elements() != 1) {
    return InvalidArgument("'dim' must be a tensor with a single value");
  }
  int64_t dim;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "dim", &dim));
  const int at = NormalAxis(dim, x.rank() + 1);
  if (at < 0 || x.rank() + 1 > kMaxRank) {
    return InvalidArgument(
        "Tried to expand dim index {} for tensor with {} dimensions.", dim,
        x.rank());
  }
  TensorShape shape = x.shape();
  shape.InsertDim(at, 1);
  c.set_output(0, x.WithShape(shape));
  return OkStatus();
}

// The dims to drop, by axis; all of size 1 if none are named. `shape` may be
// partial: *ambiguous says that an unknown dim decides the rank.
Status SqueezedShape(const PartialTensorShape& shape,
                     std::span<const int64_t> axes, PartialTensorShape* out,
                     bool* ambiguous) {
  std::vector<bool> drop(shape.rank());
  for (int64_t axis : axes) {
    const int at = NormalAxis(axis, shape.rank());
    if (at < 0) {
      return InvalidArgument(
          "Tried to squeeze dim index {} for tensor with {} dimensions.", axis,
          shape.rank());
    }
    drop[at] = true;
  }
  *out = PartialTensorShape::UnknownOfRank(0);
  *ambiguous = false;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t d = shape.dim(i);
    if (axes.empty()) {
      if (d < 0) *ambiguous = true;
      if (d != 1) out->AddDim(d);
    } else if (!drop[i]) {
      out->AddDim(d);
    } else if (d >= 0 && d != 1) {
      return InvalidArgument(
          "Can not squeeze dim[{}], expected a dimension of 1, got {}", i, d);
    }
  }
  return OkStatus();
}

Status SqueezeShape(InferenceContext& c) {
  if (c.input(0).unknown_rank()) return OkStatus();
  PartialTensorShape out;
  bool ambiguous = false;
  GK_RETURN_IF_ERROR(SqueezedShape(c.input(0),
                                   c.attr<std::vector<int64_t>>("squeeze_dims"),
                                   &out, &ambiguous));
  if (!ambiguous) c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeSqueeze(KernelContext& c) {
  PartialTensorShape out;
  bool ambiguous = false;
  GK_RETURN_IF_ERROR(SqueezedShape(c.input(0).shape(),
                                   c.attr<std::vector<int64_t>>("squeeze_dims"),
                                   &out, &ambiguous));
  c.set_output(0, c.input(0).WithShape(TensorShape(out.dims())));
  return OkStatus();
}

Status EnsureShapeShape(InferenceContext& c) {
  StatusOr<PartialTensorShape> merged =
      c.input(0).MergeWith(c.attr<PartialTensorShape>("shape"));
  if (!merged.ok()) return merged.status();
  c.set_output(0, *std::move(merged));
  return OkStatus();
}

Status ComputeEnsureShape(KernelContext& c) {
  const auto& wanted = c.attr<PartialTensorShape>("shape");
  if (!wanted.IsCompatibleWith(c.input(0).shape())) {
    return InvalidArgument(
        "Shape of tensor {} {} is not compatible with expected shape {}.",
        "input", c.input(0).shape().DebugString(), wanted.DebugString());
  }
  c.set_output(0, c.input(0).Alias());
  return OkStatus();
}

Status ComputeAlias(KernelContext& c) {
  c.set_output(0, c.input(0).Alias());
  return OkStatus();
}

Status ComputeDeepCopy(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor copy, c.input(0).Copy());
  c.set_output(0, std::move(copy));
  return OkStatus();
}

void ReshapeBack(GradContext& g) {
  g.Set(0, ops::Reshape(g.dy(0), ShapeTensor(g.x(0))));
}

std::optional<PartialTensorShape> ShapeElements(const ShapeValueContext& c) {
  const PartialTensorShape& shape = c.shape(c.output());
  if (shape.unknown_rank()) return std::nullopt;
  return shape;
}

std::optional<PartialTensorShape> SizeElements(const ShapeValueContext& c) {
  const PartialTensorShape& shape = c.shape(0);
  if (!shape.IsFullyDefined()) return std::nullopt;
  return PartialTensorShape({shape.num_elements()});
}

std::optional<PartialTensorShape> RankElements(const ShapeValueContext& c) {
  if (c.shape(0).unknown_rank()) return std::nullopt;
  return PartialTensorShape({c.shape(0).rank()});
}

const OpRecord kRecords[] = {
    {.name = "Shape",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: type in [int32, int64] = int32",
     .traits = kNoGradient | kShapeOnly | kCheap,
     .shape = ShapeShape,
     .shape_value = ShapeElements,
     .kernel = {.compute = ComputeShape},
     .doc = "The shape of a tensor as a vector of integers."},

    {.name = "ShapeN",
     .inputs = "input: N * T",
     .outputs = "output: N * out_type",
     .attrs = "N: int >= 1; T: type; out_type: type in [int32, int64] = int32",
     .traits = kNoGradient | kShapeOnly | kCheap,
     .shape = ShapeShape,
     .shape_value = ShapeElements,
     .kernel = {.compute = ComputeShape},
     .python = {.names = "shape_n"},
     .doc = "The shapes of tensors as vectors of integers.",
     .example = ">>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], "
                "[[3]]])]\n[[2], [1, 1]]"},

    {.name = "Size",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: type in [int32, int64] = int32",
     .traits = kNoGradient | kShapeOnly | kCheap,
     .shape = shape_fn::Scalar,
     .shape_value = SizeElements,
     .kernel = {.compute = ComputeSize},
     .doc = "The number of elements of a tensor."},

    {.name = "Rank",
     .inputs = "input: T",
     .outputs = "output: int32",
     .attrs = "T: type",
     .traits = kNoGradient | kShapeOnly | kCheap,
     .shape = shape_fn::Scalar,
     .shape_value = RankElements,
     .kernel = {.compute = ComputeRank},
     .doc = "The number of dimensions of a tensor."},

    {.name = "Reshape",
     .inputs = "tensor: T; shape: Tshape",
     .outputs = "output: T",
     .attrs = "T: type; Tshape: type in [int32, int64] = int32",
     .traits = kView | kCheap,
     .shape = ReshapeShape,
     .kernel = {.compute = ComputeReshape},
     .gradient = ReshapeBack,
     .python = {.names = "reshape",
                .args = "tensor: tensor; shape: shape",
                .ragged = RaggedForm::kReshape},
     .doc = "The same elements in another shape.\n\nArgs:\n  shape: one "
            "dimension may be -1 and follows from the others.\n\nRaises "
            "InvalidArgumentError if the number of elements differs.",
     .example = ">>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()\n[[1, "
                "2], [3, 4]]"},

    {.name = "ExpandDims",
     .inputs = "input: T; dim: Tdim",
     .outputs = "output: T",
     .attrs = "T: type; Tdim: type in [int32, int64] = int32",
     .traits = kView | kCheap,
     .shape = ExpandDimsShape,
     .kernel = {.compute = ComputeExpandDims},
     .gradient = ReshapeBack,
     .python = {.names = "expand_dims",
                .args = "input: tensor; axis: tensor(int32) as dim",
                .raw_args = "input, axis",
                .ragged = RaggedForm::kExpandDims},
     .doc = "Inserts a dimension of size 1 at `axis`, which may be negative.",
     .example = ">>> tf.expand_dims([1, 2], 0).numpy().tolist()\n[[1, 2]]"},

    {.name = "Squeeze",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
     .traits = kView | kCheap,
     .shape = SqueezeShape,
     .kernel = {.compute = ComputeSqueeze},
     .gradient = ReshapeBack,
     .python = {.names = "squeeze",
                .args = "input: tensor; axis: ints as squeeze_dims = None",
                .raw_args = "input, axis",
                .ragged = RaggedForm::kSqueeze},
     .doc = "Removes dimensions of size 1: those in `axis`, or all.\n\nRaises "
            "InvalidArgumentError if a dimension in `axis` has another size.",
     .example = ">>> tf.squeeze([[1, 2]]).numpy().tolist()\n[1, 2]"},

    {.name = "EnsureShape",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "shape: shape; T: type",
     .traits = kView,
     .shape = EnsureShapeShape,
     .kernel = {.compute = ComputeEnsureShape},
     .gradient = [](GradContext& g) { g.Set(0, g.dy(0)); },
     .python = {.names = "ensure_shape", .args = "x, shape"},
     .doc = "The input, if its shape matches the given one; else an error.",
     .example = ">>> tf.ensure_shape([[1, 2]], [None, 2]).shape\n"
                "TensorShape([1, 2])"},

    {.name = "Snapshot",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kView,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeAlias},
     .gradient = [](GradContext& g) { g.Set(0, g.dy(0)); },
     .doc = "A copy of the input."},

    {.name = "GuaranteeConst",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kView,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeAlias},
     .python = {.names = "guarantee_const"},
     .doc = "The input, promised to be a constant.",
     .example = ">>> tf.guarantee_const([1, 2]).numpy().tolist()\n[1, 2]"},

    {.name = "DeepCopy",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = kStateful,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeDeepCopy},
     .doc = "A copy with memory of its own."},
};

}  // namespace

GK_REGISTER_OPS(array_shape)

}  // namespace gk
