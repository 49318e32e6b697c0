#include "ops/broadcast_gradient.h"

#include "framework/op_builder.h"
#include "ops/element_moves.h"
#include "ops/fn/BroadcastGradientArgs.h"
#include "ops/fn/Conj.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Sum.h"

namespace gk {
Tensor SumToShape(const Tensor& grad, const Tensor& x, const Tensor& other) {
  const PartialTensorShape sx = x.partial_shape();
  const PartialTensorShape so = other.partial_shape();
  if (sx.IsFullyDefined() && so.IsFullyDefined()) {
    StatusOr<PartialTensorShape> out = BroadcastPartialShapes(sx, so);
    if (out.ok() && *out == sx) return grad;
  }
  Tensor shape = ShapeTensor(x);
  Tensor axes = ops::BroadcastGradientArgs(shape, ShapeTensor(other))[0];
  Tensor sum = ops::Sum(grad, axes, false);
  return ops::Reshape(sum, shape);
}

void SetBroadcastGrads(GradContext& g, Tensor gx, Tensor gy) {
  if (gx && g.wants(0)) g.Set(0, SumToShape(gx, g.x(0), g.x(1)));
  if (gy && g.wants(1)) g.Set(1, SumToShape(gy, g.x(1), g.x(0)));
}

Tensor Conjugate(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Conj(x) : x;
}

}  // namespace gk
