// Activations, losses and normalisation.
#include <cmath>
#include <numeric>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/fn/Abs.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/Assert.h"
#include "ops/fn/BiasAdd.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Erfc.h"
#include "ops/fn/Exp.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/LeakyRelu.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/Log.h"
#include "ops/fn/Log1p.h"
#include "ops/fn/LogSoftmax.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Mean.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Relu.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sigmoid.h"
#include "ops/fn/Softmax.h"
#include "ops/fn/SoftmaxCrossEntropyWithLogits.h"
#include "ops/fn/Softplus.h"
#include "ops/fn/SparseSoftmaxCrossEntropyWithLogits.h"
#include "ops/fn/SquaredDifference.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/StopGradient.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Tanh.h"
#include "ops/fn/TopKV2.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// Softmax-like ops know the last dimension only: others are brought there.
template <Tensor (*kOp)(OpName, const Tensor&)>
Tensor OnLastAxis(const CompositionCall& c, Tensor x, int64_t axis) {
  const PartialTensorShape s = x.partial_shape();
  if (!s.unknown_rank()) {
    const int rank = s.rank();
    if (rank == 0) {
      throw Error(
          InvalidArgument("logits must have >= 1 dimension, got a "
                          "scalar"));
    }
    if (axis < -rank || axis >= rank) {
      throw Error(InvalidArgument(
          "`dim` must be in the range [{}, {}) where {} is the number of "
          "dimensions in the input. Received: dim={}",
          -rank, rank, rank, axis));
    }
    if (axis == rank - 1) axis = -1;
  }
  if (axis == -1) return kOp(OpName(c.name()), x);
  const Tensor order = SwappedWithLast(x, axis);
  x = ops::Transpose(x, order);
  x = kOp(OpName(c.name()), x);
  return ops::Transpose(x, order);
}

template <Tensor (*kOp)(OpName, const Tensor&)>
TensorVector SoftmaxLike(CompositionCall& c) {
  return {OnLastAxis<kOp>(c, c.tensor(0), c.has(1) ? c.integer(1) : -1)};
}

Tensor Mul(const Tensor& a, const Tensor& b, std::string_view name) {
  return ops::Mul(OpName(name), a, b);
}

// x * P(X <= x) of a normal X, or its tanh approximation.
TensorVector Gelu(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (!IsFloating(x.dtype())) {
    throw Error(
        ValueError("`features.dtype` must be a floating point tensor. "
                   "Received:features.dtype={}",
                   DataTypeName(x.dtype())));
  }
  const DataType t = x.dtype();
  if (c.flag(1)) {
    const Tensor coefficient = NumberOf(0.044715, t, c.name("Cast/x"));
    const Tensor half_x =
        Mul(NumberOf(0.5, t, c.name("mul/x")), x, c.name("mul"));
    const Tensor cube =
        ops::Pow(OpName(c.name("Pow")), x, NumberOf(3, t, c.name("Pow/y")));
    const Tensor inner = ops::AddV2(OpName(c.name("add")), x,
                                    Mul(coefficient, cube, c.name("mul_1")));
    const Tensor scaled =
        Mul(NumberOf(0.7978845608028654, t, c.name("mul_2/x")), inner,
            c.name("mul_2"));
    const Tensor tanh = ops::Tanh(OpName(c.name("Tanh")), scaled);
    const Tensor sum = ops::AddV2(OpName(c.name("add_1")),
                                  NumberOf(1, t, c.name("add_1/x")), tanh);
    return {Mul(half_x, sum, c.name("mul_3"))};
  }
  const Tensor half_x =
      Mul(NumberOf(0.5, t, c.name("mul/x")), x, c.name("mul"));
  const Tensor minus = ops::Neg(OpName(c.name("Neg")), x);
  const Tensor scaled =
      Mul(minus, NumberOf(0.7071067811865476, t, c.name("Cast/x")),
          c.name("mul_1"));
  return {
      Mul(half_x, ops::Erfc(OpName(c.name("Erfc")), scaled), c.name("mul_2"))};
}

TensorVector Silu(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Tensor scaled = x;
  const double* beta = c.get<double>(1);
  if (!(beta != nullptr && *beta == 1.0)) {
    const Tensor b = beta ? NumberOf(*beta, x.dtype(), "beta") : c.tensor(1);
    scaled =
        Mul(b.dtype() == x.dtype() ? b : ops::Cast(b, x.dtype()), x, "mul");
  }
  return {Mul(x, ops::Sigmoid(scaled), "mul")};
}

