// tf.image: pictures turned, flipped, cut and padded.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition/picture.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ReverseV2.h"
#include "ops/fn/Round.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Transpose.h"
#include "ops/with_attrs/ExtractImagePatches.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

Tensor OfOne(const Tensor& scalar) { return ops::Reshape(scalar, Axes({1})); }

// ---- Flips and turns ----

// Rows are axis -3 and columns axis -2, whatever the rank.
Tensor Flipped(const Tensor& image, int64_t axis) {
  CheckSpace(image);
  CheckRank3Or4(image);
  const int rank = image.partial_shape().rank();
  return ops::ReverseV2(image, Axes({rank < 0 ? axis : axis + rank}));
}

template <int kAxis>
TensorVector Flip(CompositionCall& c) {
  return {Flipped(c.tensor(0), kAxis)};
}

// The order of axes in which rows and columns have changed places.
Tensor Swapped(const Tensor& image) {
  const int rank = image.partial_shape().rank();
  if (rank == 3) return Axes({1, 0, 2});
  if (rank == 4) return Axes({0, 2, 1, 3});
  const Tensor n = ops::Rank(image);
  const Tensor last = OfOne(n);
  const Tensor before =
      ops::Range(Int32Of(0), ops::Sub(n, Int32Of(3)), Int32Of(1));
  return ops::ConcatV2(
      TensorVector{before, ops::Sub(last, Axes({2})), ops::Sub(last, Axes({3})),
                   ops::Sub(last, Axes({1}))},
      Int32Of(0));
}

TensorVector TransposePicture(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  CheckSpace(image);
  CheckRank3Or4(image);
  return {ops::Transpose(image, Swapped(image))};
}

// The axis alone if the condition holds, else none.
Tensor AxisIf(int64_t axis, const Tensor& condition) {
  return ops::Slice(Axes({axis}), Axes({0}),
                    OfOne(ops::Cast(condition, DataType::kInt32)));
}

// A quarter turn against the clock swaps rows with columns and turns the rows
// around; three turn the columns around.
TensorVector Rotate(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  CheckSpace(image);
  CheckRank3Or4(image);
  const PartialTensorShape s = image.partial_shape();
  Tensor turns;
  if (const int64_t* v = c.get<int64_t>(1)) {
    turns = Int32Of(((*v % 4) + 4) % 4);
  } else {
    turns = ops::FloorMod(ArgumentAs(c, 1, DataType::kInt32, "k"), Int32Of(4));
  }
  const PartialTensorShape of_turns = turns.partial_shape();
  if (!of_turns.unknown_rank() && of_turns.rank() != 0) {
    throw Error(
        ValueError("Shape {} must have rank 0", of_turns.PythonString()));
  }
  if (const auto known = KnownInts(turns)) {
    const int64_t k = known->at(0);
    Tensor result = image;
    if (k % 2 == 1) result = ops::Transpose(result, Swapped(image));
    Ints around;
    const int rank = s.rank() < 0 ? 0 : s.rank();
    if (k == 1 || k == 2) around.push_back(rank - 3);
    if (k == 2 || k == 3) around.push_back(rank - 2);
    if (!around.empty()) result = ops::ReverseV2(result, Axes(around));
    return {k == 0 ? ops::Identity(image) : result};
  }
  const auto is = [&](int64_t k) { return ops::Equal(turns, Int32Of(k)); };
  const Tensor odd = ops::LogicalOr(is(1), is(3));
  const Tensor same = ops::Range(Int32Of(0), ops::Rank(image), Int32Of(1));
  const Tensor moved =
      ops::Transpose(image, ops::SelectV2(odd, Swapped(image), same));
  const Tensor around =
      ops::ConcatV2(TensorVector{AxisIf(-3, ops::LogicalOr(is(1), is(2))),
                                 AxisIf(-2, ops::LogicalOr(is(2), is(3)))},
                    Int32Of(0));
  const Tensor result = ops::ReverseV2(moved, around);
  if (s.rank() == 3) {
    TellShape(result, {kUnknownDim, kUnknownDim, s.dim(2)});
  } else if (s.rank() == 4) {
    TellShape(result, {s.dim(0), kUnknownDim, kUnknownDim, s.dim(3)});
  }
  return {result};
}

// ---- Random flips and crops ----

// Numbers of [low, high): from argument `seed` as the stateful function takes
// it, or as the stateless one.
template <bool kStateless>
Tensor Drawn(const CompositionCall& c, int seed, const Tensor& shape,
             CompositionValue low, CompositionValue high, DataType dtype) {
  if constexpr (kStateless) {
    return CallComposition(
        "random.stateless_uniform",
        {shape, c.tensor(seed), std::move(low), std::move(high), dtype})[0];
  } else {
    CompositionValue given;
    if (c.has(seed)) given = c.integer(seed);
    return CallComposition(
        "random.uniform",
        {shape, std::move(low), std::move(high), dtype, std::move(given)})[0];
  }
}

