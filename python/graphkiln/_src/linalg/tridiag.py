"""tf.linalg.LinearOperatorTridiag."""

from __future__ import annotations

from typing import Any

from graphkiln._src import ops
from graphkiln._src.linalg import constructor, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor

_FORMATS = ("compact", "matrix", "sequence")


def _moved(diagonal, by):
    return ops.roll(diagonal, shift=by, axis=-1)


@kinds.kind
class LinearOperatorTridiag(LinearOperator):
    """A square matrix of which the main diagonal and its two neighbours are not
    zero, or a batch of them.

    Products and solutions cost O(N R).

    Args:
      diagonals: superdiagonal, diagonal and subdiagonal. In the format "compact"
        [B1, ..., Bb, 3, N]; "sequence": a list of three [..., N]; "matrix": the
        matrix [..., N, N]. Of the first two the last element of the
        superdiagonal and the first of the subdiagonal do not count. Variables
        are read at each use.
      diagonals_format: the format.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: known (not) to be square?
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorTridiag(
    ...     [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]])
    >>> op.to_dense().numpy().tolist()
    [[2.0, 1.0, 0.0], [3.0, 2.0, 1.0], [0.0, 3.0, 2.0]]
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        if diagonals_format not in _FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or "
                f"sequence. Received : {diagonals_format}."
            )
        if diagonals_format == "sequence":
            self._diagonals = [
                matrices.tensor_or_reference(d, name=f"diag_{i}")
                for i, d in enumerate(diagonals)
            ]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = matrices.tensor_or_reference(
                diagonals, name="diagonals"
            )
            dtype = self._diagonals.dtype
        self._diagonals_format = diagonals_format
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(parameters),
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals."""
        return self._diagonals_format

    def _shape(self):
        if self.diagonals_format == "matrix":
            return self.diagonals.shape
        if self.diagonals_format == "compact":
            shape = self.diagonals.shape
            rows = shape[:-2].concatenate(shape[-1])
        else:
            batch = matrices.broadcast_shapes(
                [d.shape[:-1] for d in self.diagonals]
            )
            rows = batch.concatenate(self.diagonals[1].shape[-1])
        return rows.concatenate(rows[-1])

    def _shape_tensor(self, diagonals=None):
        diagonals = self.diagonals if diagonals is None else diagonals
        if self.diagonals_format == "matrix":
            return ops.shape(diagonals)
        if self.diagonals_format == "compact":
            rows = ops.shape(diagonals[..., 0, :])
        else:
            shapes = [ops.shape(d) for d in self.diagonals]
            batch = matrices.broadcast_shape_tensors([s[:-1] for s in shapes])
            rows = ops.concat([batch, [shapes[1][-1]]], axis=0)
        return ops.concat([rows, [rows[-1]]], axis=-1)

    def _assert_self_adjoint(self):
        if self.diagonals_format == "matrix":
            check = ops.debugging.assert_equal(
                self.diagonals, ops.linalg.adjoint(self.diagonals),
                message="Matrix was not equal to its adjoint.",
            )
            return matrices.all_of([check])
        upper, diagonal, lower = self._three(self.diagonals)
        real = matrices.assert_real(
            diagonal,
            "This tridiagonal operator contained non-zero imaginary values on the "
            "diagonal.",
        )
        lower = _moved(lower, -1)
        alike = ops.debugging.assert_equal(
            ops.math.conj(lower[..., :-1]), upper[..., :-1],
            message=(
                "This tridiagonal operator has non-conjugate subdiagonal and "
                "superdiagonal."
            ),
        )
        return matrices.all_of([real, alike])

    def _three(self, diagonals):
        """Superdiagonal, diagonal and subdiagonal, each for itself."""
        if self.diagonals_format == "sequence":
            return [as_tensor(d) for d in diagonals]
        return ops.unstack(as_tensor(diagonals), num=3, axis=-2)

    def _construct_adjoint_diagonals(self, diagonals):
        if self.diagonals_format == "matrix":
            return ops.linalg.adjoint(diagonals)
        upper, diagonal, lower = map(ops.math.conj, self._three(diagonals))
        three = [_moved(lower, -1), diagonal, _moved(upper, 1)]
        if self.diagonals_format == "sequence":
            return three
        return ops.stack(three, axis=-2)

    def _diagonals_or_adjoint(self, adjoint):
        if adjoint:
            return self._construct_adjoint_diagonals(self.diagonals)
        return self.diagonals

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return ops.linalg.tridiagonal_matmul(
            self._diagonals_or_adjoint(adjoint),
            matrices.adjoint_if(adjoint_arg, x),
            diagonals_format=self.diagonals_format,
        )

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        diagonals = self._diagonals_or_adjoint(adjoint)
        rhs_shape = ops.shape(rhs)
        shape = self._shape_tensor(diagonals)
        size = shape[-1]
        batch = matrices.broadcast_shape_tensors([shape[:-2], rhs_shape[:-2]])

        def broadcast(x, inner):
            return ops.broadcast_to(x, ops.concat([batch, inner], axis=-1))

        rhs = broadcast(rhs, rhs_shape[-2:])
        if self.diagonals_format == "matrix":
            diagonals = broadcast(diagonals, [size, size])
        elif self.diagonals_format == "compact":
            diagonals = broadcast(diagonals, [3, size])
        else:
            diagonals = [broadcast(d, [size]) for d in diagonals]
        return ops.linalg.tridiagonal_solve(
            diagonals,
            rhs,
            diagonals_format=self.diagonals_format,
            transpose_rhs=adjoint_arg,
            conjugate_rhs=adjoint_arg,
        )

    def _diag_part(self):
        if self.diagonals_format == "matrix":
            return ops.linalg.diag_part(self.diagonals)
        if self.diagonals_format == "sequence":
            return ops.broadcast_to(self.diagonals[1], self.shape_tensor()[:-1])
        return self.diagonals[..., 1, :]

    def _to_dense(self):
        if self.diagonals_format == "matrix":
            return self.diagonals
        diagonals = self.diagonals
        if self.diagonals_format == "sequence":
            diagonals = ops.stack([as_tensor(d) for d in diagonals], axis=-2)
        return ops.linalg.diag(diagonals, k=(-1, 1), align="LEFT_RIGHT")

    @property
    def _composite_tensor_fields(self):
        return ("diagonals", "diagonals_format")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        each = self.diagonals_format == "sequence"
        return {"diagonals": [1, 1, 1] if each else 2}
