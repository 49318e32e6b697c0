// Pictures of another size by interpolation, and the gradients of that.
#include "ops/fn/image_resize.h"

#include <cmath>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/image/picture_sizes.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/ResizeBicubic.h"
#include "ops/with_attrs/ResizeBicubicGrad.h"
#include "ops/with_attrs/ResizeBilinear.h"
#include "ops/with_attrs/ResizeBilinearGrad.h"
#include "ops/with_attrs/ResizeNearestNeighbor.h"
#include "ops/with_attrs/ResizeNearestNeighborGrad.h"

namespace gk {
namespace {

// How places in a line of `to` pixels become places in one of `from`.
struct Axis {
  int64_t from = 0, to = 0;
  bool corners = false, centers = false;

  float scale() const {
    return corners && to > 1
               ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
               : static_cast<float>(from) / static_cast<float>(to);
  }
  float PlaceOf(int64_t i) const {
    const float at = static_cast<float>(i);
    return centers ? (at + 0.5f) * scale() - 0.5f : at * scale();
  }
  // The pixel that is nearest.
  int64_t Nearest(int64_t i) const {
    const float at = static_cast<float>(i);
    const float place = centers ? (at + 0.5f) * scale() : at * scale();
    const float pixel = corners ? std::roundf(place) : std::floor(place);
    return std::clamp<int64_t>(static_cast<int64_t>(pixel), 0, from - 1);
  }
};

struct Axes {
  Axis rows, columns;
};

StatusOr<Axes> AxesOf(const AttrMap& attrs, NewSize from, NewSize to) {
  const bool* corners = attrs.Get<bool>("align_corners");
  const bool* centers = attrs.Get<bool>("half_pixel_centers");
  Axis axis;
  axis.corners = corners != nullptr && *corners;
  axis.centers = centers != nullptr && *centers;
  if (axis.corners && axis.centers) {
    return InvalidArgument(
        "If half_pixel_centers is True, align_corners must be False.");
  }
  Axes axes{axis, axis};
  axes.rows.from = from.height;
  axes.rows.to = to.height;
  axes.columns.from = from.width;
  axes.columns.to = to.width;
  return axes;
}

Between BetweenOf(const Axis& axis, int64_t i) {
  const float place = axis.PlaceOf(i), below = std::floor(place);
  const int64_t last = axis.from - 1;
  return {std::clamp<int64_t>(static_cast<int64_t>(below), 0, last),
          std::clamp<int64_t>(static_cast<int64_t>(std::ceil(place)), 0, last),
          place - below};
}

std::vector<Between> Betweens(const Axis& axis) {
  std::vector<Between> all(axis.to);
  for (int64_t i = 0; i < axis.to; ++i) all[i] = BetweenOf(axis, i);
  return all;
}

AxisWeights BilinearWeights(const Axis& axis) {
  AxisWeights w;
  w.Reserve(axis.to, 2 * axis.to);
  for (int64_t i = 0; i < axis.to; ++i) {
    const Between b = BetweenOf(axis, i);
    w.Add(b.low, 1 - b.part);
    w.Add(b.high, b.part);
    w.EndPixel();
  }
  return w;
}

// The cubic convolution at distances d and d + 1 for d = i / kSteps: those
// TensorFlow takes its weights from.
constexpr int64_t kSteps = 1024;

float CubicInner(double a, float x) {
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
float CubicOuter(double a, float x) {
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

// Keys' kernel gives pixels outside no weight; the older one repeats those at
// the border.
AxisWeights BicubicWeights(const Axis& axis) {
  const bool keys = axis.centers;
  const double a = keys ? -0.5 : -0.75;
  AxisWeights w;
  w.Reserve(axis.to, 4 * axis.to);
  for (int64_t i = 0; i < axis.to; ++i) {
    const float place = axis.PlaceOf(i), below = std::floor(place);
    const int64_t at = static_cast<int64_t>(below);
    const int64_t step = std::lrintf((place - below) * kSteps);
    const float part = step * 1.0 / kSteps,
                rest = (kSteps - step) * 1.0 / kSteps;
    float weights[4] = {CubicOuter(a, part + 1.0f), CubicInner(a, part),
                        CubicInner(a, rest), CubicOuter(a, rest + 1.0f)};
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int64_t pixel = at - 1 + k;
      if (keys && (pixel < 0 || pixel >= axis.from)) weights[k] = 0;
      sum += weights[k];
    }
    const bool divides =
        keys && std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min();
    const float factor = divides ? 1.0f / sum : 1.0f;
    for (int k = 0; k < 4; ++k) {
      w.Add(std::clamp<int64_t>(at - 1 + k, 0, axis.from - 1),
            weights[k] * factor);
    }
    w.EndPixel();
  }
  return w;
}

// How much of each old pixel lies below a new one, in old pixels.
AxisWeights AreaWeights(const Axis& axis) {
  const float scale = axis.scale();
  AxisWeights w;
  w.Reserve(axis.to, axis.from + 2 * axis.to);
  for (int64_t i = 0; i < axis.to; ++i) {
    const float begin = i * scale, end = (i + 1) * scale;
    const int64_t last = std::ceil(end);
    for (int64_t at = std::floor(begin); at < last; ++at) {
      float part = 1;
      if (at < begin) {
        part = at + 1 > end ? scale : at + 1 - begin;
      } else if (at + 1 > end) {
        part = end - at;
      }
      w.Add(std::clamp<int64_t>(at, 0, axis.from - 1), part);
    }
    w.EndPixel();
  }
  return w;
}

// fn(typed pixels) of whatever ops may resize.
template <class Fn>
void VisitPixels(const Tensor& t, Fn&& fn) {
  VisitType<float, uint8_t, half, bfloat16, double, int8_t, int16_t, uint16_t,
            int32_t, int64_t>(t.dtype(),
                              [&](auto tag) { fn(t.data<decltype(tag)>()); });
}

struct Resizing {
  PictureSizes sizes;
  Axes axes;
  Tensor* out = nullptr;
};

Status Begin(KernelContext& c, DataType type, Resizing* r) {
  const Tensor& in = c.input(0);
  NewSize to;
  GK_RETURN_IF_ERROR(CheckResize(c, "shape_t", &to));
  r->sizes = SizesOf(in);
  GK_ASSIGN_OR_RETURN(r->axes, AxesOf(c.attrs(), {in.dim(1), in.dim(2)}, to));
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::array{in.dim(0), to.height, to.width, in.dim(3)}));
  return c.Allocate(0, type, shape, &r->out);
}

Status ComputeBilinear(KernelContext& c) {
  Resizing r;
  GK_RETURN_IF_ERROR(Begin(c, DataType::kFloat, &r));
  if (r.out->num_elements() == 0) return OkStatus();
  const std::vector<Between> rows = Betweens(r.axes.rows),
                             columns = Betweens(r.axes.columns);
  VisitPixels(c.input(0), [&](const auto* in) {
    ResizeBilinear(in, r.sizes, rows, columns, r.out->data<float>(),
                   ThreadPool::Global());
  });
  return OkStatus();
}

using WeightsFn = AxisWeights (*)(const Axis&);

template <WeightsFn kWeights>
Status ComputeLinear(KernelContext& c) {
  Resizing r;
  GK_RETURN_IF_ERROR(Begin(c, DataType::kFloat, &r));
  if (r.out->num_elements() == 0) return OkStatus();
  const AxisWeights rows = kWeights(r.axes.rows),
                    columns = kWeights(r.axes.columns);
  const float scale =
      kWeights == AreaWeights
          ? 1.0f / (r.axes.rows.scale() * r.axes.columns.scale())
          : 1.0f;
  VisitPixels(c.input(0), [&](const auto* in) {
    ResizeLinear(in, r.sizes, rows, columns, scale, r.out->data<float>(),
                 ThreadPool::Global());
  });
  return OkStatus();
}

template <WeightsFn kWeights>
Status ComputeLinearGradient(KernelContext& c) {
  const Tensor &grads = c.input(0), &original = c.input(1);
  if (grads.rank() != 4) {
    return InvalidArgument("input_grad must be 4-dimensional{}",
                           grads.shape().DebugString());
  }
  if (original.rank() != 4) {
    return InvalidArgument("original_image must be 4-dimensional{}",
                           original.shape().DebugString());
  }
  if (original.dim(1) <= 0 || original.dim(2) <= 0) {
    return InvalidArgument("original dimensions must be positive");
  }
  if (grads.dim(1) <= 0 || grads.dim(2) <= 0) {
    return InvalidArgument("resized dimensions must be positive");
  }
  if (grads.dim(0) != original.dim(0) || grads.dim(3) != original.dim(3)) {
    return InvalidArgument(
        "input_grad and original_image must have the same batch size and "
        "channels, got {} and {}",
        grads.shape().DebugString(), original.shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const Axes axes,
                      AxesOf(c.attrs(), {original.dim(1), original.dim(2)},
                             {grads.dim(1), grads.dim(2)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, original.dtype(), original.shape(), &out));
  if (out->num_elements() == 0) return OkStatus();
  const AxisWeights rows = kWeights(axes.rows).Transposed(original.dim(1));
  const AxisWeights columns =
      kWeights(axes.columns).Transposed(original.dim(2));
  VisitType<float, double, half, bfloat16>(out->dtype(), [&](auto tag) {
    ResizeLinear(grads.data<float>(), SizesOf(grads), rows, columns, 1.0f,
                 out->data<decltype(tag)>(), ThreadPool::Global());
  });
  return OkStatus();
}

std::vector<int64_t> NearestOf(const Axis& axis) {
  std::vector<int64_t> all(axis.to);
  for (int64_t i = 0; i < axis.to; ++i) all[i] = axis.Nearest(i);
  return all;
}

Status ComputeNearest(KernelContext& c) {
  Resizing r;
  const Tensor& in = c.input(0);
  GK_RETURN_IF_ERROR(Begin(c, in.dtype(), &r));
  if (r.out->num_elements() == 0) return OkStatus();
  const std::vector<int64_t> rows = NearestOf(r.axes.rows),
                             columns = NearestOf(r.axes.columns);
  return VisitMoved(in.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) <= 8 && std::is_integral_v<T>) {
      ResizePicked(static_cast<const T*>(in.raw_data()), r.sizes, rows, columns,
                   static_cast<T*>(r.out->raw_data()), ThreadPool::Global());
    }
  });
}

