// DataType: the types of a tensor's elements, and the C++ types they have.
#ifndef GRAPHKILN_DATA_TYPE_H_
#define GRAPHKILN_DATA_TYPE_H_

#include <complex>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// The numbers are those of graph files.
enum class DataType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2m1fn = 33,
};

// "float32".
GK_EXPORT std::string name(DataType t);
inline std::ostream& operator<<(std::ostream& out, DataType t) {
  return out << name(t);
}

namespace dtypes {

// What kind of elements a type has.
GK_EXPORT bool is_floating(DataType t);
GK_EXPORT bool is_integer(DataType t);  // signed or not
GK_EXPORT bool is_unsigned(DataType t);
GK_EXPORT bool is_complex(DataType t);
GK_EXPORT bool is_bool(DataType t);
GK_EXPORT bool is_numeric(DataType t);  // numbers, booleans apart
// Bytes of an element; 0 if it has no fixed number.
GK_EXPORT int size(DataType t);
// The type of the parts of complex numbers; else `t`.
GK_EXPORT DataType real_dtype(DataType t);
// "float32", and as Python names it otherwise ("float"). Throws Error
// (TypeError) if there is no such type.
GK_EXPORT DataType as_dtype(std::string_view type_name);

}  // namespace dtypes

// 16-bit floating-point numbers: storage and conversion. Compute in float.
class GK_EXPORT half {
 public:
  half() = default;
  // Rounded to the nearest.
  explicit half(float value);
  explicit operator float() const;
  uint16_t bits = 0;
};
// The same with the exponent of a float and 8 bits of precision.
class GK_EXPORT bfloat16 {
 public:
  bfloat16() = default;
  // Rounded to the nearest.
  explicit bfloat16(float value);
  explicit operator float() const;
  uint16_t bits = 0;
};

namespace detail {

template <class T>
constexpr DataType DataTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DataType::kBool;
  if constexpr (std::is_same_v<T, float>) return DataType::kFloat;
  if constexpr (std::is_same_v<T, double>) return DataType::kDouble;
  if constexpr (std::is_same_v<T, half>) return DataType::kHalf;
  if constexpr (std::is_same_v<T, bfloat16>) return DataType::kBfloat16;
  if constexpr (std::is_same_v<T, std::string>) return DataType::kString;
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return DataType::kComplex64;
  }
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    return DataType::kComplex128;
  }
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool kSigned = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1: return kSigned ? DataType::kInt8 : DataType::kUint8;
      case 2: return kSigned ? DataType::kInt16 : DataType::kUint16;
      case 4: return kSigned ? DataType::kInt32 : DataType::kUint32;
      case 8: return kSigned ? DataType::kInt64 : DataType::kUint64;
    }
  }
  return DataType::kInvalid;
}

}  // namespace detail

// The element type of a C++ type; kInvalid if it has none.
template <class T>
inline constexpr DataType kDataTypeOf =
    detail::DataTypeOf<std::remove_cv_t<T>>();

// A C++ type that tensors are made of.
template <class T>
concept Element = kDataTypeOf<T> != DataType::kInvalid;
// A number of the language.
template <class T>
concept Number = std::is_arithmetic_v<T> && Element<T>;

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATA_TYPE_H_
