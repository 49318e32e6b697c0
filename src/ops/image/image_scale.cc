// Pictures scaled and moved, by kernels of sampling.
#include <cmath>
#include <numbers>
#include <string>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/image/picture_sizes.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/ScaleAndTranslate.h"
#include "ops/with_attrs/ScaleAndTranslateGrad.h"

namespace gk {
namespace {

// The weight of a pixel at distance x >= 0; none beyond the radius.
struct Sampler {
  float radius;
  float (*weight)(float x);
};

template <int kRadius>
float Lanczos(float x) {
  constexpr float kPi = std::numbers::pi_v<float>;
  constexpr float radius = kRadius;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) /
         (kPi * kPi * x * x);
}
float Gaussian(float x) {
  constexpr float kRadius = 1.5f, kSigma = kRadius / 3;
  return x >= kRadius ? 0 : std::exp(-x * x / (2 * kSigma * kSigma));
}
float Box(float x) { return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0; }
float Triangle(float x) { return x < 1 ? 1 - x : 0; }
float KeysCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return ((1.5f * x - 2.5f) * x) * x + 1;
}
float MitchellCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) {
    return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  }
  return (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

StatusOr<Sampler> SamplerOf(const std::string& name) {
  static constexpr struct {
    std::string_view name;
    Sampler sampler;
  } kSamplers[] = {{"lanczos1", {1, Lanczos<1>}},
                   {"lanczos3", {3, Lanczos<3>}},
                   {"lanczos5", {5, Lanczos<5>}},
                   {"gaussian", {1.5, Gaussian}},
                   {"box", {1, Box}},
                   {"triangle", {1, Triangle}},
                   {"keyscubic", {2, KeysCubic}},
                   {"mitchellcubic", {2, MitchellCubic}}};
  for (const auto& s : kSamplers) {
    if (s.name == name) return s.sampler;
  }
  return InvalidArgument("Unrecognized kernel type: {}", name);
}

// One axis of the map from new places to old ones.
struct Line {
  int64_t from = 0, to = 0;
  float scale = 1, shift = 0;
  bool antialias = true;
};

AxisWeights WeightsOf(const Sampler& sampler, const Line& line) {
  const float step = 1.0 / line.scale;
  const float begin = -step * line.shift;
  const float wide = line.antialias ? std::max(step, 1.0f) : 1.0f;
  const float reach = sampler.radius * wide, narrow = 1.0f / wide;
  const float last = static_cast<float>(line.from - 1);
  const auto pixel = [&](float at) {
    return std::min(static_cast<int64_t>(std::clamp(at, 0.0f, last)),
                    line.from - 1);
  };
  AxisWeights w;
  // As many as most samplers need where little is made smaller.
  w.Reserve(line.to, 8 * line.to);
  std::vector<float> weights;
  for (int64_t i = 0; i < line.to; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * step + begin;
    // Outside the picture there is nothing; nor is anything at NaN.
    if (center >= 0 && center <= static_cast<float>(line.from)) {
      const int64_t first = pixel(std::ceil(center - reach - 0.5f));
      const int64_t end = pixel(std::floor(center + reach - 0.5f)) + 1;
      weights.clear();
      float sum = 0;
      for (int64_t at = first; at < end; ++at) {
        const float distance = static_cast<float>(at) + 0.5f - center;
        weights.push_back(sampler.weight(std::abs(distance * narrow)));
        sum += weights.back();
      }
      if (std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
        const float factor = 1.0f / sum;
        for (int64_t at = first; at < end; ++at) {
          w.Add(at, weights[at - first] * factor);
        }
      }
    }
    w.EndPixel();
  }
  return w;
}

// The two elements of a vector.
Status Pair(const Tensor& t, float* rows, float* columns) {
  if (t.rank() != 1) {
    return InvalidArgument("t must be 1-dimensional{}",
                           t.shape().DebugString());
  }
  if (t.num_elements() != 2) {
    return InvalidArgument("t must have two elements{}",
                           t.shape().DebugString());
  }
  *rows = t.data<float>()[0];
  *columns = t.data<float>()[1];
  return OkStatus();
}

struct Lines {
  Sampler sampler;
  Line rows, columns;
};

// Scale and translation are inputs 2 and 3.
StatusOr<Lines> LinesOf(const KernelContext& c, NewSize from, NewSize to) {
  Lines lines;
  GK_ASSIGN_OR_RETURN(lines.sampler,
                      SamplerOf(c.attr<std::string>("kernel_type")));
  Line &rows = lines.rows, &columns = lines.columns;
  GK_RETURN_IF_ERROR(Pair(c.input(2), &rows.scale, &columns.scale));
  if (!(rows.scale > 0 && columns.scale > 0)) {
    return InvalidArgument("Scale must be greater than zero.");
  }
  GK_RETURN_IF_ERROR(Pair(c.input(3), &rows.shift, &columns.shift));
  rows.from = from.height;
  rows.to = to.height;
  columns.from = from.width;
  columns.to = to.width;
  rows.antialias = columns.antialias = c.attr<bool>("antialias");
  return lines;
}

Status ComputeScaled(KernelContext& c) {
  const Tensor& in = c.input(0);
  NewSize to;
  GK_RETURN_IF_ERROR(CheckResize(c, "output_shape_t", &to));
  GK_ASSIGN_OR_RETURN(const Lines lines,
                      LinesOf(c, {in.dim(1), in.dim(2)}, to));
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::array{in.dim(0), to.height, to.width, in.dim(3)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  const AxisWeights rows = WeightsOf(lines.sampler, lines.rows),
                    columns = WeightsOf(lines.sampler, lines.columns);
  VisitType<float, uint8_t, half, bfloat16, double, int8_t, int16_t, uint16_t,
            int32_t, int64_t>(in.dtype(), [&](auto tag) {
    ResizeLinear(in.data<decltype(tag)>(), SizesOf(in), rows, columns, 1.0f,
                 out->data<float>(), ThreadPool::Global());
  });
  return OkStatus();
}

Status ComputeScaledGradient(KernelContext& c) {
  const Tensor &grads = c.input(0), &original = c.input(1);
  if (grads.rank() != 4) {
    return InvalidArgument("input_grad must be 4-dimensional{}",
                           grads.shape().DebugString());
  }
  if (original.rank() != 4) {
    return InvalidArgument("original_image must be 4-dimensional{}",
                           original.shape().DebugString());
  }
  if (grads.dim(0) != original.dim(0) || grads.dim(3) != original.dim(3)) {
    return InvalidArgument(
        "input_grad and original_image must have the same batch size and "
        "channels, got {} and {}",
        grads.shape().DebugString(), original.shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const Lines lines,
                      LinesOf(c, {original.dim(1), original.dim(2)},
                              {grads.dim(1), grads.dim(2)}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, original.shape(), &out));
  if (out->num_elements() == 0) return OkStatus();
  const AxisWeights rows =
      WeightsOf(lines.sampler, lines.rows).Transposed(original.dim(1));
  const AxisWeights columns =
      WeightsOf(lines.sampler, lines.columns).Transposed(original.dim(2));
  ResizeLinear(grads.data<float>(), SizesOf(grads), rows, columns, 1.0f,
               out->data<float>(), ThreadPool::Global());
  return OkStatus();
}

Status CheckPairs(InferenceContext& c) {
  for (const int i : {2, 3}) {
    PartialTensorShape pair;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &pair));
    int64_t two;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(pair.dim(0), 2, &two));
  }
  return OkStatus();
}

