// The bytes of files of pictures.
#include <string>

#include "framework/op_registry.h"
#include "kernels/picture_codec.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// [height, width, channels] of a picture that JPEG can be made of.
StatusOr<PictureShape> JpegShapeOf(const Tensor& image) {
  if (image.rank() != 3) {
    return InvalidArgument("image must be 3-dimensional{}",
                           image.shape().DebugString());
  }
  const PictureShape shape{1, image.dim(0), image.dim(1), image.dim(2)};
  if (shape.channels != 1 && shape.channels != 3) {
    return InvalidArgument("image must have 1 or 3 channels, got {}",
                           image.shape().DebugString());
  }
  return shape;
}

Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return OkStatus();
  return InvalidArgument("quality must be in [0,100], got {}", quality);
}

Status EncodeAsJpeg(KernelContext& c, const PictureShape& shape,
                    const JpegWriting& how) {
  std::string bytes;
  GK_RETURN_IF_ERROR(WriteJpeg(c.input(0).data<uint8_t>(), shape, how, &bytes));
  c.set_output(0, Tensor::Scalar<std::string>(std::move(bytes)));
  return OkStatus();
}

Status ComputeEncodeJpeg(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const PictureShape shape, JpegShapeOf(c.input(0)));
  const std::string& format = c.attr<std::string>("format");
  const int64_t wanted = format == "grayscale" ? 1 : format == "rgb" ? 3 : 0;
  if (wanted != 0 && shape.channels != wanted) {
    return InvalidArgument("format {} expects {} channels, got {}", format,
                           wanted, c.input(0).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckQuality(c.attr<int64_t>("quality")));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"x_density", "y_density"}));
  JpegWriting how;
  how.quality = static_cast<int>(c.attr<int64_t>("quality"));
  how.progressive = c.attr<bool>("progressive");
  how.small = c.attr<bool>("optimize_size");
  how.fewer_colors = c.attr<bool>("chroma_downsampling");
  how.per_inch = c.attr<std::string>("density_unit") == "in";
  how.x_density = static_cast<int>(c.attr<int64_t>("x_density"));
  how.y_density = static_cast<int>(c.attr<int64_t>("y_density"));
  how.xmp = c.attr<std::string>("xmp_metadata");
  if (how.xmp.size() > 65000) {
    return InvalidArgument("xmp_metadata is longer than a marker holds");
  }
  return EncodeAsJpeg(c, shape, how);
}

Status ComputeEncodeJpegOfQuality(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const PictureShape shape, JpegShapeOf(c.input(0)));
  const Tensor& quality = c.input(1);
  if (!quality.shape().IsScalar()) {
    return InvalidArgument("quality must be scalar: {}",
                           quality.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckQuality(quality.scalar<int32_t>()));
  JpegWriting how;
  how.quality = quality.scalar<int32_t>();
  return EncodeAsJpeg(c, shape, how);
}

Status ComputeEncodePng(KernelContext& c) {
  const Tensor& image = c.input(0);
  const int64_t compression = c.attr<int64_t>("compression");
  if (compression < -1 || compression > 9) {
    return InvalidArgument("compression should be in [-1,9], got {}",
                           compression);
  }
  const int rank = image.rank();
  if (rank < 3) {
    return InvalidArgument("images must be at least rank 3{}",
                           image.shape().DebugString());
  }
  const PictureShape shape{1, image.dim(rank - 3), image.dim(rank - 2),
                           image.dim(rank - 1)};
  if (shape.channels < 1 || shape.channels > 4) {
    return InvalidArgument("image must have 1, 2, 3, or 4 channels, got {}",
                           shape.channels);
  }
  if (shape.height == 0 || shape.width == 0) {
    return InvalidArgument("image must have non-zero height and width, got {}",
                           image.shape().DebugString());
  }
  if (shape.height > INT32_MAX || shape.width > INT32_MAX ||
      shape.width * shape.height > INT32_MAX) {
    return InvalidArgument("image cannot have >= int32 max elements");
  }
  const int64_t size =
      shape.height * shape.width * shape.channels * DataTypeSize(image.dtype());
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kString,
                 TensorShape(image.shape().dims().first(rank - 3)), &out));
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    GK_RETURN_IF_ERROR(
        WritePng(static_cast<const uint8_t*>(image.raw_data()) + i * size,
                 shape, DataTypeSize(image.dtype()) * 8,
                 static_cast<int>(compression), &out->data<std::string>()[i]));
  }
  return OkStatus();
}

