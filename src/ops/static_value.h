// What programs may know of a tensor while a graph is built.
#ifndef GK_OPS_STATIC_VALUE_H_
#define GK_OPS_STATIC_VALUE_H_

#include "framework/tensor.h"

namespace gk {

// The value that `get_static_value` tells: known, and made by no more than the
// ops that TensorFlow's function looks through, as programs ask it which way
// they go. Nothing otherwise.
Tensor StaticValue(const Tensor& t);

}  // namespace gk

#endif  // GK_OPS_STATIC_VALUE_H_
