// tf.TensorArray and its spec: Python's face of the core's arrays, with what
// converts Python's values and knows the lines of writes that nobody used.
#ifndef GK_PYTHON_TENSOR_ARRAY_H_
#define GK_PYTHON_TENSOR_ARRAY_H_

#include <nanobind/nanobind.h>

#include "framework/types.h"

namespace gk::py {

// Of the elements of a tf.TensorArray; kInvalid: `value` is none.
DataType ElementTypeOf(nanobind::handle value);

void AddTensorArray(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_TENSOR_ARRAY_H_
