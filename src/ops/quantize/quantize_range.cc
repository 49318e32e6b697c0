// Quantized numbers in other ranges and shapes.
#include "ops/fn/quantize_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/quantize.h"
#include "ops/nn/delegated.h"
#include "ops/quantize/quantized_call.h"

namespace gk {
namespace {

Status RequantizeTo(KernelContext& c, const FloatRange& from,
                    const FloatRange& to) {
  const Tensor& x = c.input(0);
  const DataType dtype = c.attr<DataType>("out_type");
  if (x.dtype() != DataType::kQint32 ||
      (dtype != DataType::kQuint8 && dtype != DataType::kQint8)) {
    return c.NoKernel();
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, dtype, x.shape(), &y));
  const int32_t* in = LevelsOf<int32_t>(x);
  if (dtype == DataType::kQuint8) {
    const NarrowLevels narrow(from.min, from.max, to.min, to.max);
    uint8_t* out = LevelsOf<uint8_t>(y);
    ForEach(x.num_elements(), 2, [&](int64_t i) { out[i] = narrow(in[i]); });
  } else {
    const LevelToFloat<int32_t> number(from.min, from.max);
    const FloatToLevel<int8_t> level(to.min, to.max);
    int8_t* out = LevelsOf<int8_t>(y);
    ForEach(x.num_elements(), 4,
            [&](int64_t i) { out[i] = level(number(in[i])); });
  }
  return SetRange(c, 1, to.min, to.max);
}

// The numbers that the least and the greatest level there stand for; the least
// is not above zero.
FloatRange UsedRange(const Tensor& x, const FloatRange& range) {
  int32_t low = std::numeric_limits<int32_t>::max(),
          high = std::numeric_limits<int32_t>::min();
  const int32_t* in = LevelsOf<int32_t>(x);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    low = std::min(low, in[i]);
    high = std::max(high, in[i]);
  }
  return {std::min(0.0f, NumberOfLevel(low, range.min, range.max)),
          NumberOfLevel(high, range.min, range.max)};
}

Status ComputeShrink(KernelContext& c) {
  FloatRange range;
  GK_RETURN_IF_ERROR(RangeAt(c, 1, "input", &range));
  if (c.input(0).dtype() != DataType::kQint32 ||
      c.attr<DataType>("out_type") != DataType::kQuint8) {
    return c.NoKernel();
  }
  return RequantizeTo(c, range, UsedRange(c.input(0), range));
}

Status ComputeRange(KernelContext& c) {
  FloatRange range;
  GK_RETURN_IF_ERROR(RangeAt(c, 1, "input", &range));
  if (c.input(0).dtype() != DataType::kQint32) return c.NoKernel();
  const FloatRange used = UsedRange(c.input(0), range);
  return SetRange(c, 0, used.min, used.max);
}

Status RangeOnlyShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 1));
  c.set_output(0, PartialTensorShape(TensorShape()));
  SetScalarOutputs(c);
  return OkStatus();
}

Status ComputeRequantize(KernelContext& c) {
  FloatRange from, to;
  GK_RETURN_IF_ERROR(RangeAt(c, 1, "input", &from));
  GK_RETURN_IF_ERROR(RangeAt(c, 3, "requested_output", &to));
  if (!(to.min <= 0)) {
    return InvalidArgument("requested_output_min must be <= 0, but got {}",
                           to.min);
  }
  if (!(to.max >= to.min)) {
    return InvalidArgument(
        "requested_output_max must be >= requested_output_min, but got {} and "
        "{}",
        to.max, to.min);
  }
  return RequantizeTo(c, from, to);
}

// ---- Shapes ----

Status ReshapedShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 2));
  const OpRecord* reshape = OpRegistry::Get().Find("Reshape");
  const PartialTensorShape shapes[] = {c.input(0), c.input(1)};
  const DataType types[] = {c.input_type(0), c.input_type(1)};
  const Tensor values[] = {Tensor(), c.value(1)};
  InferenceContext inner(*reshape, c.attrs(), shapes, types, values, 1);
  inner.set_value_shapes({std::nullopt, c.ValueAsShape(1)});
  GK_RETURN_IF_ERROR(reshape->shape(inner));
  c.set_output(0, inner.output(0));
  SetScalarOutputs(c);
  return OkStatus();
}

Status ComputeReshaped(KernelContext& c) {
  FloatRange range;
  GK_RETURN_IF_ERROR(RangeAt(c, 2, "input", &range));
  const Tensor* const inputs[] = {&c.input(0), &c.input(1)};
  GK_RETURN_IF_ERROR(RunAs(c, "Reshape", c.attrs(), inputs));
  return SetRange(c, 1, range.min, range.max);
}

Status ConcatenatedShape(InferenceContext& c) {
  const int n = (c.num_inputs() - 1) / 3;
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 1 + n));
  const OpRecord* concat = OpRegistry::Get().Find("Concat");
  std::vector<PartialTensorShape> shapes;
  std::vector<DataType> types;
  std::vector<Tensor> values;
  for (int i = 0; i <= n; ++i) {
    shapes.push_back(c.input(i));
    types.push_back(c.input_type(i));
    values.push_back(i == 0 ? c.value(0) : Tensor());
  }
  InferenceContext inner(*concat, c.attrs(), shapes, types, values, 1);
  GK_RETURN_IF_ERROR(concat->shape(inner));
  c.set_output(0, inner.output(0));
  SetScalarOutputs(c);
  return OkStatus();
}

