// The truth of a condition: what If and While branch on.
#ifndef GK_OPS_CONTROL_TRUTH_H_
#define GK_OPS_CONTROL_TRUTH_H_

#include "framework/tensor.h"

namespace gk {

// A bool scalar is its value; a number is true unless zero, a string unless
// empty; a tensor that is no scalar is true if it has elements.
StatusOr<bool> TruthOf(const Tensor& t);

}  // namespace gk

#endif  // GK_OPS_CONTROL_TRUTH_H_
