// Values of users' classes that give themselves a type.
#ifndef GK_PYTHON_TRACING_PROTOCOL_H_
#define GK_PYTHON_TRACING_PROTOCOL_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

// What `__tf_tracing_type__` of the value returns, or its `_type_spec`. Null
// with an exception set; TypeError if it is no type.
PyRef TracingTypeOf(PyObject* value);
// The tensors of a value of such a type.
PyRef TensorsOfType(PyObject* type, PyObject* value);

}  // namespace gk::py

#endif  // GK_PYTHON_TRACING_PROTOCOL_H_
