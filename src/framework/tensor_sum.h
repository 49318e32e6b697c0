// Zeros and sums of tensors of any type, as gradients of variants need them:
// what is in a variant is asked for its own.
//
// Pure functions; thread-safe.
#ifndef GK_FRAMEWORK_TENSOR_SUM_H_
#define GK_FRAMEWORK_TENSOR_SUM_H_

#include "framework/tensor.h"

namespace gk {

// ResourceExhausted without memory; Unimplemented for variants of a kind that
// has no zero.
StatusOr<Tensor> ZerosOf(const Tensor& t);
// InvalidArgument where types or shapes differ.
StatusOr<Tensor> SumOf(const Tensor& t, const Tensor& u);

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_SUM_H_
