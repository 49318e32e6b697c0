// Softmax, log-softmax and the cross entropies.
#include "ops/fn/nn_softmax.h"

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/softmax.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/Exp.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Sum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_unary.h"
#include "ops/op_cost.h"

namespace gk {
namespace {

Tensor SumLastKept(const Tensor& x) {
  constexpr int64_t kLast[] = {-1};
  return ops::Sum(x, IntegerVector(kLast), true);
}

Tensor LastDimAdded(const Tensor& x) {
  return ops::ExpandDims(x, IntegerConstant(-1));
}

Status SoftmaxShape(InferenceContext& c) {
  PartialTensorShape logits;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &logits));
  c.set_output(0, logits);
  return OkStatus();
}

template <bool kLog>
Status ComputeSoftmax(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) {
    return InvalidArgument("logits must have >= 1 dimension, got {}",
                           x.shape().DebugString());
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, x.dtype(), x.shape(), &y));
  if (x.num_elements() == 0) return OkStatus();
  const int64_t cols = x.dim(x.rank() - 1), rows = x.num_elements() / cols;
  VisitType<half, bfloat16, float, double>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (kLog) {
      LogSoftmax<T>(rows, cols, x.data<T>(), y->template data<T>());
    } else {
      Softmax<T>(rows, cols, x.data<T>(), y->template data<T>());
    }
  });
  return OkStatus();
}

// (dy - sum(dy y)) y
void SoftmaxGradient(GradContext& g) {
  const Tensor y = g.y(0), dy = g.dy(0);
  g.Set(0, ops::Mul(ops::Sub(dy, SumLastKept(ops::Mul(dy, y))), y));
}

// dy - sum(dy) softmax
void LogSoftmaxGradient(GradContext& g) {
  const Tensor softmax = ops::Exp(g.y(0)), dy = g.dy(0);
  g.Set(0, ops::Sub(dy, ops::Mul(SumLastKept(dy), softmax)));
}

Status CrossEntropyShape(InferenceContext& c) {
  StatusOr<PartialTensorShape> both =
      BroadcastPartialShapes(c.input(0), c.input(1));
  if (!both.ok()) return both.status();
  if (!both->unknown_rank() && both->rank() != 2) {
    return InvalidArgument("Shape must be rank 2 but is rank {}", both->rank());
  }
  if (both->unknown_rank()) {
    c.set_output(0, {kUnknownDim});
    c.set_output(1, {kUnknownDim, kUnknownDim});
  } else {
    c.set_output(0, {both->dim(0)});
    c.set_output(1, *both);
  }
  return OkStatus();
}

// `t` repeated to `shape` [rows, cols], of which its own shape is a part.
StatusOr<Tensor> Repeat(const Tensor& t, const TensorShape& shape) {
  if (t.shape() == shape) return t;
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(t.dtype(), shape));
  const int64_t cols = shape.dim(1);
  const int64_t col_step = t.rank() > 0 && t.dim(t.rank() - 1) != 1 ? 1 : 0;
  const int64_t row_step = t.rank() == 2 && t.dim(0) != 1 ? t.dim(1) : 0;
  VisitType<half, bfloat16, float, double>(t.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* in = t.data<T>();
    T* o = out.data<T>();
    for (int64_t r = 0; r < shape.dim(0); ++r) {
      for (int64_t k = 0; k < cols; ++k) {
        o[r * cols + k] = in[r * row_step + k * col_step];
      }
    }
  });
  return out;
}

Status ComputeCrossEntropy(KernelContext& c) {
  const Tensor &x = c.input(0), &labels = c.input(1);
  StatusOr<TensorShape> both = BroadcastShapes(x.shape(), labels.shape());
  if (!both.ok()) {
    return InvalidArgument(
        "logits and labels must be broadcastable: logits_size={} "
        "labels_size={}",
        x.shape().DebugString(), labels.shape().DebugString());
  }
  if (both->rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or broadcasted to be "
        "2-dimensional");
  }
  GK_ASSIGN_OR_RETURN(Tensor full_x, Repeat(x, *both));
  GK_ASSIGN_OR_RETURN(Tensor full_labels, Repeat(labels, *both));
  Tensor *loss, *backprop;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, x.dtype(), TensorShape({both->dim(0)}), &loss));
  GK_RETURN_IF_ERROR(c.Allocate(1, x.dtype(), *both, &backprop));
  if (loss->num_elements() == 0) return OkStatus();
  if (both->dim(1) == 0) {
    std::memset(loss->raw_data(), 0, loss->byte_size());
    return OkStatus();
  }
  VisitType<half, bfloat16, float, double>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    SoftmaxCrossEntropy<T>(both->dim(0), both->dim(1), full_x.data<T>(),
                           full_labels.data<T>(), loss->data<T>(),
                           backprop->data<T>());
  });
  return OkStatus();
}

// The gradient of the loss is backprop; that of backprop is the softmax's. What
// backprop owes to the labels is left out, as in TensorFlow.
void CrossEntropyGradient(GradContext& g) {
  const Tensor& x = g.x(0);
  Tensor gx, glabels;
  if (g.has_dy(0)) {
    const Tensor dy = LastDimAdded(g.dy(0));
    if (g.wants(0)) gx = ops::Mul(dy, g.y(1));
    if (g.wants(1)) {
      glabels = ops::Neg(ops::Mul(dy, ops::LogSoftmax(x)));
    }
  }
  if (g.has_dy(1)) {
    const Tensor d = g.dy(1);
    if (g.wants(0)) {
      const Tensor p = ops::Softmax(x);
      const Tensor more = ops::Mul(ops::Sub(d, SumLastKept(ops::Mul(d, p))), p);
      gx = gx ? ops::AddV2(gx, more) : more;
    }
    if (g.wants(1) && !glabels) glabels = ops::ZerosLike(d);
  }
  SetBroadcastGrads(g, gx, glabels);
}

