// Batch normalisation with its statistics in one op, and its gradients.
#include "ops/fn/nn_batch_norm.h"

#include <cmath>
#include <limits>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/channels.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Mean.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/StopGradient.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/nn/window.h"
#include "ops/op_cost.h"
#include "ops/scalar_constant.h"
#include "ops/with_attrs/FusedBatchNormGrad.h"
#include "ops/with_attrs/FusedBatchNormGradV2.h"
#include "ops/with_attrs/FusedBatchNormGradV3.h"

namespace gk {
namespace {

Parallel NormThreads() { return Parallel(&ThreadPool::Global()); }

// Of images, or of volumes where the format is one of these.
StatusOr<Channels> ChannelsOf(const Tensor& x, const AttrMap& attrs) {
  const auto* format = attrs.Get<std::string>("data_format");
  const int rank = format == nullptr ? 4 : static_cast<int>(format->size());
  if (x.rank() != rank) {
    return InvalidArgument("input must be {}-dimensional{}", rank,
                           x.shape().DebugString());
  }
  Channels n;
  const bool first = IsChannelsFirst(attrs);
  n.channels = x.dim(first ? 1 : x.rank() - 1);
  n.outer = n.inner = 1;
  for (int d = 0; d < x.rank(); ++d) {
    if (d == (first ? 1 : x.rank() - 1)) continue;
    (first && d > 1 ? n.inner : n.outer) *= x.dim(d);
  }
  return n;
}

Status CheckVector(const Tensor& t, std::string_view name,
                   std::string_view when, int64_t channels) {
  if (t.rank() != 1) {
    return InvalidArgument("{} must be 1-dimensional{}", name,
                           t.shape().DebugString());
  }
  if (channels >= 0 && t.dim(0) != channels) {
    return InvalidArgument(
        "{}{} must have the same number of elements as the channels of x, got "
        "{} and {}",
        when, name, t.dim(0), channels);
  }
  return OkStatus();
}

// Numbers for each channel, computed in double.
struct Statistics {
  std::vector<double> mean, variance;
  explicit Statistics(int64_t channels) : mean(channels), variance(channels) {}
};

template <class T>
Statistics StatisticsOf(const T* x, const Channels& n) {
  Statistics s(n.channels);
  const double count = static_cast<double>(n.per_channel());
  std::vector<double> none(n.channels);
  SumChannels(
      n, NormThreads(), s.mean.data(), none.data(),
      [x](int64_t i, int64_t) { return OneTerm{Convert<float>(x[i])}; });
  for (double& m : s.mean) m /= count;
  const std::vector<float> means(s.mean.begin(), s.mean.end());
  const float* mean = means.data();
  SumChannels(n, NormThreads(), s.variance.data(), none.data(),
              [x, mean](int64_t i, int64_t c) {
                const float d = Convert<float>(x[i]) - mean[c];
                return OneTerm{d * d};
              });
  for (double& v : s.variance) v /= count;
  return s;
}

// y = x * a[c] + b[c] as (x - mean) * scale + offset.
template <class T>
void Normalise(const T* x, const Channels& n, const float* mean,
               const float* scale, const float* offset, T* y) {
  ForEachChannel(n, NormThreads(), [=](int64_t i, int64_t c) {
    y[i] = Convert<T>((Convert<float>(x[i]) - mean[c]) * scale[c] + offset[c]);
  });
}

// Of outputs that hold nothing: as TensorFlow has them.
TensorShape UnusedShape(DataType t, int rank) {
  return rank == 4 && t != DataType::kHalf ? TensorShape({0}) : TensorShape();
}
TensorShape UnusedGradShape(DataType t) {
  return t == DataType::kHalf ? TensorShape({0}) : TensorShape();
}

Status ComputeNorm(KernelContext& c) {
  const Tensor &x = c.input(0), &scale = c.input(1), &offset = c.input(2),
               &mean = c.input(3), &variance = c.input(4);
  GK_ASSIGN_OR_RETURN(const Channels n, ChannelsOf(x, c.attrs()));
  const bool training = c.attr<bool>("is_training");
  const float factor = c.attr<float>("exponential_avg_factor");
  GK_RETURN_IF_ERROR(CheckVector(scale, "scale", "", n.channels));
  GK_RETURN_IF_ERROR(CheckVector(offset, "offset", "", n.channels));
  const bool reads = !training || factor != 1;
  const std::string_view when = training ? "When exponential_avg_factor != 1, "
                                         : "When is_training=false, ";
  GK_RETURN_IF_ERROR(CheckVector(mean, "mean", when, reads ? n.channels : -1));
  GK_RETURN_IF_ERROR(
      CheckVector(variance, "variance", when, reads ? n.channels : -1));
  if (scale.dtype() != DataType::kFloat) return c.NoKernel();
  Tensor* y;
  Tensor* outs[4];
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &y));
  for (int i = 0; i < 4; ++i) {
    GK_RETURN_IF_ERROR(c.Allocate(i + 1, DataType::kFloat,
                                  TensorShape({n.channels}), &outs[i]));
  }
  if (c.num_outputs() == 6) {
    Tensor* unused;
    GK_RETURN_IF_ERROR(c.Allocate(5, DataType::kFloat,
                                  UnusedShape(x.dtype(), x.rank()), &unused));
    ZeroElements(unused);
  }
  float* out[4];
  for (int i = 0; i < 4; ++i) out[i] = outs[i]->data<float>();
  if (x.num_elements() == 0) {
    for (int64_t k = 0; k < n.channels; ++k) {
      for (int i = 0; i < 4; ++i) {
        out[i][k] = i < 2 ? std::numeric_limits<float>::quiet_NaN() : 0;
      }
    }
    return OkStatus();
  }
  const double epsilon = c.attr<float>("epsilon");
  std::vector<float> factors(n.channels);
  VisitType<float, half, bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* from = x.data<T>();
    if (training) {
      const Statistics s = StatisticsOf(from, n);
      const double count = static_cast<double>(n.per_channel());
      const double whole = count / std::max(count - 1, 1.0);
      for (int64_t k = 0; k < n.channels; ++k) {
        out[2][k] = static_cast<float>(s.mean[k]);
        out[3][k] = static_cast<float>(s.variance[k]);
        const auto spread = static_cast<float>(s.variance[k] * whole);
        if (factor == 1) {
          out[0][k] = out[2][k];
          out[1][k] = spread;
        } else {
          out[0][k] = (1 - factor) * mean.data<float>()[k] + factor * out[2][k];
          out[1][k] =
              (1 - factor) * variance.data<float>()[k] + factor * spread;
        }
      }
    } else {
      for (int64_t k = 0; k < n.channels; ++k) {
        out[0][k] = out[2][k] = mean.data<float>()[k];
        out[1][k] = out[3][k] = variance.data<float>()[k];
      }
    }
    for (int64_t k = 0; k < n.channels; ++k) {
      factors[k] = static_cast<float>(scale.data<float>()[k] /
                                      std::sqrt(out[3][k] + epsilon));
    }
    Normalise(from, n, out[2], factors.data(), offset.data<float>(),
              y->data<T>());
  });
  return OkStatus();
}

