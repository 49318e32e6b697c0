// Which TensorArrayImpl an array is.
#include "function/eager_tensor_array.h"
#include "function/list_tensor_array.h"
#include "function/tensor_array.h"
#include "ops/composition.h"

namespace gk {

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

}  // namespace gk
