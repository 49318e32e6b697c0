"""tf.linalg.LinearOperatorFullMatrix and LinearOperatorLowerTriangular."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorFullMatrix(LinearOperator):
    """A matrix that is held as it is, or a batch of them.

    Solutions and determinants cost O(N^3); with the hints that it is its own
    adjoint and positive definite, by a Cholesky factorization.

    Args:
      matrix: a tensor [B1, ..., Bb, M, N]; a variable is read at each use.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: known (not) to be square?
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 1.0]])
    >>> op.matvec([1.0, 1.0]).numpy().tolist()
    [2.0, 2.0]
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._matrix = matrices.tensor_or_reference(matrix, name="matrix")
        self._check_matrix(self._matrix)
        super().__init__(
            dtype=self._matrix.dtype,
            parameters=parameters,
            **constructor.hints_of(parameters),
        )

    def _check_matrix(self, matrix):
        allowed = [
            _graphkiln.float16, _graphkiln.float32, _graphkiln.float64,
            _graphkiln.complex64, _graphkiln.complex128,
        ]
        matrix = matrices.as_tensor(matrix, name="matrix")
        if matrix.dtype not in allowed:
            raise TypeError(
                f"Argument `matrix` must have dtype in {allowed}. "
                f"Received: {matrix.dtype}."
            )
        constructor.check_rank(
            matrix, 2,
            "Argument `matrix` must have at least 2 dimensions. Received: {}.",
        )

    @property
    def matrix(self) -> Tensor:
        """The matrix, as it was given."""
        return self._matrix

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return ops.shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return ops.linalg.matmul(
            self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg
        )

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        return self._matrix

    @property
    def _composite_tensor_fields(self):
        return ("matrix",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"matrix": 2}


@kinds.kind
class LinearOperatorLowerTriangular(LinearOperator):
    """A square lower triangular matrix, or a batch of them.

    Solutions cost O(N^2 R), determinants O(N).

    Args:
      tril: a tensor [B1, ..., Bb, N, N], of which what is above the diagonal
        counts as zero; a variable is read at each use.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 1.0]])
    >>> op.to_dense().numpy().tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        is_square = constructor.always_square(
            is_square,
            "Only square lower triangular operators supported at this time.",
        )
        self._tril = matrices.tensor_or_reference(tril, name="tril")
        self._check_tril(self._tril)
        super().__init__(
            dtype=self._tril.dtype,
            parameters=parameters,
            **constructor.hints_of(parameters, is_square=is_square),
        )

    def _check_tril(self, tril):
        constructor.check_rank(
            tril, 2, "Argument tril must have at least 2 dimensions.  Found: {!s}"
        )

    @property
    def tril(self) -> Tensor:
        """The matrix, as it was given."""
        return self._tril

    def _get_tril(self):
        return ops.linalg.band_part(self._tril, -1, 0)

    def _get_diag(self):
        return ops.linalg.diag_part(self._tril)

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return ops.shape(self._tril)

    def _assert_non_singular(self):
        return matrices.assert_no_zeros(
            self._get_diag(),
            "Singular operator:  Diagonal contained zero values.",
        )

    def _linop_matmul(self, left_operator, right_operator):
        if kinds.is_a(right_operator, "LinearOperatorDiag"):
            known = hints.of_commuting(right_operator, left_operator)
            known["is_positive_definite"] = None
            return LinearOperatorLowerTriangular(
                left_operator.to_dense() * right_operator.diag[..., None, :],
                **known,
            )
        return super()._linop_matmul(left_operator, right_operator)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return ops.linalg.matmul(
            self._get_tril(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg
        )

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = matrices.adjoint_if(adjoint_arg, rhs)
        return ops.linalg.triangular_solve(
            self._get_tril(), rhs, lower=True, adjoint=adjoint
        )

    def _determinant(self):
        return ops.reduce_prod(self._get_diag(), axis=[-1])

    def _log_abs_determinant(self):
        return ops.reduce_sum(
            ops.math.log(ops.abs(self._get_diag())), axis=[-1]
        )

    def _to_dense(self):
        return self._get_tril()

    def _eigvals(self):
        return self._get_diag()

    @property
    def _composite_tensor_fields(self):
        return ("tril",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"tril": 2}
