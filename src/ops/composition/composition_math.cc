// Elementwise functions that convert, choose an op or combine several.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/composition.h"
#include "ops/composition/kept_shape.h"
#include "ops/fn/AddN.h"
#include "ops/fn/Angle.h"
#include "ops/fn/ArgMax.h"
#include "ops/fn/ArgMin.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ClipByValue.h"
#include "ops/fn/Complex.h"
#include "ops/fn/ComplexAbs.h"
#include "ops/fn/Conj.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Imag.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/LogicalNot.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/MulNoNan.h"
#include "ops/fn/Real.h"
#include "ops/fn/Round.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sign.h"
#include "ops/fn/Where.h"
#include "ops/fn/ZerosLike.h"
#include "ops/operators.h"

namespace gk {
namespace {

TensorVector ScalarMul(CompositionCall& c) {
  const Tensor& scalar = c.tensor(0);
  const PartialTensorShape shape = scalar.partial_shape();
  if (shape.rank() != 0) {
    throw Error(
        ValueError("The input scalar must be a 0-D value. Received shape {}.",
                   shape.PythonString()));
  }
  return {ops::Mul(OpName(c.name()), scalar, c.tensor(1))};
}

template <Operator kWhich>
TensorVector Operate(CompositionCall& c) {
  return {Apply(kWhich, c.tensor(0), c.tensor(1), c.name())};
}

TensorVector DivideNoNan(CompositionCall& c) {
  Tensor x = c.tensor(0), y = c.tensor(1);
  const DataType t = QuotientType(x, y, "tf.math.divide_no_nan");
  if (t != x.dtype()) {
    x = ops::Cast(OpName(c.name("Cast")), x, t);
    y = ops::Cast(OpName(c.name("Cast")), y, t);
  }
  return {ops::DivNoNan(OpName(c.name()), x, y)};
}

TensorVector LogicalXor(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &y = c.tensor(1);
  const Tensor left = ops::LogicalOr(OpName(c.name("LogicalOr")), x, y);
  return {ops::LogicalAnd(
      OpName(c.name()), left,
      ops::LogicalNot(OpName(c.name("LogicalNot")),
                      ops::LogicalAnd(OpName(c.name("LogicalAnd")), x, y)))};
}

TensorVector Abs(CompositionCall& c) {
  return {Apply(Operator::kAbsolute, c.tensor(0), c.name())};
}

// Of complex numbers a quotient, which has a derivative.
TensorVector Sign(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (!IsComplex(x.dtype())) return {ops::Sign(OpName(c.name()), x)};
  const Tensor size = ops::ComplexAbs(x, RealType(x.dtype()));
  return {ops::DivNoNan(OpName(c.name()), x, ops::Cast(size, x.dtype()))};
}

TensorVector Round(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const OpName name(c.name());
  return {IsInteger(x.dtype()) ? ops::Identity(name, x) : ops::Round(name, x)};
}

TensorVector Real(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (IsComplex(x.dtype())) {
    return {ops::Real(OpName(c.name()), x, RealType(x.dtype()))};
  }
  if (IsNumeric(x.dtype())) return {x};
  throw Error(
      TypeError("input must be a numeric tensor, but got tensor with dtype "
                "<dtype: '{}'>",
                DataTypeName(x.dtype())));
}

TensorVector Imag(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const OpName name(c.name());
  if (!IsComplex(x.dtype())) return {ops::ZerosLike(name, x)};
  return {ops::Imag(name, x, RealType(x.dtype()))};
}

TensorVector Conj(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (IsComplex(x.dtype())) return {ops::Conj(OpName(c.name()), x)};
  if (!IsNumeric(x.dtype())) {
    throw Error(TypeError("Expected numeric or variant tensor, got dtype {}",
                          DataTypeName(x.dtype())));
  }
  return {x};
}

TensorVector Angle(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (IsComplex(x.dtype())) {
    return {ops::Angle(OpName(c.name()), x, RealType(x.dtype()))};
  }
  const Tensor negative = ops::Less(x, NumberOf(0, x.dtype()));
  const Tensor t = NumberOf(3.14159265358979323846, x.dtype());
  return {ops::SelectV2(negative, t, ops::ZerosLike(x))};
}

TensorVector Complex(CompositionCall& c) {
  const Tensor &re = c.tensor(0), &im = c.tensor(1);
  if (re.dtype() != im.dtype() ||
      (re.dtype() != DataType::kFloat && re.dtype() != DataType::kDouble)) {
    throw Error(
        TypeError("The `real` and `imag` components have incorrect "
                  "types: {} {}. They must be consistent, and one of "
                  "[tf.float32, tf.float64]",
                  DataTypeName(re.dtype()), DataTypeName(im.dtype())));
  }
  return {ops::Complex(OpName(c.name()), re, im,
                       re.dtype() == DataType::kFloat ? DataType::kComplex64
                                                      : DataType::kComplex128)};
}

TensorVector Cast(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const DataType to = c.type(1);
  if (x.dtype() == to) return {x};
  return {ops::Cast(OpName(c.name()), x, to)};
}

template <DataType kTo>
TensorVector CastToType(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  return {x.dtype() == kTo ? x : ops::Cast(OpName(c.name()), x, kTo)};
}

// What numbers a real dtype holds: the limits, and how many binary digits those
// of a float have.
struct Range {
  long double low, high;
  int digits;
};

std::optional<Range> RangeOf(DataType t) {
  if (t == DataType::kHalf) return Range{-65504.0L, 65504.0L, 11};
  if (t == DataType::kBfloat16) {
    const long double most = std::ldexp(255.0L, 120);
    return Range{-most, most, 8};
  }
  std::optional<Range> out;
  VisitType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
            uint64_t, float, double>(t, [&](auto zero) {
    using Of = std::numeric_limits<decltype(zero)>;
    out = {Of::lowest(), Of::max(), Of::digits};
  });
  return out;
}

// The next number towards zero that so many binary digits hold.
long double TowardsZero(long double number, int digits) {
  int exponent;
  const long double fraction = std::frexp(number, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)),
                    exponent - digits);
}

