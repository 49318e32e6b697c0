// The class tf.Operation.
#ifndef GK_PYTHON_OPERATION_MEMBERS_H_
#define GK_PYTHON_OPERATION_MEMBERS_H_

#include <nanobind/nanobind.h>

#include "framework/tensor.h"

namespace gk::py {

// What makes a symbolic tensor, and the operations that use it.
nanobind::object OperationOf(const Tensor& symbolic);
nanobind::list ConsumersIn(const Tensor& symbolic);

void AddOperation(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_OPERATION_MEMBERS_H_
