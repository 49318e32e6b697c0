// Patches of volumes, and glimpses of pictures.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/image/picture_sizes.h"
#include "ops/int32_attrs.h"
#include "ops/nn/window.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_place.h"
#include "ops/with_attrs/ExtractVolumePatches.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

// ---- ExtractVolumePatches ----

struct VolumeWindow {
  int64_t size[3] = {}, stride[3] = {};
};

Status ReadWindow(const AttrMap& attrs, VolumeWindow* w) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(attrs, {"ksizes", "strides"}));
  const auto read = [&](std::string_view name, int64_t* to) -> Status {
    const auto* list = attrs.Get<Ints>(name);
    if (list == nullptr || list->size() != 5) {
      return InvalidArgument(
          "ExtractVolumePatches requires the {} attribute to contain 5 "
          "values, but got: {}",
          name, list == nullptr ? 0 : list->size());
    }
    if ((*list)[0] != 1 || (*list)[4] != 1) {
      return Unimplemented("Only support {} across space.", name);
    }
    for (int i = 0; i < 3; ++i) {
      to[i] = (*list)[i + 1];
      if (to[i] < 1) return OutOfRange("{} is out of range.", name);
    }
    return OkStatus();
  };
  GK_RETURN_IF_ERROR(read("ksizes", w->size));
  return read("strides", w->stride);
}

StatusOr<WindowDim> SlideOver(const VolumeWindow& w, int i, int64_t in,
                              const std::string& padding) {
  const int64_t steps = in - w.size[i] + w.stride[i];
  if (padding == "VALID" && steps < 0) {
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, "
        "effective_filter_size: {}, stride: {}]",
        (steps - w.stride[i] + 1) / w.stride[i], in, w.size[i], w.stride[i]);
  }
  return SlideWindow(in, w.size[i], w.stride[i], 1, padding);
}

// The channels of a patch; -1 if they are too many.
int64_t PatchDepth(const VolumeWindow& w, int64_t channels) {
  int64_t depth = channels;
  for (const int64_t k : w.size) depth = MultiplyWithoutOverflow(depth, k);
  return depth;
}

Status ComputeVolumePatches(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 5) {
    return InvalidArgument("input must be 5-dimensional{}",
                           x.shape().DebugString());
  }
  VolumeWindow w;
  GK_RETURN_IF_ERROR(ReadWindow(c.attrs(), &w));
  const int64_t channels = x.dim(4), depth = PatchDepth(w, channels);
  if (depth < 0) return InvalidArgument("ksizes are too large");
  WindowDim dims[3];
  for (int i = 0; i < 3; ++i) {
    GK_ASSIGN_OR_RETURN(
        dims[i], SlideOver(w, i, x.dim(i + 1), c.attr<std::string>("padding")));
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(std::array{
                                             x.dim(0), dims[0].out, dims[1].out,
                                             dims[2].out, depth}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const auto from = StridesOf(x.shape());
  return VisitMoved(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      const T* in = static_cast<const T*>(x.raw_data());
      T* to = static_cast<T*>(out->raw_data());
      const auto copy = [&](int64_t patch) {
        int64_t at[3], rest = patch;
        for (int i = 2; i >= 0; --i) {
          at[i] = rest % dims[i].out * w.stride[i] - dims[i].pad;
          rest /= dims[i].out;
        }
        T* pixel = to + patch * depth;
        for (int64_t p = 0; p < w.size[0]; ++p) {
          for (int64_t r = 0; r < w.size[1]; ++r) {
            for (int64_t q = 0; q < w.size[2]; ++q, pixel += channels) {
              const int64_t place[] = {at[0] + p, at[1] + r, at[2] + q};
              bool inside = true;
              int64_t offset = rest * from[0];
              for (int i = 0; i < 3; ++i) {
                inside = inside && place[i] >= 0 && place[i] < x.dim(i + 1);
                offset += place[i] * from[i + 1];
              }
              if (inside) {
                std::copy_n(in + offset, channels, pixel);
              } else {
                std::fill_n(pixel, channels, T(0));
              }
            }
          }
        }
      };
      ThreadPool::Global().ParallelRange(shape.num_elements() / depth, depth,
                                         [&](int64_t begin, int64_t end) {
                                           for (int64_t i = begin; i < end; ++i)
                                             copy(i);
                                         });
    }
  });
}

