#include "checkpoint/trackable.h"

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

}  // namespace gk
