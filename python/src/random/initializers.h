// The classes of tf.initializers, and those of the main name space and of
// tf.compat.v1 that need no Keras.
#ifndef GK_PYTHON_INITIALIZERS_H_
#define GK_PYTHON_INITIALIZERS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddInitializers(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_INITIALIZERS_H_