// A picture is flipped below 0.5; of a batch each one whose number rounds to
// 1, as a sum of both.
template <bool kStateless, int kAxis>
TensorVector RandomFlip(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  CheckSpace(image);
  CheckRank3Or4(image);
  const PartialTensorShape s = image.partial_shape();
  const auto draw = [&](const Tensor& shape) {
    return Drawn<kStateless>(c, 1, shape, int64_t{0}, 1.0, DataType::kFloat);
  };
  if (s.rank() == 3) {
    const Tensor flips =
        ops::Less(draw(Axes({})), NumberOf(0.5, DataType::kFloat));
    return {ops::ReverseV2(image, AxisIf(kAxis, flips))};
  }
  const Tensor batch = FirstSizes(image, 3);
  const Tensor drawn = draw(batch);
  Tensor flips = ops::Round(drawn);
  if (s.unknown_rank()) {
    const Tensor below = ops::Cast(
        ops::Less(drawn, NumberOf(0.5, DataType::kFloat)), DataType::kFloat);
    flips =
        ops::SelectV2(ops::Equal(ops::Rank(image), Int32Of(3)), below, flips);
  }
  const DataType t = image.dtype();
  flips = CastTo(
      ops::Reshape(flips, ops::ConcatV2(TensorVector{batch, Axes({1, 1, 1})},
                                        Int32Of(0))),
      t);
  const Tensor flipped = Flipped(image, kAxis);
  const Tensor stays = ops::Sub(NumberOf(1, t), flips);
  const Tensor result =
      ops::AddV2(ops::Mul(flips, flipped), ops::Mul(stays, image));
  TellShape(result, s);
  return {result};
}

template <bool kStateless>
TensorVector RandomCrop(CompositionCall& c) {
  const Tensor &value = c.tensor(0), &size = c.tensor(1);
  const DataType t = size.dtype();
  const Tensor shape = CastTo(ops::Shape(value), t);
  Require(ops::All(ops::GreaterEqual(shape, size), Axes({0})),
          "Need value.shape >= size");
  const Tensor one = NumberOf(1, t);
  const Tensor limit = ops::AddV2(ops::Sub(shape, size), one);
  const int64_t most = t == DataType::kInt64 ? INT64_MAX : INT32_MAX;
  const Tensor drawn =
      Drawn<kStateless>(c, 2, ops::Shape(shape), int64_t{0}, most, t);
  return {
      ops::Slice(OpName(c.name()), value, ops::FloorMod(drawn, limit), size)};
}

// ---- Crops and padding ----

TensorVector CentralCrop(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  std::optional<double> fraction;
  if (const double* v = c.get<double>(1)) fraction = *v;
  if (const int64_t* v = c.get<int64_t>(1)) {
    fraction = static_cast<double>(*v);
  }
  Tensor dynamic;
  if (!fraction) {
    dynamic = CastTo(c.tensor(1), DataType::kDouble);
    if (const Tensor known = dynamic.KnownValue()) {
      fraction = known.data<double>()[0];
    }
  }
  if (fraction) {
    if (!(*fraction > 0 && *fraction <= 1)) {
      throw Error(ValueError("central_fraction must be within (0, 1]"));
    }
    if (*fraction == 1) return {ops::Identity(image)};
  }
  CheckSpace(image);
  const PartialTensorShape s = image.partial_shape();
  if (s.rank() != 3 && s.rank() != 4) {
    throw Error(ValueError(
        "`image` should either be a Tensor with rank = 3 or rank = 4. Had "
        "rank = {}.",
        s.unknown_rank() ? std::string("None") : Format("{}", s.rank())));
  }
  const int rows = s.rank() - 3;
  const auto begin_of = [&](const Count& size) {
    if (size.known() && fraction) {
      const double n = static_cast<double>(size.value);
      return Count(static_cast<int64_t>((n - n * *fraction) / 2));
    }
    const Tensor part =
        fraction ? NumberOf(*fraction, DataType::kDouble) : dynamic;
    const Tensor n = ops::Cast(size.AsTensor(), DataType::kDouble);
    const Tensor rest = ops::Sub(n, ops::Mul(n, part));
    return Count(ops::Cast(ops::RealDiv(rest, NumberOf(2, DataType::kDouble)),
                           DataType::kInt32));
  };
  const Count height = DimOf(image, rows), width = DimOf(image, rows + 1);
  const Count top = begin_of(height), left = begin_of(width);
  const Count tall = height - top - top, wide = width - left - left;
  std::vector<Count> begin = {top, left, 0}, size = {tall, wide, -1};
  if (rows == 1) {
    begin.insert(begin.begin(), 0);
    size.insert(size.begin(), -1);
  }
  const Tensor result =
      ops::Slice(image, CountVector(begin), CountVector(size));
  PartialTensorShape known = s;
  known.SetDim(rows, tall.dim());
  known.SetDim(rows + 1, wide.dim());
  TellShape(result, known);
  return {result};
}

