// Attributes by names that are interned once.
#ifndef GK_PYTHON_CLASS_ATTRIBUTE_H_
#define GK_PYTHON_CLASS_ATTRIBUTE_H_

#include <algorithm>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// An attribute of the class, not of the instance. Borrowed; null if none.
template <size_t n>
struct Name {
  char text[n];
  constexpr Name(const char (&t)[n]) { std::copy(t, t + n, text); }
};
template <Name kName>
PyObject* Attribute(PyTypeObject* type) {
  static PyObject* name = PyUnicode_InternFromString(kName.text);
  return name ? _PyType_Lookup(type, name) : nullptr;
}
template <Name kName>
PyRef Get(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString(kName.text);
  return PyRef::Steal(name ? PyObject_GetAttr(o, name) : nullptr);
}

}  // namespace gk::py

#endif  // GK_PYTHON_CLASS_ATTRIBUTE_H_
