// Pictures from the bytes of files.
#include <array>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "kernels/picture_codec.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// Whichever op reads it, bytes are of the format that they begin with.
enum class Reader { kAny, kJpeg, kJpegCrop, kPng, kGif, kBmp, kWebp };

constexpr const char* NameOf(Reader r) {
  constexpr const char* kNames[] = {
      "DecodeImage", "DecodeJpeg", "DecodeAndCropJpeg", "DecodePng",
      "DecodeGif",   "DecodeBmp",  "DecodeWebP"};
  return kNames[static_cast<int>(r)];
}

struct Decoding {
  Reader reader;
  int channels = 0;
  DataType dtype = DataType::kUint8;
  bool all_frames = true;
  JpegReading jpeg;

  // Does the op give [frames, height, width, channels] of these bytes?
  bool GivesFrames(PictureFormat format) const {
    if (reader == Reader::kGif || reader == Reader::kWebp) return true;
    return reader == Reader::kAny && all_frames &&
           (format == PictureFormat::kGif || format == PictureFormat::kWebp);
  }
};

Status ReadJpegAttrs(KernelContext& c, Decoding* d) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"ratio"}));
  JpegReading& how = d->jpeg;
  how.ratio = static_cast<int>(c.attr<int64_t>("ratio"));
  if (how.ratio != 1 && how.ratio != 2 && how.ratio != 4 && how.ratio != 8) {
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got {}", how.ratio);
  }
  how.smooth_upscaling = c.attr<bool>("fancy_upscaling");
  how.recover = c.attr<bool>("try_recover_truncated");
  how.least = c.attr<float>("acceptable_fraction");
  const std::string& method = c.attr<std::string>("dct_method");
  if (!method.empty() && method != "INTEGER_FAST" &&
      method != "INTEGER_ACCURATE") {
    return InvalidArgument(
        "dct_method must be one of {{'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}}");
  }
  how.accurate = method == "INTEGER_ACCURATE";
  if (d->reader != Reader::kJpegCrop) return OkStatus();
  const Tensor& window = c.input(1);
  if (window.rank() != 1) {
    return InvalidArgument("crop_window must be 1-D, got shape {}",
                           window.shape().DebugString());
  }
  if (window.dim(0) != 4) {
    return InvalidArgument("crop_size must have four elements {}",
                           window.shape().DebugString());
  }
  const int32_t* w = window.data<int32_t>();
  how.crops = true;
  how.top = w[0];
  how.left = w[1];
  how.height = w[2];
  how.width = w[3];
  return OkStatus();
}

// Numbers of 8 bits in another dtype.
void Widen(const uint8_t* from, int64_t n, Tensor* out) {
  ThreadPool::Global().ParallelRange(n, 1, [&](int64_t begin, int64_t end) {
    if (out->dtype() == DataType::kUint16) {
      uint16_t* to = out->data<uint16_t>();
      for (int64_t i = begin; i < end; ++i) {
        to[i] = static_cast<uint16_t>(from[i] << 8);
      }
    } else {
      float* to = out->data<float>();
      constexpr float kScale = 1.0f / 255.0f;
      for (int64_t i = begin; i < end; ++i) to[i] = from[i] * kScale;
    }
  });
}

// Makes output 0, and room for pixels of `bits` which are then converted.
class Pixels {
 public:
  Pixels(KernelContext& c, const Decoding& d, PictureFormat format, int bits)
      : c_(c), d_(d), format_(format), bits_(bits) {}