Status EncodedShape(InferenceContext& c) {
  PartialTensorShape image;
  GK_RETURN_IF_ERROR(c.WithRank(0, 3, &image));
  if (c.num_inputs() == 2) GK_RETURN_IF_ERROR(c.WithRank(1, 0, &image));
  c.set_output(0, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status EncodedPngShape(InferenceContext& c) {
  PartialTensorShape image;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 3, &image));
  if (!image.unknown_rank()) {
    image = PartialTensorShape(image.dims().first(image.rank() - 3));
  }
  c.set_output(0, std::move(image));
  return OkStatus();
}

#define ENCODED "contents: string"

const OpRecord kRecords[] = {
    {.name = "EncodeJpeg",
     .inputs = "image: uint8",
     .outputs = ENCODED,
     .attrs = "format: string in ['', grayscale, rgb] = ''; quality: int = 95; "
              "progressive: bool = False; optimize_size: bool = False; "
              "chroma_downsampling: bool = True; density_unit: string in [in, "
              "cm] = 'in'; x_density: int = 300; y_density: int = 300; "
              "xmp_metadata: string = ''",
     .traits = kNoGradient,
     .shape = EncodedShape,
     .kernel = {.compute = ComputeEncodeJpeg},
     .python = {.names = "io.encode_jpeg|image.encode_jpeg",
                .args = "image: tensor(uint8); format: string = ''; quality: "
                        "int = 95; progressive: bool = False; optimize_size: "
                        "bool = False; chroma_downsampling: bool = True; "
                        "density_unit: string = 'in'; x_density: int = 300; "
                        "y_density: int = 300; xmp_metadata: string = ''"},
     .doc = "The bytes of a JPEG file of a picture [height, width, "
            "channels].\n\nArgs:\n  format: 'grayscale' or 'rgb' demands 1 or "
            "3 channels.\n  quality: 0 to 100.\n  chroma_downsampling: keeps "
            "fewer colours than brightness.\n  density_unit, x_density, "
            "y_density: pixels per 'in' or 'cm'.\n  xmp_metadata: goes along.",
     .example = ">>> tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([2, 3, 3], "
                "tf.uint8))).numpy().item()\nTrue"},

    {.name = "EncodeJpegVariableQuality",
     .inputs = "images: uint8; quality: int32",
     .outputs = ENCODED,
     .attrs = "",
     .traits = kNoGradient,
     .shape = EncodedShape,
     .kernel = {.compute = ComputeEncodeJpegOfQuality},
     .doc = "The bytes of a JPEG file of a picture, of a quality from 0 to "
            "100."},

    {.name = "EncodePng",
     .inputs = "image: T",
     .outputs = ENCODED,
     .attrs = "compression: int = -1; T: type in [uint8, uint16] = uint8",
     .traits = kNoGradient,
     .shape = EncodedPngShape,
     .kernel = {.compute = ComputeEncodePng},
     .python = {.names = "io.encode_png|image.encode_png",
                .args = "image: tensor; compression: int = -1"},
     .doc = "The bytes of PNG files of pictures [..., height, width, "
            "channels].\n\nArgs:\n  compression: 0 to 9; -1 chooses.",
     .example = ">>> tf.io.encode_png(tf.zeros([5, 2, 3, 3], tf.uint8)).shape\n"
                "TensorShape([5])"},
};

}  // namespace

GK_REGISTER_OPS(image_encode)

}  // namespace gk
