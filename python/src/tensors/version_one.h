// What tensors and shapes do as TensorFlow's first version had it, from when a
// program has asked for it (tf.compat.v1.disable_tensor_equality,
// tf.compat.v1.disable_v2_tensorshape).
#ifndef GK_PYTHON_VERSION_ONE_H_
#define GK_PYTHON_VERSION_ONE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// Guarded by the GIL.
struct VersionOne {
  bool compares_identity = false;  // x == y: are they the same tensor?
  bool has_dimensions = false;     // shape[i] is a Dimension
};
inline VersionOne version_one;

void AddVersionOne(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_VERSION_ONE_H_
