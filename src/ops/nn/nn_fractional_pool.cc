// Pooling by ratios that are no whole numbers (Graham, "Fractional
// max-pooling", 2014): windows of two sizes in random order.
#include "ops/fn/nn_fractional_pool.h"

#include <cmath>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/fractional_pool.h"
#include "ops/element_moves.h"
#include "ops/fn/Shape.h"
#include "ops/nn/window.h"
#include "ops/random/random_place.h"
#include "ops/with_attrs/FractionalAvgPoolGrad.h"
#include "ops/with_attrs/FractionalMaxPoolGrad.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

// Where windows begin that cover `in` places, the sizes in random order.
Ints ShuffledEnds(int64_t in, int64_t out, Philox* gen) {
  Ints sizes(out, in / out);
  for (int64_t i = 0; i < in % out; ++i) ++sizes[i];
  PhiloxStream random(*gen);
  gen->Skip(static_cast<uint64_t>((out + 3) / 4));
  for (int64_t i = 0; i + 1 < out; ++i) {
    std::swap(sizes[i], sizes[i + random.Word() % (out - i)]);
  }
  Ints ends(out + 1, 0);
  for (int64_t i = 0; i < out; ++i) ends[i + 1] = ends[i] + sizes[i];
  return ends;
}

// The same from one number u: ends at ceil(ratio (i + u)). The number is below
// what would make the first or last window too large or too small.
Ints PseudoRandomEnds(int64_t in, int64_t out, Philox* gen) {
  const double ratio = static_cast<double>(in) / static_cast<double>(out);
  const auto least = static_cast<double>(in / out);
  const double limit = std::min((least + 2) / ratio - 1,
                                (static_cast<double>(in + 1) - least) / ratio -
                                    static_cast<double>(out - 1));
  const double u = PhiloxStream(*gen).Double() * limit;
  gen->Skip(1);
  Ints ends(out + 1, 0);
  ends[out] = in;
  for (int64_t i = 1; i < out; ++i) {
    ends[i] =
        static_cast<int64_t>(std::ceil(ratio * (static_cast<double>(i) + u))) -
        1;
  }
  return ends;
}

template <class Fn>
void VisitPooled(DataType t, Fn&& fn) {
  VisitType<float, double, int32_t, int64_t>(t, std::forward<Fn>(fn));
}

Status CheckRatios(const std::vector<float>& ratios, const char* kind) {
  if (ratios.size() != 4) {
    return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  }
  for (const float r : ratios) {
    if (!(r >= 1)) {
      return InvalidArgument("pooling_ratio cannot be smaller than 1, got: {}",
                             r);
    }
  }
  if (ratios[0] != 1 || ratios[3] != 1) {
    return Unimplemented(
        "Fractional {} pooling is not yet supported on the batch nor channel "
        "dimension.",
        kind);
  }
  return OkStatus();
}

template <bool kMax>
Status ComputeFractional(KernelContext& c) {
  const Tensor& x = c.input(0);
  const auto& ratios = c.attr<std::vector<float>>("pooling_ratio");
  GK_RETURN_IF_ERROR(CheckRatios(ratios, kMax ? "max" : "average"));
  const auto seed = static_cast<uint64_t>(c.attr<int64_t>("seed"));
  const auto seed2 = static_cast<uint64_t>(c.attr<int64_t>("seed2"));
  const bool seeded = seed != 0 || seed2 != 0;
  if (seeded && !c.attr<bool>("deterministic")) {
    return InvalidArgument(
        "Both seed and seed2 should be 0 if deterministic is false.");
  }
  if (x.rank() != 4) return InvalidArgument("tensor_in must be 4-dimensional");
  int64_t out[4];
  for (int d = 0; d < 4; ++d) {
    if (x.dim(d) < ratios[d]) {
      return InvalidArgument(
          "Pooling ratio is higher than input dimension size for dimension {}. "
          "Input dim size: {} pooling ratio: {}",
          d, x.dim(d), ratios[d]);
    }
    out[d] = static_cast<int64_t>(
        std::floor(static_cast<float>(x.dim(d)) / ratios[d]));
  }
  Philox gen = seeded ? Philox::FromSeeds(seed, seed2)
                      : Philox::FromSeeds(RandomSeed(), RandomSeed());
  const auto ends =
      c.attr<bool>("pseudo_random") ? PseudoRandomEnds : ShuffledEnds;
  const Ints rows = ends(x.dim(1), out[1], &gen);
  const Ints columns = ends(x.dim(2), out[2], &gen);
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(
      0, x.dtype(), TensorShape({out[0], out[1], out[2], out[3]}), &y));
  for (int i = 1; i < 3; ++i) {
    const Ints& numbers = i == 1 ? rows : columns;
    Tensor* t;
    GK_RETURN_IF_ERROR(
        c.Allocate(i, DataType::kInt64,
                   TensorShape({static_cast<int64_t>(numbers.size())}), &t));
    std::copy(numbers.begin(), numbers.end(), t->data<int64_t>());
  }
  const FractionalPool pool{x.dim(0),
                            x.dim(1),
                            x.dim(2),
                            x.dim(3),
                            rows,
                            columns,
                            c.attr<bool>("overlapping")};
  VisitPooled(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const Parallel all(&ThreadPool::Global());
    if constexpr (kMax) {
      pool.Max(x.data<T>(), y->data<T>(), all);
    } else {
      pool.Average(x.data<T>(), y->data<T>(), all);
    }
  });
  return OkStatus();
}