Status ComputeNormGrad(KernelContext& c) {
  const Tensor &dy = c.input(0), &x = c.input(1), &scale = c.input(2),
               &mean = c.input(3), &variance = c.input(4);
  GK_ASSIGN_OR_RETURN(const Channels n, ChannelsOf(x, c.attrs()));
  if (dy.shape() != x.shape()) {
    return InvalidArgument(
        "x and y_backprop must have same shape, but x has shape {} and "
        "y_backprop has shape {}",
        x.shape().DebugString(), dy.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckVector(scale, "scale", "", n.channels));
  GK_RETURN_IF_ERROR(CheckVector(mean, "reserve_space_1", "", n.channels));
  GK_RETURN_IF_ERROR(CheckVector(variance, "reserve_space_2", "", n.channels));
  Tensor *dx, *dscale, *doffset;
  const TensorShape vector({n.channels});
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &dx));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kFloat, vector, &dscale));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kFloat, vector, &doffset));
  for (int i = 3; i < 5; ++i) {
    Tensor* unused;
    GK_RETURN_IF_ERROR(
        c.Allocate(i, DataType::kFloat, UnusedGradShape(x.dtype()), &unused));
    ZeroElements(unused);
  }
  const bool training = c.attr<bool>("is_training");
  const double epsilon = c.attr<float>("epsilon");
  const double count = static_cast<double>(n.per_channel());
  const float* m = mean.data<float>();
  std::vector<double> of_scale(n.channels), of_offset(n.channels);
  std::vector<float> inverse(n.channels), factor(n.channels), slope(n.channels),
      shift(n.channels);
  for (int64_t k = 0; k < n.channels; ++k) {
    inverse[k] =
        static_cast<float>(1 / std::sqrt(variance.data<float>()[k] + epsilon));
  }
  VisitType<float, half, bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T *from = x.data<T>(), *d = dy.data<T>();
    SumChannels(n, NormThreads(), of_scale.data(), of_offset.data(),
                [=](int64_t i, int64_t k) {
                  const float g = Convert<float>(d[i]);
                  return TwoTerms{g * (Convert<float>(from[i]) - m[k]), g};
                });
    for (int64_t k = 0; k < n.channels; ++k) {
      of_scale[k] *= inverse[k];
      dscale->data<float>()[k] = static_cast<float>(of_scale[k]);
      doffset->data<float>()[k] = static_cast<float>(of_offset[k]);
      factor[k] = scale.data<float>()[k] * inverse[k];
      if (!training || n.per_channel() == 0) continue;
      slope[k] = static_cast<float>(of_scale[k] / count * inverse[k]);
      shift[k] = static_cast<float>(of_offset[k] / count);
    }
    const float *f = factor.data(), *a = slope.data(), *b = shift.data();
    T* to = dx->data<T>();
    ForEachChannel(n, NormThreads(), [=](int64_t i, int64_t k) {
      const float centred = Convert<float>(from[i]) - m[k];
      to[i] = Convert<T>(f[k] * (Convert<float>(d[i]) - b[k] - a[k] * centred));
    });
  });
  return OkStatus();
}

