// Colour spaces, and pictures with other contrast, hue or saturation.
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/color.h"
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Less.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Unpack.h"

namespace gk {
namespace {

template <bool kToHsv>
Status ComputeSpace(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.rank() < 1) {
    return InvalidArgument("input must be at least 1D{}",
                           in.shape().DebugString());
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return FailedPrecondition(
        "input must have 3 channels but input only has {} channels.", channels);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, in.dtype(), in.shape(), &out));
  VisitType<float, half, bfloat16, double>(in.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using F = std::conditional_t<kToHsv, ToHsv, FromHsv>;
    MapPixels<F>(in.data<T>(), in.num_elements() / 3, 0, out->data<T>(),
                 ThreadPool::Global());
  });
  return OkStatus();
}

// A picture of rank 3 or more and a scalar, which `what` names.
Status CheckAdjusted(const KernelContext& c, std::string_view what) {
  const Tensor &in = c.input(0), &by = c.input(1);
  if (in.rank() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape{}",
                           in.shape().DebugString());
  }
  if (!by.shape().IsScalar()) {
    return InvalidArgument("{} must be scalar: {}", what,
                           by.shape().DebugString());
  }
  return OkStatus();
}

template <class F>
Status AdjustPixels(KernelContext& c, std::string_view what) {
  GK_RETURN_IF_ERROR(CheckAdjusted(c, what));
  const Tensor& in = c.input(0);
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return InvalidArgument(
        "input must have 3 channels but instead has {} channels.", channels);
  }
  const float by = c.input(1).scalar<float>();
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, in.dtype(), in.shape(), &out));
  VisitType<float, half>(in.dtype(), [&](auto tag) {
    using T = decltype(tag);
    MapPixels<F>(in.data<T>(), in.num_elements() / 3, by, out->data<T>(),
                 ThreadPool::Global());
  });
  return OkStatus();
}

Status ComputeHue(KernelContext& c) {
  return AdjustPixels<TurnHue>(c, "delta");
}

Status ComputeSaturation(KernelContext& c) {
  return AdjustPixels<Saturate>(c, "scale");
}

Status ComputeContrast(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckAdjusted(c, "contrast_factor"));
  const Tensor& in = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, in.dtype(), in.shape(), &out));
  if (in.num_elements() == 0) return OkStatus();
  const int rank = in.rank();
  const int64_t pixels = in.dim(rank - 3) * in.dim(rank - 2),
                channels = in.dim(rank - 1);
  VisitType<float, half>(in.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ScaleContrast(in.data<T>(), in.num_elements() / (pixels * channels), pixels,
                  channels, c.input(1).scalar<float>(), out->data<T>(),
                  ThreadPool::Global());
  });
  return OkStatus();
}

Status ColorShape(InferenceContext& c) {
  PartialTensorShape in;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &in));
  if (!in.unknown_rank()) {
    int64_t three;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(in.dim(in.rank() - 1), 3, &three));
    in.SetDim(in.rank() - 1, 3);
  }
  c.set_output(0, std::move(in));
  return OkStatus();
}

Status AdjustedShape(InferenceContext& c) {
  PartialTensorShape in, by;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 3, &in));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &by));
  c.set_output(0, std::move(in));
  return OkStatus();
}

struct Masks {
  Tensor of[3];

  Tensor Chosen(const Tensor* from) const {
    return ops::AddV2(
        ops::AddV2(ops::Mul(of[0], from[0]), ops::Mul(of[1], from[1])),
        ops::Mul(of[2], from[2]));
  }
};

// Where two comparisons hold, as numbers.
template <Tensor (*kFirst)(const Tensor&, const Tensor&),
          Tensor (*kSecond)(const Tensor&, const Tensor&)>
Tensor Mask(const Tensor& x, const Tensor& y, const Tensor& z) {
  const Tensor both = ops::LogicalAnd(kFirst(x, y), kSecond(x, z));
  return CastTo(both, x.dtype());
}

