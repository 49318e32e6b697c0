// Quantized pictures in other sizes, and normalized.
#include "ops/fn/quantize_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/quantize.h"
#include "ops/quantize/quantized_call.h"

namespace gk {
namespace {

Status CheckRankOf(const Tensor& t, int rank, std::string_view name) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument("{} must be {}-dimensional{}", name, rank,
                         t.shape().DebugString());
}

// ---- QuantizedResizeBilinear ----

Status ResizeShape(InferenceContext& c) {
  PartialTensorShape x, sizes;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &sizes));
  int64_t two;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(sizes.dim(0), 2, &two));
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  const PartialTensorShape given = c.ValueAsShape(1);
  const bool known = !given.unknown_rank() && given.rank() == 2;
  c.set_output(0, {x.dim(0), known ? given.dim(0) : kUnknownDim,
                   known ? given.dim(1) : kUnknownDim, x.dim(3)});
  SetScalarOutputs(c);
  return OkStatus();
}

// Between which rows or columns each one lies, and how far from the first: in
// parts of 2^kBits, or as it is.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> PlacesBetween(int64_t in, int64_t out, bool corners,
                                   bool half_pixels) {
  const float scale = corners && out > 1
                          ? static_cast<float>(in - 1) / (out - 1)
                          : static_cast<float>(in) / out;
  std::vector<Between> places(out);
  for (int64_t i = 0; i < out; ++i) {
    const float at = half_pixels ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                                 : static_cast<float>(i) * scale;
    const float below = std::floor(at);
    Between& place = places[i];
    place.high = std::min(static_cast<int64_t>(std::ceil(at)), in - 1);
    place.low =
        std::min(std::max(static_cast<int64_t>(below), int64_t{0}), place.high);
    place.part = at - below;
  }
  return places;
}

// Level arithmetic in integers of type Wide, of kBits below one.
template <class T, class Wide, int kBits>
T BetweenLevels(T top_left, T top_right, T bottom_left, T bottom_right,
                float right, float down) {
  constexpr Wide kOne = Wide{1} << kBits;
  const auto part = [](float p) {
    return static_cast<Wide>(
        static_cast<int32_t>(p * static_cast<float>(kOne)));
  };
  const auto along = [&](T a, T b) {
    return static_cast<Wide>(Wide{a} * kOne +
                             (Wide{b} - Wide{a}) * part(right));
  };
  const Wide top = along(top_left, top_right),
             bottom = along(bottom_left, bottom_right);
  const Wide sum = top + (bottom - top) / kOne * part(down);
  return static_cast<T>((sum + kOne / 2) / kOne);
}
float BetweenFloats(float top_left, float top_right, float bottom_left,
                    float bottom_right, float right, float down) {
  const float top = top_left + (top_right - top_left) * right;
  const float bottom = bottom_left + (bottom_right - bottom_left) * right;
  return top + (bottom - top) * down;
}

template <class T>
void Resize(const Tensor& x, const std::vector<Between>& rows,
            const std::vector<Between>& columns, Tensor* y) {
  const int64_t height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  const auto out_rows = static_cast<int64_t>(rows.size());
  const auto out_columns = static_cast<int64_t>(columns.size());
  const T* from = LevelsOf<T>(x);
  T* to = LevelsOf<T>(y);
  ForEach(x.dim(0) * out_rows, 5 * out_columns * depth, [&](int64_t i) {
    const Between& row = rows[i % out_rows];
    const T* image = from + i / out_rows * height * width * depth;
    const T* above = image + row.low * width * depth;
    const T* under = image + row.high * width * depth;
    T* out = to + i * out_columns * depth;
    for (const Between& column : columns) {
      for (int64_t k = 0; k < depth; ++k) {
        const int64_t l = column.low * depth + k, r = column.high * depth + k;
        if constexpr (std::is_same_v<T, float>) {
          *out++ = BetweenFloats(above[l], above[r], under[l], under[r],
                                 column.part, row.part);
        } else if constexpr (sizeof(T) == 1) {
          *out++ = BetweenLevels<T, int32_t, 7>(
              above[l], above[r], under[l], under[r], column.part, row.part);
        } else {
          *out++ = BetweenLevels<T, int64_t, 30>(
              above[l], above[r], under[l], under[r], column.part, row.part);
        }
      }
    }
  });
}