// Of the images (input `x`) and vectors for each channel behind it.
Status ChannelDim(InferenceContext& c, int at, PartialTensorShape* x,
                  int* axis) {
  const auto* format = c.attrs().Get<std::string>("data_format");
  const int rank = format == nullptr ? 4 : static_cast<int>(format->size());
  GK_RETURN_IF_ERROR(c.WithRank(at, rank, x));
  *axis = IsChannelsFirst(c.attrs()) ? 1 : x->rank() - 1;
  return OkStatus();
}

Status NormShape(InferenceContext& c) {
  PartialTensorShape x;
  int axis;
  GK_RETURN_IF_ERROR(ChannelDim(c, 0, &x, &axis));
  int64_t channels = x.dim(axis);
  // Means and variances that nobody reads may be of any length.
  const bool unread = c.attr<bool>("is_training") &&
                      c.attr<float>("exponential_avg_factor") == 1;
  for (int i = 1; i < 5; ++i) {
    PartialTensorShape vector;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &vector));
    if (i > 2 && unread) continue;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(channels, vector.dim(0), &channels));
  }
  x.SetDim(axis, channels);
  c.set_output(0, x);
  for (int i = 1; i < 5; ++i) c.set_output(i, {channels});
  if (c.num_outputs() == 6) {
    c.set_output(5, UnusedShape(c.input_type(0), x.rank()));
  }
  return OkStatus();
}

Status NormGradShape(InferenceContext& c) {
  PartialTensorShape dy, x;
  int axis;
  GK_RETURN_IF_ERROR(ChannelDim(c, 0, &dy, &axis));
  GK_RETURN_IF_ERROR(ChannelDim(c, 1, &x, &axis));
  if (!x.IsCompatibleWith(dy)) {
    return InvalidArgument("Shapes must be equal, but are {} and {}",
                           dy.PythonString(), x.PythonString());
  }
  int64_t channels = x.dim(axis);
  for (int i = 2; i < 5; ++i) {
    PartialTensorShape vector;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &vector));
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(channels, vector.dim(0), &channels));
  }
  x.SetDim(axis, channels);
  c.set_output(0, x);
  c.set_output(1, {channels});
  c.set_output(2, {channels});
  for (int i = 3; i < 5; ++i) c.set_output(i, UnusedGradShape(c.input_type(1)));
  return OkStatus();
}

template <class GradOp>
void NormGradient(GradContext& g, GradOp&& op) {
  const bool training = g.attr<bool>("is_training");
  OpAttrs attrs(
      SharedAttrs(g.attrs(), {"epsilon", "data_format", "is_training"}));
  const auto made = op(std::move(attrs), g.dy(0), g.x(0), g.x(1),
                       training ? g.y(3) : g.x(3), training ? g.y(4) : g.x(4));
  for (int i = 0; i < 3; ++i) g.Set(i, made[i]);
}

