#include "ops/operators.h"

#include <algorithm>
#include <string>
#include <utility>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "ops/fn/Cast.h"

namespace gk {
namespace {

template <size_t kSize>
struct OpText {
  constexpr OpText(const char (&from)[kSize]) {
    std::copy_n(from, kSize, text);
  }
  char text[kSize];
};

// Looked up once.
template <OpText kOp>
const OpRecord& The() {
  static const OpRecord& op = *ValueOrThrow(OpRegistry::Get().LookUp(kOp.text));
  return op;
}

// "truediv/Cast", as it is; empty when eager.
std::string CastName(std::string_view name) {
  if (name.empty()) return {};
  return Format("{}{}Cast/", name, name.back() == '/' ? "" : "/");
}

}  // namespace

const OpRecord& OpOf(Operator which, DataType t) {
  const bool logical = t == DataType::kBool;
  switch (which) {
    case Operator::kAdd:
      return t == DataType::kString ? The<"Add">() : The<"AddV2">();
    case Operator::kSubtract:
      return The<"Sub">();
    case Operator::kMultiply:
      return The<"Mul">();
    case Operator::kDivide:
      return The<"RealDiv">();
    case Operator::kFloorDivide:
      return The<"FloorDiv">();
    case Operator::kModulo:
      return The<"FloorMod">();
    case Operator::kPower:
      return The<"Pow">();
    case Operator::kMatMul:
      return The<"MatMul">();
    case Operator::kAnd:
      return logical ? The<"LogicalAnd">() : The<"BitwiseAnd">();
    case Operator::kOr:
      return logical ? The<"LogicalOr">() : The<"BitwiseOr">();
    case Operator::kXor:
      return logical ? The<"NotEqual">() : The<"BitwiseXor">();
    case Operator::kLess:
      return The<"Less">();
    case Operator::kLessEqual:
      return The<"LessEqual">();
    case Operator::kGreater:
      return The<"Greater">();
    case Operator::kGreaterEqual:
      return The<"GreaterEqual">();
    case Operator::kEqual:
      return The<"Equal">();
    case Operator::kNotEqual:
      return The<"NotEqual">();
    case Operator::kNegative:
      return The<"Neg">();
    case Operator::kAbsolute:
      return IsComplex(t) ? The<"ComplexAbs">() : The<"Abs">();
    case Operator::kInvert:
      return logical ? The<"LogicalNot">() : The<"Invert">();
  }
  throw Error(Internal("no such operator"));
}

DataType QuotientType(const Tensor& x, const Tensor& y,
                      std::string_view where) {
  const DataType t = x.dtype();
  if (t != y.dtype()) {
    throw Error(
        TypeError("`x` and `y` must have the same dtype, got tf.{} != tf.{}.",
                  DataTypeName(t), DataTypeName(y.dtype())));
  }
  switch (t) {
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kInt16:
    case DataType::kUint16:
      return DataType::kFloat;
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kInt64:
    case DataType::kUint64:
      return DataType::kDouble;
    case DataType::kBool:
    case DataType::kString:
      throw Error(
          TypeError("Invalid dtype tf.{} in {}. Expected one of the "
                    "numeric types.",
                    DataTypeName(t), where));
    default:
      return t;
  }
}

bool IsProductOfStacks(const Tensor& x, const Tensor& y) {
  const auto may_be_stack = [](const Tensor& t) {
    if (!t.is_symbolic()) return t.shape().rank() > 2;
    const PartialTensorShape shape = t.partial_shape();
    return shape.unknown_rank() || shape.rank() > 2;
  };
  return may_be_stack(x) || may_be_stack(y);
}

OperatorCall CallOf(Operator which, const Tensor& x, const Tensor& y) {
  const DataType t = x.dtype();
  OperatorCall call{&OpOf(which, t)};
  switch (which) {
    case Operator::kMultiply:
      if (t == DataType::kBool || y.dtype() == DataType::kBool) {
        call.operands = DataType::kInt32;
        call.result = DataType::kBool;
      }
      break;
    case Operator::kDivide: {
      const DataType quotient = QuotientType(x, y, "__truediv__");
      if (quotient != t) call.operands = quotient;
      break;
    }
    case Operator::kMatMul:
      if (IsProductOfStacks(x, y)) call.op = &The<"BatchMatMulV2">();
      break;
    case Operator::kEqual:
    case Operator::kNotEqual:
      // Tensors that cannot be of one shape are not equal.
      call.attrs.Set("incompatible_shape_error", false);
      break;
    default:
      break;
  }
  return call;
}

OperatorCall CallOf(Operator which, const Tensor& x) {
  OperatorCall call{&OpOf(which, x.dtype())};
  if (which == Operator::kAbsolute && IsComplex(x.dtype())) {
    call.attrs.Set("Tout", RealType(x.dtype()));
  }
  return call;
}

void CastOperands(const OperatorCall& call, std::string_view name, Tensor* x,
                  Tensor* y) {
  if (call.operands == DataType::kInvalid) return;
  const std::string node = CastName(name);
  *x = ops::Cast(OpName(node), *x, call.operands);
  *y = ops::Cast(OpName(node), *y, call.operands);
}

Tensor CastResult(const OperatorCall& call, std::string_view name,
                  const Tensor& result) {
  if (call.result == DataType::kInvalid) return result;
  return ops::Cast(OpName(CastName(name)), result, call.result);
}

Tensor Apply(Operator which, const Tensor& x, const Tensor& y,
             std::string_view name) {
  OperatorCall call = CallOf(which, x, y);
  Tensor in[] = {x, y};
  CastOperands(call, name, &in[0], &in[1]);
  const TensorVector out =
      ValueOrThrow(Dispatch(*call.op, in, std::move(call.attrs), name));
  return CastResult(call, name, out[0]);
}

Tensor Apply(Operator which, const Tensor& x, std::string_view name) {
  OperatorCall call = CallOf(which, x);
  return ValueOrThrow(
      Dispatch(*call.op, {&x, 1}, std::move(call.attrs), name))[0];
}

}  // namespace gk
