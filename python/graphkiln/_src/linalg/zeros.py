"""tf.linalg.LinearOperatorZeros."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import InvalidArgumentError, Tensor, TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, kinds, matrices, sizes
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros, or a batch of them.

    Args:
      num_rows: how many rows, a number or a scalar tensor.
      num_columns: how many columns; as many as rows if left out.
      batch_shape: of the batch; without one, arguments' batches stay as they are.
      dtype: of the matrix; float32 if left out.
      is_non_singular: never.
      is_self_adjoint: always, if it is square.
      is_positive_definite: never.
      is_square: is it square?
      assert_proper_shapes: check at run time that arguments fit.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorZeros(2)
    >>> op.matvec([1.0, 2.0]).numpy().tolist()
    [0.0, 0.0]
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._assert_proper_shapes = assert_proper_shapes
        dtype = _graphkiln.as_dtype(dtype or _graphkiln.float32)
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(parameters),
        )
        matrices.no_reference(num_rows, "num_rows")
        matrices.no_reference(num_columns, "num_columns")
        matrices.no_reference(batch_shape, "batch_shape")
        self._num_rows = matrices.shape_tensor(num_rows, name="num_rows")
        self._num_columns = matrices.shape_tensor(
            num_rows if num_columns is None else num_columns, name="num_columns"
        )
        self._num_rows = sizes.checked(
            self._num_rows, "num_rows", 0, assert_proper_shapes
        )
        self._num_columns = sizes.checked(
            self._num_columns, "num_columns", 0, assert_proper_shapes
        )
        self._num_rows_static = matrices.constant_value(self._num_rows)
        self._num_columns_static = matrices.constant_value(self._num_columns)
        rows, columns = self._num_rows_static, self._num_columns_static
        if rows is not None and columns is not None:
            if is_square and rows != columns:
                raise ValueError(
                    "LinearOperatorZeros initialized as is_square=True, but got "
                    f"num_rows({rows}) != num_columns({columns})"
                )
        self._batch_shape_arg, self._batch_shape_static = sizes.batch_shape(
            batch_shape, assert_proper_shapes
        )

    def _shape(self):
        return sizes.with_batch(
            self, TensorShape((self._num_rows_static, self._num_columns_static))
        )

    def _shape_tensor(self):
        return sizes.with_batch_tensor(self, self._num_rows, self._num_columns)

    def _assert_non_singular(self):
        raise InvalidArgumentError(
            None, None, "Zero operators are always non-invertible."
        )

    def _assert_positive_definite(self):
        raise InvalidArgumentError(
            None, None, "Zero operators are always non-positive definite."
        )

    def _assert_self_adjoint(self):
        return ops.no_op("assert_self_adjoint")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        if self._assert_proper_shapes:
            x = matrices.adjoint_if(adjoint_arg, x)
            x = matrices.after([matrices.fits_operator(self, x)], x)
            adjoint_arg = False
        shape = ops.shape(x)
        rows = shape[-1 if adjoint_arg else -2]
        columns = shape[-2 if adjoint_arg else -1]
        if not self.is_square:
            rows = self._num_columns if adjoint else self._num_rows
        whole = ops.concat([shape[:-2], [rows, columns]], axis=0)
        return sizes.with_batch_of(self, ops.zeros(whole, dtype=x.dtype))

    def _linop_matmul(self, left_operator, right_operator):
        if not left_operator.is_square or not right_operator.is_square:
            raise ValueError(
                "Matmul with non-square `LinearOperator`s or non-square "
                "`LinearOperatorZeros` not supported at this time."
            )
        return left_operator

    def _batch_of_zeros(self):
        known = self.batch_shape.is_fully_defined()
        shape = self.batch_shape if known else self.batch_shape_tensor()
        return ops.zeros(shape, dtype=self.dtype)

    def _determinant(self):
        return self._batch_of_zeros()

    def _trace(self):
        return self._batch_of_zeros()

    def _zeros_diag(self):
        return sizes.filled_diagonal(self, ops.zeros)

    def _diag_part(self):
        return self._zeros_diag()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """The tensor itself, with the batch dimensions of the operator.

        Args:
          mat: a tensor of matrices.
          name: of the scope.
        """
        return sizes.with_batch_of(self, mat)

    def _eigvals(self):
        return self._zeros_diag()

    def _min_matrix_dim(self):
        return sizes.least(self)

    def _min_matrix_dim_tensor(self):
        return sizes.least_tensor(self)

    @property
    def _composite_tensor_prefer_static_fields(self):
        return ("num_rows", "num_columns", "batch_shape")

    @property
    def _composite_tensor_fields(self):
        return (
            "num_rows", "num_columns", "batch_shape", "dtype",
            "assert_proper_shapes",
        )

    def __getitem__(self, slices: Any) -> Any:
        return sizes.sliced(self, slices)
