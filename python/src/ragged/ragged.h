// Ragged and sparse values of Python: functions of the core's
// (function/ragged/ragged.h), which take and give tf.RaggedTensor and
// tf.SparseTensor.
#ifndef GK_PYTHON_RAGGED_H_
#define GK_PYTHON_RAGGED_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// The module _ragged: what dispatch and printing call.
void AddRagged(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_RAGGED_H_
