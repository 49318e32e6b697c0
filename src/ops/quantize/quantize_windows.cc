// Windows over quantized pictures: convolution and pools.
#include "ops/fn/quantize_windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/quantize.h"
#include "ops/nn/delegated.h"
#include "ops/nn/window.h"
#include "ops/quantize/quantized_call.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

// Attributes that the shape functions of ops on floats ask for.
AttrMap WindowAttrs(const AttrMap& attrs) {
  AttrMap all = SharedAttrs(attrs, {"ksize", "strides", "padding"});
  if (const Ints* dilations = attrs.Get<Ints>("dilations")) {
    all.Set("dilations", *dilations);
  }
  all.Set("data_format", std::string("NHWC"));
  all.Set("explicit_paddings", Ints());
  return all;
}

// ---- QuantizedConv2D ----

Status ConvShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  const PartialTensorShape inputs[] = {c.input(0), c.input(1)};
  GK_RETURN_IF_ERROR(ShapeAs(c, "Conv2D", WindowAttrs(c.attrs()), inputs));
  SetScalarOutputs(c);
  return OkStatus();
}

Status CheckConv(KernelContext& c) {
  const Ints &strides = c.attr<Ints>("strides"),
             &dilations = c.attr<Ints>("dilations");
  if (strides.size() != 4) {
    return InvalidArgument(
        "Sliding window strides field must specify 4 dimensions");
  }
  if (strides[1] != strides[2]) {
    return InvalidArgument(
        "Current implementation only supports equal length strides in the row "
        "and column dimensions.");
  }
  if (strides[0] != 1 || strides[3] != 1) {
    return InvalidArgument(
        "Current implementation does not yet support strides in the batch and "
        "depth dimensions.");
  }
  if (strides[1] < 1) return InvalidArgument("strides must be positive");
  if (dilations.size() != 4) {
    return InvalidArgument("Dilation rates field must specify 4 dimensions");
  }
  if (dilations[1] != 1 || dilations[2] != 1) {
    return InvalidArgument(
        "Current implementation only supports dilated rate as 1 in the row "
        "and column dimensions.");
  }
  if (dilations[0] != 1 || dilations[3] != 1) {
    return InvalidArgument(
        "Current implementation does not yet support dilations in the batch "
        "and depth dimensions.");
  }
  const char* const names[] = {"input", "filter"};
  for (int i = 0; i < 2; ++i) {
    if (c.input(i).rank() != 4) {
      return InvalidArgument("{} must be rank 4 but is rank {}", names[i],
                             c.input(i).rank());
    }
  }
  if (c.input(0).dim(3) != c.input(1).dim(2)) {
    return InvalidArgument(
        "input and filter must have the same depth: {} vs {}",
        c.input(0).dim(3), c.input(1).dim(2));
  }
  return OkStatus();
}

