// What tf.function makes of a Python function.
#ifndef GK_PYTHON_DECORATED_FUNCTION_H_
#define GK_PYTHON_DECORATED_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// The module's function that makes a Function of a Python function and the
// options that tf.function settled; it can be pickled. Borrowed.
nanobind::handle DecoratedFunction();

void AddDecoratedFunction(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DECORATED_FUNCTION_H_
