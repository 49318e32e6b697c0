// Gradients of broadcasting ops: bring a gradient back to an input's shape.
#ifndef GK_OPS_BROADCAST_GRADIENT_H_
#define GK_OPS_BROADCAST_GRADIENT_H_

#include "framework/grad_context.h"

namespace gk {

// Sets the gradients of a binary op: `gx` and `gy` have the shape of the
// output and are summed over the dims in which x(0) or x(1) was broadcast.
// A null Tensor means that input gets none. Throws Error.
void SetBroadcastGrads(GradContext& g, Tensor gx, Tensor gy);

// The same, but in eager code a gradient beside a scalar that gets none keeps
// the shape that it has, as TensorFlow's of sums, products, powers and choices
// do: it is another than its input's where a caller gave it so.
void SetBroadcastGradsPastScalars(GradContext& g, Tensor gx, Tensor gy);

// `grad` (shape of the broadcast of x and other) summed to the shape of x.
Tensor SumToShape(const Tensor& grad, const Tensor& x, const Tensor& other);

// The complex conjugate; a real tensor itself.
Tensor Conjugate(const Tensor& x);

}  // namespace gk

#endif  // GK_OPS_BROADCAST_GRADIENT_H_