Status ComputeConv(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckConv(c));
  const Tensor &x = c.input(0), &filter = c.input(1);
  FloatRange of_x, of_filter, out;
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "input", &of_x));
  GK_RETURN_IF_ERROR(RangeAt(c, 4, "filter", &of_filter));
  if (x.dtype() != DataType::kQuint8 || filter.dtype() != DataType::kQuint8 ||
      c.attr<DataType>("out_type") != DataType::kQint32) {
    return c.NoKernel();
  }
  const int64_t stride = c.attr<Ints>("strides")[1];
  const std::string& padding = c.attr<std::string>("padding");
  int64_t size[2], before[2];
  for (int d = 0; d < 2; ++d) {
    GK_ASSIGN_OR_RETURN(
        const WindowDim window,
        SlideWindow(x.dim(1 + d), filter.dim(d), stride, 1, padding));
    size[d] = window.out;
    // The windows lie in the middle, whatever the padding; what is left over
    // without any is behind them first.
    const int64_t beyond =
        (window.out - 1) * stride + filter.dim(d) - x.dim(1 + d);
    before[d] = (padding == "VALID" ? beyond + 1 : beyond) / 2;
  }
  const int64_t height = x.dim(1), width = x.dim(2), depth = x.dim(3),
                count = filter.dim(3);
  GK_ASSIGN_OR_RETURN(
      const TensorShape shape,
      TensorShape::Make(std::array{x.dim(0), size[0], size[1], count}));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQint32, shape, &y));
  ProductRange<uint8_t, uint8_t>(of_x.min, of_x.max, of_filter.min,
                                 of_filter.max, &out.min, &out.max);
  const auto zero = [](const FloatRange& r) {
    return static_cast<int32_t>(LevelUnclamped<uint8_t>(0, r.min, r.max));
  };
  const int32_t zero_x = zero(of_x), zero_filter = zero(of_filter);
  const uint8_t *from = LevelsOf<uint8_t>(x),
                *weights = LevelsOf<uint8_t>(filter);
  int32_t* to = LevelsOf<int32_t>(y);
  // A row of places at a time; outside of the picture all is zero.
  if (shape.num_elements() == 0) return SetRange(c, 1, out.min, out.max);
  ForEach(x.dim(0) * size[0], size[1] * filter.num_elements(), [&](int64_t i) {
    const int64_t image = i / size[0];
    const int64_t top = i % size[0] * stride - before[0];
    for (int64_t place = 0; place < size[1]; ++place) {
      int32_t* sums = to + (i * size[1] + place) * count;
      std::fill(sums, sums + count, 0);
      const int64_t left = place * stride - before[1];
      for (int64_t fy = 0; fy < filter.dim(0); ++fy) {
        if (top + fy < 0 || top + fy >= height) continue;
        for (int64_t fx = 0; fx < filter.dim(1); ++fx) {
          if (left + fx < 0 || left + fx >= width) continue;
          const uint8_t* pixel =
              from + ((image * height + top + fy) * width + left + fx) * depth;
          const uint8_t* row =
              weights + (fy * filter.dim(1) + fx) * depth * count;
          for (int64_t k = 0; k < depth; ++k, row += count) {
            const int32_t v = WrapAdd(pixel[k], -zero_x);
            for (int64_t o = 0; o < count; ++o) {
              sums[o] =
                  WrapAdd(sums[o], WrapMul(v, WrapAdd(row[o], -zero_filter)));
            }
          }
        }
      }
    }
  });
  return SetRange(c, 1, out.min, out.max);
}

// ---- Pools ----

Status PoolShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 1));
  const PartialTensorShape inputs[] = {c.input(0)};
  GK_RETURN_IF_ERROR(ShapeAs(c, "MaxPool", WindowAttrs(c.attrs()), inputs));
  SetScalarOutputs(c);
  return OkStatus();
}

struct PoolWindows {
  int64_t size[2], stride[2];
  WindowDim dims[2];
};

Status CheckPool(KernelContext& c, PoolWindows* w) {
  const Ints &size = c.attr<Ints>("ksize"), &strides = c.attr<Ints>("strides");
  for (const auto& [field, name] :
       {std::pair{&size, "ksize"}, std::pair{&strides, "strides"}}) {
    if (field->size() != 4) {
      return InvalidArgument(
          "Sliding window {} field must specify 4 dimensions", name);
    }
    for (const int64_t v : *field) {
      if (v < 1) {
        return InvalidArgument("Sliding window {} must be positive, not {}",
                               name, v);
      }
    }
  }
  if (size[0] != 1 || strides[0] != 1) {
    return Unimplemented(
        "Pooling is not yet supported on the batch dimension.");
  }
  if (size[3] != 1 || strides[3] != 1) {
    return Unimplemented("Non-spatial pooling is not yet supported.");
  }
  const Tensor& x = c.input(0);
  if (x.rank() != 4) {
    return InvalidArgument("tensor_in must be 4-dimensional, not {}",
                           x.shape().DebugString());
  }
  for (int d = 0; d < 2; ++d) {
    w->size[d] = size[1 + d];
    w->stride[d] = strides[1 + d];
    GK_ASSIGN_OR_RETURN(
        w->dims[d], SlideWindow(x.dim(1 + d), size[1 + d], strides[1 + d], 1,
                                c.attr<std::string>("padding")));
  }
  return OkStatus();
}