Status VolumePatchesShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 5, &x));
  VolumeWindow w;
  GK_RETURN_IF_ERROR(ReadWindow(c.attrs(), &w));
  for (int i = 0; i < 3; ++i) {
    if (x.dim(i + 1) < 0) continue;
    GK_ASSIGN_OR_RETURN(
        const WindowDim d,
        SlideOver(w, i, x.dim(i + 1), c.attr<std::string>("padding")));
    x.SetDim(i + 1, d.out);
  }
  if (x.dim(4) >= 0) {
    const int64_t depth = PatchDepth(w, x.dim(4));
    if (depth < 0) return InvalidArgument("ksizes are too large");
    x.SetDim(4, depth);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Tensor Picked(const Tensor& vector, int64_t first, int64_t n) {
  return ops::Slice(vector, IntegerVector(Ints{first}), IntegerVector(Ints{n}));
}

// The patches of a volume of numbers tell where each element came from: there
// the gradient is added up, that of padding (-1) nowhere.
void VolumePatchesGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const Tensor shape = ShapeTensor(g.x(0));
  const Tensor batch = Picked(shape, 0, 1), space = Picked(shape, 1, 3),
               channels = Picked(shape, 4, 1);
  const Tensor one = IntegerVector(Ints{1}), axis = IntegerConstant(0);
  const auto joined = [&](const TensorVector& v) {
    return ops::ConcatV2(v, axis);
  };
  const Tensor places =
      ops::Cast(ops::Prod(space, IntegerVector(Ints{0})), DataType::kInt64);
  const Tensor numbers =
      ops::Range(IntegerConstant(1, DataType::kInt64),
                 ops::Sub(places, IntegerConstant(-1, DataType::kInt64)),
                 IntegerConstant(1, DataType::kInt64));
  const Tensor taken = ops::ExtractVolumePatches(
      OpAttrs(SharedAttrs(g.attrs(), {"ksizes", "strides", "padding"})),
      ops::Reshape(numbers, joined({one, space, one})));
  const Tensor all = IntegerVector(Ints{-1});
  const Tensor ids =
      ops::Sub(ops::Reshape(taken, all), IntegerConstant(1, DataType::kInt64));
  // [batch, taken, channels] to [taken, batch, channels].
  const Tensor first = IntegerVector(Ints{1, 0, 2});
  const Tensor rows =
      ops::Transpose(ops::Reshape(dy, joined({batch, all, channels})), first);
  const Tensor sums = ops::UnsortedSegmentSum(rows, ids, places);
  g.Set(0, ops::Reshape(ops::Transpose(sums, first), shape));
}

// ---- ExtractGlimpse ----

enum class Noise { kUniform, kGaussian, kZero };

Status CheckNoise(const std::string& noise, bool uniform) {
  if (!uniform || noise.empty() || noise == "uniform") return OkStatus();
  return InvalidArgument(
      "The uniform_noise should not be True when noise is not uniform");
}

StatusOr<Noise> NoiseOf(const KernelContext& c) {
  const std::string& noise = c.attr<std::string>("noise");
  if (c.attr<bool>("uniform_noise")) {
    GK_RETURN_IF_ERROR(CheckNoise(noise, true));
    return Noise::kUniform;
  }
  if (noise.empty() || noise == "gaussian") return Noise::kGaussian;
  if (noise == "uniform") return Noise::kUniform;
  if (noise == "zero") return Noise::kZero;
  return InvalidArgument(
      "noise must be 'uniform', 'gaussian' or 'zero', got '{}'", noise);
}

