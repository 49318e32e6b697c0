// Classes of Python's own kind whose members are C++: instances have a
// dictionary, and are copied, pickled and subclassed as those of a class that
// is written in Python.
#ifndef GK_PYTHON_PYTHON_CLASS_H_
#define GK_PYTHON_PYTHON_CLASS_H_

#include <nanobind/nanobind.h>

#include <array>
#include <span>
#include <string>

#include "python/src/binding/class_attribute.h"
#include "python/src/binding/errors.h"

namespace gk::py {

struct ClassMember {
  enum Kind : uint8_t { kMethod, kProperty, kStatic };

  PyMethodDef function;
  Kind kind = kMethod;
};

// Makes `name`, public in the module `home`, and adds it to `m`. Instances
// have nothing but `slots`, unless that is null. `members` live for ever.
nanobind::object AddPythonClass(nanobind::module_& m, const char* home,
                                const char* name, nanobind::tuple bases,
                                const char* doc, std::span<ClassMember> members,
                                nanobind::handle slots = {});

namespace detail {

// What `f` returns, released; what it throws becomes Python's error.
template <class F>
PyObject* Returned(F&& f) {
  try {
    return f().release().ptr();
  } catch (...) {
    return RaiseCaught();
  }
}

template <auto kFunction, Name... kNames>
PyObject* CallByName(PyObject* self, PyObject* args, PyObject* kwargs) {
  // CPython takes what it does not change as if it did.
  static const std::array<char*, sizeof...(kNames) + 1> names = {
      const_cast<char*>(kNames.text + (kNames.text[0] == '?'))..., nullptr};
  static const std::string format = [] {
    std::string f;
    for (const bool optional : {kNames.text[0] == '?' ..., false}) {
      if (f.size() - (f.find('|') != f.npos) == sizeof...(kNames)) break;
      if (optional && f.find('|') == f.npos) f += '|';
      f += 'O';
    }
    return f;
  }();
  std::array<PyObject*, sizeof...(kNames)> values{};
  return std::apply(
      [&](auto&... value) -> PyObject* {
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, format.c_str(),
                                         const_cast<char**>(names.data()),
                                         &value...)) {
          return nullptr;
        }
        return Returned([&] {
          return kFunction(nanobind::handle(self), nanobind::handle(value)...);
        });
      },
      values);
}

template <auto kFunction>
PyObject* CallWithTuple(PyObject* self, PyObject* args) {
  return Returned([&] {
    return kFunction(nanobind::handle(self),
                     nanobind::borrow<nanobind::tuple>(args));
  });
}
template <auto kFunction>
PyObject* CallWithAll(PyObject* self, PyObject* args, PyObject* kwargs) {
  return Returned([&] {
    return kFunction(
        nanobind::handle(self), nanobind::borrow<nanobind::tuple>(args),
        kwargs ? nanobind::borrow<nanobind::dict>(kwargs) : nanobind::dict());
  });
}

}  // namespace detail

// A method around kFunction(self, arguments...), which gets handles, null for
// what is not given, and returns an object. Names that begin with "?" need not
// be given.
template <auto kFunction, Name... kNames>
PyMethodDef ByName(const char* name, const char* doc = nullptr) {
  return {name, AsCFunction(&detail::CallByName<kFunction, kNames...>),
          METH_VARARGS | METH_KEYWORDS, doc};
}
// The same of kFunction(self, tuple of all arguments).
template <auto kFunction>
PyMethodDef ByPosition(const char* name, const char* doc = nullptr) {
  return {name, detail::CallWithTuple<kFunction>, METH_VARARGS, doc};
}
// The same of kFunction(self, tuple of those by position, dict of the others).
template <auto kFunction>
PyMethodDef ByAll(const char* name, const char* doc = nullptr) {
  return {name, AsCFunction(&detail::CallWithAll<kFunction>),
          METH_VARARGS | METH_KEYWORDS, doc};
}

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_CLASS_H_