// The levels of `x` in another range.
template <class T>
StatusOr<Tensor> Moved(const Tensor& x, const FloatRange& from,
                       const FloatRange& to) {
  if (from.min == to.min && from.max == to.max) return x;
  GK_ASSIGN_OR_RETURN(Tensor y, Tensor::Allocate(x.dtype(), x.shape()));
  const LevelToFloat<T> number(from.min, from.max);
  const FloatToLevel<T> level(to.min, to.max);
  const T* in = LevelsOf<T>(x);
  T* out = LevelsOf<T>(&y);
  ForEach(x.num_elements(), 4,
          [&](int64_t i) { out[i] = level(number(in[i])); });
  return y;
}

Status ComputeConcatenated(KernelContext& c) {
  const int n = (c.num_inputs() - 1) / 3;
  const DataType dtype = c.input(1).dtype();
  if (dtype != DataType::kQuint8 && dtype != DataType::kQint32) {
    return c.NoKernel();
  }
  if (!c.input(0).shape().IsScalar()) {
    return InvalidArgument(
        "Concat dim tensor should be a scalar integer, but got shape {}",
        c.input(0).shape().DebugString());
  }
  const int32_t axis = c.input(0).scalar<int32_t>();
  if (axis < 0 || axis >= c.input(1).rank()) {
    return InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [0, {}), "
        "but got {}",
        c.input(1).rank(), axis);
  }
  std::vector<FloatRange> ranges(n);
  FloatRange all{std::numeric_limits<float>::max(),
                 std::numeric_limits<float>::lowest()};
  for (int i = 0; i < n; ++i) {
    FloatRange& range = ranges[i];
    GK_RETURN_IF_ERROR(OneFloat(c, 1 + n + i, "input_min", &range.min));
    GK_RETURN_IF_ERROR(OneFloat(c, 1 + 2 * n + i, "input_max", &range.max));
    all = {std::min(all.min, range.min), std::max(all.max, range.max)};
  }
  // With zero in the middle where levels have signs.
  if (dtype == DataType::kQint32) {
    all.max = std::max(std::fabs(all.min), std::fabs(all.max));
    all.min = -all.max;
  }
  std::vector<Tensor> moved;
  std::vector<const Tensor*> inputs{&c.input(0)};
  moved.reserve(n);
  for (int i = 0; i < n; ++i) {
    const Tensor& x = c.input(1 + i);
    GK_ASSIGN_OR_RETURN(Tensor t, dtype == DataType::kQuint8
                                      ? Moved<uint8_t>(x, ranges[i], all)
                                      : Moved<int32_t>(x, ranges[i], all));
    inputs.push_back(&moved.emplace_back(std::move(t)));
  }
  GK_RETURN_IF_ERROR(RunAs(c, "Concat", c.attrs(), inputs));
  return SetRange(c, 1, all.min, all.max);
}

const OpRecord kRecords[] = {
    {.name = "QuantizeDownAndShrinkRange",
     .inputs = "input: Tinput; input_min: float; input_max: float",
     .outputs = "output: out_type; output_min: float; output_max: float",
     .attrs = "Tinput: type in " GK_QUANTIZED_TYPES
              "; out_type: type in " GK_QUANTIZED_TYPES,
     .shape = SameAndScalars,
     .kernel = {.compute = ComputeShrink},
     .doc = "Numbers of 32 bits as numbers of 8 bits in the range that they "
            "use."},
    {.name = "RequantizationRange",
     .inputs = "input: Tinput; input_min: float; input_max: float",
     .outputs = "output_min: float; output_max: float",
     .attrs = "Tinput: type in " GK_QUANTIZED_TYPES,
     .shape = RangeOnlyShape,
     .kernel = {.compute = ComputeRange},
     .doc = "The range that numbers of 32 bits use."},
    {.name = "Requantize",
     .inputs = "input: Tinput; input_min: float; input_max: float; "
               "requested_output_min: float; requested_output_max: float",
     .outputs = "output: out_type; output_min: float; output_max: float",
     .attrs = "Tinput: type in " GK_QUANTIZED_TYPES
              "; out_type: type in " GK_QUANTIZED_TYPES,
     .shape = SameAndScalars,
     .kernel = {.compute = ComputeRequantize},
     .doc = "Numbers of 32 bits as numbers of 8 bits in a given range."},
    {.name = "QuantizedReshape",
     .inputs = "tensor: T; shape: Tshape; input_min: float; input_max: float",
     .outputs = "output: T; output_min: float; output_max: float",
     .attrs = "T: type; Tshape: type in [int32, int64] = int32",
     .shape = ReshapedShape,
     .kernel = {.compute = ComputeReshaped},
     .doc = "Quantized numbers in another shape, and their range."},
    {.name = "QuantizedConcat",
     .inputs = "concat_dim: int32; values: N * T; input_mins: N * float; "
               "input_maxes: N * float",
     .outputs = "output: T; output_min: float; output_max: float",
     .attrs = "N: int >= 2; T: type",
     .shape = ConcatenatedShape,
     .kernel = {.compute = ComputeConcatenated},
     .python = {.names = "quantization.quantized_concat"},
     .doc = "Quantized tensors one behind the other along a dimension, in a "
            "range that holds all of theirs.",
     .example = ">>> x = tf.quantization.quantize([0., 1.], 0., 1., "
                "tf.quint8).output\n>>> tf.quantization.quantized_concat(\n"
                "...     0, [x, x], [0., 0.], [1., 2.]).output.numpy().tolist()"
                "\n[0, 128, 0, 255]"},
};

}  // namespace

GK_REGISTER_OPS(quantize_range)

}  // namespace gk