// With c the normalised x, r the inverse deviation, s the scale and E a mean
// over a channel:
//   dx = s r (dy - E[dy] - c E[dy c]), dscale = sum of dy c, doffset of dy,
// of which this is the gradient with respect to dy, x and s; mean and variance
// are functions of x, but for given ones.
void NormGradGradient(GradContext& g) {
  const Tensor &given_dy = g.x(0), &given_x = g.x(1), &scale = g.x(2);
  const bool training = g.attr<bool>("is_training");
  const DataType t = given_x.dtype();
  const PartialTensorShape shape = given_x.partial_shape();
  const int rank = shape.unknown_rank() ? 4 : shape.rank();
  const bool first = IsChannelsFirst(g.attrs());
  std::vector<int64_t> others, wide(rank, 1);
  for (int d = 0; d < rank; ++d) {
    if (d != (first ? 1 : rank - 1)) others.push_back(d);
  }
  wide[first ? 1 : rank - 1] = -1;
  const Tensor axes = IntegerVector(others), spread = IntegerVector(wide);
  const auto f = [](const Tensor& x) { return CastTo(x, DataType::kFloat); };
  const auto channel = [&](const Tensor& v) {
    return ops::Reshape(f(v), spread);
  };
  const auto mean = [&](const Tensor& x) { return ops::Mean(x, axes, true); };
  const auto mul = [](const Tensor& a, const Tensor& b) {
    return ops::Mul(a, b);
  };
  const Tensor x = f(given_x), dy = f(given_dy), s = channel(scale);
  const Tensor epsilon = ScalarConstant(
      DataType::kFloat, static_cast<double>(g.attr<float>("epsilon")));
  const Tensor centre = training ? mean(x) : channel(g.x(3));
  const Tensor centred = ops::Sub(x, centre);
  // TensorFlow takes the mean that the variance is about for a constant, which
  // derivatives of this one show.
  const Tensor about = ops::Sub(x, ops::StopGradient(centre));
  const Tensor variance = training ? mean(ops::Square(about)) : channel(g.x(4));
  const Tensor r = ops::Rsqrt(ops::AddV2(variance, epsilon));
  const Tensor c = mul(centred, r);
  const Tensor u = f(g.dy(0)), v = channel(g.dy(1)), w = channel(g.dy(2));
  const Tensor sr = mul(s, r);
  if (!training) {
    g.Set(0, CastTo(ops::AddV2(ops::AddV2(mul(sr, u), mul(v, c)), w), t));
    g.Set(1, CastTo(mul(mul(v, r), dy), t));
    g.Set(2, CastTo(ops::Sum(mul(mul(u, r), dy), axes), scale.dtype()));
    return;
  }
  const Tensor mean_uc = mean(mul(u, c)), mean_dc = mean(mul(dy, c));
  const auto projected = [&](const Tensor& a, const Tensor& along,
                             const Tensor& mean_ac) {
    return ops::Sub(ops::Sub(a, mean(a)), mul(along, mean_ac));
  };
  g.Set(0,
        CastTo(ops::AddV2(
                   ops::AddV2(mul(sr, projected(u, c, mean_uc)), mul(v, c)), w),
               t));
  const Tensor dy_part = projected(dy, c, mean_dc);
  const Tensor along = mul(u, dy_part);
  g.Set(2, CastTo(ops::Sum(mul(r, along), axes), scale.dtype()));
  if (!g.wants(1)) return;
  const Tensor of_c = ops::Sub(
      mul(v, dy), mul(sr, ops::AddV2(mul(u, mean_dc), mul(mean_uc, dy))));
  const Tensor by_variance = mul(about, r);
  const Tensor by_r = mul(mul(mul(sr, r), by_variance), mean(along));
  g.Set(1, CastTo(ops::Sub(
                      mul(r, projected(of_c, by_variance, mean(mul(of_c, c)))),
                      by_r),
                  t));
}

#define BATCH_NORM_DOC                                                        \
  "Images normalised for each channel by mean and variance, of the batch or " \
  "given ones, scaled and moved."
#define BATCH_NORM_GRAD_DOC "The gradient of batch normalisation."
#define NORM_EPSILON "epsilon: float = 9.999999747378752e-05; "
#define NORM_FACTOR "exponential_avg_factor: float = 1.0; "
#define NORM_FORMAT "data_format: string in [NHWC, NCHW] = 'NHWC'; "
#define NORM_FORMATS \
  "data_format: string in [NHWC, NCHW, NDHWC, NCDHW] = 'NHWC'; "
#define NORM_TRAINING "is_training: bool = True"

