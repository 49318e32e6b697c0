// tf.image: colours, brightness and contrast of pictures, also at random.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition/picture.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/AdjustContrastv2.h"
#include "ops/fn/AdjustHue.h"
#include "ops/fn/AdjustSaturation.h"
#include "ops/fn/All.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mean.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Tile.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

TensorVector Convert(CompositionCall& c) {
  return {ConvertPicture(c.tensor(0), c.type(1), c.flag(2))};
}

// ---- Adjustments ----

// fn(picture as floats), back in the picture's dtype.
template <class Fn>
TensorVector Adjusted(const Tensor& image, bool saturate, Fn&& fn) {
  const DataType t = image.dtype();
  return {ConvertPicture(fn(AsFloatPicture(image)), t, saturate)};
}

TensorVector Brightened(const Tensor& image, const Tensor& delta) {
  return Adjusted(image, true, [&](const Tensor& x) {
    return ops::AddV2(x, CastTo(delta, x.dtype()));
  });
}
TensorVector Contrasted(const Tensor& image, const Tensor& factor) {
  return Adjusted(image, true, [&](const Tensor& x) {
    return ops::AdjustContrastv2(x, factor);
  });
}
TensorVector Turned(const Tensor& image, const Tensor& delta) {
  if (!delta.is_symbolic() && delta.num_elements() == 1) {
    const float by = delta.data<float>()[0];
    if (by < -1 || by > 1) {
      throw Error(ValueError("delta must be in the interval [-1, 1]"));
    }
  }
  return Adjusted(image, false,
                  [&](const Tensor& x) { return ops::AdjustHue(x, delta); });
}
TensorVector Saturated(const Tensor& image, const Tensor& factor) {
  return Adjusted(image, false, [&](const Tensor& x) {
    return ops::AdjustSaturation(x, factor);
  });
}

using AdjustFn = TensorVector (*)(const Tensor& image, const Tensor& by);

// A number or a tensor of numbers as float32.
template <AdjustFn kAdjust>
TensorVector Adjust(CompositionCall& c) {
  return kAdjust(c.tensor(0), ArgumentAs(c, 1, DataType::kFloat, "factor"));
}

TensorVector AdjustBrightness(CompositionCall& c) {
  return Brightened(c.tensor(0), c.tensor(1));
}

TensorVector AdjustGamma(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  const char* text = "Gamma should be a non-negative real number.";
  const double* real = c.get<double>(1);
  const int64_t* whole = c.get<int64_t>(1);
  if ((real && !(*real >= 0)) || (whole && *whole < 0)) {
    throw Error(ValueError("{}", text));
  }
  if (!real && !whole) {
    const Tensor& gamma = c.tensor(1);
    Require(ops::All(ops::GreaterEqual(gamma, NumberOf(0, gamma.dtype())),
                     AllAxes(gamma)),
            text);
  }
  return Adjusted(image, true, [&](const Tensor& x) {
    const Tensor gamma = ArgumentAs(c, 1, x.dtype(), "gamma");
    const Tensor gain = ArgumentAs(c, 2, x.dtype(), "gain");
    return ops::Mul(gain, ops::Pow(x, gamma));
  });
}

// ---- At random ----

// A number of [low, high) from argument `seed`.
template <bool kStateless>
Tensor DrawnNumber(const CompositionCall& c, int seed, double low,
                   double high) {
  const Tensor shape = Axes({});
  if constexpr (kStateless) {
    if (!c.has(seed)) {
      throw Error(ValueError("seed must be two integers, got None"));
    }
    return CallComposition(
        "random.stateless_uniform",
        {shape, c.tensor(seed), low, high, DataType::kFloat})[0];
  } else {
    CompositionValue given;
    if (c.has(seed)) given = c.integer(seed);
    return CallComposition(
        "random.uniform",
        {shape, low, high, DataType::kFloat, std::move(given)})[0];
  }
}

template <bool kStateless, AdjustFn kAdjust>
TensorVector RandomDelta(CompositionCall& c) {
  const double most = c.real(1);
  if (kAdjust == Turned && most > 0.5) {
    throw Error(ValueError("max_delta must be <= 0.5."));
  }
  if (most < 0) throw Error(ValueError("max_delta must be non-negative."));
  return kAdjust(c.tensor(0), DrawnNumber<kStateless>(c, 2, -most, most));
}

template <bool kStateless, AdjustFn kAdjust>
TensorVector RandomFactor(CompositionCall& c) {
  const double lower = c.real(1), upper = c.real(2);
  if (upper <= lower) throw Error(ValueError("upper must be > lower."));
  if (lower < 0) throw Error(ValueError("lower must be non-negative."));
  return kAdjust(c.tensor(0), DrawnNumber<kStateless>(c, 3, lower, upper));
}