Status ComputeResize(KernelContext& c) {
  const Tensor &x = c.input(0), &sizes = c.input(1);
  FloatRange range;
  for (int i = 2; i <= 3; ++i) {
    if (!c.input(i).shape().IsScalar()) {
      return InvalidArgument("{} must be a scalar", i == 2 ? "min" : "max");
    }
  }
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "", &range));
  GK_RETURN_IF_ERROR(CheckRankOf(x, 4, "input"));
  if (sizes.rank() != 1) {
    return InvalidArgument("shape_t must be 1-dimensional{}",
                           sizes.shape().DebugString());
  }
  if (sizes.dim(0) != 2) {
    return InvalidArgument("shape_t must have two elements{}",
                           sizes.shape().DebugString());
  }
  const int64_t height = sizes.data<int32_t>()[0],
                width = sizes.data<int32_t>()[1];
  if (height < 1 || width < 1) {
    return InvalidArgument("output dimensions must be positive");
  }
  if (x.dim(1) < 1 || x.dim(2) < 1) {
    return InvalidArgument("input image must be of non-zero size");
  }
  GK_ASSIGN_OR_RETURN(
      const TensorShape shape,
      TensorShape::Make(std::array{x.dim(0), height, width, x.dim(3)}));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &y));
  GK_RETURN_IF_ERROR(SetRange(c, 1, range.min, range.max));
  if (shape.num_elements() == 0) return OkStatus();
  if (shape == x.shape()) {
    std::memcpy(y->raw_data(), x.raw_data(), x.byte_size());
    return OkStatus();
  }
  const bool corners = c.attr<bool>("align_corners"),
             half_pixels = c.attr<bool>("half_pixel_centers");
  const auto rows = PlacesBetween(x.dim(1), height, corners, half_pixels);
  const auto columns = PlacesBetween(x.dim(2), width, corners, half_pixels);
  switch (x.dtype()) {
    case DataType::kQuint8:
      Resize<uint8_t>(x, rows, columns, y);
      return OkStatus();
    case DataType::kQint32:
      Resize<int32_t>(x, rows, columns, y);
      return OkStatus();
    case DataType::kFloat:
      Resize<float>(x, rows, columns, y);
      return OkStatus();
    default:
      return c.NoKernel();
  }
}

// ---- QuantizedInstanceNorm ----

Status InstanceNormShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 1));
  c.set_output(0, c.input(0));
  SetScalarOutputs(c);
  return OkStatus();
}

Status ComputeInstanceNorm(KernelContext& c) {
  const Tensor& x = c.input(0);
  FloatRange in{},
      out{c.attr<float>("given_y_min"), c.attr<float>("given_y_max")};
  const bool given = c.attr<bool>("output_range_given");
  if (given && !(out.min < out.max)) {
    return InvalidArgument(
        "given_y_min must be less than given_y_max : {} >= {}", out.min,
        out.max);
  }
  GK_RETURN_IF_ERROR(OneFloat(c, 1, "x_min", &in.min));
  GK_RETURN_IF_ERROR(OneFloat(c, 2, "x_max", &in.max));
  if (!(in.min < in.max)) {
    return InvalidArgument("input_min must be less than input_max : {} >= {}",
                           in.min, in.max);
  }
  GK_RETURN_IF_ERROR(CheckRankOf(x, 4, "x"));
  if (x.dtype() != DataType::kQuint8) return c.NoKernel();
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQuint8, x.shape(), &y));
  const int64_t images = x.dim(0), cells = x.dim(1) * x.dim(2),
                depth = x.dim(3);
  const float step = (in.max - in.min) / 255.0f;
  const float epsilon = c.attr<float>("variance_epsilon");
  std::vector<float> normed(x.num_elements());
  const uint8_t* from = LevelsOf<uint8_t>(x);
  ForEach(images * depth, 6 * cells, [&](int64_t i) {
    const int64_t at = i / depth * cells * depth + i % depth;
    int64_t sum = 0;
    for (int64_t p = 0; p < cells; ++p) sum += from[at + p * depth];
    const float mean = static_cast<float>(sum) / static_cast<float>(cells);
    double squares = 0;
    for (int64_t p = 0; p < cells; ++p) {
      const float off =
          step * (static_cast<float>(from[at + p * depth]) - mean);
      squares += static_cast<double>(off) * off;
    }
    const float scale =
        1.0f / std::sqrt(static_cast<float>(squares / cells) + epsilon);
    for (int64_t p = 0; p < cells; ++p) {
      normed[at + p * depth] =
          step * (static_cast<float>(from[at + p * depth]) - mean) * scale;
    }
  });
  if (!given) {
    out = {std::numeric_limits<float>::max(),
           std::numeric_limits<float>::lowest()};
    for (const float v : normed) {
      out = {std::min(out.min, v), std::max(out.max, v)};
    }
    if (normed.empty()) out = {};
  }
  const float least = c.attr<float>("min_separation");
  if (out.max - out.min < least) out.max = out.min + least;
  const FloatToLevel<uint8_t> level(out.min, out.max);
  uint8_t* to = LevelsOf<uint8_t>(y);
  ForEach(x.num_elements(), 3, [&](int64_t i) { to[i] = level(normed[i]); });
  return SetRange(c, 1, out.min, out.max);
}

// ---- QuantizedBatchNormWithGlobalNormalization ----

constexpr const char* kNormInputs[] = {"input", "mean", "var", "beta", "gamma"};

