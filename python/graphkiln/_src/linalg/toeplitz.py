"""tf.linalg.LinearOperatorToeplitz."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor


@kinds.kind
class LinearOperatorToeplitz(LinearOperator):
    """A square matrix that is constant along its diagonals, or a batch of them.

    Products cost O(R N log N), by Fourier transforms.

    Args:
      col: the first column [B1, ..., Bb, N]; a variable is read at each use.
      row: the first row, likewise; its first element should be the column's.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 4.0, 5.0])
    >>> op.to_dense().numpy().tolist()
    [[1.0, 4.0, 5.0], [2.0, 1.0, 4.0], [3.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._row = matrices.tensor_or_reference(row, name="row")
        self._col = matrices.tensor_or_reference(col, name="col")
        self._check_row_col(self._row, self._col)
        is_square = constructor.always_square(
            is_square, "Only square Toeplitz operators currently supported."
        )
        super().__init__(
            dtype=self._row.dtype,
            parameters=parameters,
            **constructor.hints_of(parameters, is_square=is_square),
        )

    def _check_row_col(self, row, col):
        for name, tensor in (("row", row), ("col", col)):
            constructor.check_rank(
                tensor, 1,
                f"Argument {name} must have at least 1 dimension.  Found: {{}}",
            )
        if None not in (row.shape[-1], col.shape[-1]):
            if row.shape[-1] != col.shape[-1]:
                raise ValueError(
                    "Expected square matrix, got row and col with mismatched "
                    "dimensions."
                )

    @property
    def col(self) -> Tensor:
        """The first column, as it was given."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row, as it was given."""
        return self._row

    def _shape(self):
        shape = matrices.broadcast_shapes([self.row.shape, self.col.shape])
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self, row=None, col=None):
        shape = matrices.broadcast_shape_tensors(
            [
                ops.shape(self.row if row is None else row),
                ops.shape(self.col if col is None else col),
            ]
        )
        return ops.concat((shape, [shape[-1]]), 0)

    def _assert_self_adjoint(self):
        return ops.debugging.assert_equal(
            self.row, self.col,
            message=(
                "row and col are not the same, and so this operator is not "
                "self-adjoint."
            ),
        )

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        # It is a corner of a circulant of twice its size.
        x = matrices.adjoint_if(adjoint_arg, x)
        longer = ops.concat([x, ops.zeros_like(x)], axis=-2)
        col, row = as_tensor(self.col), as_tensor(self.row)
        column = ops.concat(
            [
                col,
                ops.zeros_like(col[..., 0:1]),
                ops.reverse(row[..., 1:], axis=[-1]),
            ],
            axis=-1,
        )
        double = (_graphkiln.float64, _graphkiln.complex128)
        precision = (
            _graphkiln.complex128 if column.dtype in double
            else _graphkiln.complex64
        )
        circulant = kinds.make(
            "LinearOperatorCirculant",
            ops.signal.fft(ops.cast(column, precision)),
            input_output_dtype=row.dtype,
        )
        product = circulant.matmul(longer, adjoint=adjoint)
        size = self._domain_dimension_tensor(
            shape=self._shape_tensor(row=row, col=col)
        )
        return ops.cast(product[..., :size, :], self.dtype)

    def _trace(self):
        size = ops.cast(self.domain_dimension_tensor(), dtype=self.dtype)
        return size * self.col[..., 0]

    def _diag_part(self):
        ones = ops.ones([self.domain_dimension_tensor()], self.dtype)
        return self.col[..., 0:1] * ones

    def _to_dense(self):
        row, col = as_tensor(self.row), as_tensor(self.col)
        shape = matrices.broadcast_shape_tensors([ops.shape(row), ops.shape(col)])
        size = ops.shape(row)[-1]
        row, col = ops.broadcast_to(row, shape), ops.broadcast_to(col, shape)
        # From the last element of the column up, and along the row.
        elements = ops.concat(
            [ops.reverse(col, axis=[-1]), row[..., 1:]], axis=-1
        )
        down = ops.range(size - 1, -1, -1)[..., None]
        places = ops.math.mod(ops.range(0, size) + down, 2 * size - 1)
        return ops.gather(elements, places, axis=-1)

    @property
    def _composite_tensor_fields(self):
        return ("col", "row")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"col": 1, "row": 1}