TensorVector LogSigmoid(CompositionCall& c) {
  const Tensor minus = ops::Neg(OpName(c.name("Neg")), c.tensor(0));
  const Tensor s = ops::Softplus(OpName(c.name("Softplus")), minus);
  return {ops::Neg(OpName(c.name()), s)};
}

TensorVector Crelu(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor minus = ops::Neg(OpName(c.name("Neg")), x);
  const Tensor both = ops::ConcatV2(OpName(c.name()), TensorVector{x, minus},
                                    IndexOf(c.integer(1), c.name("axis")));
  return {ops::Relu(OpName(c.name("Relu")), both)};
}

TensorVector LeakyRelu(CompositionCall& c) {
  Tensor x = c.tensor(0);
  if (IsInteger(x.dtype())) {
    x = ops::Cast(x, DataType::kFloat);
  }
  return {ops::LeakyRelu(OpName(c.name()), x, static_cast<float>(c.real(1)))};
}

TensorVector BiasAdd(CompositionCall& c) {
  std::string format = "NHWC";
  if (c.has(2)) {
    const std::string& given = c.text(2);
    if (given.starts_with("NC")) {
      format = "NCHW";
    } else if (!given.starts_with("N") || !given.ends_with("C")) {
      throw Error(
          ValueError("`data_format` must be of the form `N...C` or "
                     "`NC...`. Received: data_format={}",
                     given));
    }
  }
  return {ops::BiasAdd(OpName(c.name()), c.tensor(0), c.tensor(1), format)};
}

// What holds of shapes that are known when it runs: the labels' is that of
// the logits without their last dimension.
void AssertLabelShape(const CompositionCall& c, const Tensor& labels,
                      const Tensor& logits) {
  const PartialTensorShape ls = labels.partial_shape(),
                           xs = logits.partial_shape();
  if (ls.IsFullyDefined() && xs.IsFullyDefined()) return;
  const Tensor have = ops::Shape(labels);
  const Tensor want = AllButLast(ops::Shape(logits));
  const Tensor values = ops::Equal(have, want);
  const Tensor same =
      ops::All(values, IntsTensor(std::vector<int64_t>{0}, DataType::kInt32));
  const Tensor text = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar<std::string>(
          "`labels.shape` must equal `logits.shape` except for the last "
          "dimension; they are, labels first:"),
      c.name("assert/data")));
  ops::Assert(same, TensorVector{text, have, ops::Shape(logits)});
}

// Cross entropy of integer labels: the op takes [batch, classes].
TensorVector SparseSoftmaxCrossEntropy(CompositionCall& c) {
  const Tensor& labels = c.tensor(0);
  Tensor logits = c.tensor(1);
  const PartialTensorShape ls = labels.partial_shape(),
                           xs = logits.partial_shape();
  const DataType t = logits.dtype();
  const bool narrow = t == DataType::kHalf || t == DataType::kBfloat16;
  if (narrow) logits = ops::Cast(logits, DataType::kFloat);
  const auto done = [&](Tensor loss) {
    return narrow ? ops::Cast(loss, t) : loss;
  };
  if (xs.rank() == 0) {
    throw Error(ValueError("`logits` cannot be a scalar. Received logits={}",
                           xs.PythonString()));
  }
  if (!ls.unknown_rank() && !xs.unknown_rank() && ls.rank() + 1 != xs.rank()) {
    throw Error(ValueError(
        "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
        "labels.shape={} of rank {} and logits.shape={} of rank {}",
        ls.PythonString(), ls.rank(), xs.PythonString(), xs.rank()));
  }
  if (!ls.unknown_rank() && !xs.unknown_rank() &&
      !PartialTensorShape(xs.dims().first(ls.rank())).IsCompatibleWith(ls)) {
    throw Error(
        ValueError("`labels.shape` must equal `logits.shape` except "
                   "for the last dimension. Received: labels.shape={} "
                   "and logits.shape={}",
                   ls.PythonString(), xs.PythonString()));
  }
  const std::string name = c.name("SparseSoftmaxCrossEntropyWithLogits");
  if (xs.rank() == 2) {
    return {done(ops::SparseSoftmaxCrossEntropyWithLogits(OpName(name), logits,
                                                          labels)[0])};
  }
  AssertLabelShape(c, labels, logits);
  const Tensor shape = ops::Shape(OpName(c.name("Shape")), labels);
  Tensor flat;
  if (!xs.unknown_rank() && xs.dim(xs.rank() - 1) >= 0) {
    flat = ops::Reshape(
        logits, IntsTensor(std::vector<int64_t>{-1, xs.dim(xs.rank() - 1)},
                           DataType::kInt64));
  } else {
    const Tensor s = ops::Shape(logits);
    const Tensor left = ops::Rank(logits);
    const Tensor indices = ops::Sub(left, Int32Of(1));
    const Tensor last = ops::GatherV2(s, indices, Int32Of(0));
    flat = ops::Reshape(logits, ops::Pack(TensorVector{Int32Of(-1), last}));
  }
  const Tensor minus_one =
      IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32);
  const Tensor flat_labels = ops::Reshape(labels, minus_one);
  const Tensor loss = ops::SparseSoftmaxCrossEntropyWithLogits(
      OpName(name), flat, flat_labels)[0];
  return {done(ops::Reshape(loss, shape))};
}