// Elements beyond what `to` holds become the last ones of x's dtype within;
// infinities as well, also where `to` has some.
Tensor Saturate(CompositionCall& c, const Tensor& x, DataType to) {
  const DataType from = x.dtype();
  const auto in = RangeOf(from), out = RangeOf(to);
  if (!in || !out) return x;
  if (IsInteger(from)) {
    Tensor y = x;
    if (in->low < out->low) {
      y = ops::Maximum(
          y, IntegerOf(static_cast<int64_t>(out->low), from, c.name("Const")));
    }
    if (in->high > out->high) {
      y = ops::Minimum(y, IntegerOf(static_cast<int64_t>(out->high), from,
                                    c.name("Const_1")));
    }
    return y;
  }
  const auto limit = [&](long double a, long double b, std::string_view name) {
    const long double narrower = std::abs(a) < std::abs(b) ? a : b;
    return NumberOf(static_cast<double>(TowardsZero(narrower, in->digits)),
                    from, c.name(name));
  };
  return ops::ClipByValue(OpName(c.name("clamp")), x,
                          limit(in->low, out->low, "Const"),
                          limit(in->high, out->high, "Const_1"));
}

TensorVector SaturateCast(CompositionCall& c) {
  Tensor x = c.tensor(0);
  const DataType to = c.type(1);
  if (x.dtype() == DataType::kComplex128 && to == DataType::kComplex64) {
    const Range part = *RangeOf(DataType::kFloat);
    const auto both = [&](long double limit, std::string_view name) {
      const Tensor half =
          NumberOf(static_cast<double>(limit), DataType::kDouble, c.name(name));
      return ops::Complex(half, half, x.dtype());
    };
    x = ops::ClipByValue(OpName(c.name("clamp")), x, both(part.low, "Const"),
                         both(part.high, "Const_1"));
  } else if (IsComplex(to) && IsComplex(x.dtype())) {
    if (x.dtype() == to) return {x};
  } else {
    if (IsComplex(x.dtype())) x = ops::Real(x, RealType(x.dtype()));
    x = Saturate(c, x, IsComplex(to) ? RealType(to) : to);
    if (x.dtype() == to) return {x};
  }
  return {ops::Cast(OpName(c.name()), x, to)};
}

TensorVector ClipByValue(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor low_enough =
      ops::Minimum(OpName(c.name("Minimum")), x, c.tensor(2));
  CheckShapeKept(x, low_enough);
  const Tensor clipped =
      ops::Maximum(OpName(c.name()), low_enough, c.tensor(1));
  CheckShapeKept(x, clipped);
  return {clipped};
}

