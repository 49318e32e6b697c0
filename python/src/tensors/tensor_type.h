// The Python types of tensors.
//
//   types.Tensor   payload-free base of everything that acts as a tensor
//     tf.Tensor    payload-free; operators and methods
//       EagerTensor, SymbolicTensor   final; hold a TensorImpl
//     tf.Variable  (variable_type.h)
//
// A TensorImpl has at most one wrapper at a time (TensorImpl::wrapper(), held
// weakly), so `is` works. Wrappers have a dictionary, which alone can make
// reference cycles: a wrapper is tracked by the garbage collector only once
// it has one.
#ifndef GK_PYTHON_TENSOR_TYPE_H_
#define GK_PYTHON_TENSOR_TYPE_H_

#include <span>

#include "framework/tensor.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk {
class Graph;
}

namespace gk::py {

struct PyTensor {
  PyObject_HEAD;
  TensorImpl* impl;  // owned
  PyObject* weakrefs;
  PyObject* dict;
};

extern PyTypeObject* AbstractTensorType;  // tf.types Tensor
extern PyTypeObject* TensorType;
extern PyTypeObject* EagerTensorType;
extern PyTypeObject* SymbolicTensorType;

inline bool IsEagerTensor(PyObject* o) { return Py_TYPE(o) == EagerTensorType; }
inline bool IsSymbolicTensor(PyObject* o) {
  return Py_TYPE(o) == SymbolicTensorType;
}
// One of the two leaves: has a payload.
inline bool IsTensor(PyObject* o) {
  return IsEagerTensor(o) || IsSymbolicTensor(o);
}
inline TensorImpl* ImplOf(PyObject* o) {
  return reinterpret_cast<PyTensor*>(o)->impl;
}
inline Tensor TensorOf(PyObject* o) { return Tensor(ImplOf(o)); }

// The wrapper of `t`: the live one or a new one. New reference.
PyObject* WrapTensor(Tensor t);
// A tensor that nobody else has seen yet: no look at the wrapper slot.
PyObject* WrapNewTensor(Tensor t);
// A list of wrappers.
PyObject* WrapTensors(std::span<const Tensor> tensors);

// tf.Tensor's methods and attributes, by file.
extern PyGetSetDef tensor_getset[];
extern PyMethodDef tensor_methods[];
extern PyType_Slot tensor_operator_slots[];  // ends with {0, nullptr}
// Value access (tensor_value.cc). New references.
PyObject* ToNumpy(const Tensor& t, bool scalars_as_objects);
PyObject* TensorRepr(PyObject* self);
PyObject* TensorStr(PyObject* self);
// The part of a variable's or tensor's repr after "numpy=".
PyRef NumpyText(const Tensor& t, bool is_repr);
// False for resources and variants: they have a text and no array.
bool HasNumpyValue(DataType dtype);
int GetTensorBuffer(PyObject* self, Py_buffer* view, int flags);
void ReleaseTensorBuffer(PyObject* self, Py_buffer* view);

bool AddTensorTypes(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_TENSOR_TYPE_H_
