// tf.random.Generator and tf.random.Algorithm.
#ifndef GK_PYTHON_GENERATOR_H_
#define GK_PYTHON_GENERATOR_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

bool AddGenerator(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_GENERATOR_H_
