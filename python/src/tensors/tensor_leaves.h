// What only EagerTensor or only SymbolicTensor has; put into their types by
// tensor_type.cc.
#ifndef GK_PYTHON_TENSOR_LEAVES_H_
#define GK_PYTHON_TENSOR_LEAVES_H_

#include "base/status.h"
#include "framework/tensor.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

extern PyMethodDef eager_tensor_methods[];
extern PyMethodDef symbolic_tensor_methods[];
extern PyType_Slot eager_number_slots[];  // int, float, index

// Is it a tensor of a graph made for its own sake? Those are told apart by
// identity, as keys of what is built.
bool IsOfPlainGraph(PyObject* o);
Py_hash_t TensorHash(PyObject* self);

// DLPack (dlpack.cc).
PyObject* TensorDlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* TensorDlpackDevice(PyObject* self, PyObject*);
// A tensor that shares the memory of a "dltensor" capsule, which is consumed.
StatusOr<Tensor> TensorFromDlpack(PyObject* capsule);

}  // namespace gk::py

#endif  // GK_PYTHON_TENSOR_LEAVES_H_
