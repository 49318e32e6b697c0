// What the operators of tensors are, in every language: which op serves which
// operands, and what these become before. Strings are joined by another op
// than numbers are added by, integers are divided as floats, booleans have
// logical operators where integers have bitwise ones.
#ifndef GK_OPS_OPERATORS_H_
#define GK_OPS_OPERATORS_H_

#include <cstdint>
#include <string_view>

#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tensor.h"

namespace gk {

enum class Operator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // true division
  kFloorDivide,
  kModulo,
  kPower,
  kMatMul,
  kAnd,
  kOr,
  kXor,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  // Of one operand.
  kNegative,
  kAbsolute,
  kInvert,
};

// The op for operands of a dtype and, for kMatMul, of rank 2.
const OpRecord& OpOf(Operator which, DataType t);

// What an operator does with its operands.
struct OperatorCall {
  const OpRecord* op;
  // kInvalid: as they are.
  DataType operands = DataType::kInvalid;  // what they are cast to before
  DataType result = DataType::kInvalid;    // what the result is cast to
  AttrMap attrs = {};
};
// Throws what TensorFlow raises for operands that the operator does not have.
OperatorCall CallOf(Operator which, const Tensor& x, const Tensor& y);
OperatorCall CallOf(Operator which, const Tensor& x);
// The casts of a call whose node is `name`, in nodes below that.
void CastOperands(const OperatorCall& call, std::string_view name, Tensor* x,
                  Tensor* y);
Tensor CastResult(const OperatorCall& call, std::string_view name,
                  const Tensor& result);

// The operator's value, made by the current builder. Throws Error.
Tensor Apply(Operator which, const Tensor& x, const Tensor& y,
             std::string_view name = {});
Tensor Apply(Operator which, const Tensor& x, std::string_view name = {});

// The dtype in which x and y are divided as floats; TypeError, in `where`, for
// operands of two dtypes or of none that has quotients.
DataType QuotientType(const Tensor& x, const Tensor& y, std::string_view where);
// Is a product of matrices one of stacks of them, for all that is known?
bool IsProductOfStacks(const Tensor& x, const Tensor& y);

}  // namespace gk

#endif  // GK_OPS_OPERATORS_H_
