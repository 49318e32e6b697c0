// Normal distributions cut off at limits, each draw by parameters of its own.
#include "ops/fn/random_truncated.h"

#include <cmath>
#include <limits>
#include <string>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/random_truncated.h"
#include "ops/broadcast_gradient.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Erfc.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Log.h"
#include "ops/fn/Log1p.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Square.h"
#include "ops/fn/Sub.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_place.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr int kParameters = 4;  // mean, deviation and both limits
// Blocks set aside for a draw: two numbers for each of 1000 tries.
constexpr int64_t kNumbersPerDraw = 2000;

// How TensorFlow names them: of both ops, but for the deviations.
constexpr const char* kNames[] = {"means", "stdevs", "minvals", "maxvals"};

template <class T>
Status Failed(TruncatedDraws result, const T (&of)[kParameters], bool seeded) {
  if (result == TruncatedDraws::kDone) return OkStatus();
  std::string all;
  for (int p = 0; p < kParameters; ++p) {
    all += Format("{}{} = {}", p == 0 ? "" : ", ",
                  seeded && p == 1 ? "stddevs" : kNames[p],
                  static_cast<double>(of[p]));
  }
  if (result == TruncatedDraws::kBadParameters) {
    return InvalidArgument("Invalid parameters: {}", all);
  }
  return Internal("No number was accepted in 1000 tries: {}", all);
}

// Draws for each of `batches` parameters, which `place(p, batch)` finds; the
// draws of one are `stride` apart, those of the next one begin `next` behind.
template <class Place>
Status Draw(KernelContext& c, int first, const Philox& from, int64_t batches,
            int64_t each, int64_t stride, int64_t next, Tensor* out,
            Place&& place) {
  const int64_t total = out->num_elements();
  Status status;
  const bool known =
      VisitType<half, float, double>(out->dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T* of[kParameters];
        for (int p = 0; p < kParameters; ++p) {
          of[p] = c.input(first + p).data<T>();
        }
        Philox gen = from;
        for (int64_t b = 0; b < batches && status.ok(); ++b) {
          const int64_t n = std::min(each, total - b * each);
          const T now[] = {of[0][place(0, b)], of[1][place(1, b)],
                           of[2][place(2, b)], of[3][place(3, b)]};
          status = Failed(
              DrawTruncatedNormal<T>(&gen, now[0], now[1], now[2], now[3], n,
                                     stride, out->data<T>() + b * next),
              now, first == 2);
        }
      });
  return known ? status : c.NoKernel();
}

// ---- By a seed ----

Status ComputeSeeded(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Philox gen, GeneratorOfSeed(c.input(1)));
  TensorShape batch = c.input(2).shape();
  for (int i = 3; i < 2 + kParameters; ++i) {
    StatusOr<TensorShape> both = BroadcastShapes(batch, c.input(i).shape());
    if (!both.ok()) {
      return InvalidArgument(
          "means, stddevs, minvals, maxvals must have compatible batch "
          "dimensions: {} vs. {} vs. {} vs. {}",
          c.input(2).shape().DebugString(), c.input(3).shape().DebugString(),
          c.input(4).shape().DebugString(), c.input(5).shape().DebugString());
    }
    batch = *both;
  }
  if (c.input(0).rank() != 1) {
    return InvalidArgument("Input shape should be a vector, got shape: {}",
                           c.input(0).shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ShapeFromInput(c.input(0)));
  const int extra = shape.rank() - batch.rank();
  bool ends = extra >= 0;
  for (int i = 0; ends && i < batch.rank(); ++i) {
    ends = shape.dim(extra + i) == batch.dim(i);
  }
  if (!ends) {
    return InvalidArgument("Shape passed in must end with broadcasted shape.");
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(2).dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const int64_t batches = batch.num_elements();
  const auto place = [&](int p, int64_t flat) {
    const TensorShape& own = c.input(2 + p).shape();
    int64_t at = 0, stride = 1;
    for (int i = batch.rank() - 1; i >= 0; --i) {
      const int64_t index = flat % batch.dim(i);
      flat /= batch.dim(i);
      const int d = i - (batch.rank() - own.rank());
      if (d < 0) break;
      if (own.dim(d) > 1) at += index * stride;
      stride *= own.dim(d);
    }
    return at;
  };
  return Draw(c, 2, gen, batches, shape.num_elements() / batches, batches, 1,
              out, place);
}

// The cumulative distribution of the normal one.
Tensor Cumulative(const Tensor& x) {
  return ops::Mul(ScalarLike(x, 0.5),
                  ops::Erfc(ops::Mul(x, ScalarLike(x, -std::sqrt(0.5)))));
}

// By implicit differentiation (Figurnov et al., "Implicit reparameterization
// gradients", 2018): at a fixed quantile the draw moves with each parameter.
void SeededGradient(GradContext& g) {
  const Tensor &mean = g.x(2), &deviation = g.x(3), &draws = g.y(0);
  const Tensor dy = g.dy(0);
  const auto standard = [&](const Tensor& x) {
    return ops::RealDiv(ops::Sub(x, mean), deviation);
  };
  const auto set = [&](int i, const Tensor& gradient) {
    g.Set(i, SumToShape(gradient, g.x(i), draws));
  };
  const Tensor z = standard(draws);
  if (g.wants(2)) set(2, dy);
  if (g.wants(3)) set(3, ops::Mul(dy, z));
  if (!g.wants(4) && !g.wants(5)) return;
  const Tensor low = standard(g.x(4)), high = standard(g.x(5));
  double tiny = std::numeric_limits<double>::min(),
         epsilon = std::numeric_limits<double>::epsilon();
  if (mean.dtype() == DataType::kFloat) {
    tiny = std::numeric_limits<float>::min();
    epsilon = std::numeric_limits<float>::epsilon();
  } else if (mean.dtype() == DataType::kHalf) {
    tiny = static_cast<double>(std::numeric_limits<half>::min());
    epsilon = static_cast<double>(std::numeric_limits<half>::epsilon());
  }
  const Tensor below = Cumulative(low);
  Tensor share = ops::RealDiv(ops::Sub(Cumulative(z), below),
                              ops::Sub(Cumulative(high), below));
  share = ops::Maximum(ops::Minimum(share, ScalarLike(share, 1 - epsilon)),
                       ScalarLike(share, tiny));
  // How much denser the limit's place is than the draw's.
  const auto moved = [&](const Tensor& limit, const Tensor& log_share) {
    const Tensor squares = ops::Sub(ops::Square(z), ops::Square(limit));
    return ops::Mul(dy, ops::Exp(ops::AddV2(
                            ops::Mul(ScalarLike(z, 0.5), squares), log_share)));
  };
  if (g.wants(4)) set(4, moved(low, ops::Log1p(ops::Neg(share))));
  if (g.wants(5)) set(5, moved(high, ops::Log(share)));
}

// ---- By a place in a stream ----

Status StatefulShape(InferenceContext& c) {
  for (int i = 1; i <= kParameters; ++i) {
    if (c.input(i).rank() > 1) {
      return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                             c.input(i).rank());
    }
  }
  return ShapeOfInput0(c);
}

