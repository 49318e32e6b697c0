// DictObject: what instances of the extension's classes are whose attributes
// stand in a dictionary, as those of Python's own classes do: users derive
// from them, copy and pickle them.
#ifndef GK_PYTHON_DICT_OBJECT_H_
#define GK_PYTHON_DICT_OBJECT_H_

#include <string>
#include <utility>
#include <vector>

#include "python/src/binding/py_ref.h"

namespace gk::py {

struct DictObject {
  PyObject_HEAD;
  PyObject* dict;
  PyObject* weakrefs;
};

// For the attributes of such a class that has no base.
inline constexpr PyGetSetDef kDictAttribute = {
    "__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
    nullptr};

// A class with these slots beside those that make it a DictObject, in the
// module. `doc` lives as long as the process. Borrowed; null on error.
PyTypeObject* AddDictType(PyObject* module, const char* name, const char* doc,
                          std::vector<PyType_Slot> slots,
                          PyTypeObject* base = nullptr);

}  // namespace gk::py

#endif  // GK_PYTHON_DICT_OBJECT_H_