// Where the window begins along an axis of n pixels.
template <bool kTwo>
int64_t GlimpseBegin(float offset, int64_t n, int64_t size, bool centered,
                     bool normalized) {
  const float length = static_cast<float>(n);
  const float half = static_cast<float>(size) / 2;
  float at = normalized ? offset * length : offset;
  if (centered && (!kTwo || normalized)) at /= 2;
  if (centered) at += length / 2;
  if (!kTwo || (centered && normalized)) at -= half;
  // Far outside is as good as anywhere outside.
  constexpr float kFar = 1e15f;
  if (!(at > -kFar)) return -static_cast<int64_t>(kFar);
  return static_cast<int64_t>(std::min(at, kFar));
}

// Noise like the pixels of one picture: between the smallest and the greatest
// of all, or with mean and deviation of its channel.
Status FillNoise(Noise noise, const float* pixels, int64_t n, int64_t channels,
                 float* out, int64_t size) {
  if (noise == Noise::kZero || n == 0) {
    std::fill_n(out, size * channels, 0.0f);
    return OkStatus();
  }
  const Philox gen = Philox::FromSeeds(RandomSeed(), RandomSeed());
  if (noise == Noise::kUniform) {
    const auto [low, high] = std::minmax_element(pixels, pixels + n * channels);
    FillUniform(gen, 0, size * channels, out);
    for (int64_t i = 0; i < size * channels; ++i) {
      out[i] = *low + out[i] * (*high - *low);
    }
    return OkStatus();
  }
  FillNormal(gen, 0, size * channels, out);
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    float low = pixels[c], high = pixels[c];
    for (int64_t i = 0; i < n; ++i) {
      const float v = pixels[i * channels + c];
      sum += v;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const double mean = sum / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double d = pixels[i * channels + c] - mean;
      squares += d * d;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(n));
    for (int64_t i = 0; i < size; ++i) {
      float& v = out[i * channels + c];
      const float drawn = static_cast<float>(mean + deviation * v);
      v = std::min(std::max(drawn, low), high);
    }
  }
  return OkStatus();
}

Status CheckGlimpse(const KernelContext& c) {
  const Tensor &in = c.input(0), &size = c.input(1), &offsets = c.input(2);
  if (in.rank() != 4) {
    return InvalidArgument(
        "input must be 4-dimensional (batch_size, height, width, depth){}",
        in.shape().DebugString());
  }
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("input must be a vector of size 2 (height, width){}",
                           size.shape().DebugString());
  }
  if (offsets.rank() != 2) {
    return InvalidArgument("input must be a matrix{}",
                           offsets.shape().DebugString());
  }
  if (offsets.dim(0) != in.dim(0)) {
    return InvalidArgument("first dimension should be batch{}",
                           offsets.shape().DebugString());
  }
  if (offsets.dim(1) != 2) {
    return InvalidArgument("second dimension should be of size 2 (y,x){}",
                           offsets.shape().DebugString());
  }
  return OkStatus();
}