Status ComputeStateful(KernelContext& c) {
  if (c.input(0).rank() != 1) {
    return InvalidArgument("Input shape should be a vector, got shape: {}",
                           c.input(0).shape().DebugString());
  }
  if (c.input(0).num_elements() == 0) {
    return InvalidArgument("Shape tensor must not be empty");
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ShapeFromInput(c.input(0)));
  int64_t batches = shape.dim(0);
  bool alike = true;
  for (int p = 0; p < kParameters; ++p) {
    const TensorShape& own = c.input(1 + p).shape();
    if (own.rank() > 1) {
      return InvalidArgument(
          "Input {} should be a scalar or vector, got shape: {}", kNames[p],
          own.DebugString());
    }
    alike &= own.rank() == 0 || (p < 2 && own.dim(0) == 1);
  }
  for (int p = 0; !alike && p < kParameters; ++p) {
    const TensorShape& own = c.input(1 + p).shape();
    if (own.rank() == 1 && own.dim(0) != 1 && own.dim(0) != batches) {
      return InvalidArgument(
          "Input {} should have length 1 or shape[0], got shape: {}", kNames[p],
          own.DebugString());
    }
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(1).dtype(), shape, &out));
  const int64_t total = shape.num_elements();
  if (total == 0) return OkStatus();
  int64_t each = total / batches;
  if (alike) {
    each = 100;
    batches = (total + each - 1) / each;
  }
  const Philox gen = TakePlace(c, [&](Philox& g) {
    g.Skip(static_cast<uint64_t>(batches) * kNumbersPerDraw * (each + 3) / 4);
  });
  return Draw(c, 1, gen, batches, each, 1, each, out, [&](int p, int64_t b) {
    return c.input(1 + p).num_elements() == 1 ? 0 : b;
  });
}

const OpRecord kRecords[] = {
    {.name = "StatelessParameterizedTruncatedNormal",
     .inputs = "shape: S; seed: Tseed; means: dtype; stddevs: dtype; minvals: "
               "dtype; maxvals: dtype",
     .outputs = "output: dtype",
     .attrs = "S: type in [int32, int64]; Tseed: type in [int32, int64] = "
              "int64; dtype: type in [half, float, double]",
     .shape = SeededShape,
     .kernel = {.compute = ComputeSeeded},
     .gradient = SeededGradient,
     .python = {.names = "random.stateless_parameterized_truncated_normal",
                .args = "shape: shape; seed: tensor(int32); means: tensor = "
                        "0.0; stddevs: tensor = 1.0; minvals: tensor = -2.0; "
                        "maxvals: tensor = 2.0",
                .scope = "stateless_parameterized_truncated_normal"},
     .doc = "Normal numbers between limits, a function of `seed` alone.\n\n"
            "Args:\n  shape: of the result; it ends with that of the "
            "parameters together.\n  seed: [2], integers.\n  means: of the "
            "distribution without limits.\n  stddevs: its deviations.\n  "
            "minvals: the lower limits.\n  maxvals: the upper limits.",
     .example = ">>> tf.random.stateless_parameterized_truncated_normal(\n"
                "...     [3], [1, 2], means=0., minvals=1., maxvals=2.).shape\n"
                "TensorShape([3])",
     .test = {.skip_gradient = true}},

    {.name = "ParameterizedTruncatedNormal",
     .inputs = "shape: T; means: dtype; stdevs: dtype; minvals: dtype; "
               "maxvals: dtype",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: type in [half, bfloat16, "
              "float, double]; T: type in [int32, int64]",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = StatefulShape,
     .kernel = {.compute = ComputeStateful},
     .doc = "Normal numbers between limits; the parameters are scalars, or one "
            "for each of the first dimension."},
};

}  // namespace

GK_REGISTER_OPS(random_truncated)

}  // namespace gk
