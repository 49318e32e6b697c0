// std::string as an argument or result of what nanobind binds.
//
// As <nanobind/stl/string.h>, which may not throw: where memory for the copy
// is missing that ends the process. Here it is an error like any other.
#ifndef GK_PYTHON_TEXT_CASTER_H_
#define GK_PYTHON_TEXT_CASTER_H_

#include <nanobind/nanobind.h>

#include <string>

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle text, uint32_t, cleanup_list*) {
    if (!PyUnicode_Check(text.ptr())) return false;
    Py_ssize_t size;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      return false;
    }
    value.assign(bytes, static_cast<size_t>(size));
    return true;
  }
  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) {
    return PyUnicode_FromStringAndSize(text.data(),
                                       static_cast<Py_ssize_t>(text.size()));
  }
};

}  // namespace nanobind::detail

namespace gk::py {

// str(value) as Python writes it.
inline std::string TextOf(nanobind::handle value) {
  return nanobind::cast<std::string>(nanobind::str(value));
}
// repr(value).
inline std::string ReprOf(nanobind::handle value) {
  return nanobind::cast<std::string>(nanobind::repr(value));
}

}  // namespace gk::py

#endif  // GK_PYTHON_TEXT_CASTER_H_
