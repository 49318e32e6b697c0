#include "python/src/function/tracing_protocol.h"

#include "python/src/binding/class_attribute.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

// What `__tf_tracing_type__` is given.
PyRef TracingContext() {
  PyRef type = ImportAttribute("types", "SimpleNamespace");
  PyRef none = PyRef::Steal(PyTuple_New(0));
  PyRef facts =
      PyRef::Steal(Py_BuildValue("{sO}", "is_legacy_signature", Py_False));
  if (!type || !none || !facts) return {};
  return PyRef::Steal(PyObject_Call(type.get(), none.get(), facts.get()));
}

PyRef Asked(PyObject* value) {
  constexpr Name kMethod("__tf_tracing_type__");
  if (Attribute<kMethod>(Py_TYPE(value)) == nullptr) {
    return Get<"_type_spec">(value);
  }
  PyRef method = PyRef::Steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(Py_TYPE(value)), kMethod.text));
  PyRef context = method ? TracingContext() : PyRef();
  if (!context) return {};
  return PyRef::Steal(PyObject_CallFunctionObjArgs(method.get(), value,
                                                   context.get(), nullptr));
}

}  // namespace

PyRef TracingTypeOf(PyObject* value) {
  PyRef type = Asked(value);
  if (!type) return {};
  for (const char* name : {"is_subtype_of", "most_specific_common_supertype"}) {
    if (PyObject_HasAttrString(type.get(), name)) continue;
    PyErr_Format(PyExc_TypeError,
                 "Expected an instance of TraceType for Tracing Protocol call "
                 "to %S but got %S",
                 value, type.get());
    return {};
  }
  return type;
}

PyRef TensorsOfType(PyObject* type, PyObject* value) {
  return PyRef::Steal(
      PyObject_TypeCheck(value, TypeSpecType)
          ? PyObject_CallMethod(value, "flatten", nullptr)
          : PyObject_CallMethod(type, "to_tensors", "O", value));
}

}  // namespace gk::py
