// Pictures seen through projective transforms.
#include <array>
#include <string>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/projective.h"
#include "ops/composition.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Unpack.h"
#include "ops/image/picture_sizes.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/ImageProjectiveTransformV2.h"
#include "ops/with_attrs/ImageProjectiveTransformV3.h"

namespace gk {
namespace {

FillMode ModeOf(const std::string& name) {
  if (name == "REFLECT") return FillMode::kReflect;
  if (name == "WRAP") return FillMode::kWrap;
  if (name == "NEAREST") return FillMode::kNearest;
  return FillMode::kConstant;
}

Status ComputeProjection(KernelContext& c) {
  const Tensor &in = c.input(0), &transforms = c.input(1), &size = c.input(2);
  if (in.rank() != 4) {
    return InvalidArgument("Input images must have rank 4");
  }
  const bool fits = transforms.rank() == 2 && transforms.dim(1) == 8 &&
                    (transforms.dim(0) == in.dim(0) || transforms.dim(0) == 1);
  if (!fits) {
    return InvalidArgument("Input transform should be num_images x 8 or 1 x 8");
  }
  if (size.rank() != 1) {
    return InvalidArgument("output shape must be 1-dimensional{}",
                           size.shape().DebugString());
  }
  if (size.num_elements() != 2) {
    return InvalidArgument("output shape must have two elements{}",
                           size.shape().DebugString());
  }
  const int64_t height = size.data<int32_t>()[0],
                width = size.data<int32_t>()[1];
  if (height <= 0 || width <= 0) {
    return InvalidArgument("output dimensions must be positive");
  }
  float fill = 0;
  if (c.num_inputs() == 4) {
    if (!c.input(3).shape().IsScalar()) {
      return InvalidArgument("fill_value must be a scalar{}",
                             c.input(3).shape().DebugString());
    }
    fill = c.input(3).scalar<float>();
  }
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::array{in.dim(0), height, width, in.dim(3)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, in.dtype(), shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  VisitType<float, uint8_t, int32_t, int64_t, half, bfloat16, double>(
      in.dtype(), [&](auto tag) {
        using T = decltype(tag);
        const Projection<T> p{
            in.data<T>(),
            SizesOf(in),
            transforms.data<float>(),
            transforms.dim(0) == 1,
            ModeOf(c.attr<std::string>("fill_mode")),
            c.attr<std::string>("interpolation") == "BILINEAR",
            Convert<T>(fill)};
        ProjectPictures(p, height, width, out->data<T>(), ThreadPool::Global());
      });
  return OkStatus();
}

Status ProjectedShape(InferenceContext& c) {
  PartialTensorShape transforms, fill;
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &transforms));
  int64_t eight;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(transforms.dim(1), 8, &eight));
  if (c.num_inputs() == 4) GK_RETURN_IF_ERROR(c.WithRank(3, 0, &fill));
  return ResizedShape(c, 0, 2);
}

// Those of the inverse maps: the inverse of [[a, b, c], [d, e, f], [g, h, 1]]
// by its cofactors, divided by the last of them.
Tensor Inverses(const Tensor& transforms) {
  using namespace ops;  // NOLINT: a formula
  const TensorVector t = Unpack(transforms, 8, 1);
  const Tensor &a = t[0], &b = t[1], &c = t[2], &d = t[3], &e = t[4], &f = t[5],
               &g = t[6], &h = t[7];
  const auto minor = [](const Tensor& p, const Tensor& q, const Tensor& r,
                        const Tensor& s) { return Sub(Mul(p, q), Mul(r, s)); };
  const Tensor last = minor(a, e, b, d);
  const TensorVector rows = {Sub(e, Mul(f, h)), Sub(Mul(c, h), b),
                             minor(b, f, c, e), Sub(Mul(f, g), d),
                             Sub(a, Mul(c, g)), minor(c, d, a, f),
                             minor(d, h, e, g), minor(b, g, a, h)};
  TensorVector parts;
  for (const Tensor& row : rows) parts.push_back(RealDiv(row, last));
  return Pack(parts, 1);
}

// As TensorFlow has it: the gradient is seen through the inverse maps.
template <bool kFills>
void ProjectionGradient(GradContext& g) {
  if (!g.wants(0)) return;
  OpAttrs attrs(SharedAttrs(g.attrs(), {"interpolation", "fill_mode"}));
  const Tensor size = SizeTensor(g.x(0)), inverses = Inverses(g.x(1));
  if constexpr (kFills) {
    g.Set(0,
          ops::ImageProjectiveTransformV3(std::move(attrs), g.dy(0), inverses,
                                          size, NumberOf(0, DataType::kFloat)));
  } else {
    g.Set(0, ops::ImageProjectiveTransformV2(std::move(attrs), g.dy(0),
                                             inverses, size));
  }
}

#define PROJECTED                                                         \
  "dtype: type in [uint8, int32, int64, half, bfloat16, float, double]; " \
  "interpolation: string; fill_mode: string = 'CONSTANT'"
#define PROJECTION_DOC                                                        \
  "Pixel [y, x] of the result is the one at [y', x'] of the picture, where "  \
  "[x', y', 1] is [[a0, a1, a2], [b0, b1, b2], [c0, c1, 1]] times [x, y, "    \
  "1], divided by its last element; `interpolation` is NEAREST or BILINEAR, " \
  "`fill_mode` CONSTANT, REFLECT, WRAP or NEAREST."

const OpRecord kRecords[] = {
    {.name = "ImageProjectiveTransformV2",
     .inputs = "images: dtype; transforms: float; output_shape: int32",
     .outputs = "transformed_images: dtype",
     .attrs = PROJECTED,
     .shape = ProjectedShape,
     .kernel = {.compute = ComputeProjection},
     .gradient = ProjectionGradient<false>,
     .doc = PROJECTION_DOC,
     .test = {.skip_gradient = true}},

    {.name = "ImageProjectiveTransformV3",
     .inputs = "images: dtype; transforms: float; output_shape: int32; "
               "fill_value: float",
     .outputs = "transformed_images: dtype",
     .attrs = PROJECTED,
     .shape = ProjectedShape,
     .kernel = {.compute = ComputeProjection},
     .gradient = ProjectionGradient<true>,
     .doc = PROJECTION_DOC " Outside there is `fill_value`.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(image_transform)

}  // namespace gk