// ---- Colour spaces ----

// The last dimension times a 3 x 3 matrix.
TensorVector Mixed(const Tensor& images, const double (&matrix)[9]) {
  const PartialTensorShape s = images.partial_shape();
  if (s.unknown_rank()) {
    throw Error(
        TypeError("the rank of the images must be known to mix their colours"));
  }
  const DataType t = images.dtype();
  Tensor kernel =
      ValueOrThrow(Tensor::Allocate(DataType::kDouble, TensorShape({3, 3})));
  std::copy_n(matrix, 9, kernel.data<double>());
  kernel = ValueOrThrow(OpBuilder::Current()->Constant(kernel, "kernel"));
  return CallComposition("tensordot",
                         {images, CastTo(kernel, t), Ints{s.rank() - 1, 0}});
}

constexpr double kToYiq[] = {0.299, 0.59590059,  0.2115,       //
                             0.587, -0.27455667, -0.52273617,  //
                             0.114, -0.32134392, 0.31119955};
constexpr double kFromYiq[] = {1,          1,           1,            //
                               0.95598634, -0.27201283, -1.10674021,  //
                               0.6208248,  -0.64720424, 1.70423049};
constexpr double kToYuv[] = {0.299, -0.14714119, 0.61497538,   //
                             0.587, -0.28886916, -0.51496512,  //
                             0.114, 0.43601035,  -0.10001026};
constexpr double kFromYuv[] = {1,          1,
                               1,  //
                               0,          -0.394642334,
                               2.03206185,  //
                               1.13988303, -0.58062185,
                               0};

template <const double (&kMatrix)[9]>
TensorVector Mix(CompositionCall& c) {
  return Mixed(c.tensor(0), kMatrix);
}

TensorVector ToGray(CompositionCall& c) {
  const Tensor& images = c.tensor(0);
  const DataType t = images.dtype();
  const Tensor x = ConvertPicture(images, DataType::kFloat, false);
  constexpr float kWeights[] = {0.2989f, 0.587f, 0.114f};
  const Tensor weights = ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Vector<float>(kWeights), "b"));
  const Tensor gray =
      CallComposition("tensordot", {x, weights, Ints{-1, -1}})[0];
  return {ConvertPicture(ops::ExpandDims(gray, Int32Of(-1)), t, false)};
}

TensorVector FromGray(CompositionCall& c) {
  const Tensor& images = c.tensor(0);
  const PartialTensorShape s = images.partial_shape();
  if (!s.unknown_rank() && s.rank() < 2) {
    throw Error(ValueError(
        "A grayscale image (shape {}) must be at least two-dimensional.",
        s.PythonString()));
  }
  const char* text = "Last dimension of a grayscale image should be size 1.";
  if (s.IsFullyDefined()) {
    if (s.dim(s.rank() - 1) != 1) throw Error(ValueError("{}", text));
  } else {
    Require(ops::All(ops::Equal(LastSizes(images, 1), Axes({1})), Axes({0})),
            text);
    Require(ops::GreaterEqual(ops::Rank(images), Int32Of(3)),
            "A grayscale image must be at least two-dimensional.");
  }
  Tensor multiples;
  if (s.unknown_rank()) {
    const Tensor before =
        ops::Reshape(ops::Sub(ops::Rank(images), Int32Of(1)), Axes({1}));
    multiples = ops::ConcatV2(
        TensorVector{ops::Fill(before, Int32Of(1)), Axes({3})}, Int32Of(0));
  } else {
    Ints times(s.rank(), 1);
    times.back() = 3;
    multiples = Axes(times);
  }
  const Tensor rgb = ops::Tile(OpName(c.name()), images, multiples);
  if (!s.unknown_rank()) {
    PartialTensorShape known = s;
    known.SetDim(s.rank() - 1, 3);
    TellShape(rgb, known);
  }
  return {rgb};
}

// Mean 0 and deviation 1, but no more than the number of pixels allows.
TensorVector Standardized(CompositionCall& c) {
  CheckSpace(c.tensor(0));
  const Tensor image = CastTo(c.tensor(0), DataType::kFloat);
  const Tensor pixels = ops::Prod(LastSizes(image, 3), Axes({0}));
  const Tensor axes = Axes({-1, -2, -3});
  const Tensor mean = ops::Mean(image, axes, true);
  const Tensor deviation =
      CallComposition("math.reduce_std", {image, axes, true})[0];
  const Tensor least = ops::Rsqrt(ops::Cast(pixels, DataType::kFloat));
  return {ops::RealDiv(OpName(c.name()), ops::Sub(image, mean),
                       ops::Maximum(deviation, least))};
}

