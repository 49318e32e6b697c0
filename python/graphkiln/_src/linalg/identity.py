"""tf.linalg.LinearOperatorIdentity and LinearOperatorScaledIdentity."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices, sizes
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor


def _must_be_true(hint, message):
    if not hint:
        raise ValueError(message)


class BaseLinearOperatorIdentity(LinearOperator):
    """What both have in common: a number of rows."""

    def _set_num_rows(self, num_rows):
        rows = matrices.shape_tensor(num_rows, name="num_rows")
        self._num_rows = sizes.checked(
            rows, "num_rows", 0, self._assert_proper_shapes
        )
        self._num_rows_static = matrices.constant_value(self._num_rows)

    def _fitting(self, x):
        """An argument, once it is known to have as many rows."""
        if not self._assert_proper_shapes:
            return x
        return matrices.after([matrices.fits_operator(self, x)], x)

    def _min_matrix_dim(self):
        return sizes.least(self)

    def _min_matrix_dim_tensor(self):
        return sizes.least_tensor(self)

    def _ones_diag(self):
        return sizes.filled_diagonal(self, ops.ones)

    def _batch_of_ones(self):
        known = self.batch_shape.is_fully_defined()
        shape = self.batch_shape if known else self.batch_shape_tensor()
        return ops.ones(shape, dtype=self.dtype)

    def _matrix_shape(self):
        return TensorShape((self._num_rows_static, self._num_rows_static))


@kinds.kind
class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """The identity matrix, or a batch of it.

    Args:
      num_rows: how many rows and columns, a number or a scalar tensor.
      batch_shape: of the batch; without one, arguments' batches stay as they are.
      dtype: of the matrix; float32 if left out.
      is_non_singular: always.
      is_self_adjoint: always.
      is_positive_definite: always.
      is_square: always.
      assert_proper_shapes: check at run time that arguments fit.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorIdentity(2, batch_shape=[3])
    >>> op.shape
    TensorShape([3, 2, 2])
    >>> op.trace().numpy().tolist()
    [2.0, 2.0, 2.0]
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._assert_proper_shapes = assert_proper_shapes
        dtype = _graphkiln.as_dtype(dtype or _graphkiln.float32)
        _must_be_true(
            is_self_adjoint, "An identity operator is always self adjoint."
        )
        _must_be_true(
            is_non_singular, "An identity operator is always non-singular."
        )
        _must_be_true(
            is_positive_definite,
            "An identity operator is always positive-definite.",
        )
        _must_be_true(is_square, "An identity operator is always square.")
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(parameters),
        )
        matrices.no_reference(num_rows, "num_rows")
        matrices.no_reference(batch_shape, "batch_shape")
        self._set_num_rows(num_rows)
        self._batch_shape_arg, self._batch_shape_static = sizes.batch_shape(
            batch_shape, assert_proper_shapes
        )

    def _shape(self):
        return sizes.with_batch(self, self._matrix_shape())

    def _shape_tensor(self):
        return sizes.with_batch_tensor(self, self._num_rows, self._num_rows)

    def _linop_adjoint(self):
        return self

    def _linop_inverse(self):
        return self

    def _linop_cholesky(self):
        return LinearOperatorIdentity(
            self._num_rows, batch_shape=self.batch_shape, dtype=self.dtype
        )

    def _linop_matmul(self, left_operator, right_operator):
        return right_operator

    def _linop_solve(self, left_operator, right_operator):
        return right_operator

    def _assert_non_singular(self):
        return ops.no_op("assert_non_singular")

    def _assert_positive_definite(self):
        return ops.no_op("assert_positive_definite")

    def _assert_self_adjoint(self):
        return ops.no_op("assert_self_adjoint")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = self._fitting(matrices.adjoint_if(adjoint_arg, x))
        return sizes.with_batch_of(self, x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self):
        size = self._min_matrix_dim()
        if size is None:
            size = ops.cast(self._min_matrix_dim_tensor(), self.dtype)
        return size * self._batch_of_ones()

    def _diag_part(self):
        return self._ones_diag()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum of the identity and a tensor.

        Args:
          mat: a tensor of matrices.
          name: of the scope.
        """
        with self._name_scope(name):
            mat = as_tensor(mat, name="mat")
            return ops.linalg.set_diag(mat, 1 + ops.linalg.diag_part(mat))

    def _eigvals(self):
        return self._ones_diag()

    def _cond(self):
        return ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    @property
    def _composite_tensor_prefer_static_fields(self):
        return ("num_rows", "batch_shape")

    @property
    def _composite_tensor_fields(self):
        return ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")

    def __getitem__(self, slices: Any) -> Any:
        return sizes.sliced(self, slices)


@kinds.kind
class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """The identity matrix times a number, or a batch of them.

    Args:
      num_rows: how many rows and columns, a number or a scalar tensor.
      multiplier: the numbers, [B1, ..., Bb]; a variable is read at each use.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? Always if it is real.
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      assert_proper_shapes: check at run time that arguments fit.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorScaledIdentity(2, 3.0)
    >>> op.determinant().numpy().item()
    9.0
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier = matrices.tensor_or_reference(
            multiplier, name="multiplier"
        )
        dtype = self._multiplier.dtype.base_dtype
        is_self_adjoint = constructor.real_is_self_adjoint(dtype, is_self_adjoint)
        _must_be_true(is_square, "A ScaledIdentity operator is always square.")
        matrices.no_reference(num_rows, "num_rows")
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(parameters, is_self_adjoint=is_self_adjoint),
        )
        self._set_num_rows(num_rows)

    @property
    def multiplier(self) -> Tensor:
        """The number that the identity is multiplied with, as it was given."""
        return self._multiplier

    def _shape(self):
        return self.multiplier.shape.concatenate(self._matrix_shape())

    def _shape_tensor(self):
        matrix = ops.stack((self._num_rows, self._num_rows), axis=0)
        return ops.concat((ops.shape(self.multiplier), matrix), 0)

    def _assert_non_singular(self):
        return ops.debugging.assert_positive(
            ops.abs(self.multiplier), message="LinearOperator was singular"
        )

    def _assert_positive_definite(self):
        return ops.debugging.assert_positive(
            ops.math.real(self.multiplier),
            message="LinearOperator was not positive definite.",
        )

    def _assert_self_adjoint(self):
        imag = ops.math.imag(self.multiplier)
        return ops.debugging.assert_equal(
            ops.zeros_like(imag), imag,
            message="LinearOperator was not self-adjoint",
        )

    def _make_multiplier_matrix(self, conjugate=False):
        matrix = ops.expand_dims(ops.expand_dims(self.multiplier, -1), -1)
        return ops.math.conj(matrix) if conjugate else matrix

    def _linop_adjoint(self):
        multiplier = self.multiplier
        if multiplier.dtype.is_complex:
            multiplier = ops.math.conj(multiplier)
        return LinearOperatorScaledIdentity(
            self._num_rows, multiplier, **hints.of(self)
        )

    def _linop_cholesky(self):
        return LinearOperatorScaledIdentity(
            self._num_rows,
            ops.sqrt(self.multiplier),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    def _linop_inverse(self):
        return LinearOperatorScaledIdentity(
            self._num_rows,
            1.0 / self.multiplier,
            **hints.of(self, is_self_adjoint=True),
        )

    def _linop_matmul(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        known = hints.of_commuting(left, right)
        if kinds.is_a(right, "LinearOperatorScaledIdentity"):
            return LinearOperatorScaledIdentity(
                left.domain_dimension_tensor(),
                left.multiplier * right.multiplier,
                **known,
            )
        if kinds.is_a(right, "LinearOperatorDiag"):
            return kinds.make(
                "LinearOperatorDiag",
                right.diag * left.multiplier[..., None],
                **known,
            )
        return super()._linop_matmul(left, right)

    def _linop_solve(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        known = hints.of_commuting(left, right)
        if kinds.is_a(right, "LinearOperatorScaledIdentity"):
            return LinearOperatorScaledIdentity(
                left.domain_dimension_tensor(),
                right.multiplier / left.multiplier,
                **known,
            )
        if kinds.is_a(right, "LinearOperatorDiag"):
            return kinds.make(
                "LinearOperatorDiag",
                right.diag / left.multiplier[..., None],
                **known,
            )
        return super()._linop_solve(left, right)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = self._fitting(matrices.adjoint_if(adjoint_arg, x))
        return x * self._make_multiplier_matrix(conjugate=adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = self._fitting(matrices.adjoint_if(adjoint_arg, rhs))
        return rhs / self._make_multiplier_matrix(conjugate=adjoint)

    def _determinant(self):
        return self.multiplier ** ops.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self):
        size = ops.cast(self._num_rows, self.dtype.real_dtype)
        return size * ops.math.log(ops.abs(self.multiplier))

    def _trace(self):
        size = self._min_matrix_dim()
        if size is None:
            size = ops.cast(self._min_matrix_dim_tensor(), self.dtype)
        return self.multiplier * size * self._batch_of_ones()

    def _diag_part(self):
        return self._ones_diag() * self.multiplier[..., None]

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum of the matrix and a tensor.

        Args:
          mat: a tensor of matrices.
          name: of the scope.
        """
        with self._name_scope(name):
            vector = ops.expand_dims(self.multiplier, -1)
            mat = as_tensor(mat, name="mat")
            return ops.linalg.set_diag(mat, vector + ops.linalg.diag_part(mat))

    def _eigvals(self):
        return self._ones_diag() * self.multiplier[..., None]

    def _cond(self):
        return ops.where(
            ops.equal(self._multiplier, 0.0),
            ops.cast(np.nan, dtype=self.dtype),
            ops.cast(1.0, dtype=self.dtype),
        )

    @property
    def _composite_tensor_prefer_static_fields(self):
        return ("num_rows",)

    @property
    def _composite_tensor_fields(self):
        return ("num_rows", "multiplier", "assert_proper_shapes")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"multiplier": 0}