  StatusOr<void*> Make(const PictureShape& p) {
    if (p.frames > 1 && !d_.GivesFrames(format_)) {
      return InvalidArgument(
          "Got {} frames, but animated gifs can only be decoded by "
          "tf.io.decode_gif or tf.io.decode_image",
          p.frames);
    }
    std::vector<int64_t> dims = {p.height, p.width, p.channels};
    if (d_.GivesFrames(format_)) dims.insert(dims.begin(), p.frames);
    GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    GK_RETURN_IF_ERROR(c_.Allocate(0, d_.dtype, shape, &out_));
    const int wanted = d_.dtype == DataType::kUint8 ? 8 : 16;
    if (bits_ == wanted && d_.dtype != DataType::kFloat) {
      return out_->raw_data();
    }
    GK_ASSIGN_OR_RETURN(
        read_, Tensor::Allocate(
                   bits_ == 8 ? DataType::kUint8 : DataType::kUint16, shape));
    return read_.raw_data();
  }
  Status Convert() {
    if (!read_) return OkStatus();
    if (bits_ == 8) {
      Widen(read_.data<uint8_t>(), read_.num_elements(), out_);
      return OkStatus();
    }
    constexpr float kScale = 1.0f / 65535.0f;
    for (int64_t i = 0; i < read_.num_elements(); ++i) {
      out_->data<float>()[i] = read_.data<uint16_t>()[i] * kScale;
    }
    return OkStatus();
  }

 private:
  KernelContext& c_;
  const Decoding& d_;
  PictureFormat format_;
  int bits_;
  Tensor* out_ = nullptr;
  Tensor read_;
};

// What an op does not read of a format.
Status CheckFormat(const Decoding& d, PictureFormat format) {
  const char* names[] = {"", "JPEG", "PNG", "GIF", "BMP", "WebP"};
  const char* functions[] = {"",           "decode_jpeg", "decode_png",
                             "decode_gif", "decode_bmp",  "decode_webp"};
  const int f = static_cast<int>(format);
  if (format == PictureFormat::kUnknown) {
    return InvalidArgument(
        "Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP "
        "required.");
  }
  const bool moves = format == PictureFormat::kWebp;
  if (d.reader == Reader::kJpegCrop && format != PictureFormat::kJpeg) {
    return InvalidArgument(
        "DecodeAndCropJpeg operation can run on JPEG only, but detected {}.",
        names[f]);
  }
  if (d.reader == Reader::kBmp && format != PictureFormat::kBmp && !moves) {
    return InvalidArgument(
        "Trying to decode {} format using DecodeBmp op. Use `{}` or "
        "`decode_image` instead.",
        names[f], functions[f]);
  }
  if (format == PictureFormat::kBmp && d.reader != Reader::kAny &&
      d.reader != Reader::kBmp) {
    return InvalidArgument(
        "Trying to decode BMP format using a wrong op. Use `decode_bmp` or "
        "`decode_image` instead. Op used: {}",
        NameOf(d.reader));
  }
  if (format == PictureFormat::kGif && d.channels != 0 && d.channels != 3) {
    return InvalidArgument("channels must be 0 or 3 for GIF, got {}",
                           d.channels);
  }
  if (format == PictureFormat::kGif && d.reader == Reader::kWebp) {
    return InvalidArgument("Bad op type DecodeWebP");
  }
  if (format == PictureFormat::kBmp && d.channels == 1) {
    return InvalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
  }
  if (format == PictureFormat::kJpeg && d.channels == 4) {
    return InvalidArgument("JPEG does not support 4 channels");
  }
  if (moves && d.dtype != DataType::kUint8) {
    return InvalidArgument("WebP only supports uint8 for dtype");
  }
  return OkStatus();
}

