// TypeSpec, the payload-free base of all type descriptions, and TensorSpec.
#ifndef GK_PYTHON_TENSOR_SPEC_TYPE_H_
#define GK_PYTHON_TENSOR_SPEC_TYPE_H_

#include "framework/tensor_shape.h"
#include "framework/types.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

struct PyTensorSpec {
  PyObject_HEAD;
  PartialTensorShape shape;
  DataType dtype;
  PyObject* name;  // a str or None
};

extern PyTypeObject* TypeSpecType;
extern PyTypeObject* TensorSpecType;

inline bool IsTensorSpec(PyObject* o) {
  return PyObject_TypeCheck(o, TensorSpecType);
}
inline PyTensorSpec* TensorSpecOf(PyObject* o) {
  return reinterpret_cast<PyTensorSpec*>(o);
}
// `name` may be null for none. New reference.
PyObject* WrapTensorSpec(PartialTensorShape shape, DataType dtype,
                         PyObject* name = nullptr);

// Are two parts of specs of one class and equal? (spec_members.cc)
bool ArePartsEqual(PyObject* a, PyObject* b);

// What TypeSpec is made of, and what it and TensorSpec do in tracing.
// (spec_members.cc)
extern PyType_Slot type_spec_slots[];
extern PyMethodDef tensor_spec_members[];
extern PyGetSetDef tensor_spec_properties[];
bool AddTensorSpecTypes(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_TENSOR_SPEC_TYPE_H_
