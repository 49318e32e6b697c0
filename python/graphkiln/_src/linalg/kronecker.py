"""tf.linalg.LinearOperatorKronecker."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import InvalidArgumentError, TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: of A and B the matrix of blocks
    A[i, j] B.

    Args:
      operators: the factors, of one dtype.
      is_non_singular: known (not) to have an inverse? It has if all have one.
      is_self_adjoint: known (not) to be its own adjoint? Likewise.
      is_positive_definite: known (not) to be positive definite? Likewise.
      is_square: known (not) to be square?
      name: of the operator; made of the factors' names if left out.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> d = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> tf.linalg.LinearOperatorKronecker([a, d]).matvec(
    ...     [1.0, 1.0, 10.0, 10.0]).numpy().tolist()
    [20.0, 30.0, 2.0, 3.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = constructor.parameters_of(locals())
        operators = constructor.list_of(operators)
        if not operators:
            raise ValueError(
                "Argument `operators` must be a list of >=1 operators. Received: "
                f"{operators}."
            )
        self._operators = operators
        dtype = constructor.same_dtype(
            operators,
            "Expected every operation in argument `operators` to have the same "
            "dtype. Received %s.",
            list,
        )
        known = constructor.hints_of_all(
            operators, parameters,
            {
                "is_non_singular": "non-singular",
                "is_self_adjoint": "self-adjoint",
                "is_positive_definite": "positive-definite",
            },
            "The Kronecker product of {word} operators is always {word}. "
            "Expected argument `{hint}` to be True. Received: False.",
        )
        super().__init__(
            dtype=dtype,
            is_square=is_square,
            parameters=parameters,
            name="_x_".join(o.name for o in operators) if name is None else name,
            **known,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _product(self, values):
        first, *others = values
        for value in others:
            first = first * value
        return first

    def _shape(self):
        columns = self._product([o.domain_dimension for o in self.operators])
        rows = self._product([o.range_dimension for o in self.operators])
        batch = matrices.broadcast_shapes([o.batch_shape for o in self.operators])
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self):
        columns = self._product(
            [o.domain_dimension_tensor() for o in self.operators]
        )
        rows = self._product([o.range_dimension_tensor() for o in self.operators])
        batch = matrices.broadcast_shape_tensors(
            [o.batch_shape_tensor() for o in self.operators]
        )
        return ops.concat((batch, [rows, columns]), 0)

    def _linop_adjoint(self):
        return LinearOperatorKronecker(
            [o.adjoint() for o in self.operators], **hints.of(self)
        )

    def _linop_inverse(self):
        return LinearOperatorKronecker(
            [o.inverse() for o in self.operators], **hints.of(self)
        )

    def _linop_cholesky(self):
        return LinearOperatorKronecker(
            [o.cholesky() for o in self.operators],
            is_non_singular=True,
            is_self_adjoint=None,
            is_square=True,
        )

    def _each_applied(self, x, apply, adjoint, adjoint_arg):
        """Each factor, the last first, applied to the digits that it owns of the
        numbers of x's rows."""
        is_complex = self.dtype.is_complex
        if not adjoint_arg:
            rest = ops.linalg.matrix_transpose(x)
        else:
            rest = ops.math.conj(x) if is_complex else x
        for operator in reversed(self.operators):
            size = (
                operator.range_dimension if adjoint else operator.domain_dimension
            ).value
            if size is None:
                size = (
                    operator.range_dimension_tensor() if adjoint
                    else operator.domain_dimension_tensor()
                )
            shape = matrices.static_or_dynamic_shape(rest)
            count = shape[-2] * shape[-1] // size
            rest = ops.reshape(
                rest, matrices.joined_shape(shape[:-2], [count, size])
            )
            if is_complex:
                rest = ops.math.conj(rest)
            rest = apply(operator, rest)
        columns = matrices.static_or_dynamic_shape(x)[-2 if adjoint_arg else -1]
        rows = (
            self.domain_dimension_tensor() if adjoint
            else self.range_dimension_tensor()
        )
        batch = matrices.static_or_dynamic_shape(rest)[:-2]
        result = ops.reshape(rest, matrices.joined_shape(batch, [rows, columns]))
        if x.shape.is_fully_defined():
            known = matrices.broadcast_shapes([x.shape[:-2], self.batch_shape])
            result.set_shape(
                known.concatenate(
                    [
                        self.domain_dimension if adjoint else self.range_dimension,
                        x.shape[-2 if adjoint_arg else -1],
                    ]
                )
            )
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._each_applied(
            x,
            lambda o, y: o.matmul(y, adjoint=adjoint, adjoint_arg=True),
            adjoint,
            adjoint_arg,
        )

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._each_applied(
            rhs,
            lambda o, y: o.solve(y, adjoint=adjoint, adjoint_arg=True),
            adjoint,
            adjoint_arg,
        )

    def _times(self, operator):
        """How often a factor's determinant counts."""
        total = self.domain_dimension_tensor()
        return ops.cast(
            total / operator.domain_dimension_tensor(), dtype=operator.dtype
        )

    def _determinant(self):
        return self._product(
            [o.determinant() ** self._times(o) for o in self.operators]
        )

    def _log_abs_determinant(self):
        total = 0.0
        for operator in self.operators:
            total += operator.log_abs_determinant() * self._times(operator)
        return total

    def _trace(self):
        return self._product([o.trace() for o in self.operators])

    def _outer(self, vectors):
        """All products of elements, the first's changing last."""
        first, *others = vectors
        for vector in others:
            product = first[..., :, None] * vector[..., None, :]
            first = ops.reshape(
                product, ops.concat([ops.shape(product)[:-2], [-1]], axis=0)
            )
        return first

    def _diag_part(self):
        diagonal = self._outer([o.diag_part() for o in self.operators])
        size = self.range_dimension
        if self.range_dimension > self.domain_dimension:
            size = self.domain_dimension
        diagonal.set_shape(self.batch_shape.concatenate(size))
        return diagonal

    def _eigvals(self):
        values = self._outer([o.eigvals() for o in self.operators])
        values.set_shape(self.shape[:-1])
        return values

    def _to_dense(self):
        first, *others = [o.to_dense() for o in self.operators]
        for dense in others:
            product = (
                first[..., :, None, :, None] * dense[..., None, :, None, :]
            )
            shape = matrices.static_or_dynamic_shape(product)
            first = ops.reshape(
                product,
                matrices.joined_shape(
                    shape[:-4], [shape[-4] * shape[-3], shape[-2] * shape[-1]]
                ),
            )
        first.set_shape(self.shape)
        return first

    def _all_checked(self, check):
        if not all(o.is_square for o in self.operators):
            raise InvalidArgumentError(
                None, None,
                "All Kronecker factors must be square for the product to be "
                "invertible. Expected hint `is_square` to be True for every "
                "operator in argument `operators`.",
            )
        return matrices.all_of([check(o) for o in self.operators])

    def _assert_non_singular(self):
        return self._all_checked(lambda o: o.assert_non_singular())

    def _assert_self_adjoint(self):
        return self._all_checked(lambda o: o.assert_self_adjoint())

    @property
    def _composite_tensor_fields(self):
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [0] * len(self.operators)}
