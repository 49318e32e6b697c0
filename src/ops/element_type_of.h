// The name that dense kernels use for a DataType.
#ifndef GK_OPS_ELEMENT_TYPE_OF_H_
#define GK_OPS_ELEMENT_TYPE_OF_H_

#include "framework/types.h"
#include "kernels/element_type.h"

namespace gk {

inline std::optional<ElementType> ElementTypeFor(DataType t) {
  switch (t) {
    case DataType::kFloat:
      return ElementType::kFloat;
    case DataType::kDouble:
      return ElementType::kDouble;
    case DataType::kHalf:
      return ElementType::kHalf;
    case DataType::kBfloat16:
      return ElementType::kBFloat16;
    case DataType::kInt8:
    case DataType::kQint8:
      return ElementType::kInt8;
    case DataType::kInt16:
      return ElementType::kInt16;
    case DataType::kInt32:
      return ElementType::kInt32;
    case DataType::kInt64:
      return ElementType::kInt64;
    case DataType::kUint8:
      return ElementType::kUInt8;
    case DataType::kUint16:
      return ElementType::kUInt16;
    case DataType::kUint32:
      return ElementType::kUInt32;
    case DataType::kUint64:
      return ElementType::kUInt64;
    case DataType::kComplex64:
      return ElementType::kComplex64;
    case DataType::kComplex128:
      return ElementType::kComplex128;
    default:
      return std::nullopt;
  }
}

}  // namespace gk

#endif  // GK_OPS_ELEMENT_TYPE_OF_H_
