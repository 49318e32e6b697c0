// ImportedOnce: an attribute of a Python module, imported at its first use and
// kept for ever.
//
//   static constinit ImportedOnce empty("numpy", "empty");
//   PyObject* p = empty.Get();  // borrowed; null with an exception set
#ifndef GK_PYTHON_IMPORTED_ONCE_H_
#define GK_PYTHON_IMPORTED_ONCE_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

class ImportedOnce {
 public:
  constexpr ImportedOnce(const char* module, const char* name)
      : module_(module), name_(name) {}

  PyObject* Get() {
    return once_.Get([&] { return ImportAttribute(module_, name_).Release(); });
  }

 private:
  const char* const module_;
  const char* const name_;
  MadeOnce once_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_IMPORTED_ONCE_H_
