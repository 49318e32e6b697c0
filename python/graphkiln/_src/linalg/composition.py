"""tf.linalg.LinearOperatorComposition: products of operators."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorComposition(LinearOperator):
    """The product of operators, [A, B, C] being A B C, which applies one after
    the other and makes no product of matrices.

    Args:
      operators: the factors, of one dtype, the last of which is applied first.
      is_non_singular: known (not) to have an inverse? It has if all have one.
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: known (not) to be square?
      name: of the operator; made of the factors' names if left out.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> d = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> tf.linalg.LinearOperatorComposition([a, d]).to_dense().numpy().tolist()
    [[0.0, 3.0], [2.0, 0.0]]
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
        operators, dtype = constructor.factors_of(operators)
        self._operators = operators
        is_non_singular = hints.must_be(
            all(o.is_non_singular for o in operators), is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        one = len(operators) == 1 and operators[0].is_self_adjoint
        pairs = hints.is_adjoint_product(operators)
        is_self_adjoint = hints.must_be(
            one or pairs, is_self_adjoint,
            "The composition was determined to be self-adjoint but user provided "
            "incorrect `False` hint.",
        )
        is_square = hints.must_be(
            pairs, is_square,
            "The composition was determined have the form A @ A.H, hence it must "
            "be square. The user provided an incorrect `False` hint.",
        )
        is_positive_definite = hints.must_be(
            pairs and is_non_singular, is_positive_definite,
            "The composition was determined to be non-singular and have the form "
            "A @ A.H, hence it must be positive-definite. The user provided an "
            "incorrect `False` hint.",
        )
        super().__init__(
            dtype=dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name="_o_".join(o.name for o in operators) if name is None else name,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self):
        first, last = self.operators[0], self.operators[-1]
        columns = first.domain_dimension
        for operator in self.operators[1:]:
            columns.assert_is_compatible_with(operator.range_dimension)
            columns = operator.domain_dimension
        batch = matrices.broadcast_shapes([o.batch_shape for o in self.operators])
        return batch.concatenate(
            TensorShape([first.range_dimension, last.domain_dimension])
        )

    def _shape_tensor(self):
        if self.shape.is_fully_defined():
            return matrices.as_tensor(
                self.shape.as_list(), dtype=_graphkiln.int32, name="shape"
            )
        matrix = ops.stack(
            [
                self.operators[0].range_dimension_tensor(),
                self.operators[-1].domain_dimension_tensor(),
            ]
        )
        batch = matrices.broadcast_shape_tensors(
            [o.batch_shape_tensor() for o in self.operators]
        )
        return ops.concat((batch, matrix), 0)

    def _linop_cholesky(self):
        left = self.operators[0]
        if not (
            len(self.operators) == 2
            and hints.is_adjoint_product(self.operators)
            and kinds.is_a(left, "LinearOperatorLowerTriangular")
        ):
            return super()._linop_cholesky()
        if left.is_positive_definite:
            return left
        sign = ops.expand_dims(ops.sign(left.diag_part()), axis=-2)
        return kinds.make(
            "LinearOperatorLowerTriangular",
            left.tril / sign,
            is_non_singular=left.is_non_singular,
            is_self_adjoint=left.is_self_adjoint,
            is_positive_definite=None,
            is_square=True,
        )

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self.operators if adjoint else self.operators[::-1]
        x = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        order = self.operators[::-1] if adjoint else self.operators
        x = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            x = operator.solve(x, adjoint=adjoint)
        return x

    def _determinant(self):
        result = self.operators[0].determinant()
        for operator in self.operators[1:]:
            result *= operator.determinant()
        return result

    def _log_abs_determinant(self):
        result = self.operators[0].log_abs_determinant()
        for operator in self.operators[1:]:
            result += operator.log_abs_determinant()
        return result

    def _assert_non_singular(self):
        if all(o.is_square for o in self.operators):
            return matrices.all_of(
                [o.assert_non_singular() for o in self.operators]
            )
        return super()._assert_non_singular()

    @property
    def _composite_tensor_fields(self):
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [0] * len(self.operators)}
