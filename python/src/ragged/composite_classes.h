// The classes of ragged and sparse values, for who makes some or asks for them.
#ifndef GK_PYTHON_COMPOSITE_CLASSES_H_
#define GK_PYTHON_COMPOSITE_CLASSES_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

// The classes, made with the module; borrowed for the process.
struct CompositeClasses {
  PyObject* composite = nullptr;
  PyObject* shaped_spec = nullptr;
  PyObject* ragged = nullptr;
  PyObject* ragged_spec = nullptr;
  PyObject* partition = nullptr;
  PyObject* partition_spec = nullptr;
  PyObject* ragged_shape = nullptr;
  PyObject* ragged_shape_spec = nullptr;
  PyObject* sparse = nullptr;
  PyObject* sparse_spec = nullptr;
  PyObject* slices = nullptr;
  PyObject* slices_spec = nullptr;
  // ExtensionTypeBatchEncoder, which stacks by field as the core does.
  PyObject* batch_encoder = nullptr;
};
CompositeClasses& TheCompositeClasses();

}  // namespace gk::py

#endif  // GK_PYTHON_COMPOSITE_CLASSES_H_
