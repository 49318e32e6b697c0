"""tf.linalg.LinearOperatorDiag."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


def _column(x):
    return ops.expand_dims(x, -1)


@kinds.kind
class LinearOperatorDiag(LinearOperator):
    """A square diagonal matrix, or a batch of them.

    Products and solutions cost O(N R), determinants O(N).

    Args:
      diag: the diagonal [B1, ..., Bb, N]; a variable is read at each use.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? Always if it is real.
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> op.solvevec([1.0, 1.0]).numpy().tolist()
    [1.0, 0.5]
    >>> type(op.inverse() @ op).__name__
    'LinearOperatorDiag'
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._diag = matrices.tensor_or_reference(diag, name="diag")
        self._check_diag(self._diag)
        dtype = self._diag.dtype
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(
                parameters,
                is_self_adjoint=constructor.real_is_self_adjoint(
                    dtype, is_self_adjoint
                ),
                is_square=constructor.always_square(
                    is_square, "Only square diagonal operators currently supported."
                ),
            ),
        )

    def _check_diag(self, diag):
        constructor.check_rank(
            diag, 1, "Argument diag must have at least 1 dimension.  Found: {!s}"
        )

    @property
    def diag(self) -> Tensor:
        """The diagonal, as it was given."""
        return self._diag

    def _shape(self):
        shape = self._diag.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = ops.shape(self._diag)
        return ops.concat((shape, [shape[-1]]), 0)

    def _linop_inverse(self):
        return LinearOperatorDiag(1.0 / self.diag, **hints.of(self))

    def _linop_adjoint(self):
        diag = self.diag
        if diag.dtype.is_complex:
            diag = ops.math.conj(diag)
        return LinearOperatorDiag(diag, **hints.of(self))

    def _linop_cholesky(self):
        return LinearOperatorDiag(
            ops.sqrt(self.diag),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    def _linop_matmul(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        known = hints.of_commuting(left, right)
        if kinds.is_a(right, "LinearOperatorDiag"):
            return LinearOperatorDiag(left.diag * right.diag, **known)
        if kinds.is_a(right, "LinearOperatorScaledIdentity"):
            return LinearOperatorDiag(
                left.diag * right.multiplier[..., None], **known
            )
        if kinds.is_a(right, "LinearOperatorLowerTriangular"):
            known["is_positive_definite"] = None
            return kinds.make(
                "LinearOperatorLowerTriangular",
                left.diag[..., None] * right.to_dense(),
                **known,
            )
        return super()._linop_matmul(left, right)

    def _linop_solve(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        known = hints.of_commuting(left, right)
        if kinds.is_a(right, "LinearOperatorDiag"):
            return LinearOperatorDiag(right.diag / left.diag, **known)
        if kinds.is_a(right, "LinearOperatorScaledIdentity"):
            return LinearOperatorDiag(
                right.multiplier[..., None] / left.diag, **known
            )
        if kinds.is_a(right, "LinearOperatorLowerTriangular"):
            known["is_positive_definite"] = None
            return kinds.make(
                "LinearOperatorLowerTriangular",
                right.to_dense() / left.diag[..., None],
                **known,
            )
        return super()._linop_solve(left, right)

    def _assert_non_singular(self):
        return matrices.assert_no_zeros(
            self._diag, "Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self):
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real "
                "part, thus was not positive definite."
            )
        else:
            message = (
                "Real diagonal operator had non-positive diagonal entries, thus "
                "was not positive definite."
            )
        return ops.debugging.assert_positive(
            ops.math.real(self._diag), message=message
        )

    def _assert_self_adjoint(self):
        return matrices.assert_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it "
            "was not self-adjoint.",
        )

    def _diag_or_conjugate(self, adjoint):
        return ops.math.conj(self._diag) if adjoint else self._diag

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        diag = self._diag_or_conjugate(adjoint)
        return _column(diag) * matrices.adjoint_if(adjoint_arg, x)

    def _matvec(self, x, adjoint=False):
        return self._diag_or_conjugate(adjoint) * x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        inverse = 1.0 / self._diag_or_conjugate(adjoint)
        return matrices.adjoint_if(adjoint_arg, rhs) * _column(inverse)

    def _determinant(self):
        return ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self):
        logs = ops.math.log(ops.abs(self._diag))
        return ops.cast(ops.reduce_sum(logs, axis=[-1]), self.dtype)

    def _to_dense(self):
        return ops.linalg.diag(self._diag)

    def _diag_part(self):
        return self.diag

    def _add_to_tensor(self, x):
        return ops.linalg.set_diag(x, self._diag + ops.linalg.diag_part(x))

    def _eigvals(self):
        return matrices.as_tensor(self.diag)

    def _cond(self):
        sizes = ops.abs(self.diag)
        return ops.reduce_max(sizes, axis=-1) / ops.reduce_min(sizes, axis=-1)

    @property
    def _composite_tensor_fields(self):
        return ("diag",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"diag": 1}