Status BatchNormShape(InferenceContext& c) {
  PartialTensorShape x, scalar, vector;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  int64_t depth = x.dim(3);
  for (int i = 0; i < 5; ++i) {
    if (i > 0) {
      GK_RETURN_IF_ERROR(c.WithRank(3 * i, 1, &vector));
      GK_RETURN_IF_ERROR(
          InferenceContext::MergeDims(depth, vector.dim(0), &depth));
    }
    GK_RETURN_IF_ERROR(c.WithRank(3 * i + 1, 0, &scalar));
    GK_RETURN_IF_ERROR(c.WithRank(3 * i + 2, 0, &scalar));
  }
  x.SetDim(3, depth);
  c.set_output(0, x);
  SetScalarOutputs(c);
  return OkStatus();
}

Status ComputeBatchNorm(KernelContext& c) {
  const Tensor& x = c.input(0);
  FloatRange ranges[5];
  for (int i = 0; i < 5; ++i) {
    GK_RETURN_IF_ERROR(RangeAt(c, 3 * i + 1, kNormInputs[i], &ranges[i]));
    GK_RETURN_IF_ERROR(
        CheckRankOf(c.input(3 * i), i == 0 ? 4 : 1, kNormInputs[i]));
    if (i > 0 && c.input(3 * i).dim(0) != x.dim(3)) {
      return InvalidArgument(
          "{} must have as many elements as the input's last dimension: {} vs. "
          "{}",
          kNormInputs[i], c.input(3 * i).dim(0), x.dim(3));
    }
  }
  if (x.dtype() != DataType::kQuint8 ||
      c.attr<DataType>("out_type") != DataType::kQint32) {
    return c.NoKernel();
  }
  // Room for a million each way, and ten bits below one.
  constexpr FloatRange kOut{-(1 << 20), 1 << 20};
  const auto level = [&](float v) {
    return LevelOf<int32_t>(v, kOut.min, kOut.max);
  };
  const float epsilon = c.attr<float>("variance_epsilon");
  const bool scaled = c.attr<bool>("scale_after_normalization");
  const int64_t depth = x.dim(3);
  std::vector<int32_t> scale(depth), offset(depth);
  for (int64_t k = 0; k < depth; ++k) {
    const auto number = [&](int i) {
      return NumberOfLevel(LevelsOf<uint8_t>(c.input(3 * i))[k], ranges[i].min,
                           ranges[i].max);
    };
    float by = 1.0f / std::sqrt(number(2) + epsilon);
    if (scaled) by *= number(4);
    scale[k] = level(by);
    offset[k] = level(-number(1) * by + number(3));
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQint32, x.shape(), &y));
  const int32_t one = level(1.0f);
  const uint8_t* from = LevelsOf<uint8_t>(x);
  int32_t* to = LevelsOf<int32_t>(y);
  int32_t levels[256];
  for (int v = 0; v < 256; ++v) {
    levels[v] = level(
        NumberOfLevel(static_cast<uint8_t>(v), ranges[0].min, ranges[0].max));
  }
  ForEach(x.num_elements(), 3, [&](int64_t i) {
    const int64_t k = i % depth;
    to[i] = WrapAdd(WrapMul(levels[from[i]], scale[k]) / one, offset[k]);
  });
  return SetRange(c, 1, kOut.min, kOut.max);
}

const OpRecord kRecords[] = {
    {.name = "QuantizedResizeBilinear",
     .inputs = "images: T; size: int32; min: float; max: float",
     .outputs = "resized_images: T; out_min: float; out_max: float",
     .attrs = "T: type in [quint8, qint32, float]; align_corners: bool = "
              "false; half_pixel_centers: bool = false",
     .shape = ResizeShape,
     .kernel = {.compute = ComputeResize},
     .doc = "Quantized pictures of another size, by interpolation."},
    {.name = "QuantizedInstanceNorm",
     .inputs = "x: T; x_min: float; x_max: float",
     .outputs = "y: T; y_min: float; y_max: float",
     .attrs = "T: type in " GK_QUANTIZED_TYPES
              "; output_range_given: bool = false; given_y_min: float = 0.0; "
              "given_y_max: float = 0.0; variance_epsilon: float = "
              "9.999999747378752e-06; min_separation: float = "
              "0.0010000000474974513",
     .shape = InstanceNormShape,
     .kernel = {.compute = ComputeInstanceNorm},
     .doc = "Each channel of each picture, with mean 0 and deviation 1."},
    {.name = "QuantizedBatchNormWithGlobalNormalization",
     .inputs = "t: Tinput; t_min: float; t_max: float; m: Tinput; m_min: "
               "float; m_max: float; v: Tinput; v_min: float; v_max: float; "
               "beta: Tinput; beta_min: float; beta_max: float; gamma: Tinput; "
               "gamma_min: float; gamma_max: float",
     .outputs = "result: out_type; result_min: float; result_max: float",
     .attrs = "Tinput: type in " GK_QUANTIZED_TYPES
              "; out_type: type in " GK_QUANTIZED_TYPES
              "; variance_epsilon: float; scale_after_normalization: bool",
     .shape = BatchNormShape,
     .kernel = {.compute = ComputeBatchNorm},
     .doc = "Quantized pictures normalized by means and variances of their "
            "channels."},
};

}  // namespace

GK_REGISTER_OPS(quantize_pictures)

}  // namespace gk
