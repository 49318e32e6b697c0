"""tf.linalg.LinearOperatorBlockLowerTriangular."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import addition, constructor, hints, kinds
from graphkiln._src.linalg.blocks import BlockOperator
from graphkiln._src.linalg.linear_operator import LinearOperator


def _fit(a, b):
    """May two dimensions be the same?"""
    return a.value is None or b.value is None or a == b


@kinds.kind
class LinearOperatorBlockLowerTriangular(BlockOperator):
    """A matrix of blocks that are zero above the diagonal.

    Args:
      operators: the rows of blocks, [[A], [B, C], [D, E, F]], all of one dtype,
        those of the diagonal square.
      is_non_singular: known (not) to have an inverse? As the blocks of the
        diagonal.
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> a = tf.linalg.LinearOperatorDiag([2.0])
    >>> b = tf.linalg.LinearOperatorFullMatrix([[1.0]])
    >>> op = tf.linalg.LinearOperatorBlockLowerTriangular([[a], [b, a]])
    >>> op.to_dense().numpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    >>> op.solvevec(tf.constant([2.0, 5.0])).numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        operators = [
            constructor.list_of(row) for row in constructor.list_of(operators)
        ]
        if not operators:
            raise ValueError(
                "Argument `operators` must be a list of >=1 operators. Received: "
                f"{operators}."
            )
        self._operators = operators
        self._diagonal_operators = [row[-1] for row in operators]
        dtype = operators[0][0].dtype
        self._validate_dtype(dtype)
        is_non_singular = self._validate_non_singular(is_non_singular)
        self._validate_num_operators()
        self._validate_operator_dimensions()
        super().__init__(
            dtype=dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=self._validate_square(is_square),
            parameters=parameters,
            name=name,
        )

    def _validate_num_operators(self):
        for i, row in enumerate(self.operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. "
                    f"Received: {len(row)} blocks."
                )

    def _validate_operator_dimensions(self):
        for i, row in enumerate(self.operators):
            for j in range(i):
                above = self.operators[i - 1][j]
                if not _fit(row[j].domain_dimension, above.domain_dimension):
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].domain_dimension` "
                        f"({row[j].domain_dimension}) must be the same as "
                        f"`operators[{i - 1}][{j}].domain_dimension` "
                        f"({above.domain_dimension})."
                    )
                right = row[j + 1]
                if not _fit(row[j].range_dimension, right.range_dimension):
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].range_dimension` "
                        f"({row[j].range_dimension}) must be the same as "
                        f"`operators[{i}][{j + 1}].range_dimension` "
                        f"({right.range_dimension})."
                    )

    def _validate_non_singular(self, is_non_singular):
        start = "A blockwise lower-triangular operator with "
        end = (
            ". Expected argument `is_non_singular` to be True. Received: "
            f"{is_non_singular}."
        )
        known = [o.is_non_singular for o in self._diagonal_operators]
        if all(known):
            return hints.must_be(
                True, is_non_singular,
                start + "non-singular operators on the main diagonal is always "
                "non-singular" + end,
            )
        if any(k is False for k in known):
            if is_non_singular is True:
                raise ValueError(
                    start + "a singular operator on the main diagonal is always "
                    "singular" + end
                )
            return False
        return None

    def _validate_square(self, is_square):
        if is_square is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected "
                "argument `is_square` to be True. Received: False."
            )
        for i, operator in enumerate(self._diagonal_operators):
            if operator.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each "
                    "row-partition in the `operators` list) must be square. "
                    f"Expected argument `operators[{i}][-1].is_square` to be "
                    "True. Received: False."
                )
        return True

    def _validate_dtype(self, dtype):
        for i, row in enumerate(self.operators):
            if any(o.dtype != dtype for o in row):
                pairs = [str((o.name, o.dtype)) for o in row]
                raise TypeError(
                    "Expected all operators to have the same dtype.  Found "
                    f"{pairs} in row {i} and {dtype} in row 0."
                )

    @property
    def operators(self) -> list[LinearOperator]:
        """The rows of blocks."""
        return self._operators

    def _all_operators(self):
        return [o for row in self.operators for o in row]

    def _shape(self):
        size = sum(self._block_domain_dimensions())
        rows = sum(self._block_range_dimensions())
        return self._batch().concatenate(TensorShape([size, rows]))

    def _linop_inverse(self):
        """By rows: of [[L, 0], [B, D]] it is [[L^-1, 0], [-D^-1 B L^-1, D^-1]]."""
        known = hints.of(self)
        if len(self.operators) == 1:
            return LinearOperatorBlockLowerTriangular(
                [[self.operators[0][0].inverse()]], **known
            )
        count = len(self.operators) - 1
        upper = LinearOperatorBlockLowerTriangular(self.operators[:-1]).inverse()
        *bottom, last = self.operators[-1]
        last = last.inverse()
        row = []
        for i in range(count):
            products = []
            for j in range(i, count):
                product = bottom[j].matmul(upper.operators[j][i])
                if not addition.is_supported(product):
                    product = kinds.make(
                        "LinearOperatorFullMatrix", product.to_dense()
                    )
                products.append(product)
            (block,) = addition.add_operators(products)
            block = last.matmul(block)
            minus = kinds.make(
                "LinearOperatorScaledIdentity",
                last.domain_dimension_tensor(),
                ops.cast(-1, dtype=block.dtype),
            )
            row.append(minus.matmul(block))
        return LinearOperatorBlockLowerTriangular(
            [*upper.operators, [*row, last]], **known
        )

    def _multiplied(self, blocks, adjoint, adjoint_arg):
        results = []
        for i in range(len(self.operators)):
            if adjoint:
                terms = [(j, i) for j in range(i, len(self.operators))]
            else:
                terms = [(i, j) for j in range(i + 1)]
            total = None
            for row, column in terms:
                term = self.operators[row][column].matmul(
                    blocks[row if adjoint else column],
                    adjoint=adjoint,
                    adjoint_arg=adjoint_arg,
                )
                total = term if total is None else total + term
            results.append(total)
        return results

    def _solved(self, blocks, adjoint, adjoint_arg):
        if adjoint_arg:
            blocks = [ops.linalg.adjoint(b) for b in blocks]
        count = len(self.operators)
        found = {}
        for i in reversed(range(count)) if adjoint else range(count):
            y = blocks[i]
            if adjoint:
                others = [(j, self.operators[j][i]) for j in range(count - 1, i, -1)]
            else:
                others = list(enumerate(self.operators[i][:-1]))
            for j, operator in others:
                y = y - operator.matmul(found[j], adjoint=adjoint)
            found[i] = self._diagonal_operators[i].solve(y, adjoint=adjoint)
        return [found[i] for i in range(count)]

    def _determinant(self):
        if all(o.is_positive_definite for o in self._diagonal_operators):
            return ops.exp(self._log_abs_determinant())
        return super()._determinant()

    def _to_dense(self):
        return self._dense_of_rows(
            [[o.to_dense() for o in row] for row in self.operators]
        )
