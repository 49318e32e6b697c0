#include "checkpoint/trackable.h"

#include "data/iterator_resource.h"

namespace gk {

TensorVector SaveVariable(const Tensor& handle) {
  VariableResource* const v = ValueOrThrow(VariableOf(handle));
  return {ValueOrThrow(v->Read())};
}

void RestoreVariable(const Tensor& handle, const Tensor& value) {
  VariableResource* const v = ValueOrThrow(VariableOf(handle));
  if (value.dtype() != v->dtype()) {
    throw Error(InvalidArgument(
        "tensor_name = {}; expected dtype {} does not equal original dtype {}",
        v->name(), DataTypeString(v->dtype()), DataTypeString(value.dtype())));
  }
  const PartialTensorShape given(value.shape());
  if (!v->shape().IsCompatibleWith(given)) {
    throw Error(ValueError(
        "Received incompatible tensor with shape {} when attempting to restore "
        "variable with shape {} and name {}:0.",
        given.PythonString(), v->shape().PythonString(), v->name()));
  }
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