// Of windows that an op was given.
StatusOr<FractionalPool> PoolOf(KernelContext& c, const TensorShape& input,
                                const TensorShape& output, const Tensor& rows,
                                const Tensor& columns) {
  for (const auto& [what, t, d] :
       {std::tuple("Row", &rows, 1), std::tuple("Column", &columns, 2)}) {
    if (t->num_elements() <= output.dim(d)) {
      return InvalidArgument(
          "Given out_backprop shape {}, {}_seq_tensor must have at least {} "
          "elements, but got {}",
          output.DebugString(), d == 1 ? "row" : "col", output.dim(d) + 1,
          t->num_elements());
    }
    for (const int64_t n : t->flat<int64_t>()) {
      if (n >= 0) continue;
      return InvalidArgument(
          "{} sequence tensor values must not be negative, got {}", what, n);
    }
  }
  if (output.dim(0) != input.dim(0) || output.dim(3) != input.dim(3)) {
    return InvalidArgument(
        "The output {} must have the batch and the channels of the input {}",
        output.DebugString(), input.DebugString());
  }
  if (output.num_elements() > 0 && input.num_elements() == 0) {
    return InvalidArgument("The input of windows must not be empty: {}",
                           input.DebugString());
  }
  return FractionalPool{input.dim(0),
                        input.dim(1),
                        input.dim(2),
                        input.dim(3),
                        rows.flat<int64_t>().subspan(0, output.dim(1) + 1),
                        columns.flat<int64_t>().subspan(0, output.dim(2) + 1),
                        c.attr<bool>("overlapping")};
}

Status ComputeFractionalMaxGrad(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1), &dy = c.input(2);
  if (x.rank() != 4) {
    return InvalidArgument("orig_input should be a tensor of rank 4, got {}",
                           x.shape().DebugString());
  }
  if (y.rank() != 4 || y.num_elements() == 0) {
    return InvalidArgument("orig_output should be a tensor of rank 4, got {}",
                           y.shape().DebugString());
  }
  if (dy.shape() != y.shape()) {
    return InvalidArgument("out_backprop has shape {}, but orig_output {}",
                           dy.shape().DebugString(), y.shape().DebugString());
  }
  for (const int i : {3, 4}) {
    if (c.input(i).rank() != 1) {
      return InvalidArgument(
          "{} must be a vector, received shape {}",
          i == 3 ? "row_pooling_sequence" : "col_pooling_sequence",
          c.input(i).shape().DebugString());
    }
  }
  GK_ASSIGN_OR_RETURN(const FractionalPool pool,
                      PoolOf(c, x.shape(), y.shape(), c.input(3), c.input(4)));
  Tensor* dx;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &dx));
  // A window outside of the image has no maximum.
  bool same = true;
  for (const int64_t n : pool.rows.first(pool.rows.size() - 1)) {
    same = same && n < pool.height;
  }
  for (const int64_t n : pool.columns.first(pool.columns.size() - 1)) {
    same = same && n < pool.width;
  }
  VisitPooled(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    same = same &&
           pool.MaxGradient(x.data<T>(), y.data<T>(), dy.data<T>(),
                            dx->data<T>(), Parallel(&ThreadPool::Global()));
  });
  if (!same) {
    return InvalidArgument("tensor_out_dup is not the same as tensor_out");
  }
  return OkStatus();
}

Status ComputeFractionalAvgGrad(KernelContext& c) {
  const Tensor &sizes = c.input(0), &dy = c.input(1);
  if (sizes.rank() != 1 || sizes.num_elements() != 4) {
    return InvalidArgument(
        "original input tensor shape must be1-dimensional and 4 elements");
  }
  if (dy.rank() != 4) {
    return InvalidArgument("out_backprop must be 4-dimensional");
  }
  for (const int64_t n : sizes.flat<int64_t>()) {
    if (n < 0) {
      return InvalidArgument("Expected a non-negative size, got {}", n);
    }
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(sizes.flat<int64_t>()));
  GK_ASSIGN_OR_RETURN(const FractionalPool pool,
                      PoolOf(c, shape, dy.shape(), c.input(2), c.input(3)));
  Tensor* dx;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &dx));
  VisitPooled(dy.dtype(), [&](auto tag) {
    using T = decltype(tag);
    pool.AverageGradient(dy.data<T>(), dx->data<T>(),
                         Parallel(&ThreadPool::Global()));
  });
  return OkStatus();
}