Status Decode(KernelContext& c, const Decoding& d) {
  const Tensor& contents = c.input(0);
  if (!contents.shape().IsScalar()) {
    return InvalidArgument("`contents` must be scalar but got shape{}",
                           contents.shape().DebugString());
  }
  if (d.channels != 0 && d.channels != 1 && d.channels != 3 &&
      d.channels != 4) {
    return InvalidArgument("`channels` must be 0, 1, 3 or 4 but got {}",
                           d.channels);
  }
  const std::string_view bytes = contents.scalar<std::string>();
  if (bytes.empty()) return InvalidArgument("Input is empty.");
  const PictureFormat format = PictureFormatOf(bytes);
  GK_RETURN_IF_ERROR(CheckFormat(d, format));
  const int bits =
      format == PictureFormat::kPng && d.dtype != DataType::kUint8 ? 16 : 8;
  Pixels pixels(c, d, format, bits);
  const auto make = [&](const PictureShape& shape) {
    return pixels.Make(shape);
  };
  Status status;
  switch (format) {
    case PictureFormat::kJpeg: {
      JpegReading how = d.jpeg;
      how.channels = d.channels;
      status = ReadJpeg(bytes, how, make);
      break;
    }
    case PictureFormat::kPng:
      status = ReadPng(bytes, d.channels, bits, make);
      break;
    case PictureFormat::kGif:
      // An op that gives one picture says how many there were.
      status = ReadGif(bytes, d.reader != Reader::kAny || d.all_frames, make);
      break;
    case PictureFormat::kBmp:
      status = ReadBmp(bytes, d.channels, make);
      break;
    default:
      status = ReadWebp(bytes, d.channels,
                        d.reader != Reader::kAny || d.all_frames, make);
      break;
  }
  return status.ok() ? pixels.Convert() : status;
}

template <Reader kReader>
Status ComputeDecode(KernelContext& c) {
  Decoding d{.reader = kReader};
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"channels"}));
  if (kReader == Reader::kGif) {
    d.channels = 3;
  } else {
    d.channels = static_cast<int>(c.attr<int64_t>("channels"));
  }
  if (const auto* dtype = c.attrs().Get<DataType>("dtype")) d.dtype = *dtype;
  if (kReader == Reader::kAny) {
    d.all_frames = c.attr<bool>("expand_animations");
  }
  if (kReader == Reader::kJpeg || kReader == Reader::kJpegCrop) {
    GK_RETURN_IF_ERROR(ReadJpegAttrs(c, &d));
  }
  return Decode(c, d);
}

Status ComputeJpegShape(KernelContext& c) {
  const Tensor& contents = c.input(0);
  if (!contents.shape().IsScalar()) {
    return InvalidArgument("contents must be scalar, got shape {}",
                           contents.shape().DebugString());
  }
  PictureShape shape;
  GK_RETURN_IF_ERROR(ReadJpegShape(contents.scalar<std::string>(), &shape));
  GK_ASSIGN_OR_RETURN(
      Tensor out,
      IntegerTensor(c.attr<DataType>("output_type"),
                    std::array{shape.height, shape.width, shape.channels},
                    TensorShape({3})));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// ---- Shapes ----

StatusOr<int64_t> ChannelDim(InferenceContext& c) {
  PartialTensorShape contents;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &contents));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"channels"}));
  const int64_t channels = c.attr<int64_t>("channels");
  if (channels < 0) {
    return InvalidArgument("channels must be non-negative, got {}", channels);
  }
  return channels == 0 ? kUnknownDim : channels;
}

template <Reader kReader>
Status DecodedShape(InferenceContext& c) {
  int64_t channels = 3;
  if (kReader == Reader::kGif) {
    PartialTensorShape contents;
    GK_RETURN_IF_ERROR(c.WithRank(0, 0, &contents));
  } else {
    GK_ASSIGN_OR_RETURN(channels, ChannelDim(c));
  }
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (kReader == Reader::kJpegCrop) {
    PartialTensorShape window;
    GK_RETURN_IF_ERROR(c.WithRank(1, 1, &window));
    int64_t four;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(window.dim(0), 4, &four));
    const auto known = c.ValueAsInts(1);
    if (known && known->size() == 4 && (*known)[2] > 0 && (*known)[3] > 0) {
      height = (*known)[2];
      width = (*known)[3];
    }
  }
  if (kReader == Reader::kAny && c.attr<bool>("expand_animations")) {
    c.set_output(0, PartialTensorShape());
  } else if (kReader == Reader::kGif || kReader == Reader::kWebp) {
    c.set_output(0, {kUnknownDim, height, width, channels});
  } else {
    c.set_output(0, {height, width, channels});
  }
  return OkStatus();
}