TensorVector SoftmaxCrossEntropy(CompositionCall& c) {
  Tensor labels = c.tensor(0), logits = c.tensor(1);
  const DataType t = logits.dtype();
  const bool narrow = t == DataType::kHalf || t == DataType::kBfloat16;
  if (narrow) logits = ops::Cast(logits, DataType::kFloat);
  if (labels.dtype() != logits.dtype()) {
    labels = ops::Cast(labels, logits.dtype());
  }
  const PartialTensorShape s = logits.partial_shape();
  if (!s.unknown_rank() && s.rank() == 0) {
    throw Error(InvalidArgument("logits must have at least one dimension"));
  }
  const PartialTensorShape of_labels = labels.partial_shape();
  if (!of_labels.unknown_rank() && of_labels.rank() == 0) {
    throw Error(InvalidArgument(
        "labels must have at least one dimension, like logits of shape {}",
        s.PythonString()));
  }
  const int64_t axis =
      s.unknown_rank() ? c.integer(2) : PositiveAxis(c.integer(2), s.rank());
  if (axis != (s.unknown_rank() ? -1 : s.rank() - 1)) {
    const Tensor order = BroughtToEnd(logits, axis);
    labels = ops::Transpose(labels, order);
    logits = ops::Transpose(logits, order);
  }
  Tensor loss;
  if (!s.unknown_rank() && s.rank() == 2) {
    loss =
        ops::SoftmaxCrossEntropyWithLogits(OpName(c.name()), logits, labels)[0];
  } else {
    const Tensor shape = ops::Shape(logits);
    const Tensor flat_shape =
        Joined({IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32),
                LastOf(shape)});
    logits = ops::Reshape(logits, flat_shape);
    const Tensor minus_one =
        IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32);
    labels =
        ops::Reshape(labels, Joined({minus_one, LastOf(ops::Shape(labels))}));
    loss =
        ops::SoftmaxCrossEntropyWithLogits(OpName(c.name()), logits, labels)[0];
    loss = ops::Reshape(loss, AllButLast(shape));
  }
  return {narrow ? ops::Cast(loss, t) : loss};
}

// Stirling's approximation of log(targets!) makes the loss a full one.
TensorVector LogPoissonLoss(CompositionCall& c) {
  const Tensor &z = c.tensor(0), &x = c.tensor(1);
  const PartialTensorShape sz = z.partial_shape(), sx = x.partial_shape();
  if (!sz.IsCompatibleWith(sx)) {
    throw Error(ValueError(
        "`log_input` and `targets` must have the same shape, received ({} vs "
        "{}).",
        sx.PythonString(), sz.PythonString()));
  }
  const Tensor left = ops::Exp(x);
  const Tensor loss = ops::Sub(left, ops::Mul(x, z));
  if (!c.flag(2)) return {loss};
  const DataType t = z.dtype();
  const auto number = [&](double v) { return NumberOf(v, t); };
  const Tensor half = number(0.5);
  const Tensor half_log =
      ops::Mul(half, ops::Log(ops::Mul(number(6.283185307179586), z)));
  const Tensor stirling =
      ops::AddV2(ops::Sub(ops::Mul(z, ops::Log(z)), z), half_log);
  const Tensor positive = ops::GreaterEqual(z, number(0));
  const Tensor small = ops::LogicalAnd(positive, ops::LessEqual(z, number(1)));
  return {ops::AddV2(loss, ops::SelectV2(small, ops::ZerosLike(z), stirling))};
}