Status SparseCrossEntropyShape(InferenceContext& c) {
  PartialTensorShape x, labels;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &labels));
  int64_t rows;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(x.dim(0), labels.dim(0), &rows));
  c.set_output(0, {rows});
  c.set_output(1, {rows, x.dim(1)});
  return OkStatus();
}

template <class Label>
Status BadLabel(const Tensor& labels, int64_t row, int64_t classes) {
  std::string all;
  for (const Label l : labels.flat<Label>()) {
    all += Format(" {}", l);
    if (all.size() > 2000) {
      all += " ...";
      break;
    }
  }
  return InvalidArgument(
      "Received a label value of {} which is outside the valid range of [0, "
      "{}).  Label values:{}",
      labels.data<Label>()[row], classes, all);
}

Status ComputeSparseCrossEntropy(KernelContext& c) {
  const Tensor &x = c.input(0), &labels = c.input(1);
  if (x.rank() != 2) {
    return InvalidArgument("logits must be 2-D, but got shape {}",
                           x.shape().DebugString());
  }
  if (labels.rank() != 1) {
    return InvalidArgument("labels must be 1-D, but got shape {}",
                           labels.shape().DebugString());
  }
  if (x.dim(0) != labels.dim(0)) {
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits "
        "shape {} and labels shape {}",
        x.shape().DebugString(), labels.shape().DebugString());
  }
  if (x.dim(1) == 0) {
    return InvalidArgument(
        "Must have at least one class, but got logits "
        "shape {}",
        x.shape().DebugString());
  }
  Tensor *loss, *backprop;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), labels.shape(), &loss));
  GK_RETURN_IF_ERROR(c.Allocate(1, x.dtype(), x.shape(), &backprop));
  if (x.dim(0) == 0) return OkStatus();
  Status status;
  VisitType<half, bfloat16, float, double>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    VisitType<int32_t, int64_t>(labels.dtype(), [&](auto label_tag) {
      using Label = decltype(label_tag);
      const int64_t bad = SparseSoftmaxCrossEntropy<T, Label>(
          x.dim(0), x.dim(1), x.data<T>(), labels.data<Label>(),
          loss->data<T>(), backprop->data<T>());
      if (bad >= 0) status = BadLabel<Label>(labels, bad, x.dim(1));
    });
  });
  return status;
}

void SparseCrossEntropyGradient(GradContext& g) {
  Tensor gx;
  if (g.has_dy(0)) gx = ops::Mul(LastDimAdded(g.dy(0)), g.y(1));
  if (g.has_dy(1)) {
    const Tensor d = g.dy(1), p = ops::Softmax(g.x(0));
    const Tensor more = ops::Mul(ops::Sub(d, SumLastKept(ops::Mul(d, p))), p);
    gx = gx ? ops::AddV2(gx, more) : more;
  }
  if (gx) g.Set(0, gx);
}

const OpRecord kRecords[] = {
    {.name = "Softmax",
     .inputs = "logits: T",
     .outputs = "softmax: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .shape = SoftmaxShape,
     .kernel = {.compute = ComputeSoftmax<false>},
     .gradient = SoftmaxGradient,
     .flops = FlopsPerElement<5>,
     .doc = "exp(logits) over its sum along the last dimension.",
     .test = {.reference = "np.exp(logits) / np.sum(np.exp(logits), -1, "
                           "keepdims=True)",
              .shapes = "logits: [3, 5]"}},

    {.name = "LogSoftmax",
     .inputs = "logits: T",
     .outputs = "logsoftmax: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .shape = SoftmaxShape,
     .kernel = {.compute = ComputeSoftmax<true>},
     .gradient = LogSoftmaxGradient,
     .flops = FlopsPerElement<5>,
     .doc = "The logarithm of the softmax along the last dimension.",
     .test = {.reference = "logits - np.log(np.sum(np.exp(logits), -1, "
                           "keepdims=True))",
              .shapes = "logits: [3, 5]"}},

    {.name = "SoftmaxCrossEntropyWithLogits",
     .inputs = "features: T; labels: T",
     .outputs = "loss: T; backprop: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .shape = CrossEntropyShape,
     .kernel = {.compute = ComputeCrossEntropy},
     .gradient = CrossEntropyGradient,
     .flops = FlopsPerElement<8>,
     .python = {.converts_first = true},
     .doc = "The cross entropy of each row's labels with the softmax of its "
            "features, and the gradient of that.",
     .test = {.shapes = "features: [3, 5]; labels: [3, 5]"}},

    {.name = "SparseSoftmaxCrossEntropyWithLogits",
     .inputs = "features: T; labels: Tlabels",
     .outputs = "loss: T; backprop: T",
     .attrs = "T: type in [half, bfloat16, float, double]; Tlabels: type in "
              "[int32, int64] = int64",
     .shape = SparseCrossEntropyShape,
     .kernel = {.compute = ComputeSparseCrossEntropy},
     .gradient = SparseCrossEntropyGradient,
     .flops = FlopsPerElement<8>,
     .python = {.converts_first = true},
     .doc = "The cross entropy where each row has one class as its label."},
};

}  // namespace

GK_REGISTER_OPS(nn_softmax)

}  // namespace gk
