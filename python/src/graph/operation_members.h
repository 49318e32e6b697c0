// The class tf.Operation.
#ifndef GK_PYTHON_OPERATION_MEMBERS_H_
#define GK_PYTHON_OPERATION_MEMBERS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddOperation(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_OPERATION_MEMBERS_H_
