#include "errors.h"

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/caught.h"
#include "framework/arguments_text.h"
#include "framework/op_registry.h"
#include "graph/out_of_scope.h"
#include "tensor_type.h"
#include "throw_status.h"
#include "variable_type.h"

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

// Strings count, and sequences of something else than tensors: a list of
// tensors is the value of an argument that takes several.
bool IsSequence(PyObject* o) {
  if (o == nullptr) return false;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return true;
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  return !std::all_of(items, items + n, [](PyObject* item) {
    return IsTensor(item) || IsVariable(item);
  });
}

// TensorFlow's functions around these make tensors of what they are given
// before they call the op.
bool ConvertsFirst(std::string_view op) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  return record != nullptr && record->python.converts_first;
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

Status AsCalled(const Status& status, std::span<PyObject* const> arguments,
                std::string_view name) {
  const size_t mark = status.message().find(kArgumentsMark);
  const std::string text = status.message().substr(0, mark);
  const std::string_view told =
      std::string_view(status.message()).substr(text.size());
  constexpr std::string_view kName = "] name: ";
  const size_t end = text.rfind(kName);
  const size_t start = text.rfind(" [Op:");
  if (status.code() > Code::kUnauthenticated || end == text.npos ||
      start == text.npos) {
    return status;
  }
  const std::string_view op =
      std::string_view(text).substr(0, end).substr(start + 5);
  if (std::any_of(arguments.begin(), arguments.end(), IsSequence) &&
      !ConvertsFirst(op)) {
    return Status(status.code(), Format("{}{}", text.substr(0, end + 1), told));
  }
  if (end + kName.size() == text.size()) {
    return Status(status.code(), Format("{}{}{}", text, name, told));
  }
  return status;
}

PyObject* RaiseCaught() {
  try {
    try {
      throw;
    } catch (nanobind::python_error& e) {
      e.restore();
    } catch (const abi::__forced_unwind&) {
      throw;
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

void AddExceptionTranslator() {
  nanobind::register_exception_translator(
      [](const std::exception_ptr& p, void*) {
        try {
          std::rethrow_exception(p);
        } catch (const Error&) {
          RaiseCaught();
        } catch (const std::bad_alloc&) {
          RaiseCaught();
        } catch (const std::length_error&) {
          RaiseCaught();
        } catch (const std::system_error&) {
          RaiseCaught();
        }
      });
}

namespace {
// Made once: where memory is short, saying so must not fail.
const Status python_error(Code::kPythonException, "");
}  // namespace

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