Status FractionalShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  const auto ratios = c.attr<std::vector<float>>("pooling_ratio");
  if (ratios.size() != 4) {
    return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  }
  for (const float r : ratios) {
    if (!(r >= 1)) {
      return InvalidArgument("pooling_ratio cannot be smaller than 1, got: {}",
                             r);
    }
  }
  for (int d = 0; d < 4; ++d) {
    if (x.dim(d) < 0) continue;
    const auto size = static_cast<int64_t>(
        std::floor(static_cast<float>(x.dim(d)) / ratios[d]));
    x.SetDim(d, size);
  }
  const auto ends = [&](int d) {
    return x.dim(d) < 0 ? kUnknownDim : x.dim(d) + 1;
  };
  c.set_output(0, x);
  c.set_output(1, {ends(1)});
  c.set_output(2, {ends(2)});
  return OkStatus();
}

Status FractionalMaxGradShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  c.set_output(0, x);
  return OkStatus();
}

Status FractionalAvgGradShape(InferenceContext& c) {
  PartialTensorShape shape = c.ValueAsShape(0);
  if (shape.unknown_rank()) shape = PartialTensorShape::UnknownOfRank(4);
  c.set_output(0, shape);
  return OkStatus();
}

OpAttrs FractionalAttrs(const GradContext& g) {
  return OpAttrs(SharedAttrs(g.attrs(), {"overlapping"}));
}

#define FRACTIONAL_TYPES "T: type in [float, double, int32, int64]"
#define FRACTIONAL_ATTRS                                                    \
  "pooling_ratio: list(float) >= 4; pseudo_random: bool = False; "          \
  "overlapping: bool = False; deterministic: bool = False; seed: int = 0; " \
  "seed2: int = 0; " FRACTIONAL_TYPES
#define FRACTIONAL_OUTPUTS \
  "output: T; row_pooling_sequence: int64; col_pooling_sequence: int64"

const OpRecord kRecords[] = {
    {.name = "FractionalMaxPool",
     .inputs = "value: T",
     .outputs = FRACTIONAL_OUTPUTS,
     .attrs = FRACTIONAL_ATTRS,
     .traits = kRandom | kStateful | kExpensive,
     .shape = FractionalShape,
     .kernel = {.compute = ComputeFractional<true>},
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::FractionalMaxPoolGrad(FractionalAttrs(g), g.x(0), g.y(0),
                                            g.dy(0), g.y(1), g.y(2)));
         },
     .doc = "The maxima of windows of two sizes in random order, and where "
            "these begin."},

    {.name = "FractionalMaxPoolGrad",
     .inputs = "orig_input: T; orig_output: T; out_backprop: T; "
               "row_pooling_sequence: int64; col_pooling_sequence: int64",
     .outputs = "output: T",
     .attrs = "overlapping: bool = False; " FRACTIONAL_TYPES,
     .traits = kExpensive,
     .shape = FractionalMaxGradShape,
     .kernel = {.compute = ComputeFractionalMaxGrad},
     .doc = "The gradient of fractional max pooling."},

    {.name = "FractionalAvgPool",
     .inputs = "value: T",
     .outputs = FRACTIONAL_OUTPUTS,
     .attrs = FRACTIONAL_ATTRS,
     .traits = kRandom | kStateful | kExpensive,
     .shape = FractionalShape,
     .kernel = {.compute = ComputeFractional<false>},
     .gradient =
         [](GradContext& g) {
           const Tensor shape = ops::Shape(g.x(0), DataType::kInt64);
           g.Set(0, ops::FractionalAvgPoolGrad(FractionalAttrs(g), shape,
                                               g.dy(0), g.y(1), g.y(2)));
         },
     .doc = "The averages of windows of two sizes in random order, and where "
            "these begin."},

    {.name = "FractionalAvgPoolGrad",
     .inputs = "orig_input_tensor_shape: int64; out_backprop: T; "
               "row_pooling_sequence: int64; col_pooling_sequence: int64",
     .outputs = "output: T",
     .attrs = "overlapping: bool = False; " FRACTIONAL_TYPES,
     .traits = kExpensive,
     .shape = FractionalAvgGradShape,
     .kernel = {.compute = ComputeFractionalAvgGrad},
     .doc = "The gradient of fractional average pooling."},
};

}  // namespace

GK_REGISTER_OPS(nn_fractional_pool)

}  // namespace gk
