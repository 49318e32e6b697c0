#include "framework/expression.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

ExprRef EmitStep(ExpressionStep step, const ExprOperand* in, int num_inputs) {
  Expression* expression = nullptr;
  for (int i = 0; i < num_inputs; ++i) {
    if (in[i].ref.expression) expression = in[i].ref.expression;
  }
  if (!expression) {
    // Of a definition, never of a program's data.
    std::fputs("An expression of numbers alone: compute them as such.\n",
               stderr);
    std::abort();
  }
  for (int i = 0; i < num_inputs; ++i) {
    if (in[i].ref.expression) {
      step.in[i] = static_cast<int32_t>(in[i].ref.payload);
      continue;
    }
    ExpressionStep constant{ExpressionOp::kConstant, in[i].type};
    constant.bits = in[i].ref.payload;
    step.in[i] = expression->Add(constant);
  }
  return {expression, static_cast<uint64_t>(expression->Add(step))};
}

}  // namespace internal
}  // namespace gk
