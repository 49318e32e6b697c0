// Attributes of the module that are made when they are first asked for: those
// that few programs use and that take a module of Python's to make.
#ifndef GK_PYTHON_LATE_ATTRIBUTES_H_
#define GK_PYTHON_LATE_ATTRIBUTES_H_

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// `make` returns a new reference, or null with an exception set. Several
// threads may make it; the first one's stays.
void AddLate(std::string name, std::function<PyObject*()> make);
// Lets the module find them. False with an exception set.
bool AddLateAttributes(PyObject* module);
// One of them. New reference; null with an exception set.
PyObject* LateAttribute(const char* name);
// The module, where pickles find what they name. Borrowed.
PyObject* ThisModule();

// An enumeration of these members. `base` is "Enum" or "IntEnum", `home` the
// module that shows it. New reference; null with an exception set.
PyObject* MakeEnum(const char* base, const char* home, const char* name,
                   const char* doc,
                   std::span<const std::pair<const char*, int>> members);

}  // namespace gk::py

#endif  // GK_PYTHON_LATE_ATTRIBUTES_H_
