#include "framework/small_numbers.h"

#include <cmath>
#include <limits>

namespace gk {
namespace {

struct Form {
  DataType type;
  int exponent_bits, mantissa_bits;  // of floats
  int bias;
  bool nan_for_minus_zero;
  int integer_bits;
};

constexpr Form kForms[] = {
    {DataType::kFloat4E2m1fn, 2, 1, 1, false, 0},
    {DataType::kFloat8E4m3b11fnuz, 4, 3, 11, true, 0},
    {DataType::kFloat8E4m3fnuz, 4, 3, 8, true, 0},
    {DataType::kFloat8E5m2fnuz, 5, 2, 16, true, 0},
    {DataType::kInt2, 0, 0, 0, false, 2},
    {DataType::kUint2, 0, 0, 0, false, 2},
    {DataType::kInt4, 0, 0, 0, false, 4},
    {DataType::kUint4, 0, 0, 0, false, 4},
};

const Form* FormOf(DataType t) {
  for (const Form& form : kForms) {
    if (form.type == t) return &form;
  }
  return nullptr;
}

}  // namespace

bool IsSmallNumber(DataType t) { return FormOf(t) != nullptr; }

int SmallIntegerBits(DataType t) {
  const Form* form = FormOf(t);
  return form == nullptr ? 0 : form->integer_bits;
}

double SmallNumber(DataType t, uint8_t byte) {
  const Form& form = *FormOf(t);
  if (form.integer_bits > 0) {
    const int range = 1 << form.integer_bits;
    const int value = byte & (range - 1);
    return IsUnsigned(t) || value < range / 2 ? value : value - range;
  }
  const int sign = 1 << (form.exponent_bits + form.mantissa_bits);
  if (form.nan_for_minus_zero && byte == sign) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const int ones = 1 << form.mantissa_bits;
  const int mantissa = byte & (ones - 1);
  const int exponent = (byte & (sign - 1)) >> form.mantissa_bits;
  const double size =
      exponent == 0
          ? std::ldexp(mantissa, 1 - form.bias - form.mantissa_bits)
          : std::ldexp(ones + mantissa,
                       exponent - form.bias - form.mantissa_bits);
  return (byte & sign) != 0 ? -size : size;
}

uint8_t SmallNumberLimit(DataType t, bool largest) {
  const Form& form = *FormOf(t);
  const int bits = form.integer_bits;
  if (bits == 0) {
    const int sign = 1 << (form.exponent_bits + form.mantissa_bits);
    return static_cast<uint8_t>(sign - 1 + (largest ? 0 : sign));
  }
  if (IsUnsigned(t)) return static_cast<uint8_t>(largest ? (1 << bits) - 1 : 0);
  return static_cast<uint8_t>((1 << (bits - 1)) - (largest ? 1 : 0));
}

}  // namespace gk
