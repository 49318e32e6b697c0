#include "errors.h"

#include "graph/out_of_scope.h"

namespace gk::py {
namespace {

PyObject* BuiltinClass(Code code) {
  switch (code) {
    case Code::kTypeError:
      return PyExc_TypeError;
    case Code::kValueError:
      return PyExc_ValueError;
    case Code::kLookupError:
      return PyExc_LookupError;
    case Code::kRuntimeError:
      return PyExc_RuntimeError;
    case Code::kAttributeError:
      return PyExc_AttributeError;
    case Code::kIndexError:
      return PyExc_IndexError;
    default:
      return nullptr;
  }
}

}  // namespace

PyObject* Raise(const Status& status, std::string_view op,
                std::string_view name) {
  if (status.code() == Code::kPythonException) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_SystemError, "error without an exception set");
    }
    return nullptr;
  }
  if (IsInaccessibleTensorError(status)) {
    PyRef type = ImportAttribute("graphkiln.errors", "InaccessibleTensorError");
    PyRef text = PyRef::Steal(ToPyString(status.message()));
    if (type && text) PyErr_SetObject(type.get(), text.get());
    return nullptr;
  }
  if (PyObject* builtin = BuiltinClass(status.code())) {
    PyRef text = PyRef::Steal(ToPyString(status.message()));
    if (text) PyErr_SetObject(builtin, text.get());
    return nullptr;
  }
  std::string message = status.message();
  if (!op.empty()) message += Format(" [Op:{}] name: {}", op, name);
  PyRef text = PyRef::Steal(ToPyString(message));
  PyRef code = PyRef::Steal(PyLong_FromLong(static_cast<int>(status.code())));
  if (!text || !code) return nullptr;
  PyRef error = PyRef::Steal(
      CallPython("graphkiln.errors", "_make", {code.get(), text.get()}));
  if (error) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())),
                    error.get());
  }
  return nullptr;
}

Status PythonError() { return Status(Code::kPythonException, ""); }

std::string TakePythonErrorText() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyRef t = PyRef::Steal(type), v = PyRef::Steal(value);
  PyRef b = PyRef::Steal(trace);
  if (!v) return "unknown error";
  PyRef text = PyRef::Steal(PyObject_Str(v.get()));
  if (!text) {
    PyErr_Clear();
    return "unknown error";
  }
  return std::string(StringView(text.get()));
}

}  // namespace gk::py
