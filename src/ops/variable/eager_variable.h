// Variables outside of graphs.
#ifndef GK_OPS_VARIABLE_EAGER_VARIABLE_H_
#define GK_OPS_VARIABLE_EAGER_VARIABLE_H_

#include <string>

#include "framework/tensor.h"

namespace gk {

// A handle to a new variable, as the op gives one and logged as it, but with
// what the op does not say.
Tensor EagerVariableHandle(std::string name, DataType dtype,
                           const PartialTensorShape& shape, bool trainable);

}  // namespace gk

#endif  // GK_OPS_VARIABLE_EAGER_VARIABLE_H_
