// What values and types of Python are told apart by, and what users' own
// comparisons of them raise.
#ifndef GK_PYTHON_LITERAL_KEY_H_
#define GK_PYTHON_LITERAL_KEY_H_

#include <string>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// Key of a number, string or other constant; empty if `o` is none of them.
std::string LiteralKey(PyObject* o);

// Keeps the pending exception, the first of a search.
void KeepComparisonError();
// Errors of users' __eq__ and __hash__ during a search of keys: forgotten
// before it, raised after it. True if there was one.
void ForgetComparisonError();
bool RaiseComparisonError();
// repr(o), without an exception if that fails.
std::string ReprText(PyObject* o);

}  // namespace gk::py

#endif  // GK_PYTHON_LITERAL_KEY_H_
