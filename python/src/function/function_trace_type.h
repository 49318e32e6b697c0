// Trace types of Python values, and the Python objects around trace types and
// function types.
#ifndef GK_PYTHON_FUNCTION_TRACE_TYPE_H_
#define GK_PYTHON_FUNCTION_TRACE_TYPE_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "function/function_type.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// A Python object that a type, or a graph, needs; shared, dropped with or
// without the GIL.
class PythonValue : public LanguageValue {
 public:
  explicit PythonValue(PyObject* o) : object_(Py_NewRef(o)) {}
  ~PythonValue() override { DeferredDecref(object_); }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

// The Python object inside a type: a literal, a live object or None, a class.
// New reference.
PyObject* ObjectOf(const TraceType& type);
// What the type of a container tells besides its children; null if nothing.
class NestNode;
const NestNode* NodeOf(const TraceType& type);

// The variables of one call, in the order met: equal ones share an alias id.
using CallVariables = std::vector<PyRef>;
// The alias of a variable's type that has not been told yet.
inline constexpr int kNoAlias = -1;

// The type of a value as an argument.
StatusOr<TraceTypeRef> TraceTypeOf(PyObject* value, CallVariables* variables);
// The same of a value by itself; what fails is thrown as Python's error.
TraceTypeRef TypeOfValue(nanobind::handle value);

struct PyTraceType {
  PyObject_HEAD;
  const TraceType* type;
};
struct PyFunctionType {
  PyObject_HEAD;
  FunctionType* type;
};
extern PyTypeObject* TraceTypeType;
extern PyTypeObject* FunctionTypeType;

// New references.
PyObject* WrapTraceType(TraceTypeRef type);
PyObject* WrapFunctionType(Ref<FunctionType> type);
inline bool IsTraceType(PyObject* o) { return Py_TYPE(o) == TraceTypeType; }
inline TraceTypeRef TraceTypeIn(PyObject* o) {
  return TraceTypeRef(reinterpret_cast<PyTraceType*>(o)->type);
}
inline bool IsFunctionType(PyObject* o) {
  return Py_TYPE(o) == FunctionTypeType;
}
inline Ref<FunctionType> FunctionTypeIn(PyObject* o) {
  return Ref<FunctionType>(reinterpret_cast<PyFunctionType*>(o)->type);
}

// What the types tell of the tensors of their values. (type_members.cc)
extern PyMethodDef trace_type_members[];
extern PyGetSetDef function_type_properties[];
extern PyMethodDef function_type_members[];
// As a signature of Python. (function_type_binding.cc)
extern PyGetSetDef function_type_parameters[];
extern PyMethodDef function_type_binding[];
// FunctionType.empty, of the class and of its objects.
bool AddFunctionTypeEmpty();
bool AddTraceTypes(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_TRACE_TYPE_H_
