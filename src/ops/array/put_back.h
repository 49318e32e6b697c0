// What ops that choose elements of rows have in common.
#ifndef GK_OPS_ARRAY_PUT_BACK_H_
#define GK_OPS_ARRAY_PUT_BACK_H_

#include "framework/tensor.h"

namespace gk {

// Zeros of the shape of `x`, but `values` at the places of the last dimension
// that `places` tells, row by row; equal places add up. Throws Error.
Tensor PutBack(const Tensor& values, const Tensor& places, const Tensor& x);

}  // namespace gk

#endif  // GK_OPS_ARRAY_PUT_BACK_H_
