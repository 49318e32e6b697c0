// What a Function holds.
#ifndef GK_PYTHON_FUNCTION_LAYOUT_H_
#define GK_PYTHON_FUNCTION_LAYOUT_H_

#include "function/polymorphic_function.h"
#include "python/src/binding/py_ref.h"
#include "python/src/function/python_function.h"

namespace gk::py {

struct PyFunction {
  PyObject_HEAD;
  vectorcallfunc call;
  PolymorphicFunction* function;
  CallRules* rules;
  PythonFunction* python;
  bool guarded;         // asks whether frozen values still hold
  bool needs_instance;  // calls through the class go by way of the object
  // Of a method: (weak reference to an object, its Function) by its id.
  PyObject* of_objects;
  PyObject* weakrefs;
  PyObject* dict;
};

inline PyTypeObject* FunctionObjectType = nullptr;

inline PyFunction* FunctionOf(PyObject* o) {
  return reinterpret_cast<PyFunction*>(o);
}

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_LAYOUT_H_
