#include "python/src/tensors/numpy_functions.h"

#include "python/src/binding/guarded.h"
#include "python/src/ops/dispatch.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/slicing.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

namespace {

PyObject* SetBehavior(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"promotes", "weak", "slices", "members",
                                nullptr};
  int promotes, weak, slices;
  PyObject* members;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "pppO!",
                                   const_cast<char**>(names), &promotes, &weak,
                                   &slices, &PyDict_Type, &members)) {
    return nullptr;
  }
  PyObject *name, *member;
  for (Py_ssize_t at = 0; PyDict_Next(members, &at, &name, &member);) {
    if (PyObject_SetAttr(reinterpret_cast<PyObject*>(TensorType), name,
                         member) < 0) {
      return nullptr;
    }
  }
  numpy_behavior = {promotes != 0, weak != 0, slices != 0};
  if (weak) has_dispatch_targets = true;
  Py_RETURN_NONE;
}

PyObject* SubscriptOf(PyObject*, PyObject* args) {
  PyObject *tensor, *key;
  if (!PyArg_ParseTuple(args, "OO", &tensor, &key)) return nullptr;
  if (!IsTensor(tensor)) return Raise(TypeError("`tensor` must be a tensor"));
  return BasicSubscript(tensor, key);
}

PyMethodDef kNumpyFunctions[] = {
    {"set_numpy_behavior", AsCFunction(Guarded<SetBehavior>),
     METH_VARARGS | METH_KEYWORDS,
     "set_numpy_behavior(promotes, weak, slices, members)\n--\n\n"
     "What tensors do as NumPy's arrays do; `members`: what their class has\n"
     "from now on, by name."},
    {"basic_subscript", Guarded<SubscriptOf>, METH_VARARGS,
     "basic_subscript(tensor, key)\n--\n\n"
     "tensor[key], where that means what TensorFlow says."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddNumpyFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, kNumpyFunctions) == 0;
}

}  // namespace gk::py
