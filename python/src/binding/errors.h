// Status <-> Python exceptions.
#ifndef GK_PYTHON_ERRORS_H_
#define GK_PYTHON_ERRORS_H_

#include <span>

#include "base/status.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// Sets the matching exception and returns null. `op`, where given, is added
// as TensorFlow does for eager ops: " [Op:AddV2] name: ". A kPythonException
// leaves the pending exception as it is.
PyObject* Raise(const Status& status, std::string_view op = {},
                std::string_view name = {});
// The same, for functions that return -1 on error.
inline int RaiseInt(const Status& status) {
  Raise(status);
  return -1;
}

// The error of an eager op as TensorFlow words it for these arguments of the
// call: it forgets the op's name if a sequence or a string is among them. An
// op inside of a function of several gets the `name` that the call has.
Status AsCalled(const Status& status, std::span<PyObject* const> arguments,
                std::string_view name);

// Inside catch (...) only: what was thrown, as Python's error. Null.
PyObject* RaiseCaught();

// "The Python error indicator holds the exception."
Status PythonError();
// The object; Error(PythonError()) is thrown where there is none.
PyRef Checked(PyObject* made);
// The pending exception's text, which is cleared.
std::string TakePythonErrorText();

// The classes of tf.errors (error_types.cc), borrowed; UnknownError for codes
// that have none.
PyObject* ErrorClass(Code code);
PyObject* OpErrorClass();
PyObject* OperatorNotAllowedInGraphError();
PyObject* InaccessibleTensorError();
bool AddErrorTypes(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_ERRORS_H_
