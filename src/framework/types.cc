#include "framework/types.h"

namespace gk {
namespace {

struct TypeInfo {
  DataType type;
  std::string_view name;    // Python
  std::string_view string;  // op signatures
  std::string_view enum_name;
  int size;
};

constexpr TypeInfo kTypes[] = {
    {DataType::kFloat, "float32", "float", "DT_FLOAT", 4},
    {DataType::kDouble, "float64", "double", "DT_DOUBLE", 8},
    {DataType::kInt32, "int32", "int32", "DT_INT32", 4},
    {DataType::kUint8, "uint8", "uint8", "DT_UINT8", 1},
    {DataType::kInt16, "int16", "int16", "DT_INT16", 2},
    {DataType::kInt8, "int8", "int8", "DT_INT8", 1},
    {DataType::kString, "string", "string", "DT_STRING", 0},
    {DataType::kComplex64, "complex64", "complex64", "DT_COMPLEX64", 8},
    {DataType::kInt64, "int64", "int64", "DT_INT64", 8},
    {DataType::kBool, "bool", "bool", "DT_BOOL", 1},
    {DataType::kQint8, "qint8", "qint8", "DT_QINT8", 1},
    {DataType::kQuint8, "quint8", "quint8", "DT_QUINT8", 1},
    {DataType::kQint32, "qint32", "qint32", "DT_QINT32", 4},
    {DataType::kBfloat16, "bfloat16", "bfloat16", "DT_BFLOAT16", 2},
    {DataType::kQint16, "qint16", "qint16", "DT_QINT16", 2},
    {DataType::kQuint16, "quint16", "quint16", "DT_QUINT16", 2},
    {DataType::kUint16, "uint16", "uint16", "DT_UINT16", 2},
    {DataType::kComplex128, "complex128", "complex128", "DT_COMPLEX128", 16},
    {DataType::kHalf, "float16", "half", "DT_HALF", 2},
    {DataType::kResource, "resource", "resource", "DT_RESOURCE", 0},
    {DataType::kVariant, "variant", "variant", "DT_VARIANT", 0},
    {DataType::kUint32, "uint32", "uint32", "DT_UINT32", 4},
    {DataType::kUint64, "uint64", "uint64", "DT_UINT64", 8},
    {DataType::kFloat8E5m2, "float8_e5m2", "float8_e5m2", "DT_FLOAT8_E5M2", 1},
    {DataType::kFloat8E4m3fn, "float8_e4m3fn", "float8_e4m3fn",
     "DT_FLOAT8_E4M3FN", 1},
    {DataType::kFloat8E4m3fnuz, "float8_e4m3fnuz", "float8_e4m3fnuz",
     "DT_FLOAT8_E4M3FNUZ", 1},
    {DataType::kFloat8E4m3b11fnuz, "float8_e4m3b11fnuz", "float8_e4m3b11fnuz",
     "DT_FLOAT8_E4M3B11FNUZ", 1},
    {DataType::kFloat8E5m2fnuz, "float8_e5m2fnuz", "float8_e5m2fnuz",
     "DT_FLOAT8_E5M2FNUZ", 1},
    {DataType::kInt4, "int4", "int4", "DT_INT4", 1},
    {DataType::kUint4, "uint4", "uint4", "DT_UINT4", 1},
    {DataType::kInt2, "int2", "int2", "DT_INT2", 1},
    {DataType::kUint2, "uint2", "uint2", "DT_UINT2", 1},
    {DataType::kFloat4E2m1fn, "float4_e2m1fn", "float4_e2m1fn",
     "DT_FLOAT4_E2M1FN", 1},
};

const TypeInfo* Find(DataType t) {
  for (const TypeInfo& info : kTypes) {
    if (info.type == t) return &info;
  }
  return nullptr;
}

constexpr DataTypeSet kFloats =
    DataTypeSet(DataType::kFloat) | DataType::kDouble | DataType::kHalf |
    DataType::kBfloat16 | DataType::kFloat8E5m2 | DataType::kFloat8E4m3fn |
    DataType::kFloat8E4m3fnuz | DataType::kFloat8E4m3b11fnuz |
    DataType::kFloat8E5m2fnuz | DataType::kFloat4E2m1fn;
constexpr DataTypeSet kUnsigneds = DataTypeSet(DataType::kUint8) |
                                   DataType::kUint16 | DataType::kUint32 |
                                   DataType::kUint64 | DataType::kUint4 |
                                   DataType::kUint2;
constexpr DataTypeSet kSigneds = DataTypeSet(DataType::kInt8) |
                                 DataType::kInt16 | DataType::kInt32 |
                                 DataType::kInt64 | DataType::kInt4 |
                                 DataType::kInt2;

}  // namespace

int DataTypeSize(DataType t) {
  static constexpr auto kSizes = [] {
    struct {
      int size[256] = {};
    } table;
    for (const TypeInfo& info : kTypes) table.size[int(info.type)] = info.size;
    return table;
  }();
  return kSizes.size[int(t)];
}

std::string_view DataTypeName(DataType t) {
  const TypeInfo* info = Find(t);
  return info ? info->name : "invalid";
}

std::string_view DataTypeString(DataType t) {
  const TypeInfo* info = Find(t);
  return info ? info->string : "invalid";
}

std::string DataTypeEnumName(DataType t) {
  const TypeInfo* info = Find(t);
  return std::string(info ? info->enum_name : "DT_INVALID");
}

std::optional<DataType> DataTypeFromName(std::string_view name) {
  for (const TypeInfo& info : kTypes) {
    if (info.name == name || info.string == name || info.enum_name == name) {
      return info.type;
    }
  }
  return std::nullopt;
}

bool DataTypeIsValid(int number) {
  return number > 0 && number < kNumDataTypes &&
         Find(static_cast<DataType>(number)) != nullptr;
}

bool IsFloating(DataType t) { return kFloats.Contains(t); }
bool IsInteger(DataType t) { return (kSigneds | kUnsigneds).Contains(t); }
bool IsUnsigned(DataType t) { return kUnsigneds.Contains(t); }
bool IsComplex(DataType t) {
  return t == DataType::kComplex64 || t == DataType::kComplex128;
}
bool IsNumeric(DataType t) {
  return IsFloating(t) || IsInteger(t) || IsComplex(t);
}
bool IsTrainable(DataType t) {
  return IsFloating(t) || IsComplex(t) || t == DataType::kResource ||
         t == DataType::kVariant;
}
DataType RealType(DataType t) {
  if (t == DataType::kComplex64) return DataType::kFloat;
  if (t == DataType::kComplex128) return DataType::kDouble;
  return t;
}

}  // namespace gk
