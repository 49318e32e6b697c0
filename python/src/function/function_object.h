// Function: what tf.function returns. A cached call runs no Python code.
#ifndef GK_PYTHON_FUNCTION_OBJECT_H_
#define GK_PYTHON_FUNCTION_OBJECT_H_

#include "function/polymorphic_function.h"
#include "python/src/binding/py_ref.h"
#include "python/src/binding/type_parts.h"
#include "python/src/function/python_function.h"

namespace gk::py {

struct PyFunction {
  PyObject_HEAD;
  vectorcallfunc call;
  PolymorphicFunction* function;
  // Its detector: counts the calls that went well outside of any trace.
  RetracingDetector* detector;
  CallRules* rules;
  PythonFunction* python;
  bool guarded;         // asks whether frozen values still hold
  bool needs_instance;  // calls through the class go by way of the object
  // Of a method: (weak reference to an object, its Function) by its id.
  PyObject* of_objects;
  PyObject* weakrefs;
  PyObject* dict;
};

extern PyTypeObject* FunctionObjectType;

inline PyFunction* FunctionOf(PyObject* o) {
  return reinterpret_cast<PyFunction*>(o);
}

// Makes `o` a Function of another Python function, before it is traced; throws
// what Python raises.
void SetPythonFunction(PyObject* o, PythonFunction python);
// Throws what Python raises.
nanobind::object NewFunction(PythonFunction python);

// With what other files give the type.
bool AddFunctionType(PyObject* module, TypeParts own);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_OBJECT_H_
