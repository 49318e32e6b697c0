// Broadcasting: shapes of it, tensors repeated to a shape, and fills.
#include "ops/fn/array_broadcast.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Sum.h"

namespace gk {
namespace {

Status ShapeVector(KernelContext& c, int i, std::vector<int64_t>* dims) {
  const Tensor& t = c.input(i);
  if (t.rank() != 1) {
    return InvalidArgument("In[{}] must be a vector.{}", i,
                           t.shape().DebugString());
  }
  return IntegerValues(t, dims);
}

Status Incompatible(const std::vector<int64_t>& a,
                    const std::vector<int64_t>& b) {
  return InvalidArgument("Incompatible shapes: [{}] vs. [{}]", JoinText(a, ","),
                         JoinText(b, ","));
}

// The broadcast of two shapes given as integers, which need not be sizes.
Status BroadcastVectors(std::vector<int64_t> a, std::vector<int64_t> b,
                        std::vector<int64_t>* out) {
  const size_t rank = std::max(a.size(), b.size());
  const std::vector<int64_t> given_a = a, given_b = b;
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  out->resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) {
      return Incompatible(given_a, given_b);
    }
    (*out)[i] = a[i] == 1 ? b[i] : a[i];
  }
  return OkStatus();
}

Status GradientArgsShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &s));
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

Status ComputeGradientArgs(KernelContext& c) {
  std::vector<int64_t> shapes[2], out;
  GK_RETURN_IF_ERROR(ShapeVector(c, 0, &shapes[0]));
  GK_RETURN_IF_ERROR(ShapeVector(c, 1, &shapes[1]));
  GK_RETURN_IF_ERROR(BroadcastVectors(shapes[0], shapes[1], &out));
  const bool same = shapes[0] == shapes[1];
  for (int k = 0; k < 2; ++k) {
    std::vector<int64_t> axes;
    const size_t missing = out.size() - shapes[k].size();
    for (size_t i = 0; i < out.size() && !same; ++i) {
      if (i < missing || shapes[k][i - missing] == 1) axes.push_back(i);
    }
    GK_ASSIGN_OR_RETURN(Tensor t,
                        IntegerTensor(c.input(0).dtype(), axes,
                                      TensorShape({int64_t(axes.size())})));
    c.set_output(k, std::move(t));
  }
  return OkStatus();
}

Status ArgsShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &a));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &b));
  const bool known = a.dim(0) >= 0 && b.dim(0) >= 0;
  c.set_output(0, {known ? std::max(a.dim(0), b.dim(0)) : kUnknownDim});
  return OkStatus();
}

Status ComputeArgs(KernelContext& c) {
  std::vector<int64_t> a, b, out;
  GK_RETURN_IF_ERROR(ShapeVector(c, 0, &a));
  GK_RETURN_IF_ERROR(ShapeVector(c, 1, &b));
  GK_RETURN_IF_ERROR(BroadcastVectors(a, b, &out));
  GK_ASSIGN_OR_RETURN(Tensor t,
                      IntegerTensor(c.input(0).dtype(), out,
                                    TensorShape({int64_t(out.size())})));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status BroadcastToShape(InferenceContext& c) {
  PartialTensorShape sizes;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &sizes));
  PartialTensorShape out = c.ValueAsShape(1);
  const PartialTensorShape& x = c.input(0);
  if (!out.unknown_rank() && !x.unknown_rank()) {
    if (x.rank() > out.rank()) {
      return InvalidArgument("Shape must be at most rank {} but is rank {}",
                             out.rank(), x.rank());
    }
    for (int i = 0; i < x.rank(); ++i) {
      const int at = out.rank() - x.rank() + i;
      const int64_t from = x.dim(i), to = out.dim(at);
      if (from >= 0 && from != 1 && to >= 0 && from != to) {
        return InvalidArgument("Dimensions must be equal, but are {} and {}",
                               from, to);
      }
      // Nothing but a one is repeated.
      if (from >= 0 && from != 1) out.SetDim(at, from);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeBroadcastTo(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 1) {
    return InvalidArgument(
        "shape must be a vector of {{int32,int64}}, got "
        "shape {}",
        c.input(1).shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &dims));
  for (int64_t d : dims) {
    if (d < 0) return InvalidArgument("Dimension {} must be >= 0", d);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  const int extra = shape.rank() - x.rank();
  if (extra < 0) {
    return InvalidArgument(
        "Rank of input ({}) must be no greater than rank of output shape "
        "({}).",
        x.rank(), shape.rank());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  for (int i = 0; i < x.rank(); ++i) {
    if (x.dim(i) != 1 && x.dim(i) != shape.dim(extra + i)) {
      return InvalidArgument("Incompatible shapes: {} vs. {}",
                             x.shape().DebugString(), shape.DebugString());
    }
  }
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  StridedBox box;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool repeated = i < extra || x.dim(i - extra) == 1;
    box.AddAxis(shape.dim(i), repeated ? 0 : from[i - extra], to[i]);
  }
  if (x.num_elements() > 0) {
    GK_RETURN_IF_ERROR(CheckText(x, shape.num_elements() / x.num_elements()));
  }
  return CopyBox(box, x, 0, out, 0);
}

Status FillShape(InferenceContext& c) {
  if (!c.input(1).unknown_rank() && c.input(1).rank() != 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(1).rank());
  }
  if (c.input(0).rank() > 1) {
    return InvalidArgument("Shape must be rank 1 but is rank {}",
                           c.input(0).rank());
  }
  if (auto dims = c.ValueAsInts(0)) {
    for (int64_t d : *dims) {
      if (d < 0) return InvalidArgument("Fill dimensions must be >= 0");
    }
  }
  c.set_output(0, c.ValueAsShape(0));
  return OkStatus();
}

Status ComputeFill(KernelContext& c) {
  if (c.input(0).rank() > 1) {
    return InvalidArgument("dims must represent a vector, got shape {}",
                           c.input(0).shape().DebugString());
  }
  // A vector of one element passes for a scalar.
  if (c.input(1).rank() > 1 || c.input(1).num_elements() != 1) {
    return InvalidArgument("value must represent a scalar, got shape {}",
                           c.input(1).shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(0), &dims));
  for (int64_t d : dims) {
    if (d < 0) return InvalidArgument("Dimension {} must be >= 0", d);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(1).dtype(), shape, &out));
  return FillElements(c.input(1), out);
}

