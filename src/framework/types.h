// DataType: element types with TensorFlow's numbers and names.
#ifndef GK_FRAMEWORK_TYPES_H_
#define GK_FRAMEWORK_TYPES_H_

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/half.h"

namespace gk {

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
inline constexpr int kNumDataTypes = 34;

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// A set of types as a bit mask.
class DataTypeSet {
 public:
  constexpr DataTypeSet() = default;
  constexpr DataTypeSet(DataType t) : bits_(uint64_t{1} << int(t)) {}
  constexpr bool Contains(DataType t) const { return (bits_ >> int(t)) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr DataTypeSet operator|(DataTypeSet o) const {
    return FromBits(bits_ | o.bits_);
  }
  constexpr DataTypeSet operator&(DataTypeSet o) const {
    return FromBits(bits_ & o.bits_);
  }
  constexpr uint64_t bits() const { return bits_; }
  static constexpr DataTypeSet FromBits(uint64_t bits) {
    DataTypeSet s;
    s.bits_ = bits;
    return s;
  }

 private:
  uint64_t bits_ = 0;
};

// Bytes per element; 0 for types whose elements are objects.
int DataTypeSize(DataType t);
// "float32": the name Python users see.
std::string_view DataTypeName(DataType t);
// "float": the short name used in op signatures and runtime messages.
std::string_view DataTypeString(DataType t);
// "DT_FLOAT".
std::string DataTypeEnumName(DataType t);
// Accepts any of the three forms; nullopt if unknown.
std::optional<DataType> DataTypeFromName(std::string_view name);
bool DataTypeIsValid(int number);

bool IsFloating(DataType t);  // half, bfloat16, float, double, float8
bool IsInteger(DataType t);   // signed and unsigned, not quantized
bool IsUnsigned(DataType t);
bool IsComplex(DataType t);
bool IsNumeric(DataType t);
// May carry a gradient: floating and complex (and variant, resource).
bool IsTrainable(DataType t);
// The float type of a complex type's parts; otherwise `t` itself.
DataType RealType(DataType t);
// Elements are C++ objects (string, resource, variant), not plain bytes.
inline bool IsObjectType(DataType t) {
  return t == DataType::kString || t == DataType::kResource ||
         t == DataType::kVariant;
}

class ResourceHandle;
class Variant;

template <class T>
struct TypeToEnum;
template <DataType kType>
struct EnumToType;
#define GK_MAP_TYPE(Cpp, Enum)                         \
  template <>                                          \
  struct TypeToEnum<Cpp> {                             \
    static constexpr DataType kValue = DataType::Enum; \
  };                                                   \
  template <>                                          \
  struct EnumToType<DataType::Enum> {                  \
    using Type = Cpp;                                  \
  };
GK_MAP_TYPE(float, kFloat)
GK_MAP_TYPE(double, kDouble)
GK_MAP_TYPE(int32_t, kInt32)
GK_MAP_TYPE(uint8_t, kUint8)
GK_MAP_TYPE(int16_t, kInt16)
GK_MAP_TYPE(int8_t, kInt8)
GK_MAP_TYPE(std::string, kString)
GK_MAP_TYPE(complex64, kComplex64)
GK_MAP_TYPE(int64_t, kInt64)
GK_MAP_TYPE(bool, kBool)
GK_MAP_TYPE(bfloat16, kBfloat16)
GK_MAP_TYPE(uint16_t, kUint16)
GK_MAP_TYPE(complex128, kComplex128)
GK_MAP_TYPE(half, kHalf)
GK_MAP_TYPE(ResourceHandle, kResource)
GK_MAP_TYPE(Variant, kVariant)
GK_MAP_TYPE(uint32_t, kUint32)
GK_MAP_TYPE(uint64_t, kUint64)
GK_MAP_TYPE(float8_e5m2, kFloat8E5m2)
GK_MAP_TYPE(float8_e4m3fn, kFloat8E4m3fn)
#undef GK_MAP_TYPE

template <class T>
inline constexpr DataType kTypeOf = TypeToEnum<T>::kValue;

// Calls fn(T()) with the C++ type of `t` if it is one of Ts; false otherwise.
template <class... Ts, class Fn>
bool VisitType(DataType t, Fn&& fn) {
  return ((kTypeOf<Ts> == t ? (fn(Ts()), true) : false) || ...);
}

}  // namespace gk

#endif  // GK_FRAMEWORK_TYPES_H_
