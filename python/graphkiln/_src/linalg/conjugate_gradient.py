"""tf.linalg.experimental.conjugate_gradient."""

import collections

from graphkiln import _graphkiln
from graphkiln._src import ops

_State = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def _dot(x, y):
    product = ops.linalg.matvec(x[..., None], y, adjoint_a=True)
    return ops.squeeze(product, axis=-1)


def conjugate_gradient(
    operator,
    rhs,
    preconditioner=None,
    x=None,
    tol=1e-5,
    max_iter=20,
    name="conjugate_gradient",
):
    """Solves A x = rhs step by step, by the method of conjugate gradients.

    Args:
      operator: A, a LinearOperator that is known to be its own adjoint and
        positive definite.
      rhs: vectors [..., N].
      preconditioner: an operator that is close to the inverse of A.
      x: where to begin, [..., N]; zero if left out.
      tol: it ends once the norm of what is left is at most so much of that of
        `rhs`.
      max_iter: the most steps that are made.
      name: of the scope.

    Returns a named tuple of the number of steps `i`, the solution `x`, what is
    left `r`, the last direction `p` and `gamma`, the product of `r` with itself,
    or with what the preconditioner makes of it.

    >>> op = tf.linalg.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True)
    >>> found = tf.linalg.experimental.conjugate_gradient(
    ...     op, tf.constant([1.0, 2.0]))
    >>> found.x.numpy().round(5).tolist()
    [1.0, 0.5]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")

    def goes_on(i, state):
        left = ops.linalg.norm(state.r, axis=-1) > tol
        return ops.math.logical_and(i < max_iter, ops.reduce_any(left))

    def step(i, state):
        z = ops.linalg.matvec(operator, state.p)
        alpha = (state.gamma / _dot(state.p, z))[..., None]
        found = state.x + alpha * state.p
        r = state.r - alpha * z
        q = r if preconditioner is None else preconditioner.matvec(r)
        gamma = _dot(r, q)
        beta = (gamma / state.gamma)[..., None]
        p = q + beta * state.p
        return i + 1, _State(i + 1, found, r, p, gamma)

    with _graphkiln.name_scope(name):
        # All have the shape of the result, so that a loop's values keep theirs.
        shapes = [ops.shape(rhs)[:-1], operator.batch_shape_tensor()]
        if preconditioner is not None:
            shapes.append(preconditioner.batch_shape_tensor())
        batch = shapes[0]
        for shape in shapes[1:]:
            batch = _graphkiln.broadcast_dynamic_shape(batch, shape)
        whole = ops.concat([batch, [ops.shape(rhs)[-1]]], axis=-1)
        r = ops.broadcast_to(rhs, whole)
        tol = tol * ops.linalg.norm(r, axis=-1)
        if x is None:
            x = ops.zeros(whole, dtype=r.dtype.base_dtype)
        else:
            r = rhs - ops.linalg.matvec(operator, x)
        if preconditioner is None:
            p = r
        else:
            p = ops.linalg.matvec(preconditioner, r)
        i = _graphkiln.constant(0, dtype=_graphkiln.int32)
        state = _State(i, x, r, p, _dot(r, p))
        _, state = _graphkiln.while_loop(goes_on, step, [i, state])
        return _State(*state)