TensorVector PadToBox(CompositionCall& c) {
  return {PadPicture(c.tensor(0), CountArgument(c, 1), CountArgument(c, 2),
                     CountArgument(c, 3), CountArgument(c, 4))};
}

TensorVector CropToBox(CompositionCall& c) {
  return {CropPicture(c.tensor(0), CountArgument(c, 1), CountArgument(c, 2),
                      CountArgument(c, 3), CountArgument(c, 4))};
}

TensorVector CropOrPad(CompositionCall& c) {
  const PictureBatch batch = BatchOf(c.tensor(0));
  const Tensor& images = batch.images;
  const Count height = CountArgument(c, 1), width = CountArgument(c, 2);
  CheckSpace(images);
  RequireAtLeast(width, 1, "target_width must be > 0.");
  RequireAtLeast(height, 1, "target_height must be > 0.");
  const Count tall = DimOf(images, 1), wide = DimOf(images, 2);
  // Rounded as TensorFlow rounds: an odd pixel more is cut off behind.
  const auto half = [](const Count& a) { return Larger(HalfOf(a), 0); };
  const Tensor cropped =
      CropPicture(images, half(tall - height), half(wide - width),
                  Smaller(height, tall), Smaller(width, wide));
  return {batch.Back(PadPicture(cropped, half(height - tall),
                                half(width - wide), height, width))};
}

TensorVector Patches(CompositionCall& c) {
  AttrMap attrs;
  attrs.Set("ksizes", c.ints(1));
  attrs.Set("strides", c.ints(2));
  attrs.Set("rates", c.ints(3));
  attrs.Set("padding", c.text(4));
  return {ops::ExtractImagePatches(OpAttrs(std::move(attrs), c.name()),
                                   c.tensor(0))};
}

#define IMAGE "image: tensor"
#define TARGET "target_height: native; target_width: native"
#define BOX "offset_height: native; offset_width: native; " TARGET
#define SEED "seed: seed = None"
#define STATELESS_SEED "seed: tensor(int32)"
#define SPACE_DOC \
  "\n\nA picture is [height, width, channels], or a batch of such."

