// Sums, products and limits of quantized numbers.
#include "ops/fn/quantize_arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "framework/op_registry.h"
#include "kernels/quantize.h"
#include "ops/nn/delegated.h"
#include "ops/quantize/quantized_call.h"

namespace gk {
namespace {

// ---- Elementwise, with broadcasting ----

Status ElementwiseShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  GK_ASSIGN_OR_RETURN(PartialTensorShape both,
                      BroadcastPartialShapes(c.input(0), c.input(1)));
  c.set_output(0, std::move(both));
  SetScalarOutputs(c);
  return OkStatus();
}

// Where the elements of both inputs are, for each of the output.
struct Places {
  TensorShape shape;
  const Tensor &x, &y;
  int64_t Of(const Tensor& t, int64_t flat) const {
    if (t.num_elements() == 1) return 0;
    if (t.shape() == shape) return flat;
    int64_t at = 0, stride = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      const int64_t index = flat % shape.dim(i);
      flat /= shape.dim(i);
      const int own = i - (shape.rank() - t.rank());
      if (own < 0) break;
      if (t.dim(own) > 1) at += index * stride;
      stride *= t.dim(own);
    }
    return at;
  }
};

struct TwoRanges {
  FloatRange x, y;
};

// Checks both inputs of types quint8 and makes output 0, of qint32.
StatusOr<Places> PrepareElementwise(KernelContext& c, TwoRanges* ranges,
                                    Tensor** z) {
  const Tensor &x = c.input(0), &y = c.input(1);
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "x", &ranges->x));
  GK_RETURN_IF_ERROR(RangeAt(c, 4, "y", &ranges->y));
  if (x.dtype() != DataType::kQuint8 || y.dtype() != DataType::kQuint8 ||
      c.attr<DataType>("Toutput") != DataType::kQint32) {
    return c.NoKernel();
  }
  StatusOr<TensorShape> both = BroadcastShapes(x.shape(), y.shape());
  if (!both.ok()) {
    return InvalidArgument("Incompatible shapes: {} vs. {}",
                           x.shape().DebugString(), y.shape().DebugString());
  }
  if (!(ranges->x.max > ranges->x.min)) {
    return InvalidArgument("max_x must be larger than min_x.");
  }
  if (!(ranges->y.max > ranges->y.min)) {
    return InvalidArgument("max_y must be larger than min_y.");
  }
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQint32, *both, z));
  return Places{*both, x, y};
}

int32_t InInt32(int64_t v) {
  return static_cast<int32_t>(
      std::clamp(v, kLowestLevel<int32_t>, kHighestLevel<int32_t>));
}

// Levels of 8 bits as ones of 32 bits in another range, by integers.
class WideLevels {
 public:
  WideLevels(const FloatRange& from, const FloatRange& to)
      : zero_(LevelUnclamped<int32_t>(
            NumberOfLevel<uint8_t>(0, from.min, from.max), to.min, to.max)),
        step_(static_cast<int32_t>(
            LevelUnclamped<int32_t>(
                NumberOfLevel<uint8_t>(1, from.min, from.max), to.min, to.max) -
            zero_)) {}
  int32_t operator()(uint8_t level) const {
    return InInt32(zero_ + int64_t{level} * step_);
  }

 private:
  int64_t zero_;
  int32_t step_;
};

Status ComputeAdd(KernelContext& c) {
  TwoRanges in;
  Tensor* z;
  GK_ASSIGN_OR_RETURN(const Places places, PrepareElementwise(c, &in, &z));
  // With zero in the middle and room for some sums.
  const float least = std::min(in.x.min, in.y.min),
              greatest = std::max(in.x.max, in.y.max);
  const float end = std::max(std::fabs(least), std::fabs(greatest)) * (1 << 14);
  const FloatRange out{-end, end};
  const Tensor &x = c.input(0), &y = c.input(1);
  const WideLevels wide_x(in.x, out), wide_y(in.y, out);
  const uint8_t *a = LevelsOf<uint8_t>(x), *b = LevelsOf<uint8_t>(y);
  // A single number is taken over exactly.
  const bool one_x = x.num_elements() == 1,
             one_y = !one_x && y.num_elements() == 1;
  const auto exactly = [&](uint8_t level, const FloatRange& from) {
    return LevelOf<int32_t>(NumberOfLevel(level, from.min, from.max), out.min,
                            out.max);
  };
  const int32_t single = one_x   ? exactly(a[0], in.x)
                         : one_y ? exactly(b[0], in.y)
                                 : 0;
  int32_t* to = LevelsOf<int32_t>(z);
  ForEach(z->num_elements(), 4, [&](int64_t i) {
    const int32_t p = one_x ? single : wide_x(a[places.Of(x, i)]);
    const int32_t q = one_y ? single : wide_y(b[places.Of(y, i)]);
    to[i] = WrapAdd(p, q);
  });
  return SetRange(c, 1, out.min, out.max);
}

