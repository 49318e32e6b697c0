// Reference: what tensor.ref() gives: a hashable stand-in for an object, by
// identity.
#ifndef GK_PYTHON_REFERENCE_TYPE_H_
#define GK_PYTHON_REFERENCE_TYPE_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

// New reference.
PyObject* NewReference(PyObject* wrapped);

bool AddReferenceType(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_REFERENCE_TYPE_H_
