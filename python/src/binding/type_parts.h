// TypeParts: methods and attributes of a type, of which several files give
// some; and how methods take arguments.
#ifndef GK_PYTHON_TYPE_PARTS_H_
#define GK_PYTHON_TYPE_PARTS_H_

#include <vector>

#include "python/src/binding/py_ref.h"

namespace gk::py {

struct TypeParts {
  std::vector<PyMethodDef> methods;
  std::vector<PyGetSetDef> attributes;
  std::vector<PyType_Slot> slots;

  // Tables that end as CPython wants it.
  void Add(const PyMethodDef* table) {
    for (; table->ml_name != nullptr; ++table) methods.push_back(*table);
  }
  void Add(const PyGetSetDef* table) {
    for (; table->name != nullptr; ++table) attributes.push_back(*table);
  }
  // For a type, which keeps them.
  const TypeParts& Finished() && {
    methods.push_back({nullptr, nullptr, 0, nullptr});
    attributes.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    return *new TypeParts(std::move(*this));
  }
};

// For PyType_Slot.
template <class T>
void* Table(const std::vector<T>& table) {
  return const_cast<T*>(table.data());
}

inline constexpr int kByName = METH_VARARGS | METH_KEYWORDS;

// Arguments by position or name, as PyArg_ParseTupleAndKeywords has them.
template <size_t kCount, class... Targets>
bool ParseArguments(PyObject* args, PyObject* kwargs, const char* format,
                    const char* const (&names)[kCount], Targets*... targets) {
  static_assert(kCount == sizeof...(Targets));
  const char* list[kCount + 1] = {};
  for (size_t i = 0; i < kCount; ++i) list[i] = names[i];
  return PyArg_ParseTupleAndKeywords(args, kwargs, format,
                                     const_cast<char**>(list), targets...) != 0;
}

}  // namespace gk::py

#endif  // GK_PYTHON_TYPE_PARTS_H_
