// Values of functions bound with nanobind: what they take is checked, what
// they give is owned. All throw Python's error.
#ifndef GK_PYTHON_BOUND_VALUES_H_
#define GK_PYTHON_BOUND_VALUES_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "python/src/binding/throw_error.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

// A new reference, or the error that it could not be made for.
inline nanobind::object Owned(PyObject* o) {
  if (o == nullptr) throw nanobind::python_error();
  return nanobind::steal(o);
}

inline Tensor AsTensor(nanobind::handle t) {
  if (!IsTensor(t.ptr())) Throw(TypeError("not a tensor"));
  return TensorOf(t.ptr());
}

inline PartialTensorShape Shape(nanobind::handle s) {
  StatusOr<PartialTensorShape> shape = AsShape(s.ptr());
  if (!shape.ok()) Throw(shape.status());
  return *std::move(shape);
}

}  // namespace gk::py

#endif  // GK_PYTHON_BOUND_VALUES_H_
