#include "checkpoint/trackable.h"

#include "data/iterator_resource.h"

namespace gk {

TensorVector SaveVariable(const Tensor& handle) {
  VariableResource* const v = ValueOrThrow(VariableOf(handle));
  return {ValueOrThrow(v->Read())};
}

Status CheckRestored(const std::string& name, DataType dtype,
                     const PartialTensorShape& shape, const Tensor& value) {
  if (value.dtype() != dtype) {
    return InvalidArgument(
        "tensor_name = {}; expected dtype {} does not equal original dtype {}",
        name, DataTypeString(dtype), DataTypeString(value.dtype()));
  }
  const PartialTensorShape given(value.shape());
  if (!shape.IsCompatibleWith(given)) {
    return ValueError(
        "Received incompatible tensor with shape {} when attempting to restore "
        "variable with shape {} and name {}:0.",
        given.PythonString(), shape.PythonString(), name);
  }
  return OkStatus();
}

void RestoreVariable(const Tensor& handle, const Tensor& value) {
  VariableResource* const v = ValueOrThrow(VariableOf(handle));
  ThrowIfError(CheckRestored(v->name(), v->dtype(), v->shape(), value));
  ThrowIfError(v->Assign(value));
}

TensorVector SaveIterator(const Tensor& handle) {
  const auto iterator = ValueOrThrow(IteratorResource::Of(handle));
  return {Tensor::Scalar(ValueOrThrow(iterator->Save()))};
}

void RestoreIterator(const Tensor& handle, const Tensor& state) {
  if (state.dtype() != DataType::kString || state.num_elements() != 1) {
    throw Error(InvalidArgument(
        "The state of an iterator is one string, the checkpoint has {}",
        state.DebugString(0)));
  }
  const auto iterator = ValueOrThrow(IteratorResource::Of(handle));
  ThrowIfError(iterator->Restore(state.scalar<std::string>()));
}

}  // namespace gk