template <bool kMax, class T>
void Pool(const Tensor& x, const PoolWindows& w, Tensor* y) {
  const int64_t height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  const int64_t rows = w.dims[0].out, columns = w.dims[1].out;
  const T* from = LevelsOf<T>(x);
  T* to = LevelsOf<T>(y);
  ForEach(
      x.dim(0) * rows, columns * depth * w.size[0] * w.size[1], [&](int64_t i) {
        const int64_t image = i / rows;
        const int64_t top = i % rows * w.stride[0] - w.dims[0].pad;
        const int64_t y0 = std::max<int64_t>(top, 0),
                      y1 = std::min(top + w.size[0], height);
        for (int64_t place = 0; place < columns; ++place) {
          const int64_t left = place * w.stride[1] - w.dims[1].pad;
          const int64_t x0 = std::max<int64_t>(left, 0),
                        x1 = std::min(left + w.size[1], width);
          const int64_t cells = std::max<int64_t>((y1 - y0) * (x1 - x0), 1);
          T* out = to + (i * columns + place) * depth;
          for (int64_t k = 0; k < depth; ++k) {
            int64_t found = kMax ? kLowestLevel<T> : 0;
            for (int64_t py = y0; py < y1; ++py) {
              for (int64_t px = x0; px < x1; ++px) {
                const int64_t v =
                    from[((image * height + py) * width + px) * depth + k];
                found = kMax ? std::max(found, v) : found + v;
              }
            }
            out[k] =
                static_cast<T>(kMax ? found
                                    : std::llrint(static_cast<double>(found) /
                                                  static_cast<double>(cells)));
          }
        }
      });
}

template <bool kMax>
Status ComputePool(KernelContext& c) {
  PoolWindows w;
  GK_RETURN_IF_ERROR(CheckPool(c, &w));
  FloatRange range;
  GK_RETURN_IF_ERROR(RangeAt(c, 1, "input", &range));
  const Tensor& x = c.input(0);
  if (x.dtype() != DataType::kQuint8 && x.dtype() != DataType::kQint8)
    return c.NoKernel();
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::array{x.dim(0), w.dims[0].out,
                                                   w.dims[1].out, x.dim(3)}));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &y));
  if (shape.num_elements() > 0) {
    if (x.dtype() == DataType::kQuint8) {
      Pool<kMax, uint8_t>(x, w, y);
    } else {
      Pool<kMax, int8_t>(x, w, y);
    }
  }
  return SetRange(c, 1, range.min, range.max);
}

#define POOL_ATTRS                 \
  "T: type in " GK_QUANTIZED_TYPES \
  "; ksize: list(int); strides: list(int); padding: string in [SAME, VALID]"

const OpRecord kRecords[] = {
    {.name = "QuantizedConv2D",
     .inputs = "input: Tinput; filter: Tfilter; min_input: float; max_input: "
               "float; min_filter: float; max_filter: float",
     .outputs = "output: out_type; min_output: float; max_output: float",
     .attrs = "Tinput: type in " GK_QUANTIZED_TYPES
              "; Tfilter: type in " GK_QUANTIZED_TYPES
              "; out_type: type in " GK_QUANTIZED_TYPES
              " = qint32; strides: list(int); padding: string in [SAME, "
              "VALID]; dilations: list(int) = [1, 1, 1, 1]",
     .shape = ConvShape,
     .kernel = {.compute = ComputeConv},
     .doc = "The convolution of quantized pictures, and its range."},
    {.name = "QuantizedMaxPool",
     .inputs = "input: T; min_input: float; max_input: float",
     .outputs = "output: T; min_output: float; max_output: float",
     .attrs = POOL_ATTRS,
     .shape = PoolShape,
     .kernel = {.compute = ComputePool<true>},
     .doc = "The greatest of the quantized numbers in each window."},
    {.name = "QuantizedAvgPool",
     .inputs = "input: T; min_input: float; max_input: float",
     .outputs = "output: T; min_output: float; max_output: float",
     .attrs = POOL_ATTRS,
     .shape = PoolShape,
     .kernel = {.compute = ComputePool<false>},
     .doc = "The mean of the quantized numbers in each window."},
};

}  // namespace

GK_REGISTER_OPS(quantize_windows)

}  // namespace gk
