// The elements of a tf.TensorArray (graphkiln/_tensor_array.py), which keeps
// Python's conversions and the lines of its writes.
#ifndef GK_PYTHON_TENSOR_ARRAY_H_
#define GK_PYTHON_TENSOR_ARRAY_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddTensorArray(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_TENSOR_ARRAY_H_
