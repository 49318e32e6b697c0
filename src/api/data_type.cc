#include "graphkiln/data_type.h"

#include <bit>
#include <limits>
#include <type_traits>

#include "api/inner.h"
#include "framework/small_numbers.h"
#include "graphkiln/tensor.h"

namespace gk::api::dtypes {

bool is_floating(DataType t) { return IsFloating(Inner(t)); }
bool is_integer(DataType t) { return IsInteger(Inner(t)); }
bool is_unsigned(DataType t) { return IsUnsigned(Inner(t)); }
bool is_complex(DataType t) { return IsComplex(Inner(t)); }
bool is_bool(DataType t) { return t == DataType::kBool; }
bool is_numeric(DataType t) { return IsNumeric(Inner(t)); }
int size(DataType t) { return DataTypeSize(Inner(t)); }
DataType real_dtype(DataType t) { return Outer(RealType(Inner(t))); }

DataType as_dtype(std::string_view type_name) {
  const auto known = DataTypeFromName(type_name);
  if (known && !type_name.starts_with("DT_")) return Outer(*known);
  ThrowPublic(
      TypeError("Cannot convert the argument `type_value`: '{}' to a "
                "TensorFlow DType.",
                type_name));
}

namespace {

// The bits of the largest number; that with the sign is the smallest.
template <class T>
constexpr int kLargestBits = 0;
template <>
constexpr int kLargestBits<::gk::half> = 0x7bff;
template <>
constexpr int kLargestBits<::gk::bfloat16> = 0x7f7f;
template <>
constexpr int kLargestBits<float8_e5m2> = 0x7b;
template <>
constexpr int kLargestBits<float8_e4m3fn> = 0x7e;

template <class T>
T LimitOf(bool largest) {
  if constexpr (kLargestBits<T> != 0) {
    using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    const int sign = largest ? 0 : 1 << (8 * sizeof(T) - 1);
    return std::bit_cast<T>(static_cast<Bits>(kLargestBits<T> | sign));
  } else {
    return largest ? std::numeric_limits<T>::max()
                   : std::numeric_limits<T>::lowest();
  }
}

Tensor Limit(DataType t, bool largest) {
  return Guarded([&] {
    const InnerType type = Inner(t);
    if (!IsFloating(type) && !IsInteger(type)) {
      throw ::gk::Error(TypeError("Cannot find {} value of {}.",
                                  largest ? "maximum" : "minimum",
                                  DataTypeName(type)));
    }
    InnerTensor out = ValueOrThrow(InnerTensor::Allocate(type, {}));
    if (IsSmallNumber(type)) {
      *static_cast<uint8_t*>(out.raw_data()) = SmallNumberLimit(type, largest);
      return Outer(out);
    }
    VisitType<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
              uint16_t, uint32_t, uint64_t, ::gk::half, ::gk::bfloat16,
              float8_e5m2, float8_e4m3fn>(
        type, [&]<class T>(T) { *out.data<T>() = LimitOf<T>(largest); });
    return Outer(out);
  });
}

}  // namespace

Tensor min(DataType t) { return Limit(t, false); }
Tensor max(DataType t) { return Limit(t, true); }
std::pair<Tensor, Tensor> limits(DataType t, bool clip_negative) {
  if (t == DataType::kBool) return {false, true};
  if (t == DataType::kFloat || t == DataType::kDouble) {
    return {Tensor::OfNumber(0.0, t), Tensor::OfNumber(1.0, t)};
  }
  if (is_integer(t) && !IsSmallNumber(Inner(t))) {
    return {clip_negative ? Tensor::OfNumber(int64_t{0}, t) : min(t), max(t)};
  }
  ThrowPublic(ValueError("{} does not have defined limits.", api::name(t)));
}

}  // namespace gk::api::dtypes