Tensor SumAll(const Tensor& x) {
  const Tensor start = IntegerConstant(0);
  const Tensor limit = ops::Rank(x);
  Tensor axes = ops::Range(start, limit, IntegerConstant(1));
  return ops::Sum(x, axes, false);
}

const OpRecord kRecords[] = {
    {.name = "BroadcastGradientArgs",
     .inputs = "s0: T; s1: T",
     .outputs = "r0: T; r1: T",
     .attrs = "T: type in [int32, int64] = int32",
     .traits = kNoGradient | kCheap,
     .shape = GradientArgsShape,
     .kernel = {.compute = ComputeGradientArgs},
     .doc = "The axes over which the gradients of two tensors of these shapes "
            "that were broadcast together are summed."},

    {.name = "BroadcastArgs",
     .inputs = "s0: T; s1: T",
     .outputs = "r0: T",
     .attrs = "T: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = ArgsShape,
     .kernel = {.compute = ComputeArgs},
     .doc = "The shape to which tensors of two shapes are broadcast."},

    {.name = "BroadcastTo",
     .inputs = "input: T; shape: Tidx",
     .outputs = "output: T",
     .attrs = "T: type; Tidx: type in [int32, int64] = int32",
     .traits = kCheap,
     .shape = BroadcastToShape,
     .kernel = {.compute = ComputeBroadcastTo},
     .gradient =
         [](GradContext& g) { g.Set(0, SumToShape(g.dy(0), g.x(0), g.y(0))); },
     .python = {.names = "broadcast_to",
                .args = "input: tensor; shape: shape",
                .ragged = RaggedForm::kBroadcastTo},
     .doc = "Repeats a tensor along dimensions of size 1, and new leading "
            "ones, to a shape.",
     .example = ">>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()\n"
                "[[1, 2], [1, 2]]"},

    {.name = "Fill",
     .inputs = "dims: index_type; value: T",
     .outputs = "output: T",
     .attrs = "T: type; index_type: type in [int32, int64] = int32",
     .traits = kCheap,
     .shape = FillShape,
     .kernel = {.compute = ComputeFill},
     .gradient =
         [](GradContext& g) {
           if (g.wants(1)) g.Set(1, SumAll(g.dy(0)));
         },
     .python = {.names = "fill",
                .args = "dims: shape; value: tensor; name: name = None; "
                        "layout: native = None",
                .ragged = RaggedForm::kFill},
     .doc = "A tensor of shape `dims` full of the scalar `value`.",
     .example = ">>> tf.fill([2], 7).numpy().tolist()\n[7, 7]"},
};

}  // namespace

GK_REGISTER_OPS(array_broadcast)

}  // namespace gk
