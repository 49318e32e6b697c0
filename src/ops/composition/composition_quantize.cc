// Floats as numbers of few bits, and back.
#include "ops/composition.h"
#include "ops/with_attrs/Dequantize.h"
#include "ops/with_attrs/QuantizeV2.h"

namespace gk {
namespace {

// The axis that argument `i` is, -1 for none.
int64_t QuantizedAxis(const CompositionCall& c, int i) {
  if (!c.has(i)) return -1;
  const int64_t axis = c.integer(i);
  if (axis >= 0) return axis;
  const PartialTensorShape shape = c.tensor(0).partial_shape();
  if (shape.unknown_rank()) {
    throw Error(
        ValueError("input should have known rank to use negative axis."));
  }
  if (shape.rank() == 0) {
    throw Error(InvalidArgument("A scalar has no axis {}", axis));
  }
  return ((axis % shape.rank()) + shape.rank()) % shape.rank();
}

// Arguments: input, min_range, max_range, T, mode, round_mode, name,
// narrow_range, axis, ensure_minimum_range.
TensorVector Quantize(CompositionCall& c) {
  AttrMap attrs{{"T", c.type(3)},
                {"mode", c.text(4)},
                {"round_mode", c.text(5)},
                {"narrow_range", c.flag(7)},
                {"axis", QuantizedAxis(c, 8)},
                {"ensure_minimum_range", static_cast<float>(c.real(9))}};
  return ops::QuantizeV2(OpAttrs(std::move(attrs), c.name()), c.tensor(0),
                         c.tensor(1), c.tensor(2));
}

// Arguments: input, min_range, max_range, mode, name, axis, narrow_range,
// dtype.
TensorVector Dequantize(CompositionCall& c) {
  AttrMap attrs{{"mode", c.text(3)},
                {"axis", QuantizedAxis(c, 5)},
                {"narrow_range", c.flag(6)},
                {"dtype", c.type(7)}};
  return {ops::Dequantize(OpAttrs(std::move(attrs), c.name()), c.tensor(0),
                          c.tensor(1), c.tensor(2))};
}

const CompositionRecord kRecords[] = {
    {.names = "quantization.quantize",
     .args = "input: tensor(float32); min_range: tensor(float32); max_range: "
             "tensor(float32); T: type; mode: string = 'MIN_COMBINED'; "
             "round_mode: string = 'HALF_AWAY_FROM_ZERO'; name: name = None; "
             "narrow_range: bool = False; axis: int = None; "
             "ensure_minimum_range: float = 0.01",
     .scope = "QuantizeV2",
     .wraps_op = true,
     .build = Quantize,
     .result = "QuantizeV2: output, output_min, output_max",
     .doc = "Floats of a range as numbers of few bits; these, and the ends of "
            "the range as it was used.\n\nArgs:\n  min_range: the least "
            "number, a scalar, or one for each slice along\n    `axis`.\n  "
            "max_range: the greatest.\n  T: tf.qint8, quint8, qint16, quint16 "
            "or qint32.\n  mode: \"MIN_COMBINED\" and \"MIN_FIRST\" have the "
            "least number as the\n    lowest level, the second zero as a "
            "level; \"SCALED\" only multiplies.\n  round_mode: "
            "\"HALF_TO_EVEN\" only for \"SCALED\".\n  narrow_range: the lowest "
            "level is not used.\n  axis: of slices with ranges of their own.\n"
            "  ensure_minimum_range: how small the range may be, compared "
            "with its\n    greatest number or 1.",
     .example = ">>> q = tf.quantization.quantize([0., 1., 2.], 0., 2., "
                "tf.quint8)\n>>> q.output.numpy().tolist()\n[0, 128, 255]"},
    {.names = "quantization.dequantize",
     .args = "input: tensor; min_range: tensor(float32); max_range: "
             "tensor(float32); mode: string = 'MIN_COMBINED'; name: name = "
             "None; axis: int = None; narrow_range: bool = False; dtype: type "
             "= float32",
     .scope = "Dequantize",
     .wraps_op = true,
     .build = Dequantize,
     .doc = "What numbers of few bits stand for: see "
            "`tf.quantization.quantize`.\n\nArgs:\n  dtype: of the result, "
            "tf.float32 or tf.bfloat16.",
     .example = ">>> q = tf.quantization.quantize([0., 1., 2.], 0., 2., "
                "tf.quint8)\n>>> tf.quantization.dequantize(*q).numpy().round(1"
                ").tolist()\n[0.0, 1.0, 2.0]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_quantize)

}  // namespace gk
