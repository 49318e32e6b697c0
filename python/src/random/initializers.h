// The classes of tf.initializers, and those of the main name space and of
// tf.compat.v1 that need no Keras.
#ifndef GK_PYTHON_INITIALIZERS_H_
#define GK_PYTHON_INITIALIZERS_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

bool AddInitializers(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_INITIALIZERS_H_
