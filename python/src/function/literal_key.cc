#include "python/src/function/literal_key.h"

#include <cmath>

#include "base/per_thread.h"

namespace gk::py {
namespace {

// The first error of user code in a comparison of keys on this thread. It
// waits until the search that compares is over.
PyRef& ComparisonError() {
  struct First {
    PyRef error;
  };
  return PerThread<First, First>::Get().error;
}

std::string Bytes(char tag, const void* data, size_t n) {
  std::string key(1, tag);
  key.append(static_cast<const char*>(data), n);
  return key;
}

}  // namespace

std::string ReprText(PyObject* o) {
  PyRef text = PyRef::Steal(PyObject_Repr(o));
  if (!text) {
    PyErr_Clear();
    return std::string("<") + Py_TYPE(o)->tp_name + ">";
  }
  return std::string(StringView(text.get()));
}

std::string LiteralKey(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (o == Py_None) return "N";
  if (o == Py_Ellipsis) return "E";
  if (o == Py_True) return "T";
  if (o == Py_False) return "F";
  if (type == &PyFloat_Type) {
    const double d = PyFloat_AS_DOUBLE(o);
    if (std::isnan(d)) return "n";
    return Bytes('d', &d, sizeof d);
  }
  if (type == &PyUnicode_Type) {
    std::string_view s = StringView(o);
    PyErr_Clear();  // lone surrogates
    if (s.data() == nullptr) return "U" + ReprText(o);
    return Bytes('s', s.data(), s.size());
  }
  if (type == &PyBytes_Type) {
    return Bytes('b', PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
  }
  if (type == &PyComplex_Type) {
    const Py_complex c = PyComplex_AsCComplex(o);
    return Bytes('c', &c, sizeof c);
  }
  if (type == &PyRange_Type) return "r" + ReprText(o);
  if (PyLong_Check(o)) {
    PyRef number = PyRef::Steal(PyNumber_Index(o));
    PyRef text =
        PyRef::Steal(number ? PyLong_Type.tp_repr(number.get()) : nullptr);
    if (!text) {
      PyErr_Clear();
      return {};
    }
    std::string key = "i";
    if (type != &PyLong_Type) key += Bytes('t', &type, sizeof type);
    return key + std::string(StringView(text.get()));
  }
  return {};
}

void KeepComparisonError() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  PyRef t = PyRef::Steal(type), v = PyRef::Steal(value);
  PyRef b = PyRef::Steal(trace);
  if (!ComparisonError()) ComparisonError() = std::move(v);
}

void ForgetComparisonError() { ComparisonError() = PyRef(); }

bool RaiseComparisonError() {
  if (!ComparisonError()) return false;
  PyRef error = std::move(ComparisonError());
  ForgetComparisonError();
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())),
                  error.get());
  return true;
}

}  // namespace gk::py