Status JpegShapeShape(InferenceContext& c) {
  PartialTensorShape contents;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &contents));
  c.set_output(0, {3});
  return OkStatus();
}

#define BYTES "contents: string"
#define U8_IMAGE "image: uint8"
#define JPEG_ATTRS                                                          \
  "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = True; "       \
  "try_recover_truncated: bool = False; acceptable_fraction: float = 1.0; " \
  "dct_method: string = ''"
#define JPEG_ARGS                                                         \
  "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = True; "     \
  "try_recover_truncated: bool = False; acceptable_fraction: float = 1; " \
  "dct_method: string = ''"
#define JPEG_ARGS_DOC                                                         \
  "\n\nArgs:\n  channels: 1 or 3; 0: as the file has them.\n  ratio: makes "  \
  "it 1, 2, 4 or 8 times smaller.\n  fancy_upscaling: smooths colours, "      \
  "which are coarser in the file.\n  try_recover_truncated: reads what "      \
  "there is of a file that was cut off.\n  acceptable_fraction: the part of " \
  "the lines that must be there.\n  dct_method: INTEGER_FAST or "             \
  "INTEGER_ACCURATE."

const OpRecord kRecords[] = {
    {.name = "DecodeImage",
     .inputs = BYTES,
     .outputs = "image: dtype",
     .attrs = "channels: int = 0; dtype: type in [uint8, uint16, float] = "
              "uint8; expand_animations: bool = True",
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kAny>,
     .kernel = {.compute = ComputeDecode<Reader::kAny>},
     .doc = "The picture in the bytes of a file of JPEG, PNG, GIF, BMP or "
            "WebP."},

    {.name = "DecodeJpeg",
     .inputs = BYTES,
     .outputs = U8_IMAGE,
     .attrs = JPEG_ATTRS,
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kJpeg>,
     .kernel = {.compute = ComputeDecode<Reader::kJpeg>},
     .python = {.names = "io.decode_jpeg|image.decode_jpeg",
                .args = "contents: tensor; " JPEG_ARGS},
     .doc = "The picture [height, width, channels] in the bytes of a JPEG "
            "file." JPEG_ARGS_DOC,
     .example = ">>> file = tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8))\n"
                ">>> tf.io.decode_jpeg(file).shape\nTensorShape([2, 3, 3])"},

    {.name = "DecodeAndCropJpeg",
     .inputs = "contents: string; crop_window: int32",
     .outputs = U8_IMAGE,
     .attrs = JPEG_ATTRS,
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kJpegCrop>,
     .kernel = {.compute = ComputeDecode<Reader::kJpegCrop>},
     .python = {.names = "io.decode_and_crop_jpeg|image.decode_and_crop_jpeg",
                .args = "contents: tensor; crop_window: "
                        "tensor(int32); " JPEG_ARGS},
     .doc = "A part of the picture in the bytes of a JPEG file; `crop_window` "
            "is its top, left, height and width." JPEG_ARGS_DOC,
     .example = ">>> file = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))\n"
                ">>> tf.io.decode_and_crop_jpeg(file, [1, 2, 3, 4]).shape\n"
                "TensorShape([3, 4, 3])"},

    {.name = "DecodePng",
     .inputs = BYTES,
     .outputs = "image: dtype",
     .attrs = "channels: int = 0; dtype: type in [uint8, uint16] = uint8",
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kPng>,
     .kernel = {.compute = ComputeDecode<Reader::kPng>},
     .python = {.names = "io.decode_png|image.decode_png",
                .args = "contents: tensor; channels: int = 0; dtype: type = "
                        "uint8"},
     .doc = "The picture [height, width, channels] in the bytes of a PNG "
            "file.\n\nArgs:\n  channels: 1, 3 or 4; 0: as the file has them.",
     .example = ">>> file = tf.io.encode_png(tf.zeros([2, 3, 4], tf.uint8))\n"
                ">>> tf.io.decode_png(file).shape\nTensorShape([2, 3, 4])"},

    {.name = "DecodeGif",
     .inputs = BYTES,
     .outputs = U8_IMAGE,
     .attrs = "",
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kGif>,
     .kernel = {.compute = ComputeDecode<Reader::kGif>},
     .python = {.names = "io.decode_gif|image.decode_gif",
                .args = "contents: tensor"},
     .doc = "The frames [frames, height, width, 3] in the bytes of a GIF "
            "file.",
     .example = ">>> import base64\n>>> file = base64.b64decode(\n...     "
                "'R0lGODdhAQABAIEAAAAAAAAAAAAAAAAAACwAAAAA'\n...     "
                "'AQABAAAIBAABBAQAOw==')\n"
                ">>> tf.io.decode_gif(file).shape\n"
                "TensorShape([1, 1, 1, 3])"},

    {.name = "DecodeBmp",
     .inputs = BYTES,
     .outputs = U8_IMAGE,
     .attrs = "channels: int = 0",
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kBmp>,
     .kernel = {.compute = ComputeDecode<Reader::kBmp>},
     .python = {.names = "io.decode_bmp|image.decode_bmp",
                .args = "contents: tensor; channels: int = 0"},
     .doc = "The picture [height, width, channels] in the bytes of a BMP file "
            "of 8, 24 or 32 bits a pixel.",
     .example = ">>> head = b'BM' + bytes(8) + b'\\x1e\\0\\0\\0' + bytes(4) + "
                "b'\\x01\\0\\0\\0\\x01\\0\\0\\0\\x01\\0\\x18\\0'\n>>> "
                "tf.io.decode_bmp(head + b'\\x03\\x02\\x01\\0').numpy().tolist("
                ")\n[[[1, 2, 3]]]"},

    {.name = "DecodeWebP",
     .inputs = BYTES,
     .outputs = "image: dtype",
     .attrs = "channels: int = 0; dtype: type in [uint8] = uint8",
     .traits = kNoGradient,
     .shape = DecodedShape<Reader::kWebp>,
     .kernel = {.compute = ComputeDecode<Reader::kWebp>},
     .python = {.names = "io.decode_webp|image.decode_webp",
                .args = "contents: tensor; channels: int = 0; dtype: type = "
                        "uint8"},
     .doc = "The frames [frames, height, width, channels] in the bytes of a "
            "WebP file; one that moves has four channels.",
     .example = ">>> import base64\n>>> file = base64.b64decode(\n...     "
                "'UklGRiAAAABXRUJQVlA4TBQAAAAvAAAAAAdQgVQI'\n...     "
                "'IAAKmv7HiIj+Bw==')\n"
                ">>> tf.io.decode_webp(file).numpy().tolist()\n"
                "[[[[1, 2, 3]]]]"},

    {.name = "ExtractJpegShape",
     .inputs = BYTES,
     .outputs = "image_shape: output_type",
     .attrs = "output_type: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = JpegShapeShape,
     .kernel = {.compute = ComputeJpegShape},
     .python = {.names = "io.extract_jpeg_shape|image.extract_jpeg_shape",
                .args = "contents: tensor; output_type: type = int32"},
     .doc = "Height, width and channels of the picture in the bytes of a JPEG "
            "file, without its pixels.",
     .example = ">>> file = tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8))\n"
                ">>> tf.io.extract_jpeg_shape(file).numpy().tolist()\n"
                "[2, 3, 3]"},
};

}  // namespace

GK_REGISTER_OPS(image_codec)

}  // namespace gk
