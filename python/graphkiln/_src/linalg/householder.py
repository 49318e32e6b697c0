"""tf.linalg.LinearOperatorHouseholder."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import InvalidArgumentError, Tensor
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorHouseholder(LinearOperator):
    """A reflection I - 2 v v^H at the hyperplane orthogonal to v.

    It is its own adjoint and its own inverse, and never positive definite.

    Args:
      reflection_axis: the direction of v, [B1, ..., Bb, N]; its length does not
        matter. A variable is read at each use.
      is_non_singular: always.
      is_self_adjoint: always.
      is_positive_definite: never.
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorHouseholder([0.0, 2.0])
    >>> op.matvec([3.0, 4.0]).numpy().tolist()
    [3.0, -4.0]
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._reflection_axis = matrices.tensor_or_reference(
            reflection_axis, name="reflection_axis"
        )
        self._check_reflection_axis(self._reflection_axis)
        is_self_adjoint = hints.must_be(
            True, is_self_adjoint, "A Householder operator is always self adjoint."
        )
        if is_positive_definite is True:
            raise ValueError(
                "A Householder operator is always non-positive definite."
            )
        is_square = constructor.always_square(
            is_square, "A Householder operator is always square."
        )
        super().__init__(
            dtype=self._reflection_axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=False,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )

    def _check_reflection_axis(self, reflection_axis):
        constructor.check_rank(
            reflection_axis, 1,
            "Argument reflection_axis must have at least 1 dimension.  Found: {!s}",
        )

    @property
    def reflection_axis(self) -> Tensor:
        """The direction that is reflected, as it was given."""
        return self._reflection_axis

    def _shape(self):
        shape = self._reflection_axis.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = ops.shape(self._reflection_axis)
        return ops.concat((shape, [shape[-1]]), 0)

    def _assert_non_singular(self):
        return ops.no_op("assert_non_singular")

    def _assert_positive_definite(self):
        raise InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self):
        return ops.no_op("assert_self_adjoint")

    def _linop_adjoint(self):
        return self

    def _linop_inverse(self):
        return self

    def _direction(self):
        axis = matrices.as_tensor(self.reflection_axis)
        return ops.math.l2_normalize(axis, axis=-1)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = matrices.adjoint_if(adjoint_arg, x)
        v = self._direction()[..., None]
        return x - 2 * v * ops.linalg.matmul(v, x, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self):
        shape = self.shape_tensor()
        ones = ops.ones(self._batch_shape_tensor(shape=shape), dtype=self.dtype)
        size = self._domain_dimension_tensor(shape=shape)
        return ops.cast(size - 2, self.dtype) * ones

    def _determinant(self):
        return -ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _to_dense(self):
        v = self._direction()[..., None]
        outer = -2 * ops.linalg.matmul(v, v, adjoint_b=True)
        return ops.linalg.set_diag(outer, 1.0 + ops.linalg.diag_part(outer))

    def _diag_part(self):
        v = self._direction()
        return 1.0 - 2 * v * ops.math.conj(v)

    def _eigvals(self):
        shape = ops.shape(self.reflection_axis)
        ones = ops.concat([shape[:-1], [shape[-1] - 1]], axis=-1)
        minus = ops.concat([shape[:-1], [1]], axis=-1)
        return ops.concat(
            [
                -ops.ones(minus, dtype=self.dtype),
                ops.ones(ones, dtype=self.dtype),
            ],
            axis=-1,
        )

    def _cond(self):
        return ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    @property
    def _composite_tensor_fields(self):
        return ("reflection_axis",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"reflection_axis": 1}
