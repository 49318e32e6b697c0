// What tensors of a graph are stacked of, and what they are a part of.
#ifndef GK_OPS_STACKED_TENSORS_H_
#define GK_OPS_STACKED_TENSORS_H_

#include <optional>

#include "framework/tensor.h"

namespace gk {

// The tensors that `t` has as the elements of its first dimension; none if it
// is not stacked of any.
TensorVector StackedOf(const Tensor& t);

// A tensor and a place along its first dimension.
struct TensorPlace {
  Tensor whole;
  int index;
};
// Where `t` was taken from by unstacking; nothing if it was not.
std::optional<TensorPlace> UnstackedFrom(const Tensor& t);

}  // namespace gk

#endif  // GK_OPS_STACKED_TENSORS_H_