Status ComputeMul(KernelContext& c) {
  TwoRanges in;
  Tensor* z;
  GK_ASSIGN_OR_RETURN(const Places places, PrepareElementwise(c, &in, &z));
  const auto zero = [](const FloatRange& r) {
    return static_cast<int32_t>(LevelUnclamped<uint8_t>(0, r.min, r.max));
  };
  const int32_t zero_x = zero(in.x), zero_y = zero(in.y);
  const Tensor &x = c.input(0), &y = c.input(1);
  const uint8_t *a = LevelsOf<uint8_t>(x), *b = LevelsOf<uint8_t>(y);
  int32_t* to = LevelsOf<int32_t>(z);
  ForEach(z->num_elements(), 4, [&](int64_t i) {
    to[i] = WrapMul(WrapAdd(a[places.Of(x, i)], -zero_x),
                    WrapAdd(b[places.Of(y, i)], -zero_y));
  });
  FloatRange out;
  ProductRange<uint8_t, uint8_t>(in.x.min, in.x.max, in.y.min, in.y.max,
                                 &out.min, &out.max);
  return SetRange(c, 1, out.min, out.max);
}

// ---- QuantizedBiasAdd ----

Status BiasAddShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  const PartialTensorShape inputs[] = {c.input(0), c.input(1)};
  GK_RETURN_IF_ERROR(
      ShapeAs(c, "BiasAdd", {{"data_format", std::string("NHWC")}}, inputs));
  SetScalarOutputs(c);
  return OkStatus();
}

template <class T>
void AddBias(const Tensor& x, const Tensor& bias, const FloatRange& of_x,
             const FloatRange& of_bias, const FloatRange& out, Tensor* y) {
  const LevelToFloat<T> number(of_x.min, of_x.max),
      bias_number(of_bias.min, of_bias.max);
  const FloatToLevel<int32_t> level(out.min, out.max);
  const int32_t zero = LevelOf<int32_t>(0, out.min, out.max);
  const int64_t n = bias.num_elements();
  std::vector<int32_t> added(n);
  for (int64_t i = 0; i < n; ++i) {
    added[i] = WrapAdd(level(bias_number(LevelsOf<T>(bias)[i])), zero);
  }
  const T* from = LevelsOf<T>(x);
  int32_t* to = LevelsOf<int32_t>(y);
  ForEach(x.num_elements(), 4, [&](int64_t i) {
    to[i] = WrapAdd(level(number(from[i])), added[i % n]);
  });
}

Status ComputeBiasAdd(KernelContext& c) {
  const Tensor &x = c.input(0), &bias = c.input(1);
  FloatRange of_x, of_bias;
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "input", &of_x));
  GK_RETURN_IF_ERROR(RangeAt(c, 4, "bias", &of_bias));
  if (x.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: {}",
                           x.shape().DebugString());
  }
  if (bias.rank() != 1) {
    return InvalidArgument("Biases must be 1D: {}", bias.shape().DebugString());
  }
  if (bias.dim(0) != x.dim(x.rank() - 1)) {
    return InvalidArgument(
        "Must provide as many biases as the last dimension of the input "
        "tensor: {} vs. {}",
        bias.shape().DebugString(), x.shape().DebugString());
  }
  const DataType dtype = x.dtype();
  if (dtype != bias.dtype() ||
      (dtype != DataType::kQint8 && dtype != DataType::kQuint8) ||
      c.attr<DataType>("out_type") != DataType::kQint32) {
    return c.NoKernel();
  }
  const float end =
      std::max({of_x.max, -of_x.min, of_bias.max, -of_bias.min}) * (1 << 17);
  const FloatRange out{-end, end};
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQint32, x.shape(), &y));
  if (dtype == DataType::kQint8) {
    AddBias<int8_t>(x, bias, of_x, of_bias, out, y);
  } else {
    AddBias<uint8_t>(x, bias, of_x, of_bias, out, y);
  }
  return SetRange(c, 1, out.min, out.max);
}

