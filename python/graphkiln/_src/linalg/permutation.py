"""tf.linalg.LinearOperatorPermutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorPermutation(LinearOperator):
    """A permutation of the rows of what it is multiplied with.

    Args:
      perm: integers [B1, ..., Bb, N]: row i of the product is row perm[i] of the
        argument.
      dtype: of the matrix.
      is_non_singular: always.
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorPermutation([2, 0, 1])
    >>> op.matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [3.0, 1.0, 2.0]
    """

    def __init__(
        self,
        perm: Any,
        dtype: Any = _graphkiln.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._perm = matrices.tensor_or_reference(perm, name="perm")
        self._check_perm(self._perm)
        if is_non_singular is False:
            raise ValueError(
                "A Permutation operator is always non-singular. Expected argument "
                "`is_non_singular` to be True. Received: False."
            )
        is_square = constructor.always_square(
            is_square,
            "A Permutation operator is always square. Expected argument "
            "`is_square` to be True. Received: False.",
        )
        super().__init__(
            dtype=dtype,
            parameters=parameters,
            **constructor.hints_of(parameters, is_square=is_square),
        )

    def _check_perm(self, perm):
        constructor.check_rank(
            perm, 1,
            "Argument `perm` must have at least 1 dimension. Received: {}.",
        )
        if not perm.dtype.is_integer:
            raise TypeError(
                f"Argument `perm` must be integer dtype. Received: {perm}."
            )
        known = matrices.constant_value(perm)
        if known is not None and np.any(
            np.sort(known, axis=-1) != np.arange(known.shape[-1])
        ):
            raise ValueError(
                "Argument `perm` must be a vector of unique integers from 0 to "
                f"{known.shape[-1] - 1}."
            )

    @property
    def perm(self) -> Tensor:
        """The row that comes to each place, as it was given."""
        return self._perm

    def _shape(self):
        shape = self._perm.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = ops.shape(self._perm)
        return ops.concat((shape, [shape[-1]]), 0)

    def _assert_non_singular(self):
        return ops.no_op("assert_non_singular")

    def _domain_dimension_tensor(self, perm=None):
        return ops.shape(self.perm if perm is None else perm)[-1]

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        perm = matrices.as_tensor(self.perm)
        if adjoint and not self.is_self_adjoint:
            perm = ops.argsort(perm, axis=-1)
        x = matrices.adjoint_if(adjoint_arg, x)
        rows = _graphkiln.broadcast_dynamic_shape(
            ops.shape(x)[:-1], ops.shape(perm)
        )
        columns = ops.shape(x)[-1]
        whole = ops.concat([rows, [columns]], axis=-1)
        x = ops.broadcast_to(x, whole)
        perm = ops.broadcast_to(perm, rows)
        size = ops.shape(x)[-2]
        moved = ops.gather(
            ops.reshape(x, [-1, size, columns]),
            ops.reshape(perm, [-1, size]),
            axis=-2,
            batch_dims=1,
        )
        return ops.reshape(moved, whole)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self):
        return ops.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _is_at(self, perm, places):
        numbers = ops.range(0, self._domain_dimension_tensor(perm))
        return ops.cast(
            ops.equal(ops.cast(numbers, perm.dtype), places), self.dtype
        )

    def _to_dense(self):
        perm = matrices.as_tensor(self.perm)
        return self._is_at(perm, perm[..., None])

    def _diag_part(self):
        perm = matrices.as_tensor(self.perm)
        return self._is_at(perm, perm)

    def _cond(self):
        return ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    @property
    def _composite_tensor_fields(self):
        return ("perm", "dtype")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"perm": 1}
