// Objects that take themselves apart, by __tf_flatten__.
#ifndef GK_PYTHON_FLATTENED_OBJECT_H_
#define GK_PYTHON_FLATTENED_OBJECT_H_

#include "py_ref.h"

namespace gk::py {

// A copy of the containers of metadata.
PyRef OwnMetadata(PyObject* o);
// (metadata, components) as __tf_flatten__ gives them.
PyRef PartsOfObject(PyObject* o);
// (metadata as it is now, tuple of components).
PyRef FlattenObject(PyObject* value);

}  // namespace gk::py

#endif  // GK_PYTHON_FLATTENED_OBJECT_H_