template <bool kTwo>
Status ComputeGlimpse(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckGlimpse(c));
  const Tensor &in = c.input(0), &offsets = c.input(2);
  GK_ASSIGN_OR_RETURN(const Noise noise, NoiseOf(c));
  const int64_t height = c.input(1).data<int32_t>()[0],
                width = c.input(1).data<int32_t>()[1];
  const PictureSizes s = SizesOf(in);
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::array{s.batch, height, width, s.channels}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const bool centered = c.attr<bool>("centered"),
             normalized = c.attr<bool>("normalized");
  for (int64_t b = 0; b < s.batch; ++b) {
    const float* offset = offsets.data<float>() + b * 2;
    const int64_t y =
        GlimpseBegin<kTwo>(offset[0], s.height, height, centered, normalized);
    const int64_t x =
        GlimpseBegin<kTwo>(offset[1], s.width, width, centered, normalized);
    const float* from = in.data<float>() + b * s.height * s.line();
    float* to = out->data<float>() + b * height * width * s.channels;
    const bool whole =
        y >= 0 && x >= 0 && y + height <= s.height && x + width <= s.width;
    if (!whole) {
      GK_RETURN_IF_ERROR(FillNoise(noise, from, s.height * s.width, s.channels,
                                   to, height * width));
    }
    const int64_t left = std::max<int64_t>(x, 0),
                  right = std::min(x + width, s.width);
    if (right <= left) continue;
    for (int64_t i = 0; i < height; ++i) {
      if (y + i < 0 || y + i >= s.height) continue;
      std::copy_n(from + (y + i) * s.line() + left * s.channels,
                  (right - left) * s.channels,
                  to + (i * width + left - x) * s.channels);
    }
  }
  return OkStatus();
}

Status GlimpseShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(
      CheckNoise(c.attr<std::string>("noise"), c.attr<bool>("uniform_noise")));
  PartialTensorShape in, offsets;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &in));
  GK_RETURN_IF_ERROR(c.WithRank(2, 2, &offsets));
  int64_t batch, two;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(in.dim(0), offsets.dim(0), &batch));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(offsets.dim(1), 2, &two));
  GK_RETURN_IF_ERROR(ResizedShape(c, 0, 1));
  PartialTensorShape out = c.output(0);
  out.SetDim(0, batch);
  c.set_output(0, std::move(out));
  return OkStatus();
}

#define GLIMPSE_ATTRS                                                    \
  "centered: bool = True; normalized: bool = True; uniform_noise: bool " \
  "= True; noise: string = 'uniform'"
#define GLIMPSE_DOC                                                            \
  "A window of `size` height and width of each picture, at `offsets` [batch, " \
  "2] (y, x); what it shows of the outside is noise."

const OpRecord kRecords[] = {
    {.name = "ExtractVolumePatches",
     .inputs = "input: T",
     .outputs = "patches: T",
     .attrs = "ksizes: list(int) >= 5; strides: list(int) >= 5; T: type in "
              "[float, double, int32, uint8, int16, int8, int64, bfloat16, "
              "uint16, half, uint32, uint64]; padding: string in [SAME, VALID]",
     .shape = VolumePatchesShape,
     .kernel = {.compute = ComputeVolumePatches},
     .gradient = VolumePatchesGradient,
     .python = {.names = "extract_volume_patches"},
     .doc = "The patches of volumes [batch, planes, rows, columns, channels] "
            "that a window sees, in the depth.\n\nArgs:\n  ksizes, strides: "
            "five numbers, the first and the last of which are 1.",
     .example = ">>> tf.extract_volume_patches(tf.ones([1, 2, 2, 2, 1]), [1, "
                "2, 2, 2, 1],\n...     [1, 1, 1, 1, 1], 'VALID').shape\n"
                "TensorShape([1, 1, 1, 1, 8])"},

    {.name = "ExtractGlimpse",
     .inputs = "input: float; size: int32; offsets: float",
     .outputs = "glimpse: float",
     .attrs = GLIMPSE_ATTRS,
     .traits = kRandom | kNoGradient,
     .shape = GlimpseShape,
     .kernel = {.compute = ComputeGlimpse<false>},
     .doc = GLIMPSE_DOC},

    {.name = "ExtractGlimpseV2",
     .inputs = "input: float; size: int32; offsets: float",
     .outputs = "glimpse: float",
     .attrs = GLIMPSE_ATTRS,
     .traits = kRandom | kNoGradient,
     .shape = GlimpseShape,
     .kernel = {.compute = ComputeGlimpse<true>},
     .doc = GLIMPSE_DOC},
};

}  // namespace

GK_REGISTER_OPS(image_patches)

}  // namespace gk
