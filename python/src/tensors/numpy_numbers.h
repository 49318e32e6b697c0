// How NumPy holds the numbers of types that it does not have itself.
#ifndef GK_PYTHON_SRC_TENSORS_NUMPY_NUMBERS_H_
#define GK_PYTHON_SRC_TENSORS_NUMPY_NUMBERS_H_

#include "framework/small_numbers.h"

namespace gk::py {

// Of ml_dtypes: NumPy has no buffer format for them, and they go through
// unsigned integers of the same size.
inline bool IsMlDtype(DataType t) {
  return t == DataType::kBfloat16 || t == DataType::kFloat8E5m2 ||
         t == DataType::kFloat8E4m3fn || IsSmallNumber(t);
}

// As NumPy names the integers that quantized values are; null for others.
inline const char* QuantizedCode(DataType t) {
  switch (t) {
    case DataType::kQint8:
      return "i1";
    case DataType::kQuint8:
      return "u1";
    case DataType::kQint16:
      return "i2";
    case DataType::kQuint16:
      return "u2";
    case DataType::kQint32:
      return "i4";
    default:
      return nullptr;
  }
}

}  // namespace gk::py

#endif  // GK_PYTHON_SRC_TENSORS_NUMPY_NUMBERS_H_
