#include "function/tensor_array.h"

#include <limits>

#include "base/format.h"
#include "function/eager_tensor_array.h"
#include "function/list_tensor_array.h"
#include "ops/composite.h"
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
  Tensor near = t;
  if (t.dtype() == DataType::kInt64) {
    using Limits = std::numeric_limits<int32_t>;
    near = ops::Minimum(near, IntegerOf(Limits::max(), DataType::kInt64));
    near = ops::Maximum(near, IntegerOf(Limits::min(), DataType::kInt64));
  }
  return ops::Cast(near, DataType::kInt32);
}

TensorArrayImpl::Ptr TensorArrayImpl::Make(
    const TensorArrayFacts& facts, const ArrayOperand& size,
    const PartialTensorShape& element_shape, std::string_view name) {
  if (OpBuilder::Current()->builds_graph()) {
    return ListTensorArray::Make(facts, size, element_shape, name);
  }
  return EagerTensorArray::Make(
      facts, (*KnownInts(CheckedArraySize(size.Get("size"))))[0],
      element_shape);
}

TensorArrayImpl::Ptr TensorArrayImpl::Here(const Ptr& array) {
  if (array->is_list() || !OpBuilder::Current()->builds_graph()) return array;
  return array->WithFlow(array->Flow(), /*alone=*/true);
}

TensorArrayImpl::Ptr TensorArrayImpl::OfFlow(
    const TensorArrayFacts& facts, const Tensor& flow,
    const PartialTensorShape& element_shape) {
  return std::make_shared<ListTensorArray>(
      facts, flow, Tensor(), std::make_shared<ElementShape>(element_shape));
}

TensorArrayImpl::Ptr TensorArrayImpl::WithFlow(const Tensor& flow,
                                               bool alone) const {
  if (const auto* list = dynamic_cast<const ListTensorArray*>(this)) {
    return list->Moved(flow, alone);
  }
  return OfFlow(facts_, flow, element_shape());
}

std::string LostWrite(std::string_view write) {
  return Format(
      "The result of TensorArray.{} was never used, so what it wrote is lost. "
      "Keep the array it returns: `ta = ta.{}(...)`.",
      write, write.substr(0, write.find(' ')));
}

Tensor ListShape(const PartialTensorShape& shape, std::string_view name) {
  if (shape.unknown_rank()) return Int32Of(-1, name);
  return IntsTensor(shape.dims(), DataType::kInt32, name);
}

}  // namespace gk
