// tf.Tensor's operators as functions: classes that stand in for tensors take
// them over, with values of their own in a tensor's place.
#ifndef GK_PYTHON_OVERRIDABLE_OPERATORS_H_
#define GK_PYTHON_OVERRIDABLE_OPERATORS_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

// Those with the names in `OVERLOADABLE_OPERATORS`, "__add__" and the like.
bool AddOverridableOperators();

}  // namespace gk::py

#endif  // GK_PYTHON_OVERRIDABLE_OPERATORS_H_
