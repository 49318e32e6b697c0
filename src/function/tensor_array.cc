#include "function/tensor_array.h"

#include "function/eager_tensor_array.h"
#include "function/list_tensor_array.h"
#include "ops/composite.h"

namespace gk {
namespace {

Tensor CheckedSize(const Tensor& size) {
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
  if (size.dtype() == DataType::kInt32) return size;
  return MakeOp1("Cast", {size}, {{"DstT", DataType::kInt32}});
}

}  // namespace

TensorArrayImpl::Ptr TensorArrayImpl::Make(
    const TensorArrayFacts& facts, const Tensor& size,
    const PartialTensorShape& element_shape, std::string_view name) {
  const Tensor checked = CheckedSize(size);
  if (!OpBuilder::Current()->builds_graph()) {
    return EagerTensorArray::Make(facts, (*KnownInts(checked))[0],
                                  element_shape);
  }
  const Tensor flow = MakeOp1(
      "TensorListReserve", {ListShape(element_shape), checked},
      {{"element_dtype", facts.dtype}}, name.empty() ? "TensorArrayV2" : name);
  return std::make_shared<ListTensorArray>(
      facts, flow, facts.dynamic_size ? Tensor() : checked,
      std::make_shared<ElementShape>(element_shape));
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

Tensor ListShape(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return Int32Of(-1);
  return IntsTensor(shape.dims(), DataType::kInt32);
}

}  // namespace gk
