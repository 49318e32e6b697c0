#include "function/tensor_array.h"

#include <limits>

#include "base/format.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"

namespace gk {

Tensor CheckedArraySize(const Tensor& size) {
  const PartialTensorShape shape = size.partial_shape();
  if (size.dtype() != DataType::kInt32 && size.dtype() != DataType::kInt64) {
    throw Error(TypeError("The size of a TensorArray must be an integer, got "
                          "{}",
                          DataTypeName(size.dtype())));
  }
  if (!shape.unknown_rank() && shape.rank() != 0) {
    throw Error(ValueError("The size of a TensorArray must be a scalar, got "
                           "shape {}",
                           shape.PythonString()));
  }
  return ListIndex(size);
}

Tensor ListIndex(const Tensor& t) {
  if (t.dtype() == DataType::kInt32) return t;
  using Limits = std::numeric_limits<int32_t>;
  Tensor near = t;
  switch (const DataType type = t.dtype()) {
    case DataType::kInt64:
      near = ops::Maximum(near, IntegerOf(Limits::min(), type));
      [[fallthrough]];
    case DataType::kUint32:
    case DataType::kUint64:
      near = ops::Minimum(near, IntegerOf(Limits::max(), type));
      break;
    default:
      break;
  }
  return ops::Cast(near, DataType::kInt32);
}

Tensor ListShape(const PartialTensorShape& shape, std::string_view name) {
  if (shape.unknown_rank()) return Int32Of(-1, name);
  return IntsTensor(shape.dims(), DataType::kInt32, name);
}

}  // namespace gk
