#include "ops/broadcast_gradient.h"

#include <utility>

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
    // A gradient that a caller gave may have another shape.
    const bool fits = grad.is_symbolic() || grad.partial_shape() == sx;
    if (fits && out.ok() && *out == sx) return grad;
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

void SetBroadcastGradsPastScalars(GradContext& g, Tensor gx, Tensor gy) {
  const Tensor& other = g.x(1);
  if (!g.wants(1) && !other.is_symbolic() && other.shape().rank() == 0) {
    if (gx) g.Set(0, gx);
    return;
  }
  SetBroadcastGrads(g, std::move(gx), std::move(gy));
}

Tensor Conjugate(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Conj(x) : x;
}

}  // namespace gk