const OpRecord kRecords[] = {
    {.name = "FusedBatchNorm",
     .inputs = "x: T; scale: T; offset: T; mean: T; variance: T",
     .outputs = "y: T; batch_mean: T; batch_variance: T; reserve_space_1: T; "
                "reserve_space_2: T",
     .attrs = "T: type in [float]; " NORM_EPSILON NORM_FACTOR NORM_FORMAT
         NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormShape,
     .kernel = {.compute = ComputeNorm},
     .gradient =
         [](GradContext& g) {
           NormGradient(g, [](OpAttrs attrs, const auto&... t) {
             return ops::FusedBatchNormGrad(std::move(attrs), t...);
           });
         },
     .doc = BATCH_NORM_DOC},

    {.name = "FusedBatchNormV2",
     .inputs = "x: T; scale: U; offset: U; mean: U; variance: U",
     .outputs = "y: T; batch_mean: U; batch_variance: U; reserve_space_1: U; "
                "reserve_space_2: U",
     .attrs =
         "T: type in [half, bfloat16, float]; U: type in [float]; " NORM_EPSILON
             NORM_FACTOR NORM_FORMAT NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormShape,
     .kernel = {.compute = ComputeNorm},
     .gradient =
         [](GradContext& g) {
           NormGradient(g, [](OpAttrs attrs, const auto&... t) {
             return ops::FusedBatchNormGradV2(std::move(attrs), t...);
           });
         },
     .doc = BATCH_NORM_DOC},

    {.name = "FusedBatchNormV3",
     .inputs = "x: T; scale: U; offset: U; mean: U; variance: U",
     .outputs = "y: T; batch_mean: U; batch_variance: U; reserve_space_1: U; "
                "reserve_space_2: U; reserve_space_3: U",
     .attrs = "T: type in [half, bfloat16, float]; U: type in [bfloat16, "
              "float]; " NORM_EPSILON NORM_FACTOR NORM_FORMATS NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormShape,
     .kernel = {.compute = ComputeNorm},
     .gradient =
         [](GradContext& g) {
           const Tensor reserved = g.y(5);
           NormGradient(g, [&](OpAttrs attrs, const auto&... t) {
             return ops::FusedBatchNormGradV3(std::move(attrs), t..., reserved);
           });
         },
     .flops = FlopsPerElement<8>,
     .doc = BATCH_NORM_DOC},

    {.name = "FusedBatchNormGrad",
     .inputs = "y_backprop: T; x: T; scale: T; reserve_space_1: T; "
               "reserve_space_2: T",
     .outputs = "x_backprop: T; scale_backprop: T; offset_backprop: T; "
                "reserve_space_3: T; reserve_space_4: T",
     .attrs = "T: type in [float]; " NORM_EPSILON NORM_FORMAT NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormGradShape,
     .kernel = {.compute = ComputeNormGrad},
     .gradient = NormGradGradient,
     .doc = BATCH_NORM_GRAD_DOC},

    {.name = "FusedBatchNormGradV2",
     .inputs = "y_backprop: T; x: T; scale: float; reserve_space_1: U; "
               "reserve_space_2: U",
     .outputs = "x_backprop: T; scale_backprop: U; offset_backprop: U; "
                "reserve_space_3: U; reserve_space_4: U",
     .attrs =
         "T: type in [half, bfloat16, float]; U: type in [float]; " NORM_EPSILON
             NORM_FORMAT NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormGradShape,
     .kernel = {.compute = ComputeNormGrad},
     .gradient = NormGradGradient,
     .doc = BATCH_NORM_GRAD_DOC},

    {.name = "FusedBatchNormGradV3",
     .inputs = "y_backprop: T; x: T; scale: float; reserve_space_1: U; "
               "reserve_space_2: U; reserve_space_3: U",
     .outputs = "x_backprop: T; scale_backprop: U; offset_backprop: U; "
                "reserve_space_4: U; reserve_space_5: U",
     .attrs =
         "T: type in [half, bfloat16, float]; U: type in [float]; " NORM_EPSILON
             NORM_FORMATS NORM_TRAINING,
     .traits = kExpensive,
     .shape = NormGradShape,
     .kernel = {.compute = ComputeNormGrad},
     .gradient = NormGradGradient,
     .flops = FlopsPerElement<12>,
     .doc = BATCH_NORM_GRAD_DOC},
};

}  // namespace

GK_REGISTER_OPS(nn_batch_norm)

}  // namespace gk