TensorVector ReciprocalNoNan(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor one = NumberOf(1, x.dtype(), c.name("one"));
  return {ops::DivNoNan(OpName(c.name()), one, x)};
}

TensorVector AddN(CompositionCall& c) {
  const TensorVector& in = c.tensors(0);
  if (in.empty()) {
    throw Error(
        ValueError("Inputs must be an iterable of at least one Tensor/"
                   "IndexedSlices with the same dtype and shape."));
  }
  if (in.size() == 1) {
    if (c.name().empty()) return {in[0]};
    return {in[0]};
  }
  return {ops::AddN(OpName(c.name()), in)};
}

TensorVector AccumulateN(CompositionCall& c) {
  for (const Tensor& in : c.tensors(0)) {
    if (c.has(1)) {
      const PartialTensorShape shape(c.ints(1));
      if (!in.partial_shape().IsCompatibleWith(shape)) {
        throw Error(ValueError("Shapes {} and {} are not compatible",
                               shape.PythonString(),
                               in.partial_shape().PythonString()));
      }
    }
    if (c.has(2) && in.dtype() != c.type(2)) {
      throw Error(
          TypeError("The `tensor_dtype` argument is <dtype: '{}'>, but `input` "
                    "is of type <dtype: '{}'>. These must be equal. Try "
                    "casting the input to the desired type.",
                    DataTypeName(c.type(2)), DataTypeName(in.dtype())));
    }
  }
  return AddN(c);
}

template <Tensor (*kOp)(OpName, const Tensor&, const Tensor&, DataType)>
TensorVector ArgReduce(CompositionCall& c) {
  const Tensor axis = c.has(1) ? c.tensor(1) : Int32Of(0, c.name("dimension"));
  return {kOp(OpName(c.name()), c.tensor(0), axis, c.type(2))};
}

// Called eagerly, TensorFlow makes a tensor of y as it is of x first.
TensorVector MultiplyNoNan(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &y = c.tensor(1);
  if (!OpBuilder::Current()->builds_graph() && x.dtype() != y.dtype()) {
    throw Error(ValueError(
        "y: Tensor conversion requested dtype {} for Tensor with dtype {}",
        DataTypeName(x.dtype()), DataTypeName(y.dtype())));
  }
  return {ops::MulNoNan(OpName(c.name()), x, y)};
}

TensorVector Where(CompositionCall& c) {
  const Tensor& condition = c.tensor(0);
  if (c.has(1) != c.has(2)) {
    throw Error(ValueError("x and y must both be non-None or both be None."));
  }
  if (!c.has(1)) return {ops::Where(OpName(c.name()), condition)};
  return {
      ops::SelectV2(OpName(c.name().empty() ? std::string_view() : c.name()),
                    condition, c.tensor(1), c.tensor(2))};
}

#define XY "x: tensor(T); y: tensor(T)"

