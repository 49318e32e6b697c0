// Methods written in C that pass for functions of Python's, as TensorFlow's
// are: `unittest.mock.patch.object(cls, name, autospec=True)` puts in the place
// of a function one that gets `self`, and of any other method one that does
// not. They are called as before, by vectorcall and without a bound method.
#ifndef GK_PYTHON_FUNCTION_LIKE_METHOD_H_
#define GK_PYTHON_FUNCTION_LIKE_METHOD_H_

#include <Python.h>

namespace gk::py {

// Makes such of the methods of `table` that take arguments by name and are not
// Python's own (`__array__`); `type`, which has them, lives to the end. False
// with an exception set.
bool MakeFunctionLike(PyTypeObject* type, const PyMethodDef* table);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_LIKE_METHOD_H_
