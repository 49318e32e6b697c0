#include "framework/expression.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "base/status.h"

namespace gk {
namespace {

constexpr const char* kNames[] = {
    "input",       "constant",  "convert",    "bit_cast",  "add",
    "subtract",    "multiply",  "divide",     "remainder", "negate",
    "bit_and",     "bit_or",    "bit_xor",    "bit_not",   "shift_left",
    "shift_right", "less",      "less_equal", "equal",     "not_equal",
    "and",         "or",        "not",        "select",    "abs",
    "copy_sign",   "sqrt",      "floor",      "ceil",      "trunc",
    "rint",        "pop_count", "complex",    "real",      "imaginary",
    "lookup",      "call"};
static_assert(std::size(kNames) ==
              static_cast<size_t>(ExpressionOp::kCall) + 1);

}  // namespace

int Expression::Add(const ExpressionStep& step) {
  const auto same = std::find(steps_.begin(), steps_.end(), step);
  if (same != steps_.end()) return same - steps_.begin();
  steps_.push_back(step);
  return steps_.size() - 1;
}

std::string Expression::DebugString() const {
  std::string text;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const ExpressionStep& step = steps_[i];
    text += Format("%{} {} = {}", i, DataTypeString(step.type),
                   kNames[static_cast<int>(step.op)]);
    for (int32_t in : step.in) {
      if (in >= 0) text += Format(" %{}", in);
    }
    if (step.op == ExpressionOp::kInput || step.op == ExpressionOp::kConstant) {
      text += Format(" {}", step.bits);
    }
    text += "\n";
  }
  return text;
}

namespace internal {
namespace {

ExprRef Emit(uint64_t code, std::initializer_list<ExprRef> in,
             ElementCall call = nullptr, const void* table = nullptr,
             uint64_t bits = 0) {
  Expression* expression = nullptr;
  for (const ExprRef& r : in) {
    if (r.expression) expression = r.expression;
  }
  if (!expression) {
    // Of a definition, never of a program's data.
    std::fputs("An expression of numbers alone: compute them as such.\n",
               stderr);
    std::abort();
  }
  const auto byte = [&](int i) {
    return static_cast<uint8_t>(code >> (8 * i));
  };
  ExpressionStep step{static_cast<ExpressionOp>(byte(0)),
                      static_cast<DataType>(byte(1))};
  step.bits = bits;
  step.table = table;
  step.call = call;
  int k = 0;
  for (const ExprRef& r : in) {
    step.in[k] = r.expression ? static_cast<int>(r.payload)
                              : StepOfNumber(expression,
                                             static_cast<DataType>(byte(2 + k)),
                                             r.payload);
    ++k;
  }
  return {expression, static_cast<uint64_t>(expression->Add(step))};
}

}  // namespace

ExprRef EmitStep(uint64_t code, ExprRef a) { return Emit(code, {a}); }
ExprRef EmitStep(uint64_t code, ExprRef a, ExprRef b) {
  return Emit(code, {a, b});
}
ExprRef EmitStep(uint64_t code, ExprRef a, ExprRef b, ExprRef c) {
  return Emit(code, {a, b, c});
}
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a) {
  return Emit(code, {a}, call);
}
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a, ExprRef b) {
  return Emit(code, {a, b}, call);
}
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a, ExprRef b,
                 ExprRef c) {
  return Emit(code, {a, b, c}, call);
}
ExprRef EmitLookup(uint64_t code, const void* table, uint64_t size, ExprRef i) {
  return Emit(code, {i}, nullptr, table, size);
}
ExprRef EmitInput(Expression* expression, DataType type, int number) {
  ExpressionStep step{ExpressionOp::kInput, type};
  step.bits = number;
  return {expression, static_cast<uint64_t>(expression->Add(step))};
}
int StepOfNumber(Expression* expression, DataType type, uint64_t bits) {
  ExpressionStep step{ExpressionOp::kConstant, type};
  step.bits = bits;
  return expression->Add(step);
}

}  // namespace internal
}  // namespace gk
