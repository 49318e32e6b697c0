#include "python/src/binding/errors.h"

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <new>

#include "base/caught.h"
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
    PyRef text = PyRef::Steal(ToPyString(status.message()));
    if (text) PyErr_SetObject(InaccessibleTensorError(), text.get());
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
  PyRef error = PyRef::Steal(
      text ? PyObject_CallFunctionObjArgs(ErrorClass(status.code()), Py_None,
                                          Py_None, text.get(), nullptr)
           : nullptr);
  if (error) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())),
                    error.get());
  }
  return nullptr;
}

PyObject* RaiseCaught() {
  try {
    try {
      throw;
    } catch (nanobind::python_error& e) {
      e.restore();
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (const nanobind::cast_error&) {
      if (!PyErr_Occurred()) {
        Raise(TypeError("An argument, or a part of one, is not of the class "
                        "that is expected there, or out of its range."));
      }
    } catch (...) {
      // What is raised already came first, and nothing can be raised over it.
      if (!PyErr_Occurred()) Raise(LastCaughtStatus());
    }
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    // There is no memory for the words of an error either.
    if (!PyErr_Occurred()) PyErr_NoMemory();
  }
  return nullptr;
}

namespace {
// Made once: where memory is short, saying so must not fail.
const Status python_error(Code::kPythonException, "");
}  // namespace

PyRef Checked(PyObject* made) {
  if (made == nullptr) throw Error(PythonError());
  return PyRef::Steal(made);
}

Status PythonError() { return python_error; }

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