// max(x, 0) - x * z + log(1 + exp(-|x|)), with gradients that hold at 0.
TensorVector SigmoidCrossEntropy(CompositionCall& c) {
  if (!c.has(0) || !c.has(1)) {
    throw Error(ValueError("Both `labels` and `logits` must be provided."));
  }
  const Tensor &z = c.tensor(0), &x = c.tensor(1);
  const PartialTensorShape sz = z.partial_shape(), sx = x.partial_shape();
  if (!sz.IsCompatibleWith(sx)) {
    throw Error(
        ValueError("`logits` and `labels` must have the same shape, "
                   "received ({} vs {}).",
                   sx.PythonString(), sz.PythonString()));
  }
  const Tensor zeros = ops::ZerosLike(OpName(c.name("zeros_like")), x);
  const Tensor positive =
      ops::GreaterEqual(OpName(c.name("GreaterEqual")), x, zeros);
  const Tensor relu =
      ops::SelectV2(OpName(c.name("Select")), positive, x, zeros);
  const Tensor minus = ops::Neg(OpName(c.name("Neg")), x);
  const Tensor minus_abs =
      ops::SelectV2(OpName(c.name("Select_1")), positive, minus, x);
  const Tensor first =
      ops::Sub(OpName(c.name("sub")), relu, Mul(x, z, c.name("mul")));
  const Tensor e = ops::Exp(OpName(c.name("Exp")), minus_abs);
  return {ops::AddV2(OpName(c.name()), first,
                     ops::Log1p(OpName(c.name("Log1p")), e))};
}

TensorVector WeightedCrossEntropy(CompositionCall& c) {
  const Tensor &z = c.tensor(0), &x = c.tensor(1), &w = c.tensor(2);
  const Tensor one = NumberOf(1, x.dtype());
  const Tensor weight = ops::AddV2(one, ops::Mul(ops::Sub(w, one), z));
  const Tensor left = ops::Log1p(ops::Exp(ops::Neg(ops::Abs(x))));
  const Tensor tail = ops::AddV2(left, ops::Relu(ops::Neg(x)));
  const Tensor first = ops::Mul(ops::Sub(one, z), x);
  return {ops::AddV2(OpName(c.name()), first, ops::Mul(weight, tail))};
}

TensorVector Moments(CompositionCall& c) {
  const Tensor& given = c.tensor(0);
  const Tensor& axes = c.tensor(1);
  const bool narrow =
      given.dtype() == DataType::kHalf || given.dtype() == DataType::kBfloat16;
  const Tensor x =
      narrow ? ops::Cast(OpName(c.name("Cast")), given, DataType::kFloat)
             : given;
  Tensor mean = ops::Mean(OpName(c.name("mean")), x, axes, true);
  const Tensor fixed = ops::StopGradient(OpName(c.name("StopGradient")), mean);
  const Tensor squares =
      ops::SquaredDifference(OpName(c.name("SquaredDifference")), x, fixed);
  Tensor axes_again = axes;
  if (const Tensor known = axes.KnownValue(); known && axes.is_symbolic()) {
    axes_again = ValueOrThrow(OpBuilder::Current()->Constant(
        known, c.name("variance/reduction_indices")));
  }
  Tensor variance =
      ops::Mean(OpName(c.name("variance")), squares, axes_again, true);
  if (!c.flag(3)) {
    const auto dims = KnownInts(axes);
    if (dims) {
      mean = ops::Squeeze(OpName(c.name("Squeeze")), mean, *dims);
      variance = ops::Squeeze(OpName(c.name("Squeeze_1")), variance, *dims);
    } else {
      mean = ops::Mean(x, axes, false);
      variance = ops::Mean(squares, axes, false);
    }
  }
  if (narrow) {
    mean = ops::Cast(mean, given.dtype());
    variance = ops::Cast(variance, given.dtype());
  }
  return {mean, variance};
}

