// Objects that take themselves apart, by __tf_flatten__.
#ifndef GK_PYTHON_FLATTENED_OBJECT_H_
#define GK_PYTHON_FLATTENED_OBJECT_H_

#include "python/src/binding/class_attribute.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// Does a dataclass take itself apart?
inline bool IsFlattenedDataclass(PyTypeObject* type) {
  return Attribute<"__tf_flatten__">(type) != nullptr &&
         Attribute<"__tf_unflatten__">(type) != nullptr &&
         Attribute<"__dataclass_fields__">(type) != nullptr;
}

// A copy of the containers of metadata.
PyRef OwnMetadata(PyObject* o);
// (metadata, components) as __tf_flatten__ gives them.
PyRef PartsOfObject(PyObject* o);
// (metadata as it is now, tuple of components).
PyRef FlattenObject(PyObject* value);

}  // namespace gk::py

#endif  // GK_PYTHON_FLATTENED_OBJECT_H_
