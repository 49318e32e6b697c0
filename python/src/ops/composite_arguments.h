// Which arguments of a call are values made of tensors.
#ifndef GK_PYTHON_COMPOSITE_ARGUMENTS_H_
#define GK_PYTHON_COMPOSITE_ARGUMENTS_H_

#include <string_view>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// They convert to a tensor: no error would lead to what is made of slices.
bool AnySlices(PyObject* const* args, size_t nargs, PyObject* keywords);

// They do not: to try all the same costs the words that say so.
bool AnyRaggedOrSparse(PyObject* const* args, size_t nargs, PyObject* keywords);

// Is it a composition whose own arguments may be ragged and sparse?
bool TakesRows(std::string_view finder, std::string_view identity);

}  // namespace gk::py

#endif  // GK_PYTHON_COMPOSITE_ARGUMENTS_H_
