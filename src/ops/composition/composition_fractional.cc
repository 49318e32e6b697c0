// Pooling by ratios that are no whole numbers, and grayscale morphology.
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/Neg.h"
#include "ops/fn/ReverseV2.h"
#include "ops/random/random_seeds.h"
#include "ops/with_attrs/Dilation2D.h"
#include "ops/with_attrs/FractionalAvgPool.h"
#include "ops/with_attrs/FractionalMaxPool.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

// One ratio for both spatial dimensions, or one for each of two or four.
std::vector<float> RatiosOf(const CompositionCall& c, int i) {
  std::vector<float> ratios;
  if (const double* x = c.get<double>(i)) {
    ratios = {static_cast<float>(*x)};
  } else if (const int64_t* n = c.get<int64_t>(i)) {
    ratios = {static_cast<float>(*n)};
  } else if (const Ints* ints = c.get<Ints>(i)) {
    ratios.assign(ints->begin(), ints->end());
  } else {
    const Tensor known = c.known(i);
    if (!known) {
      throw Error(
          ValueError("`pooling_ratio` should be numbers that are known now."));
    }
    for (int64_t k = 0; k < known.num_elements(); ++k) {
      VisitType<float, double, int32_t, int64_t>(known.dtype(), [&](auto tag) {
        ratios.push_back(static_cast<float>(known.data<decltype(tag)>()[k]));
      });
    }
  }
  if (c.get<double>(i) == nullptr && c.get<int64_t>(i) == nullptr) {
    if (ratios.empty() || ratios.front() != 1 || ratios.back() != 1) {
      throw Error(ValueError(
          "`pooling_ratio` should have first and last elements with value "
          "1.0."));
    }
  }
  for (const float r : ratios) {
    if (!(r >= 1)) {
      throw Error(ValueError(
          "`pooling_ratio` elements should be >= 1.0. Received: {}", r));
    }
  }
  if (ratios.size() == 1) ratios = {1, ratios[0], ratios[0], 1};
  if (ratios.size() == 2) ratios = {1, ratios[0], ratios[1], 1};
  if (ratios.size() != 4) {
    throw Error(
        ValueError("pooling_ratio should be of length 1, 2 or 4. Received: "
                   "pooling_ratio of length {}",
                   ratios.size()));
  }
  return ratios;
}

template <TensorVector (*kOp)(OpAttrs, const Tensor&)>
TensorVector FractionalPooling(CompositionCall& c) {
  const int64_t seed = c.integer(4);
  AttrMap attrs;
  if (seed != 0) attrs = SeedAttrs(SeedsOfOp(seed));
  attrs.Set("deterministic", seed != 0);
  attrs.Set("pooling_ratio", RatiosOf(c, 1));
  attrs.Set("pseudo_random", c.flag(2));
  attrs.Set("overlapping", c.flag(3));
  return kOp(OpAttrs(std::move(attrs), c.name()), c.tensor(0));
}

Tensor Dilated(const CompositionCall& c, const Tensor& x, const Tensor& filter,
               std::string_view name) {
  if (c.text(4) != "NHWC") {
    throw Error(ValueError(
        "`data_format` values other  than 'NHWC' are not supported. Received: "
        "data_format={}",
        c.text(4)));
  }
  AttrMap attrs{
      {"strides", c.ints(2)}, {"rates", c.ints(5)}, {"padding", c.text(3)}};
  return ops::Dilation2D(OpAttrs(std::move(attrs), name), x, filter);
}

TensorVector Dilation(CompositionCall& c) {
  return {Dilated(c, c.tensor(0), c.tensor(1), c.name())};
}

// The dual of dilation.
TensorVector Erosion(CompositionCall& c) {
  const Tensor turned = ops::ReverseV2(c.tensor(1), IntegerVector(Ints{0, 1}));
  const std::string name = c.name("Dilation2D");
  return {ops::Neg(OpName(c.name()),
                   Dilated(c, ops::Neg(c.tensor(0)), turned, name))};
}

#define FRACTIONAL_POOL_ARGS                                            \
  "value: tensor; pooling_ratio: native; pseudo_random: bool = False; " \
  "overlapping: bool = False; seed: int = 0"
#define FRACTIONAL_POOL_RESULT \
  ": output, row_pooling_sequence, col_pooling_sequence"
#define FRACTIONAL_POOL_DOC                                                    \
  "\n\nArgs:\n  value: [batch, height, width, channels].\n  pooling_ratio: "   \
  "at least 1: a number, or a list [1, height's, width's, 1].\n  "             \
  "pseudo_random: the sizes follow from one random number, not from a random " \
  "order.\n  overlapping: windows share their borders.\n  seed: not 0: the "   \
  "same windows in each run.\n\nGives the result and where windows begin."

const CompositionRecord kRecords[] = {
    {.names = "nn.fractional_max_pool",
     .args = FRACTIONAL_POOL_ARGS,
     .scope = "FractionalMaxPool",
     .wraps_op = true,
     .build = FractionalPooling<ops::FractionalMaxPool>,
     .result = "FractionalMaxPool" FRACTIONAL_POOL_RESULT,
     .doc = "Largest elements of windows of two sizes in random "
            "order." FRACTIONAL_POOL_DOC,
     .example = ">>> tf.nn.fractional_max_pool(tf.ones([1, 6, 9, 1]), 1.5)"
                ".output.shape\nTensorShape([1, 4, 6, 1])"},
    {.names = "nn.fractional_avg_pool",
     .args = FRACTIONAL_POOL_ARGS,
     .scope = "FractionalAvgPool",
     .wraps_op = true,
     .build = FractionalPooling<ops::FractionalAvgPool>,
     .result = "FractionalAvgPool" FRACTIONAL_POOL_RESULT,
     .doc = "Means of windows of two sizes in random "
            "order." FRACTIONAL_POOL_DOC,
     .example = ">>> tf.nn.fractional_avg_pool(tf.ones([1, 6, 9, 1]), [1., "
                "1.5, 1.5, 1.]).output.shape\nTensorShape([1, 4, 6, 1])"},
    {.names = "nn.dilation2d",
     .args = "input: tensor(T); filters: tensor(T); strides: ints; padding: "
             "string; data_format: string; dilations: ints",
     .scope = "Dilation2D",
     .wraps_op = true,
     .build = Dilation,
     .doc = "The greatest sum of an image's and a filter's element under each "
            "place of the filter.\n\nArgs:\n  filters: [height, width, "
            "channels].\n  strides, dilations: one for each of four "
            "dimensions.\n  data_format: \"NHWC\".",
     .example = ">>> tf.nn.dilation2d([[[[1.], [3.]]]], tf.zeros([1, 2, 1]), "
                "[1, 1, 1, 1], \"VALID\", \"NHWC\", [1, 1, 1, 1]).numpy()"
                ".item()\n3.0"},
    {.names = "nn.erosion2d",
     .args = "value: tensor(T); filters: tensor(T); strides: ints; padding: "
             "string; data_format: string; dilations: ints",
     .scope = "erosion2d",
     .build = Erosion,
     .doc = "The least difference of an image's and a filter's element under "
            "each place of the filter.\n\nArgs:\n  as of tf.nn.dilation2d.",
     .example = ">>> tf.nn.erosion2d([[[[1.], [3.]]]], tf.zeros([1, 2, 1]), "
                "[1, 1, 1, 1], \"VALID\", \"NHWC\", [1, 1, 1, 1]).numpy()"
                ".item()\n1.0"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_fractional)

}  // namespace gk