// Of hues q / 6, where q = n / (highest - lowest), of saturations (highest -
// lowest) / highest and of values. Of equal colours red counts as the
// highest and blue as the lowest; saturation does not change with black.
void HsvGradient(GradContext& g) {
  using namespace ops;  // NOLINT: a formula
  const Tensor &x = g.x(0), dy = g.dy(0);
  const DataType t = x.dtype();
  const TensorVector rgb = Unpack(x, 3, -1), d = Unpack(dy, 3, -1);
  const Tensor &red = rgb[0], &green = rgb[1], &blue = rgb[2];
  const Masks high{{Mask<GreaterEqual, GreaterEqual>(red, blue, green),
                    Mask<GreaterEqual, Greater>(green, blue, red),
                    Mask<Greater, Greater>(blue, red, green)}};
  const Masks low{{Mask<Less, Less>(red, blue, green),
                   Mask<LessEqual, Less>(green, red, blue),
                   Mask<LessEqual, LessEqual>(blue, red, green)}};
  const Tensor highest = high.Chosen(rgb.data());
  const Tensor lowest = low.Chosen(rgb.data());
  const Tensor one = NumberOf(1, t), sixth = NumberOf(1.0 / 6, t);
  const Tensor of_range = DivNoNan(one, Sub(highest, lowest));
  const Tensor of_highest = DivNoNan(one, highest);
  const Tensor to_high = Mul(lowest, Mul(of_highest, of_highest));
  const Tensor differences[] = {Sub(green, blue), Sub(blue, red),
                                Sub(red, green)};
  const Tensor n = high.Chosen(differences);
  const Tensor back = Mul(n, Mul(of_range, of_range));
  TensorVector grads;
  for (int i = 0; i < 3; ++i) {
    const Tensor dn = Sub(high.of[(i + 2) % 3], high.of[(i + 1) % 3]);
    const Tensor dq =
        Sub(Mul(dn, of_range), Mul(back, Sub(high.of[i], low.of[i])));
    const Tensor lit = CastTo(Greater(rgb[i], NumberOf(0, t)), t);
    const Tensor ds =
        Mul(lit, Sub(Mul(high.of[i], to_high), Mul(low.of[i], of_highest)));
    grads.push_back(AddV2(AddV2(Mul(d[2], high.of[i]), Mul(d[1], ds)),
                          Mul(d[0], Mul(sixth, dq))));
  }
  g.Set(0, Pack(grads, -1));
}

#define COLORS "T: type in [half, bfloat16, float, double] = float"
#define ADJUSTED "T: type in [half, float] = float"

const OpRecord kRecords[] = {
    {.name = "RGBToHSV",
     .inputs = "images: T",
     .outputs = "output: T",
     .attrs = COLORS,
     .shape = ColorShape,
     .kernel = {.compute = ComputeSpace<true>},
     .gradient = HsvGradient,
     .python = {.names = "image.rgb_to_hsv"},
     .doc = "Red, green and blue of [0, 1] as hue, saturation and value of "
            "[0, 1], along the last dimension.",
     .example = ">>> tf.image.rgb_to_hsv([0.5, 0.25, 0.25]).numpy().tolist()\n"
                "[0.0, 0.5, 0.5]",
     .test = {.low = 0.1, .high = 0.9, .tolerance = 1e-4}},

    {.name = "HSVToRGB",
     .inputs = "images: T",
     .outputs = "output: T",
     .attrs = COLORS,
     .traits = kNoGradient,
     .shape = ColorShape,
     .kernel = {.compute = ComputeSpace<false>},
     .python = {.names = "image.hsv_to_rgb"},
     .doc = "Hue, saturation and value of [0, 1] as red, green and blue, along "
            "the last dimension.",
     .example = ">>> tf.image.hsv_to_rgb([0.0, 0.5, 0.5]).numpy().tolist()\n"
                "[0.5, 0.25, 0.25]",
     .test = {.low = 0.1, .high = 0.9, .tolerance = 1e-4}},

    {.name = "AdjustContrastv2",
     .inputs = "images: T; contrast_factor: float",
     .outputs = "output: T",
     .attrs = ADJUSTED,
     .shape = AdjustedShape,
     .kernel = {.compute = ComputeContrast},
     .doc = "Pictures whose pixels are `contrast_factor` times as far from the "
            "mean of their channel.",
     .test = {.tolerance = 1e-4}},

    {.name = "AdjustHue",
     .inputs = "images: T; delta: float",
     .outputs = "output: T",
     .attrs = ADJUSTED,
     .shape = AdjustedShape,
     .kernel = {.compute = ComputeHue},
     .doc = "Pictures of red, green and blue with hues `delta` turns further.",
     .test = {.low = 0.1, .high = 0.9, .tolerance = 1e-4}},

    {.name = "AdjustSaturation",
     .inputs = "images: T; scale: float",
     .outputs = "output: T",
     .attrs = ADJUSTED,
     .shape = AdjustedShape,
     .kernel = {.compute = ComputeSaturation},
     .doc = "Pictures of red, green and blue, `scale` times as saturated, at "
            "most wholly.",
     .test = {.low = 0.1, .high = 0.9, .tolerance = 1e-4}},
};

}  // namespace

GK_REGISTER_OPS(image_color)

}  // namespace gk