TensorVector BatchNormalization(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &mean = c.tensor(1), &variance = c.tensor(2);
  const Tensor epsilon = NumberOf(c.real(5), variance.dtype(), c.name("add/y"));
  const Tensor shifted = ops::AddV2(OpName(c.name("add")), variance, epsilon);
  Tensor inverse = ops::Rsqrt(OpName(c.name("Rsqrt")), shifted);
  if (c.has(4)) inverse = Mul(inverse, c.tensor(4), c.name("mul"));
  const auto as_x = [&](const Tensor& t) {
    return t.dtype() == x.dtype() ? t : ops::Cast(t, x.dtype());
  };
  const Tensor scaled = Mul(x, as_x(inverse), c.name("mul_1"));
  const Tensor moved = Mul(mean, inverse, c.name("mul_2"));
  const Tensor offset =
      c.has(3) ? ops::Sub(OpName(c.name("sub")), c.tensor(3), moved)
               : ops::Neg(OpName(c.name("Neg")), moved);
  return {ops::AddV2(OpName(c.name("add_1")), scaled, as_x(offset))};
}

TensorVector TopK(CompositionCall& c) {
  const int64_t* n = c.get<int64_t>(1);
  const Tensor k = n ? IndexOf(*n, c.name("k")) : c.tensor(1);
  return ops::TopKV2(OpName(c.name()), c.tensor(0), k, c.flag(2), c.type(3));
}