Status ComputeNearestGradient(KernelContext& c) {
  const Tensor &grads = c.input(0), &size = c.input(1);
  if (grads.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional{}",
                           grads.shape().DebugString());
  }
  if (size.rank() != 1) {
    return InvalidArgument("shape_t must be 1-dimensional{}",
                           size.shape().DebugString());
  }
  if (size.num_elements() != 2) {
    return InvalidArgument("shape_t must have two elements{}",
                           size.shape().DebugString());
  }
  const NewSize from{size.data<int32_t>()[0], size.data<int32_t>()[1]};
  if (from.height <= 0 || from.width <= 0) {
    return InvalidArgument("shape_t's elements must be positive");
  }
  GK_ASSIGN_OR_RETURN(const Axes axes,
                      AxesOf(c.attrs(), from, {grads.dim(1), grads.dim(2)}));
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make(std::array{grads.dim(0), from.height,
                                                   from.width, grads.dim(3)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, grads.dtype(), shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  const std::vector<int64_t> rows = NearestOf(axes.rows),
                             columns = NearestOf(axes.columns);
  VisitType<float, double, half, bfloat16, uint8_t, int8_t, int32_t>(
      grads.dtype(), [&](auto tag) {
        using T = decltype(tag);
        AddPicked(grads.data<T>(), SizesOf(grads), rows, columns, from.height,
                  from.width, out->data<T>(), ThreadPool::Global());
      });
  return OkStatus();
}

Status ResizeShape(InferenceContext& c) { return ResizedShape(c, 0, 1); }

OpAttrs BothAttrs(const GradContext& g) {
  return OpAttrs(
      SharedAttrs(g.attrs(), {"align_corners", "half_pixel_centers"}));
}

// Of a linear op: the op that its gradient is, which is linear too.
template <Tensor (*kGradient)(OpAttrs, const Tensor&, const Tensor&)>
void LinearGradient(GradContext& g) {
  g.Set(0, kGradient(BothAttrs(g), g.dy(0), g.x(0)));
}
template <Tensor (*kForward)(OpAttrs, const Tensor&, const Tensor&)>
void GradientOfGradient(GradContext& g) {
  g.Set(0, kForward(BothAttrs(g), g.dy(0), SizeTensor(g.x(0))));
}

#define PIXELS                                                          \
  "T: type in [int8, uint8, int16, uint16, int32, int64, half, float, " \
  "double, bfloat16]; align_corners: bool = False"
#define CENTERS "; half_pixel_centers: bool = False"
#define RESIZED "images: T; size: int32"

const OpRecord kRecords[] = {
    {.name = "ResizeBilinear",
     .inputs = RESIZED,
     .outputs = "resized_images: float",
     .attrs = "T: type in [int8, uint8, int16, uint16, int32, int64, "
              "bfloat16, half, float, double, bfloat16]; align_corners: bool "
              "= False" CENTERS,
     .shape = ResizeShape,
     .kernel = {.compute = ComputeBilinear},
     .gradient = LinearGradient<ops::ResizeBilinearGrad>,
     .doc = "Pictures of another size; each pixel is interpolated between "
            "four.",
     .test = {.tolerance = 1e-5}},

    {.name = "ResizeBilinearGrad",
     .inputs = "grads: float; original_image: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, bfloat16, half, double]; align_corners: "
              "bool = False" CENTERS,
     .shape = PictureLikeInput<1>,
     .kernel = {.compute = ComputeLinearGradient<BilinearWeights>},
     .gradient = GradientOfGradient<ops::ResizeBilinear>,
     .doc = "The gradient of ResizeBilinear with respect to the picture.",
     .test = {.tolerance = 1e-5}},

    {.name = "ResizeBicubic",
     .inputs = RESIZED,
     .outputs = "resized_images: float",
     .attrs = PIXELS CENTERS,
     .shape = ResizeShape,
     .kernel = {.compute = ComputeLinear<BicubicWeights>},
     .gradient =
         [](GradContext& g) {
           const DataType t = g.x(0).dtype();
           if (t != DataType::kFloat && t != DataType::kDouble) return;
           LinearGradient<ops::ResizeBicubicGrad>(g);
         },
     .doc = "Pictures of another size; each pixel is interpolated between "
            "sixteen.",
     .test = {.tolerance = 1e-5}},

    {.name = "ResizeBicubicGrad",
     .inputs = "grads: float; original_image: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double]; align_corners: bool = "
              "False" CENTERS,
     .shape = PictureLikeInput<1>,
     .kernel = {.compute = ComputeLinearGradient<BicubicWeights>},
     .gradient = GradientOfGradient<ops::ResizeBicubic>,
     .doc = "The gradient of ResizeBicubic with respect to the picture.",
     .test = {.tolerance = 1e-5}},

    {.name = "ResizeNearestNeighbor",
     .inputs = RESIZED,
     .outputs = "resized_images: T",
     .attrs = PIXELS CENTERS,
     .shape = ResizeShape,
     .kernel = {.compute = ComputeNearest},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::ResizeNearestNeighborGrad(BothAttrs(g), g.dy(0),
                                                   SizeTensor(g.x(0))));
         },
     .doc = "Pictures of another size, made of the pixels that are nearest."},

    {.name = "ResizeNearestNeighborGrad",
     .inputs = "grads: T; size: int32",
     .outputs = "output: T",
     .attrs = "T: type in [uint8, int8, int32, half, float, double, "
              "bfloat16]; align_corners: bool = False" CENTERS,
     .shape = ResizeShape,
     .kernel = {.compute = ComputeNearestGradient},
     .gradient = GradientOfGradient<ops::ResizeNearestNeighbor>,
     .doc = "The gradient of ResizeNearestNeighbor with respect to the "
            "picture, whose height and width are `size`."},

    {.name = "ResizeArea",
     .inputs = RESIZED,
     .outputs = "resized_images: float",
     .attrs = PIXELS,
     .shape = ResizeShape,
     .kernel = {.compute = ComputeLinear<AreaWeights>},
     .doc = "Pictures of another size; each pixel is the mean of the area it "
            "covers.",
     .test = {.tolerance = 1e-5}},
};

}  // namespace

GK_REGISTER_OPS(image_resize)

}  // namespace gk
