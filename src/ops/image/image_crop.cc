// Boxes cut out of pictures and brought to one size, and the gradients of that.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/crop.h"
#include "ops/element_moves.h"
#include "ops/image/picture_sizes.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/CropAndResize.h"
#include "ops/with_attrs/CropAndResizeGradBoxes.h"
#include "ops/with_attrs/CropAndResizeGradImage.h"

namespace gk {
namespace {

// Boxes [n, 4], the picture that each belongs to, and the gradient of what was
// cut out if it is given.
Status CheckBoxes(const Tensor& boxes, const Tensor& pictures, int64_t batch,
                  const Tensor* grads = nullptr) {
  if (boxes.num_elements() == 0 && pictures.num_elements() == 0) {
    if (grads == nullptr || grads->dim(0) == 0) return OkStatus();
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  if (boxes.rank() != 2) {
    return InvalidArgument("boxes must be 2-D, got: {}",
                           boxes.shape().DebugString());
  }
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  for (const float v : boxes.flat<float>()) {
    if (!std::isfinite(v)) {
      return InvalidArgument(
          "Boxes contains at least one element that is not finite");
    }
  }
  if (pictures.rank() != 1) {
    return InvalidArgument("box_indices must be rank 1 but is shape {}",
                           pictures.shape().DebugString());
  }
  if (pictures.dim(0) != boxes.dim(0)) {
    return InvalidArgument("box_index has incompatible shape");
  }
  if (grads != nullptr && pictures.dim(0) != grads->dim(0)) {
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  for (const int32_t v : pictures.flat<int32_t>()) {
    if (v < 0 || v >= batch) {
      return OutOfRange("box_index has values outside [0, batch_size)");
    }
  }
  return OkStatus();
}

CropBoxes BoxesOf(const Tensor& boxes, const Tensor& pictures) {
  return {boxes.data<float>(), pictures.data<int32_t>(),
          pictures.num_elements()};
}

bool IsNearest(const AttrMap& attrs) {
  const auto* method = attrs.Get<std::string>("method");
  return method != nullptr && *method == "nearest";
}

template <class Fn>
void VisitCropped(DataType t, Fn&& fn) {
  VisitType<float, uint8_t, half, double, int8_t, int16_t, uint16_t, int32_t,
            int64_t>(t, std::forward<Fn>(fn));
}

Status ComputeCrop(KernelContext& c) {
  const Tensor &image = c.input(0), &boxes = c.input(1), &owner = c.input(2),
               &size = c.input(3);
  if (image.rank() != 4) {
    return InvalidArgument("input image must be 4-D{}",
                           image.shape().DebugString());
  }
  if (image.dim(1) <= 0 || image.dim(2) <= 0) {
    return InvalidArgument("image dimensions must be positive");
  }
  GK_RETURN_IF_ERROR(CheckBoxes(boxes, owner, image.dim(0)));
  if (size.rank() != 1) {
    return InvalidArgument("crop_size must be 1-D{}",
                           size.shape().DebugString());
  }
  if (size.dim(0) != 2) {
    return InvalidArgument("crop_size must have two elements{}",
                           size.shape().DebugString());
  }
  const int64_t height = size.data<int32_t>()[0],
                width = size.data<int32_t>()[1];
  if (height <= 0 || width <= 0) {
    return InvalidArgument("crop dimensions must be positive");
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make(std::array{owner.num_elements(), height,
                                                   width, image.dim(3)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  const float outside = c.attr<float>("extrapolation_value");
  VisitCropped(image.dtype(), [&](auto tag) {
    CropPictures(image.data<decltype(tag)>(), SizesOf(image),
                 BoxesOf(boxes, owner), height, width, IsNearest(c.attrs()),
                 outside, out->data<float>(), ThreadPool::Global());
  });
  return OkStatus();
}

Status CheckGrads(const Tensor& grads) {
  if (grads.rank() != 4) {
    return InvalidArgument("grads image must be 4-D{}",
                           grads.shape().DebugString());
  }
  if (grads.dim(1) <= 0 || grads.dim(2) <= 0) {
    return InvalidArgument("grads dimensions must be positive");
  }
  return OkStatus();
}

Status ComputeImageGradient(KernelContext& c) {
  const Tensor &grads = c.input(0), &boxes = c.input(1), &owner = c.input(2),
               &size = c.input(3);
  GK_RETURN_IF_ERROR(CheckGrads(grads));
  if (size.rank() != 1) {
    return InvalidArgument("image_size must be 1-D{}",
                           size.shape().DebugString());
  }
  if (size.dim(0) != 4) {
    return InvalidArgument("image_size must have 4 elements{}",
                           size.shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(size, &dims));
  if (dims[1] <= 0 || dims[2] <= 0) {
    return InvalidArgument("image dimensions must be positive");
  }
  if (dims[3] != grads.dim(3)) {
    return InvalidArgument("image_size and grads are incompatible");
  }
  GK_RETURN_IF_ERROR(CheckBoxes(boxes, owner, dims[0], &grads));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("T"), shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  VisitType<float, half, double>(out->dtype(), [&](auto tag) {
    AddCropped(grads.data<float>(), SizesOf(*out), BoxesOf(boxes, owner),
               grads.dim(1), grads.dim(2), IsNearest(c.attrs()),
               out->data<decltype(tag)>(), ThreadPool::Global());
  });
  return OkStatus();
}

Status ComputeBoxGradient(KernelContext& c) {
  const Tensor &grads = c.input(0), &image = c.input(1), &boxes = c.input(2),
               &owner = c.input(3);
  GK_RETURN_IF_ERROR(CheckGrads(grads));
  if (image.rank() != 4) {
    return InvalidArgument("input image must be 4-D{}",
                           image.shape().DebugString());
  }
  if (image.dim(1) <= 0 || image.dim(2) <= 0) {
    return InvalidArgument("image dimensions must be positive");
  }
  if (image.dim(3) != grads.dim(3)) {
    return InvalidArgument("image, grads depth differ");
  }
  GK_RETURN_IF_ERROR(CheckBoxes(boxes, owner, image.dim(0), &grads));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, boxes.shape(), &out));
  if (out->num_elements() == 0) return OkStatus();
  VisitCropped(image.dtype(), [&](auto tag) {
    CropBoxGradients(grads.data<float>(), image.data<decltype(tag)>(),
                     SizesOf(image), BoxesOf(boxes, owner), grads.dim(1),
                     grads.dim(2), out->data<float>(), ThreadPool::Global());
  });
  return OkStatus();
}

Status BoxCount(InferenceContext& c, int boxes, int owner, int64_t* count) {
  PartialTensorShape b, o;
  GK_RETURN_IF_ERROR(c.WithRank(boxes, 2, &b));
  GK_RETURN_IF_ERROR(c.WithRank(owner, 1, &o));
  int64_t four;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(b.dim(1), 4, &four));
  return InferenceContext::MergeDims(b.dim(0), o.dim(0), count);
}

Status CropShape(InferenceContext& c) {
  PartialTensorShape image, size;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &image));
  int64_t count, two;
  GK_RETURN_IF_ERROR(BoxCount(c, 1, 2, &count));
  GK_RETURN_IF_ERROR(c.WithRank(3, 1, &size));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(size.dim(0), 2, &two));
  const PartialTensorShape known = c.ValueAsShape(3);
  const bool sized = known.rank() == 2;
  c.set_output(0, {count, sized ? known.dim(0) : kUnknownDim,
                   sized ? known.dim(1) : kUnknownDim, image.dim(3)});
  return OkStatus();
}

Status ImageGradientShape(InferenceContext& c) {
  PartialTensorShape out = c.ValueAsShape(3);
  if (out.unknown_rank()) out = PartialTensorShape::UnknownOfRank(4);
  if (out.rank() != 4) {
    return InvalidArgument("Shape must be rank 4 but is rank {}", out.rank());
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status BoxGradientShape(InferenceContext& c) {
  PartialTensorShape boxes;
  GK_RETURN_IF_ERROR(c.WithRank(2, 2, &boxes));
  c.set_output(0, std::move(boxes));
  return OkStatus();
}

Tensor BoxGradient(const Tensor& grads, const Tensor& image,
                   const Tensor& boxes, const Tensor& owner) {
  return ops::CropAndResizeGradBoxes(OpAttrs(AttrMap()), grads, image, boxes,
                                     owner);
}

// Of boxes it is that of bilinear interpolation, whatever the method.
void CropGradient(GradContext& g) {
  const Tensor &image = g.x(0), &boxes = g.x(1), &owner = g.x(2);
  const Tensor dy = g.dy(0);
  const DataType t = image.dtype();
  const bool floats =
      t == DataType::kFloat || t == DataType::kHalf || t == DataType::kDouble;
  if (floats && g.wants(0)) {
    AttrMap attrs = SharedAttrs(g.attrs(), {"method", "T"});
    g.Set(0, ops::CropAndResizeGradImage(OpAttrs(std::move(attrs)), dy, boxes,
                                         owner, ShapeTensor(image)));
  }
  if (g.wants(1)) g.Set(1, BoxGradient(dy, image, boxes, owner));
}

// The op is the transpose of CropAndResize: <op(grads), d> is <grads,
// CropAndResize(d)>.
void ImageGradientGradient(GradContext& g) {
  const Tensor &grads = g.x(0), &boxes = g.x(1), &owner = g.x(2);
  const Tensor d = g.dy(0);
  if (g.wants(0)) {
    g.Set(0, ops::CropAndResize(OpAttrs(SharedAttrs(g.attrs(), {"method"})), d,
                                boxes, owner, SizeTensor(grads)));
  }
  if (g.wants(1)) g.Set(1, BoxGradient(grads, d, boxes, owner));
}

#define CROPPED                                                         \
  "T: type in [uint8, uint16, int8, int16, int32, int64, half, float, " \
  "double]; "

const OpRecord kRecords[] = {
    {.name = "CropAndResize",
     .inputs = "image: T; boxes: float; box_ind: int32; crop_size: int32",
     .outputs = "crops: float",
     .attrs = CROPPED "method: string in [bilinear, nearest] = 'bilinear'; "
                      "extrapolation_value: float = 0.0",
     .shape = CropShape,
     .kernel = {.compute = ComputeCrop},
     .gradient = CropGradient,
     .python = {.names = "image.crop_and_resize",
                .args = "image: tensor; boxes: tensor(float32); box_indices: "
                        "tensor(int32); crop_size: tensor(int32); method: "
                        "string = 'bilinear'; extrapolation_value: float = "
                        "0.0"},
     .doc = "Boxes of pictures, each brought to one size.\n\nArgs:\n  image: "
            "[batch, height, width, channels].\n  boxes: [n, 4], y1, x1, y2, "
            "x2 as parts of height - 1 and width - 1; y1 > y2 turns the crop "
            "upside down.\n  box_indices: [n], the picture of each box.\n  "
            "crop_size: height and width of the crops.\n  "
            "extrapolation_value: what is outside the picture.",
     .example = ">>> tf.image.crop_and_resize(tf.ones([1, 4, 4, 3]), [[0., "
                "0., 1., 1.]], [0],\n...     [2, 2]).shape\nTensorShape([1, "
                "2, 2, 3])",
     .test = {.low = 0.05, .high = 0.95, .tolerance = 1e-4}},

    {.name = "CropAndResizeGradImage",
     .inputs = "grads: float; boxes: float; box_ind: int32; image_size: int32",
     .outputs = "output: T",
     .attrs = "T: type in [float, half, double]; method: string in [bilinear, "
              "nearest] = 'bilinear'",
     .shape = ImageGradientShape,
     .kernel = {.compute = ComputeImageGradient},
     .gradient = ImageGradientGradient,
     .doc = "The gradient of CropAndResize with respect to the pictures.",
     .test = {.low = 0.05, .high = 0.95, .tolerance = 1e-4}},

    {.name = "CropAndResizeGradBoxes",
     .inputs = "grads: float; image: T; boxes: float; box_ind: int32",
     .outputs = "output: float",
     .attrs = CROPPED "method: string in [bilinear] = 'bilinear'",
     .shape = BoxGradientShape,
     .kernel = {.compute = ComputeBoxGradient},
     .doc = "The gradient of CropAndResize with respect to the boxes.",
     .test = {.low = 0.05, .high = 0.95, .tolerance = 1e-4}},
};

}  // namespace

GK_REGISTER_OPS(image_crop)

}  // namespace gk
