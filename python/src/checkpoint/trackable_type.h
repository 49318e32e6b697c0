// The class of objects that checkpoints and saved models hold. It has no
// metaclass, so that classes below it may have one of their own; what it does
// stands in graphkiln._src.checkpoint.trackable, which gives it its methods.
#ifndef GK_PYTHON_TRACKABLE_TYPE_H_
#define GK_PYTHON_TRACKABLE_TYPE_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

extern PyTypeObject* TrackableType;
bool AddTrackableType(PyObject* module);

// As AddType, a type below `base` and this one.
PyTypeObject* AddTrackableKind(PyObject* module, PyType_Spec* spec,
                               PyTypeObject* base);

}  // namespace gk::py

#endif  // GK_PYTHON_TRACKABLE_TYPE_H_