Status ScaledShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckPairs(c));
  return ResizedShape(c, 0, 1);
}

Status ScaledGradientShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckPairs(c));
  return PictureLikeInput<1>(c);
}

OpAttrs KernelAttrs(const GradContext& g) {
  return OpAttrs(SharedAttrs(g.attrs(), {"kernel_type", "antialias"}));
}

#define KERNEL "; kernel_type: string = 'lanczos3'; antialias: bool = True"

const OpRecord kRecords[] = {
    {.name = "ScaleAndTranslate",
     .inputs = "images: T; size: int32; scale: float; translation: float",
     .outputs = "resized_images: float",
     .attrs = "T: type in [int8, uint8, int16, uint16, int32, int64, "
              "bfloat16, half, float, double]" KERNEL,
     .shape = ScaledShape,
     .kernel = {.compute = ComputeScaled},
     .gradient =
         [](GradContext& g) {
           // TensorFlow has a kernel of the gradient for float alone.
           const Tensor x = g.x(0);
           if (x.dtype() != DataType::kFloat) return;
           g.Set(0, ops::ScaleAndTranslateGrad(KernelAttrs(g), g.dy(0), x,
                                               g.x(2), g.x(3)));
         },
     .doc = "Pictures scaled and then moved, each pixel a weighted sum of "
            "those near its place; beyond the picture there are zeros.",
     .test = {.tolerance = 1e-4}},

    {.name = "ScaleAndTranslateGrad",
     .inputs = "grads: T; original_image: T; scale: float; translation: float",
     .outputs = "output: T",
     .attrs = "T: type in [float]" KERNEL,
     .shape = ScaledGradientShape,
     .kernel = {.compute = ComputeScaledGradient},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::ScaleAndTranslate(KernelAttrs(g), g.dy(0),
                                           SizeTensor(g.x(0)), g.x(2), g.x(3)));
         },
     .doc = "The gradient of ScaleAndTranslate with respect to the picture.",
     .test = {.tolerance = 1e-4}},
};

}  // namespace

GK_REGISTER_OPS(image_scale)

}  // namespace gk