const CompositionRecord kRecords[] = {
    {.names = "nn.softmax",
     .args = "logits: tensor; axis: int = None",
     .scope = "Softmax",
     .ragged = RaggedForm::kSoftmax,
     .build = SoftmaxLike<ops::Softmax>,
     .doc = "exp(logits) / sum(exp(logits)) along an axis, the last unless "
            "given.\n\nArgs:\n  logits: floating tensor of rank 1 or more.",
     .example = ">>> tf.nn.softmax([0., 0.]).numpy().tolist()\n[0.5, 0.5]"},
    {.names = "nn.log_softmax|math.log_softmax",
     .args = "logits: tensor; axis: int = None",
     .scope = "LogSoftmax",
     .build = SoftmaxLike<ops::LogSoftmax>,
     .doc = "The logarithm of softmax along an axis, the last unless given.",
     .example = ">>> tf.nn.log_softmax([5.]).numpy().tolist()\n[0.0]"},
    {.names = "math.softmax",
     .args = "logits: tensor; axis: int = None",
     .scope = "Softmax",
     .ragged = RaggedForm::kSoftmax,
     .build = SoftmaxLike<ops::Softmax>,
     .doc = "The same as tf.nn.softmax.",
     .example = ">>> tf.math.softmax([0., 0.]).numpy().tolist()\n[0.5, 0.5]"},
    {.names = "nn.gelu",
     .args = "features: tensor; approximate: bool = False",
     .scope = "Gelu",
     .maps = 1,
     .keeps_zero = true,
     .build = Gelu,
     .doc = "Gaussian error linear unit: x times the normal distribution "
            "function of x; `approximate` uses tanh.",
     .example = ">>> tf.nn.gelu([0.]).numpy().tolist()\n[0.0]"},
    {.names = "nn.silu|nn.swish",
     .args = "features: tensor; beta: native = 1.0",
     .maps = 1,
     .keeps_zero = true,
     .build = Silu,
     .doc = "x * sigmoid(beta * x).",
     .example = ">>> tf.nn.silu([0.]).numpy().tolist()\n[0.0]"},
    {.names = "math.log_sigmoid",
     .args = "x: tensor",
     .scope = "LogSigmoid",
     .maps = 1,
     .build = LogSigmoid,
     .doc = "log(1 / (1 + exp(-x))), without overflow.",
     .example = ">>> tf.math.log_sigmoid([1000.]).numpy().item() == 0\nTrue"},
    {.names = "nn.crelu",
     .args = "features: tensor; axis: int = -1",
     .scope = "CRelu",
     .build = Crelu,
     .doc = "relu of x and of -x, joined along an axis.",
     .example = ">>> tf.nn.crelu([1., -2.]).numpy().tolist()\n"
                "[1.0, 0.0, 0.0, 2.0]"},
    {.names = "nn.leaky_relu",
     .args = "features: tensor; alpha: float = 0.2",
     .scope = "LeakyRelu",
     .maps = 1,
     .keeps_zero = true,
     .build = LeakyRelu,
     .doc = "x where positive, alpha * x elsewhere.",
     .example = ">>> tf.nn.leaky_relu([-1., 2.], alpha=0.5).numpy().tolist()"
                "\n[-0.5, 2.0]"},
    {.names = "nn.bias_add",
     .args = "value: tensor(T); bias: tensor(T); data_format: string = None",
     .scope = "BiasAdd",
     .build = BiasAdd,
     .doc = "Adds a vector along the channel dimension: the last, or the "
            "second for data_format \"NC...\".",
     .example = ">>> tf.nn.bias_add([[1., 2.]], [1., 1.]).numpy().tolist()\n"
                "[[2.0, 3.0]]"},
    {.names = "nn.sparse_softmax_cross_entropy_with_logits",
     .args = "labels: tensor; logits: tensor",
     .scope = "SparseSoftmaxCrossEntropyWithLogits",
     .build = SparseSoftmaxCrossEntropy,
     .doc = "Cross entropy between the class numbers in `labels` and the "
            "softmax of `logits`.\n\nArgs:\n  labels: int32 or int64 [d0, ..., "
            "dn].\n  logits: floating [d0, ..., dn, classes].",
     .example = ">>> tf.nn.sparse_softmax_cross_entropy_with_logits("
                "[0], [[9., 9.]]).numpy().round(4).item() > 0.69\nTrue"},
    {.names = "nn.softmax_cross_entropy_with_logits",
     .args = "labels: tensor; logits: tensor; axis: int = -1",
     .scope = "softmax_cross_entropy_with_logits",
     .build = SoftmaxCrossEntropy,
     .doc = "Cross entropy between the distributions `labels` and the softmax "
            "of `logits` along an axis.",
     .example = ">>> tf.nn.softmax_cross_entropy_with_logits([[1., 0.]], "
                "[[9., 9.]]).numpy().item() > 0.69\nTrue"},
    {.names = "nn.log_poisson_loss",
     .args = "targets: tensor; log_input: tensor; compute_full_loss: bool = "
             "False",
     .scope = "log_poisson_loss",
     .build = LogPoissonLoss,
     .doc = "The loss of Poisson distributions with means exp(log_input), "
            "without the term that depends on the targets alone unless "
            "`compute_full_loss`.",
     .example = ">>> tf.nn.log_poisson_loss([1.], [0.]).numpy().item()\n1.0"},
    {.names = "nn.sigmoid_cross_entropy_with_logits",
     .args = "labels: tensor(T) = None; logits: tensor(T) = None",
     .scope = "logistic_loss",
     .maps = 2,
     .ragged = RaggedForm::kSigmoidCrossEntropy,
     .build = SigmoidCrossEntropy,
     .doc = "Cross entropy of independent classes between probabilities "
            "`labels` and sigmoid(logits).",
     .example = ">>> tf.nn.sigmoid_cross_entropy_with_logits([1.], [0.])."
                "numpy().item() > 0.69\nTrue"},
    {.names = "nn.weighted_cross_entropy_with_logits",
     .args = "labels: tensor(T); logits: tensor(T); pos_weight: tensor(T)",
     .scope = "logistic_loss",
     .build = WeightedCrossEntropy,
     .doc = "Sigmoid cross entropy in which positives weigh `pos_weight`.",
     .example = ">>> tf.nn.weighted_cross_entropy_with_logits([1.], [0.], 2.)."
                "numpy().item() > 1.38\nTrue"},
    {.names = "nn.moments",
     .args = "x: tensor; axes: tensor(int32) as mean/reduction_indices; shift: "
             "native = None; keepdims: bool = False",
     .scope = "moments",
     .build = Moments,
     .result = "tuple",
     .doc = "Mean and variance of `x` over `axes`. `shift` is not used.",
     .example = ">>> [t.numpy().item() for t in tf.nn.moments([1., 3.], [0])]"
                "\n[2.0, 1.0]"},
    {.names = "nn.batch_normalization",
     .args = "x: tensor; mean: tensor; variance: tensor; offset: tensor?; "
             "scale: tensor?; variance_epsilon: float",
     .scope = "batchnorm",
     .build = BatchNormalization,
     .doc = "(x - mean) / sqrt(variance + variance_epsilon) * scale + offset; "
            "offset and scale may be None.",
     .example = ">>> tf.nn.batch_normalization([3.], 1., 4., 0., 1., 0.)."
                "numpy().tolist()\n[1.0]"},
    {.names = "nn.top_k|math.top_k",
     .args = "input: tensor; k: native = 1; sorted: bool = True; "
             "index_type: type = int32",
     .scope = "TopKV2",
     .build = TopK,
     .result = "TopKV2: values, indices",
     .doc = "The k largest elements of the last dimension and where they are; "
            "of equal ones the first.",
     .example = ">>> tf.nn.top_k([1, 5, 3], 2).values.numpy().tolist()\n"
                "[5, 3]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_nn)

}  // namespace gk