const CompositionRecord kRecords[] = {
    {.names = "image.flip_left_right",
     .args = IMAGE,
     .scope = "flip_left_right",
     .build = Flip<-2>,
     .doc = "Pictures with their columns turned around." SPACE_DOC,
     .example = ">>> tf.image.flip_left_right([[[1], [2]]]).numpy().tolist()\n"
                "[[[2], [1]]]",
     .takes_name = false},
    {.names = "image.flip_up_down",
     .args = IMAGE,
     .scope = "flip_up_down",
     .build = Flip<-3>,
     .doc = "Pictures with their rows turned around." SPACE_DOC,
     .example = ">>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().tolist()\n"
                "[[[2]], [[1]]]",
     .takes_name = false},
    {.names = "image.transpose",
     .args = IMAGE,
     .scope = "transpose",
     .build = TransposePicture,
     .doc = "Pictures whose rows become columns." SPACE_DOC,
     .example = ">>> tf.image.transpose([[[1], [2]]]).numpy().tolist()\n"
                "[[[1]], [[2]]]"},
    {.names = "image.rot90",
     .args = IMAGE "; k: native = 1",
     .scope = "rot90",
     .build = Rotate,
     .doc = "Pictures turned by `k` quarters against the clock." SPACE_DOC,
     .example = ">>> tf.image.rot90([[[1], [2]]]).numpy().tolist()\n"
                "[[[2]], [[1]]]"},
    {.names = "image.random_flip_left_right",
     .args = IMAGE "; " SEED,
     .scope = "random_flip_left_right",
     .build = RandomFlip<false, -2>,
     .doc = "Pictures of which each is flipped with chance 1/2.",
     .example = ">>> tf.image.random_flip_left_right([[[1], [1]]]).numpy()"
                ".tolist()\n[[[1], [1]]]",
     .takes_name = false},
    {.names = "image.random_flip_up_down",
     .args = IMAGE "; " SEED,
     .scope = "random_flip_up_down",
     .build = RandomFlip<false, -3>,
     .doc = "Pictures of which each is turned upside down with chance 1/2.",
     .example = ">>> tf.image.random_flip_up_down([[[1]], [[1]]]).numpy()"
                ".tolist()\n[[[1]], [[1]]]",
     .takes_name = false},
    {.names = "image.stateless_random_flip_left_right",
     .args = IMAGE "; " STATELESS_SEED,
     .scope = "stateless_random_flip_left_right",
     .build = RandomFlip<true, -2>,
     .doc = "Pictures of which each is flipped with chance 1/2, as the two "
            "integers of `seed` determine.",
     .example = ">>> tf.image.stateless_random_flip_left_right([[[1], [1]]], "
                "[1, 2]).shape\nTensorShape([1, 2, 1])",
     .takes_name = false},
    {.names = "image.stateless_random_flip_up_down",
     .args = IMAGE "; " STATELESS_SEED,
     .scope = "stateless_random_flip_up_down",
     .build = RandomFlip<true, -3>,
     .doc = "Pictures of which each is turned upside down with chance 1/2, as "
            "the two integers of `seed` determine.",
     .example = ">>> tf.image.stateless_random_flip_up_down([[[1]], [[1]]], "
                "[1, 2]).shape\nTensorShape([2, 1, 1])",
     .takes_name = false},
    {.names = "image.random_crop",
     .args = "value: tensor; size: tensor(int32); " SEED,
     .scope = "random_crop",
     .build = RandomCrop<false>,
     .doc = "A part of shape `size` of a tensor, at a random place.",
     .example = ">>> tf.image.random_crop(tf.ones([4, 4, 3]), [2, 2, 3])"
                ".shape\nTensorShape([2, 2, 3])"},
    {.names = "image.stateless_random_crop",
     .args = "value: tensor; size: tensor(int32); " STATELESS_SEED,
     .scope = "random_crop",
     .build = RandomCrop<true>,
     .doc = "A part of shape `size` of a tensor, at a place that the two "
            "integers of `seed` determine.",
     .example = ">>> tf.image.stateless_random_crop(tf.ones([4, 4, 3]), [2, 2, "
                "3], [1, 2]).shape\nTensorShape([2, 2, 3])"},
    {.names = "image.central_crop",
     .args = IMAGE "; central_fraction: native",
     .scope = "central_crop",
     .build = CentralCrop,
     .doc = "The middle of pictures: `central_fraction` of their height and "
            "width.",
     .example = ">>> tf.image.central_crop(tf.ones([4, 6, 3]), 0.5).shape\n"
                "TensorShape([2, 4, 3])",
     .takes_name = false},
    {.names = "image.pad_to_bounding_box",
     .args = IMAGE "; " BOX,
     .scope = "pad_to_bounding_box",
     .build = PadToBox,
     .doc = "Pictures with zeros around them: the offsets before, and so many "
            "behind that they get the target's size.",
     .example = ">>> tf.image.pad_to_bounding_box([[[1]]], 0, 1, 1, 3).numpy()"
                ".tolist()\n[[[0], [1], [0]]]",
     .takes_name = false},
    {.names = "image.crop_to_bounding_box",
     .args = IMAGE "; " BOX,
     .scope = "crop_to_bounding_box",
     .build = CropToBox,
     .doc = "The part of pictures that begins at the offsets and has the "
            "target's size.",
     .example = ">>> tf.image.crop_to_bounding_box([[[1], [2], [3]]], 0, 1, 1, "
                "2).numpy().tolist()\n[[[2], [3]]]",
     .takes_name = false},
    {.names = "image.resize_with_crop_or_pad",
     .args = IMAGE "; " TARGET,
     .scope = "resize_image_with_crop_or_pad",
     .build = CropOrPad,
     .doc = "Pictures brought to a size: what is too large is cut off on both "
            "sides, what is too small gets zeros there.",
     .example = ">>> tf.image.resize_with_crop_or_pad([[[1], [2], [3]]], 1, 1)"
                ".numpy().tolist()\n[[[2]]]",
     .takes_name = false},
    {.names = "image.extract_patches",
     .args = "images: tensor; sizes: ints; strides: ints; rates: ints; "
             "padding: string",
     .scope = "extract_patches",
     .build = Patches,
     .doc = "The patches of pictures that a window of `sizes` [1, rows, "
            "columns, 1] sees, in the last dimension.",
     .example = ">>> tf.image.extract_patches(tf.ones([1, 3, 3, 1]), [1, 2, 2, "
                "1], [1, 1, 1, 1],\n...     [1, 1, 1, 1], 'VALID').shape\n"
                "TensorShape([1, 2, 2, 4])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_geometry)

}  // namespace gk