// ---- QuantizedMatMul ----

Status MatMulShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  const PartialTensorShape inputs[] = {c.input(0), c.input(1)};
  GK_RETURN_IF_ERROR(ShapeAs(c, "MatMul", c.attrs(), inputs));
  SetScalarOutputs(c);
  return OkStatus();
}

Status ComputeMatMul(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  TwoRanges in;
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "a", &in.x));
  GK_RETURN_IF_ERROR(RangeAt(c, 4, "b", &in.y));
  if (!(in.x.max > in.x.min)) {
    return InvalidArgument("max_a must be larger than min_a.");
  }
  if (!(in.y.max > in.y.min)) {
    return InvalidArgument("max_b must be larger than min_b.");
  }
  if (a.rank() != 2) return InvalidArgument("In[0] is not a matrix");
  if (b.rank() != 2) return InvalidArgument("In[1] is not a matrix");
  const bool turned_a = c.attr<bool>("transpose_a"),
             turned_b = c.attr<bool>("transpose_b");
  const int64_t m = a.dim(turned_a ? 1 : 0), k = a.dim(turned_a ? 0 : 1),
                n = b.dim(turned_b ? 0 : 1);
  if (b.dim(turned_b ? 1 : 0) != k) {
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  if (a.dtype() != DataType::kQuint8 || b.dtype() != DataType::kQuint8 ||
      c.attr<DataType>("Toutput") != DataType::kQint32) {
    return c.NoKernel();
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::array{m, n}));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kQint32, shape, &y));
  const auto zero = [](const FloatRange& r) {
    return static_cast<int32_t>(LevelUnclamped<uint8_t>(0, r.min, r.max));
  };
  const int32_t zero_a = zero(in.x), zero_b = zero(in.y);
  const uint8_t *from_a = LevelsOf<uint8_t>(a), *from_b = LevelsOf<uint8_t>(b);
  // Rows of b, and of a as they are needed.
  std::vector<uint8_t> rows;
  if (turned_b) {
    rows.resize(k * n);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) rows[p * n + j] = from_b[j * k + p];
    }
    from_b = rows.data();
  }
  int32_t* to = LevelsOf<int32_t>(y);
  ForEach(m, k * n / 4 + 1, [&](int64_t i) {
    int32_t* row = to + i * n;
    std::fill(row, row + n, 0);
    for (int64_t p = 0; p < k; ++p) {
      const int32_t v =
          WrapAdd(turned_a ? from_a[p * m + i] : from_a[i * k + p], -zero_a);
      if (v == 0) continue;
      const uint8_t* other = from_b + p * n;
      for (int64_t j = 0; j < n; ++j) {
        row[j] = WrapAdd(row[j], WrapMul(v, WrapAdd(other[j], -zero_b)));
      }
    }
  });
  FloatRange out;
  ProductRange<uint8_t, uint8_t>(in.x.min, in.x.max, in.y.min, in.y.max,
                                 &out.min, &out.max);
  return SetRange(c, 1, out.min, out.max);
}

// ---- Limits ----

// Elements below zero become it, those above `kAt`, or input 1, become that.
enum class Limit { kNone, kSix, kInput };

template <Limit kLimit>
Status ComputeRelu(KernelContext& c) {
  const Tensor& x = c.input(0);
  constexpr int kRange = kLimit == Limit::kInput ? 2 : 1;
  FloatRange r;
  float limit = 6;
  if (kLimit == Limit::kInput) {
    GK_RETURN_IF_ERROR(OneFloat(c, 1, "max_value", &limit));
  }
  GK_RETURN_IF_ERROR(RangeAt(c, kRange, "input", &r));
  if (x.dtype() != c.attr<DataType>("out_type") ||
      (x.dtype() != DataType::kQuint8 && x.dtype() != DataType::kQint32)) {
    return c.NoKernel();
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &y));
  VisitQuantized(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T low = LevelOf<T>(0, r.min, r.max);
    const T high = kLimit == Limit::kNone ? std::numeric_limits<T>::max()
                                          : LevelOf<T>(limit, r.min, r.max);
    const T* from = LevelsOf<T>(x);
    T* to = LevelsOf<T>(y);
    ForEach(x.num_elements(), 1,
            [&](int64_t i) { to[i] = std::min(std::max(from[i], low), high); });
  });
  return SetRange(c, 1, r.min, r.max);
}