#define PICTURES "image: tensor; "
#define SEED "seed: seed = None"
#define STATELESS_SEED "seed: tensor(int32)"
#define DELTA "max_delta: float; "
#define FACTORS "lower: float; upper: float; "
#define SEEDED_DOC " The two integers of `seed` determine it."

const CompositionRecord kRecords[] = {
    {.names = "image.convert_image_dtype",
     .args = "image: tensor; dtype: type; saturate: bool = False",
     .scope = "convert_image",
     .maps = 1,
     .build = Convert,
     .doc = "Pictures of another dtype, scaled: floats of [0, 1] stand for all "
            "numbers from 0 of an integer type.\n\nArgs:\n  saturate: keeps "
            "what is out of range at the limits.",
     .example = ">>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8)"
                ".numpy().tolist()\n[0, 127, 255]"},
    {.names = "image.adjust_brightness",
     .args = PICTURES "delta: tensor",
     .scope = "adjust_brightness",
     .maps = 1,
     .build = AdjustBrightness,
     .doc = "Pictures with `delta` added; integers count as parts of 1.",
     .example = ">>> tf.image.adjust_brightness([0.25], 0.5).numpy().tolist()\n"
                "[0.75]",
     .takes_name = false},
    {.names = "image.adjust_contrast",
     .args = "images: tensor; contrast_factor: native",
     .scope = "adjust_contrast",
     .build = Adjust<Contrasted>,
     .doc = "Pictures whose pixels are `contrast_factor` times as far from the "
            "mean of their channel.",
     .example = ">>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy()"
                ".tolist()\n[[[0.0], [4.0]]]",
     .takes_name = false},
    {.names = "image.adjust_gamma",
     .args = PICTURES "gamma: native = 1; gain: native = 1",
     .scope = "adjust_gamma",
     .maps = 1,
     .build = AdjustGamma,
     .doc = "gain * image ** gamma, integers as parts of 1.",
     .example = ">>> tf.image.adjust_gamma([0.5], 2.0).numpy().tolist()\n"
                "[0.25]",
     .takes_name = false},
    {.names = "image.adjust_hue",
     .args = PICTURES "delta: native",
     .scope = "adjust_hue",
     .build = Adjust<Turned>,
     .doc = "Pictures of red, green and blue with hues `delta` turns further, "
            "-1 to 1.",
     .example = ">>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy()"
                ".tolist()\n[[[0.0, 1.0, 1.0]]]"},
    {.names = "image.adjust_saturation",
     .args = PICTURES "saturation_factor: native",
     .scope = "adjust_saturation",
     .build = Adjust<Saturated>,
     .doc = "Pictures of red, green and blue, `saturation_factor` times as "
            "saturated.",
     .example = ">>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0)"
                ".numpy().tolist()\n[[[1.0, 1.0, 1.0]]]"},

    {.names = "image.random_brightness",
     .args = PICTURES DELTA SEED,
     .maps = 1,
     .build = RandomDelta<false, Brightened>,
     .doc = "Pictures with a random number of [-max_delta, max_delta) added.",
     .example = ">>> tf.image.random_brightness([0.5], 0.1).shape\n"
                "TensorShape([1])",
     .takes_name = false},
    {.names = "image.stateless_random_brightness",
     .args = PICTURES DELTA STATELESS_SEED,
     .maps = 1,
     .build = RandomDelta<true, Brightened>,
     .doc = "Pictures with a random number of [-max_delta, max_delta) "
            "added." SEEDED_DOC,
     .example = ">>> tf.image.stateless_random_brightness([0.5], 0.1, [1, 2])"
                ".shape\nTensorShape([1])",
     .takes_name = false},
    {.names = "image.random_hue",
     .args = PICTURES DELTA SEED,
     .build = RandomDelta<false, Turned>,
     .doc = "Pictures with hues moved by a random number of [-max_delta, "
            "max_delta) turns, at most 0.5.",
     .example = ">>> tf.image.random_hue([[[1.0, 0.0, 0.0]]], 0.1).shape\n"
                "TensorShape([1, 1, 3])",
     .takes_name = false},
    {.names = "image.stateless_random_hue",
     .args = PICTURES DELTA STATELESS_SEED,
     .build = RandomDelta<true, Turned>,
     .doc = "Pictures with hues moved by a random number of [-max_delta, "
            "max_delta) turns, at most 0.5." SEEDED_DOC,
     .example = ">>> tf.image.stateless_random_hue([[[1.0, 0.0, 0.0]]], 0.1, "
                "[1, 2]).shape\nTensorShape([1, 1, 3])",
     .takes_name = false},
    {.names = "image.random_contrast",
     .args = PICTURES FACTORS SEED,
     .build = RandomFactor<false, Contrasted>,
     .doc = "Pictures with their contrast times a random number of [lower, "
            "upper).",
     .example = ">>> tf.image.random_contrast(tf.ones([2, 2, 3]), 0.5, 2.0)"
                ".shape\nTensorShape([2, 2, 3])",
     .takes_name = false},
    {.names = "image.stateless_random_contrast",
     .args = PICTURES FACTORS STATELESS_SEED,
     .build = RandomFactor<true, Contrasted>,
     .doc = "Pictures with their contrast times a random number of [lower, "
            "upper)." SEEDED_DOC,
     .example = ">>> tf.image.stateless_random_contrast(tf.ones([2, 2, 3]), "
                "0.5, 2.0, [1, 2]).shape\nTensorShape([2, 2, 3])",
     .takes_name = false},
    {.names = "image.random_saturation",
     .args = PICTURES FACTORS SEED,
     .build = RandomFactor<false, Saturated>,
     .doc = "Pictures with their saturation times a random number of [lower, "
            "upper).",
     .example = ">>> tf.image.random_saturation(tf.ones([2, 2, 3]), 0.5, 2.0)"
                ".shape\nTensorShape([2, 2, 3])",
     .takes_name = false},
    {.names = "image.stateless_random_saturation",
     .args = PICTURES FACTORS STATELESS_SEED " = None",
     .build = RandomFactor<true, Saturated>,
     .doc = "Pictures with their saturation times a random number of [lower, "
            "upper)." SEEDED_DOC,
     .example = ">>> tf.image.stateless_random_saturation(tf.ones([2, 2, 3]), "
                "0.5, 2.0, [1, 2]).shape\nTensorShape([2, 2, 3])",
     .takes_name = false},

    {.names = "image.rgb_to_yiq",
     .args = "images: tensor",
     .build = Mix<kToYiq>,
     .doc = "Red, green and blue as the colours Y, I and Q of NTSC.",
     .example = ">>> tf.image.rgb_to_yiq(tf.ones([1, 3])).shape\n"
                "TensorShape([1, 3])",
     .takes_name = false},
    {.names = "image.yiq_to_rgb",
     .args = "images: tensor",
     .build = Mix<kFromYiq>,
     .doc = "The colours Y, I and Q of NTSC as red, green and blue.",
     .example = ">>> tf.image.yiq_to_rgb([[1.0, 0.0, 0.0]]).numpy().tolist()\n"
                "[[1.0, 1.0, 1.0]]",
     .takes_name = false},
    {.names = "image.rgb_to_yuv",
     .args = "images: tensor",
     .build = Mix<kToYuv>,
     .doc = "Red, green and blue as the colours Y, U and V of PAL.",
     .example = ">>> tf.image.rgb_to_yuv(tf.ones([1, 3])).shape\n"
                "TensorShape([1, 3])",
     .takes_name = false},
    {.names = "image.yuv_to_rgb",
     .args = "images: tensor",
     .build = Mix<kFromYuv>,
     .doc = "The colours Y, U and V of PAL as red, green and blue.",
     .example = ">>> tf.image.yuv_to_rgb([[1.0, 0.0, 0.0]]).numpy().tolist()\n"
                "[[1.0, 1.0, 1.0]]",
     .takes_name = false},
    {.names = "image.rgb_to_grayscale",
     .args = "images: tensor",
     .scope = "rgb_to_grayscale",
     .build = ToGray,
     .doc = "How bright red, green and blue are, as one channel.",
     .example = ">>> tf.image.rgb_to_grayscale([[[0.0, 0.0, 0.0]]]).numpy()"
                ".tolist()\n[[[0.0]]]"},
    {.names = "image.grayscale_to_rgb",
     .args = "images: tensor",
     .scope = "grayscale_to_rgb",
     .build = FromGray,
     .doc = "Pictures of one channel, three times.",
     .example = ">>> tf.image.grayscale_to_rgb([[[1]]]).numpy().tolist()\n"
                "[[[1, 1, 1]]]"},
    {.names = "image.per_image_standardization",
     .args = "image: tensor",
     .scope = "per_image_standardization",
     .build = Standardized,
     .doc = "Each picture as float32 of mean 0 and deviation 1; the deviation "
            "it is divided by is at least 1 / sqrt(pixels).",
     .example = ">>> tf.image.per_image_standardization([[[1.0], [3.0]]])"
                ".numpy().tolist()\n[[[-1.0], [1.0]]]",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_color)

}  // namespace gk
