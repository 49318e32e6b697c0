// Matrices of derivatives, from a tape: one backward pass for each row.
//
// Eagerly, and for few rows in a graph, the passes are made one after another;
// for many rows, or a number that is not known, a graph has one in a loop.
#ifndef GK_FUNCTION_JACOBIAN_H_
#define GK_FUNCTION_JACOBIAN_H_

#include <functional>
#include <span>

#include "eager/gradient_tape.h"

namespace gk {

// What is differentiated, or with respect to what: a tensor, or a variable.
struct Watchable {
  Tensor key;  // the tensor, or the variable's handle
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  std::function<Tensor()> value;  // reads the variable
};
Watchable WatchableTensor(const Tensor& t);
// OK for a tensor, or the handle of a variable that can be read now.
Watchable WatchableOf(const Tensor& tensor_or_handle);

// For each source the derivatives of each element of the target, of its shape
// followed by that of the source. Where nothing depends on the source: a null
// tensor, or zeros. The tape is used several times. Throws Error.
TensorVector Jacobian(GradientTape* tape, const Watchable& target,
                      std::span<const Watchable> sources,
                      bool zero_if_unconnected);

// The same for each example of a batch by itself: of the shape of the target
// followed by that of the source without its first dimension. ValueError
// unless both have a rank of 2 or more and one size of the batch.
Tensor BatchJacobian(GradientTape* tape, const Watchable& target,
                     const Watchable& source);

}  // namespace gk

#endif  // GK_FUNCTION_JACOBIAN_H_
