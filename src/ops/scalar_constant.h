// Scalars that gradients need: "2" in the dtype of another tensor.
#ifndef GK_OPS_SCALAR_CONSTANT_H_
#define GK_OPS_SCALAR_CONSTANT_H_

#include "framework/tensor.h"

namespace gk {

// A scalar of `dtype` (a number or bool) made with the current builder.
// Throws Error.
Tensor ScalarConstant(DataType dtype, double value);

// A scalar in the dtype of `x`.
inline Tensor ScalarLike(const Tensor& x, double value) {
  return ScalarConstant(x.dtype(), value);
}

}  // namespace gk

#endif  // GK_OPS_SCALAR_CONSTANT_H_
