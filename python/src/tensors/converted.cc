#include "python/src/tensors/converted.h"

#include "python/src/binding/bound_values.h"
#include "python/src/binding/throw_status.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace nb = nanobind;

bool Truth(nb::handle value) {
  const int yes = PyObject_IsTrue(value.ptr());
  if (yes < 0) throw nb::python_error();
  return yes == 1;
}

nb::object Wrapped(const Tensor& t) { return Owned(WrapTensor(t)); }
nb::object Wrapped(std::span<const Tensor> tensors) {
  return Owned(WrapTensors(tensors));
}

TensorVector Tensors(nb::handle list) {
  TensorVector tensors;
  for (nb::handle t : list) tensors.push_back(AsTensor(t));
  return tensors;
}

Tensor Converted(nb::handle value, std::string_view name) {
  if (IsTensor(value.ptr())) return TensorOf(value.ptr());
  StatusOr<Tensor> t =
      ToTensor(value.ptr(), DataType::kInvalid, DataType::kInvalid, name);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

Tensor ConvertedTo(nb::handle value, DataType dtype, std::string_view name) {
  if (!IsTensorLike(value.ptr())) {
    StatusOr<Tensor> t = ToTensor(value.ptr(), dtype, DataType::kInvalid, name);
    if (t.ok()) return *std::move(t);
    if (!IsConversionFailure(t.status())) Throw(t.status());
    PyErr_Clear();
  }
  return Converted(value, name);
}

}  // namespace gk::py