const CompositionRecord kRecords[] = {
    {.names = "add|math.add",
     .args = XY,
     .scope = "Add",
     .maps = 2,
     .build = Operate<Operator::kAdd>,
     .eager_op = "AddV2",
     .doc = "x + y element-wise, with broadcasting; joins strings.",
     .example = ">>> tf.add([1, 2], 3).numpy().tolist()\n[4, 5]"},
    {.names = "scalar_mul|math.scalar_mul",
     .args = "scalar: tensor(T); x: tensor(T)",
     .scope = "scalar_mul",
     .maps = 2,
     .slices = 2,
     .build = ScalarMul,
     .doc = "A scalar times a tensor.",
     .example = ">>> tf.math.scalar_mul(2., [1., 2.]).numpy().tolist()\n"
                "[2.0, 4.0]"},
    {.names = "divide|math.divide|truediv|math.truediv",
     .args = XY,
     .scope = "truediv",
     .wraps_op = true,
     .maps = 2,
     .build = Operate<Operator::kDivide>,
     .doc = "x / y element-wise as Python divides: of integers in floating "
            "point (8 and 16 bits in float32, others in float64).",
     .example = ">>> tf.divide(3, 2).numpy().item()\n1.5"},
    {.names = "math.divide_no_nan",
     .args = XY,
     .scope = "div_no_nan",
     .wraps_op = true,
     .maps = 2,
     .build = DivideNoNan,
     .doc =
         "x / y element-wise, 0 where y is 0; of integers in floating point.",
     .example = ">>> tf.math.divide_no_nan(3., 0.).numpy().item()\n0.0"},
    {.names = "math.logical_xor",
     .args = "x: tensor(bool); y: tensor(bool)",
     .scope = "LogicalXor",
     .maps = 2,
     .build = LogicalXor,
     .doc = "Whether one of x and y holds and the other does not, "
            "element-wise.",
     .example = ">>> tf.math.logical_xor([True, False], True).numpy().tolist()"
                "\n[False, True]"},
    {.names = "math.reciprocal_no_nan",
     .args = "x: tensor",
     .scope = "reciprocal_no_nan",
     .maps = 1,
     .build = ReciprocalNoNan,
     .doc = "1 / x element-wise, 0 where x is 0.",
     .example = ">>> tf.math.reciprocal_no_nan([2., 0.]).numpy().tolist()\n"
                "[0.5, 0.0]"},
    {.names = "abs|math.abs",
     .args = "x: tensor",
     .scope = "Abs",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Abs,
     .doc = "Absolute value element-wise; of complex numbers the magnitude.",
     .example = ">>> tf.abs([-1, 2]).numpy().tolist()\n[1, 2]"},
    {.names = "sign|math.sign",
     .args = "x: tensor",
     .scope = "Sign",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Sign,
     .doc = "The sign of each element: -1, 0 or 1; x / |x| for a complex x.",
     .example = ">>> tf.sign([-2.0, 0.0]).numpy().tolist()\n[-1.0, 0.0]"},
    {.names = "round|math.round",
     .args = "x: tensor",
     .scope = "Round",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Round,
     .doc = "The nearest integer element-wise, halves to the even one.",
     .example = ">>> tf.round([0.5, 1.5]).numpy().tolist()\n[0.0, 2.0]"},
    {.names = "math.real",
     .args = "input: tensor",
     .scope = "Real",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Real,
     .doc = "Real parts; real tensors are returned as they are.",
     .example = ">>> tf.math.real([1 + 2j]).numpy().tolist()\n[1.0]"},
    {.names = "math.imag",
     .args = "input: tensor",
     .scope = "Imag",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Imag,
     .doc = "Imaginary parts; zeros for real tensors.",
     .example = ">>> tf.math.imag([1 + 2j]).numpy().tolist()\n[2.0]"},
    {.names = "math.conj",
     .args = "x: tensor",
     .scope = "Conj",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = Conj,
     .doc = "Complex conjugates; real tensors are returned as they are.",
     .example = ">>> tf.math.conj([1 + 2j]).numpy().tolist()\n[(1-2j)]"},
    {.names = "math.angle",
     .args = "input: tensor",
     .scope = "Angle",
     .wraps_op = true,
     .maps = 1,
     .build = Angle,
     .doc = "The angle of complex numbers; 0 or pi for real ones.",
     .example = ">>> tf.math.angle([1.]).numpy().tolist()\n[0.0]"},
    {.names = "complex|dtypes.complex",
     .args = "real: tensor(T); imag: tensor(T)",
     .scope = "Complex",
     .wraps_op = true,
     .maps = 2,
     .build = Complex,
     .doc = "Complex numbers of two float tensors.",
     .example = ">>> tf.complex(1., 2.).numpy().item()\n(1+2j)"},
    {.names = "cast|dtypes.cast",
     .args = "x: tensor; dtype: type",
     .scope = "Cast",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .slices = 1,
     .build = Cast,
     .doc = "The elements in another dtype.",
     .example = ">>> tf.cast([1.8, 2.2], tf.int32).numpy().tolist()\n[1, 2]"},
    {.names = "compat.v1.to_float",
     .args = "x: tensor; name: name = 'ToFloat'",
     .scope = "ToFloat",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = CastToType<DataType::kFloat>,
     .doc = "`x` as float32.",
     .example = ">>> tf.compat.v1.to_float([1]).numpy().tolist()\n[1.0]"},
    {.names = "compat.v1.to_double",
     .args = "x: tensor; name: name = 'ToDouble'",
     .scope = "ToDouble",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = CastToType<DataType::kDouble>,
     .doc = "`x` as float64.",
     .example = ">>> tf.compat.v1.to_double([1, 2]).dtype\ntf.float64"},
    {.names = "compat.v1.to_int32",
     .args = "x: tensor; name: name = 'ToInt32'",
     .scope = "ToInt32",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = CastToType<DataType::kInt32>,
     .doc = "`x` as int32.",
     .example = ">>> tf.compat.v1.to_int32([1.5]).numpy().tolist()\n[1]"},
    {.names = "compat.v1.to_int64",
     .args = "x: tensor; name: name = 'ToInt64'",
     .scope = "ToInt64",
     .wraps_op = true,
     .maps = 1,
     .keeps_zero = true,
     .build = CastToType<DataType::kInt64>,
     .doc = "`x` as int64.",
     .example = ">>> tf.compat.v1.to_int64([1.5]).numpy().tolist()\n[1]"},
    {.names = "saturate_cast|dtypes.saturate_cast",
     .args = "value: tensor; dtype: type",
     .scope = "saturate_cast",
     .maps = 1,
     .keeps_zero = true,
     .build = SaturateCast,
     .doc = "Like cast, with elements beyond the range of `dtype` set to its "
            "limits.",
     .example = ">>> tf.saturate_cast([300, -1], tf.uint8).numpy().tolist()\n"
                "[255, 0]"},
    {.names = "clip_by_value",
     .args = "t: tensor(T); clip_value_min: tensor(T) as y; clip_value_max: "
             "tensor(T) as Minimum/y",
     .scope = "clip_by_value",
     .maps = 1,
     .slices = 1,
     .build = ClipByValue,
     .doc = "Elements limited to [clip_value_min, clip_value_max].",
     .example = ">>> tf.clip_by_value([-1, 5], 0, 3).numpy().tolist()\n[0, 3]"},
    {.names = "add_n|math.add_n",
     .args = "inputs: tensors(T)",
     .scope = "AddN",
     .ragged = RaggedForm::kAddN,
     .build = AddN,
     .doc = "The sum of tensors of one shape and dtype.",
     .example = ">>> tf.add_n([1, 2, 3]).numpy().item()\n6"},
    {.names = "math.accumulate_n",
     .args =
         "inputs: tensors(T); shape: ints = None; tensor_dtype: type = None",
     .scope = "AddN",
     .build = AccumulateN,
     .doc =
         "The sum of tensors, as `add_n` gives it; ValueError if one of them "
         "has not the `shape`, TypeError if not the `tensor_dtype`.",
     .example = ">>> tf.math.accumulate_n([1, 2, 3]).numpy().item()\n6"},
    {.names = "math.multiply_no_nan",
     .args = XY,
     .scope = "multiply_no_nan",
     .maps = 2,
     .build = MultiplyNoNan,
     .eager_op = "MulNoNan",
     .doc = "Returns x * y element-wise, and 0 where y is 0 even if x is not "
            "finite.\n\nRaises:\n  ValueError: the dtypes differ.",
     .example = ">>> tf.math.multiply_no_nan(float('inf'), 0.).numpy().item()"
                "\n0.0"},
    {.names = "argmax|math.argmax",
     .args = "input: tensor; axis: tensor(int32) as dimension = None; "
             "output_type: type? = int64",
     .scope = "ArgMax",
     .build = ArgReduce<ops::ArgMax>,
     .doc = "Where the largest element along `axis` (0 unless given) is; of "
            "equal ones the first.",
     .example = ">>> tf.argmax([1, 5, 3]).numpy().item()\n1"},
    {.names = "argmin|math.argmin",
     .args = "input: tensor; axis: tensor(int32) as dimension = None; "
             "output_type: type? = int64",
     .scope = "ArgMin",
     .build = ArgReduce<ops::ArgMin>,
     .doc = "Where the smallest element along `axis` (0 unless given) is; of "
            "equal ones the first.",
     .example = ">>> tf.argmin([4, 5, 3]).numpy().item()\n2"},
    {.names = "where",
     .args = "condition: tensor(bool); x: tensor(T) as t = None; y: tensor(T) "
             "as e = None",
     .scope = "SelectV2",
     .ragged = RaggedForm::kWhere,
     .build = Where,
     .doc = "Elements of `x` where `condition` holds, of `y` elsewhere, with "
            "broadcasting; without x and y the indices at which it holds, "
            "int64 [n, rank].",
     .example = ">>> tf.where([True, False], 1, 2).numpy().tolist()\n[1, 2]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_math)

}  // namespace gk