#define TWO_TYPES \
  "T1: type in " GK_QUANTIZED_TYPES "; T2: type in " GK_QUANTIZED_TYPES "; "
#define ELEMENTWISE_INPUTS                                          \
  "x: T1; y: T2; min_x: float; max_x: float; min_y: float; max_y: " \
  "float"
#define ELEMENTWISE_OUTPUTS "z: Toutput; min_z: float; max_z: float"
#define TO_TYPE "Toutput: type in " GK_QUANTIZED_TYPES " = qint32"
#define RELU_INPUTS "min_features: float; max_features: float"
#define RELU_OUTPUTS \
  "activations: out_type; min_activations: float; max_activations: float"
#define RELU_ATTRS                      \
  "Tinput: type in " GK_QUANTIZED_TYPES \
  "; out_type: type in " GK_QUANTIZED_TYPES " = quint8"

const OpRecord kRecords[] = {
    {.name = "QuantizedAdd",
     .inputs = ELEMENTWISE_INPUTS,
     .outputs = ELEMENTWISE_OUTPUTS,
     .attrs = TWO_TYPES TO_TYPE,
     .shape = ElementwiseShape,
     .kernel = {.compute = ComputeAdd},
     .doc = "The sums of quantized numbers, and their range."},
    {.name = "QuantizedMul",
     .inputs = ELEMENTWISE_INPUTS,
     .outputs = ELEMENTWISE_OUTPUTS,
     .attrs = TWO_TYPES TO_TYPE,
     .shape = ElementwiseShape,
     .kernel = {.compute = ComputeMul},
     .doc = "The products of quantized numbers, and their range."},
    {.name = "QuantizedBiasAdd",
     .inputs = "input: T1; bias: T2; min_input: float; max_input: float; "
               "min_bias: float; max_bias: float",
     .outputs = "output: out_type; min_out: float; max_out: float",
     .attrs = TWO_TYPES "out_type: type in " GK_QUANTIZED_TYPES,
     .shape = BiasAddShape,
     .kernel = {.compute = ComputeBiasAdd},
     .doc = "Quantized numbers and a number for each of the last dimension, "
            "added."},
    {.name = "QuantizedMatMul",
     .inputs = "a: T1; b: T2; min_a: float; max_a: float; min_b: float; max_b: "
               "float",
     .outputs = "out: Toutput; min_out: float; max_out: float",
     .attrs = TWO_TYPES TO_TYPE
     "; transpose_a: bool = false; transpose_b: bool = false; Tactivation: "
     "type in " GK_QUANTIZED_TYPES " = quint8",
     .shape = MatMulShape,
     .kernel = {.compute = ComputeMatMul},
     .doc = "The product of quantized matrices, and its range."},
    {.name = "QuantizedRelu",
     .inputs = "features: Tinput; " RELU_INPUTS,
     .outputs = RELU_OUTPUTS,
     .attrs = RELU_ATTRS,
     .shape = SameAndScalars,
     .kernel = {.compute = ComputeRelu<Limit::kNone>},
     .doc = "max(features, 0) of quantized numbers."},
    {.name = "QuantizedRelu6",
     .inputs = "features: Tinput; " RELU_INPUTS,
     .outputs = RELU_OUTPUTS,
     .attrs = RELU_ATTRS,
     .shape = SameAndScalars,
     .kernel = {.compute = ComputeRelu<Limit::kSix>},
     .doc = "min(max(features, 0), 6) of quantized numbers."},
    {.name = "QuantizedReluX",
     .inputs = "features: Tinput; max_value: float; " RELU_INPUTS,
     .outputs = RELU_OUTPUTS,
     .attrs = RELU_ATTRS,
     .shape = SameAndScalars,
     .kernel = {.compute = ComputeRelu<Limit::kInput>},
     .doc = "min(max(features, 0), max_value) of quantized numbers."},
};

}  // namespace

GK_REGISTER_OPS(quantize_arithmetic)

}  // namespace gk
