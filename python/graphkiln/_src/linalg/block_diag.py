"""tf.linalg.LinearOperatorBlockDiag."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import TensorShape
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.blocks import BlockOperator
from graphkiln._src.linalg.linear_operator import LinearOperator


@kinds.kind
class LinearOperatorBlockDiag(BlockOperator):
    """Operators as blocks along the diagonal of a matrix: their direct sum.

    Args:
      operators: the blocks, of one dtype.
      is_non_singular: known (not) to have an inverse? It has if all have one.
      is_self_adjoint: known (not) to be its own adjoint? Likewise.
      is_positive_definite: known (not) to be positive definite? Likewise.
      is_square: is it square? Unless it is said, it counts as square.
      name: of the operator; made of the blocks' names if left out.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> op = tf.linalg.LinearOperatorBlockDiag(
    ...     [a, tf.linalg.LinearOperatorIdentity(1)])
    >>> op.to_dense().numpy().tolist()
    [[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 1.0]]
    >>> [y.numpy().tolist() for y in op.matvec([[1.0, 1.0], [5.0]])]
    [[3.0, 7.0], [5.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = constructor.parameters_of(locals())
        operators, dtype = constructor.factors_of(operators)
        self._operators = operators
        self._diagonal_operators = operators
        known = constructor.hints_of_all(
            operators, parameters,
            {
                "is_non_singular": "non-singular",
                "is_self_adjoint": "self-adjoint",
                "is_positive_definite": "positive definite",
            },
            "The direct sum of {word} operators is always {word}.",
        )
        super().__init__(
            dtype=dtype,
            is_square=is_square,
            parameters=parameters,
            name="_ds_".join(o.name for o in operators) if name is None else name,
            **known,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return self._operators

    def _shape(self):
        matrix = TensorShape(
            [
                sum(self._block_range_dimensions()),
                sum(self._block_domain_dimensions()),
            ]
        )
        return self._batch().concatenate(matrix)

    def _linop_adjoint(self):
        return LinearOperatorBlockDiag(
            [o.adjoint() for o in self.operators], **hints.of(self)
        )

    def _linop_inverse(self):
        return LinearOperatorBlockDiag(
            [o.inverse() for o in self.operators], **hints.of(self)
        )

    def _linop_cholesky(self):
        return LinearOperatorBlockDiag(
            [o.cholesky() for o in self.operators],
            is_non_singular=True,
            is_self_adjoint=None,
            is_square=True,
        )

    def _check_blocks(self, left, right, what):
        if not all(kinds.is_a(o, "LinearOperatorBlockDiag") for o in (left, right)):
            return
        if len(left.operators) != len(right.operators):
            raise ValueError(
                "Can not efficiently multiply two `LinearOperatorBlockDiag`s "
                "together when number of blocks differ." if what == "multiply" else
                "Can not efficiently solve `LinearOperatorBlockDiag` when number "
                "of blocks differ."
            )
        for a, b in zip(left.operators, right.operators):
            if a.domain_dimension != b.range_dimension and None not in (
                a.domain_dimension.value, b.range_dimension.value
            ):
                raise ValueError(
                    "Blocks are incompatible. Expected `x` to have dimension "
                    f"{a.domain_dimension} but got {b.range_dimension}."
                )

    def _blocks_combined(self, left, right, combine):
        return LinearOperatorBlockDiag(
            [combine(a, b) for a, b in zip(left.operators, right.operators)],
            is_non_singular=hints.is_non_singular(left, right),
            is_self_adjoint=None,
            is_positive_definite=None,
            is_square=True,
        )

    def _linop_matmul(self, left_operator, right_operator):
        if kinds.is_a(right_operator, "LinearOperatorBlockDiag"):
            return self._blocks_combined(
                left_operator, right_operator, lambda a, b: a.matmul(b)
            )
        return super()._linop_matmul(left_operator, right_operator)

    def _linop_solve(self, left_operator, right_operator):
        if kinds.is_a(right_operator, "LinearOperatorBlockDiag"):
            return self._blocks_combined(
                left_operator, right_operator, lambda a, b: a.solve(b)
            )
        return super()._linop_solve(left_operator, right_operator)

    def _multiplied(self, blocks, adjoint, adjoint_arg):
        return [
            o.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for o, x in zip(self.operators, blocks)
        ]

    def _solved(self, blocks, adjoint, adjoint_arg):
        return [
            o.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for o, x in zip(self.operators, blocks)
        ]

    def _check_square_blocks(self, what):
        if not all(o.is_square for o in self.operators):
            raise NotImplementedError(
                f"`{what}` not implemented for an operator whose blocks are not "
                "square."
            )

    def _diag_part(self):
        self._check_square_blocks("diag_part")
        return super()._diag_part()

    def _trace(self):
        self._check_square_blocks("trace")
        return super()._trace()

    def _eigvals(self):
        self._check_square_blocks("eigvals")
        return super()._eigvals()

    def _to_dense(self):
        return self._dense_of_rows([[o.to_dense()] for o in self.operators])

    def _assert_self_adjoint(self):
        return matrices.all_of([o.assert_self_adjoint() for o in self.operators])

    def _assert_positive_definite(self):
        return matrices.all_of(
            [o.assert_positive_definite() for o in self.operators]
        )
