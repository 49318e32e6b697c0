#include <tuple>

#include "api/operator_matrices.h"
#include "graphkiln/control_flow.h"

namespace gk::api::linalg::experimental {
namespace {

Tensor Dot(const Tensor& x, const Tensor& y) {
  return SumOfLast(Conjugate(x) * y);
}

Tensor NormOf(const Tensor& x) { return api::norm(x, "euclidean", {-1}); }

}  // namespace

ConjugateGradientState conjugate_gradient(
    const LinearOperator& op, const Tensor& rhs,
    const ConjugateGradientOptions& options) {
  if (op.is_self_adjoint() != true || op.is_positive_definite() != true) {
    BadValue("Expected a self-adjoint, positive definite operator.");
  }
  const auto& inverse = options.preconditioner;
  // All have the shape of the result, so that a loop's values keep theirs.
  Tensor batch = Broadcast(Dims(ShapeOf(rhs), 0, -1), op.batch_shape_tensor());
  if (inverse) batch = Broadcast(batch, inverse->batch_shape_tensor());
  const Tensor whole = Joined({batch, Dims(ShapeOf(rhs), -1, 0)});
  Tensor r = api::broadcast_to(rhs, whole);
  const Tensor norm = NormOf(r);
  const Tensor least = norm * Number(options.tol, norm.dtype());
  Tensor x = options.x;
  if (x.defined()) {
    x = api::broadcast_to(x, whole);
    r = r - op.matvec(x);
  } else {
    x = api::zeros(whole, rhs.dtype());
  }
  const Tensor p = inverse ? inverse->matvec(r) : r;
  const Tensor most(options.max_iter), one(1);
  const auto goes_on = [&](Tensor i, Tensor, Tensor r, Tensor, Tensor) {
    return i < most && api::reduce_any(NormOf(r) > least);
  };
  const auto step = [&](Tensor i, Tensor x, Tensor r, Tensor p, Tensor gamma) {
    const Tensor z = op.matvec(p);
    const Tensor alpha = Column(gamma / Dot(p, z));
    const Tensor left = r - alpha * z;
    const Tensor q = inverse ? inverse->matvec(left) : left;
    const Tensor next = Dot(left, q);
    return std::tuple(i + one, x + alpha * p, left,
                      q + Column(next / gamma) * p, next);
  };
  const auto [i, found, left, direction, gamma] =
      api::while_loop(goes_on, step, std::tuple(Tensor(0), x, r, p, Dot(r, p)));
  return {i, found, left, direction, gamma};
}

}  // namespace gk::api::linalg::experimental
