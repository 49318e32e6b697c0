// tf.io and tf.image: pictures in files, and pictures as JPEG leaves them.
#include <string>
#include <utility>

#include "ops/composition/picture.h"
#include "ops/element_moves.h"
#include "ops/fn/DecodeImage.h"
#include "ops/fn/EncodeJpegVariableQuality.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Substr.h"
#include "ops/with_attrs/DecodeJpeg.h"

namespace gk {
namespace {

TensorVector IsJpeg(CompositionCall& c) {
  const Tensor head = ops::Substr(c.tensor(0), Int32Of(0), Int32Of(3));
  const Tensor mark = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar<std::string>("\xff\xd8\xff"), "Const"));
  return {ops::Equal(OpName(c.name()), head, mark)};
}

TensorVector DecodePicture(CompositionCall& c) {
  const int64_t channels = c.has(1) ? c.integer(1) : 0;
  const DataType dtype = c.type(2);
  const bool reads = dtype == DataType::kUint8 || dtype == DataType::kUint16 ||
                     dtype == DataType::kFloat;
  const DataType read = reads ? dtype : DataType::kUint16;
  const bool all_frames = c.flag(4);
  Tensor image = ops::DecodeImage(c.tensor(0), channels, read, all_frames);
  if (!reads) image = ConvertPicture(image, dtype, false);
  if (!all_frames) {
    TellShape(image, {kUnknownDim, kUnknownDim,
                      channels == 0 ? kUnknownDim : channels});
  }
  return {image};
}

// A picture written and read again.
Tensor ThroughJpeg(const Tensor& image, const Tensor& quality,
                   const std::string& method) {
  const DataType t = image.dtype();
  const PartialTensorShape s = image.partial_shape();
  if (s.unknown_rank()) {
    throw Error(
        ValueError("as_list() is not defined on an unknown "
                   "TensorShape."));
  }
  const Tensor bytes = ops::EncodeJpegVariableQuality(
      ConvertPicture(image, DataType::kUint8, true), quality);
  AttrMap attrs;
  const int64_t channels = s.rank() > 0 ? s.dim(s.rank() - 1) : kUnknownDim;
  attrs.Set("channels", channels < 0 ? int64_t{0} : channels);
  attrs.Set("dct_method", method);
  const Tensor read = ops::DecodeJpeg(OpAttrs(std::move(attrs)), bytes);
  return ConvertPicture(read, t, true);
}

TensorVector AdjustQuality(CompositionCall& c) {
  return {ThroughJpeg(c.tensor(0),
                      ArgumentAs(c, 1, DataType::kInt32, "jpeg_quality"),
                      c.text(2))};
}

template <bool kStateless>
TensorVector RandomQuality(CompositionCall& c) {
  const int64_t low = c.integer(1), high = c.integer(2);
  if (low < 0 || high < 0 || low > 100 || high > 100) {
    throw Error(ValueError("jpeg encoding range must be between 0 and 100."));
  }
  if (low >= high) {
    throw Error(
        ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`."));
  }
  Tensor quality;
  if constexpr (kStateless) {
    quality = CallComposition(
        "random.stateless_uniform",
        {Axes({}), c.tensor(3), low, high, DataType::kInt32})[0];
  } else {
    CompositionValue seed;
    if (c.has(3)) seed = c.integer(3);
    quality = CallComposition(
        "random.uniform",
        {Axes({}), low, high, DataType::kInt32, std::move(seed)})[0];
  }
  return {ThroughJpeg(c.tensor(0), quality, "")};
}

#define QUALITIES \
  "image: tensor; min_jpeg_quality: int; max_jpeg_quality: int; seed: "

const CompositionRecord kRecords[] = {
    {.names = "io.is_jpeg|image.is_jpeg",
     .args = "contents: tensor",
     .scope = "is_jpeg",
     .build = IsJpeg,
     .doc = "Whether bytes begin as those of a JPEG file do.",
     .example = ">>> tf.io.is_jpeg(b'no').numpy().item()\nFalse"},
    {.names = "io.decode_image|image.decode_image",
     .args = "contents: tensor; channels: int = None; dtype: type = uint8; "
             "name: name = None; expand_animations: bool = True",
     .scope = "decode_image",
     .build = DecodePicture,
     .doc = "The picture in the bytes of a file of JPEG, PNG, GIF, BMP or "
            "WebP.\n\nArgs:\n  channels: as the decoder of the format takes "
            "them; None: as the file has them.\n  dtype: of the result, whose "
            "pixels are scaled.\n  expand_animations: gives GIF and WebP as "
            "[frames, height, width, channels]; else the first frame alone, "
            "and every picture is of rank 3.",
     .example = ">>> file = tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))\n"
                ">>> tf.io.decode_image(file).shape\nTensorShape([2, 3, 3])"},
    {.names = "image.adjust_jpeg_quality",
     .args = "image: tensor; jpeg_quality: native; dct_method: string = ''",
     .scope = "adjust_jpeg_quality",
     .build = AdjustQuality,
     .doc = "A picture [height, width, channels] as a JPEG file of a quality "
            "from 0 to 100 keeps it.",
     .example = ">>> tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 50)"
                ".shape\nTensorShape([8, 8, 3])"},
    {.names = "image.random_jpeg_quality",
     .args = QUALITIES "seed = None",
     .build = RandomQuality<false>,
     .doc = "A picture as a JPEG file of a random quality of [min, max) keeps "
            "it.",
     .example = ">>> tf.image.random_jpeg_quality(tf.zeros([8, 8, 3]), 50, 90)"
                ".shape\nTensorShape([8, 8, 3])",
     .takes_name = false},
    {.names = "image.stateless_random_jpeg_quality",
     .args = QUALITIES "tensor(int32)",
     .build = RandomQuality<true>,
     .doc = "A picture as a JPEG file of a quality of [min, max) keeps it, as "
            "the two integers of `seed` determine.",
     .example = ">>> tf.image.stateless_random_jpeg_quality(tf.zeros([8, 8, "
                "3]), 50, 90, [1, 2]).shape\nTensorShape([8, 8, 3])",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_file)

}  // namespace gk
