// Calls of ops that the extension itself makes for Python code.
#ifndef GK_PYTHON_CALL_OP_H_
#define GK_PYTHON_CALL_OP_H_

#include <string_view>
#include <utility>
#include <vector>

#include "python/src/binding/errors.h"

namespace gk::py {

using NamedArguments = std::vector<std::pair<std::string_view, PyObject*>>;

// Calls an op with these arguments, as its function in tf.raw_ops does. New
// reference.
PyObject* CallOp(std::string_view op, const NamedArguments& given,
                 PyObject* name = Py_None);

// The same of a dictionary of arguments.
PyObject* CallOp(std::string_view op, PyObject* given,
                 PyObject* name = Py_None);

// The name of a node of `op`. False with an exception set.
bool NodeName(std::string_view op, PyObject* name, std::string_view* result);

}  // namespace gk::py

#endif  // GK_PYTHON_CALL_OP_H_
