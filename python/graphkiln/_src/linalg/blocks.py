"""What operators made of blocks have in common: arguments in blocks as well."""

from graphkiln import _graphkiln, nest
from graphkiln._src import ops
from graphkiln._src.linalg import matrices
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor


def is_blockwise(dimensions, arg, axis):
    """Is the argument a list of blocks, and not one tensor as nested lists?"""
    if not isinstance(arg, (tuple, list)) or len(arg) != len(dimensions):
        return False
    if not any(nest.is_nested(x) for x in arg):
        return True
    given = [as_tensor(x).shape[axis] for x in arg]
    mine = [d.value for d in dimensions]
    if all(m is None for m in mine):
        if len(given) == 1:
            return False
        if any(g != given[0] for g in given):
            return True
        raise ValueError(
            "Parsing of the input structure is ambiguous. Please input a "
            "blockwise iterable of `Tensor`s or a single `Tensor`."
        )
    if all(m is None or m == g for m, g in zip(mine, given)):
        return True
    total = sum(m for m in mine if m is not None)
    if all(g == given[0] for g in given) and given[0] >= total:
        return False
    raise ValueError("Input dimension does not match operator dimension.")


class BlockOperator(LinearOperator):
    """An operator of blocks of which those of the diagonal, `_diagonal_operators`,
    tell the sizes."""

    def _block_range_dimensions(self):
        return [o.range_dimension for o in self._diagonal_operators]

    def _block_domain_dimensions(self):
        return [o.domain_dimension for o in self._diagonal_operators]

    def _block_range_dimension_tensors(self):
        return [o.range_dimension_tensor() for o in self._diagonal_operators]

    def _block_domain_dimension_tensors(self):
        return [o.domain_dimension_tensor() for o in self._diagonal_operators]

    def _all_operators(self):
        return self._diagonal_operators

    def _batch(self):
        return matrices.broadcast_shapes(
            [o.batch_shape for o in self._all_operators()]
        )

    def _shape_tensor(self):
        if self.shape.is_fully_defined():
            return as_tensor(
                self.shape.as_list(), dtype=_graphkiln.int32, name="shape"
            )
        matrix = ops.stack(
            [
                sum(self._block_range_dimension_tensors()),
                sum(self._block_domain_dimension_tensors()),
            ]
        )
        batch = matrices.broadcast_shape_tensors(
            [o.batch_shape_tensor() for o in self._all_operators()]
        )
        return ops.concat((batch, matrix), 0)

    def _split(self, x, axis, adjoint):
        """One tensor as blocks, for a product."""
        dimensions = (
            self._block_range_dimensions() if adjoint
            else self._block_domain_dimensions()
        )
        sizes = [d.value for d in dimensions]
        if None in sizes:
            sizes = (
                self._block_range_dimension_tensors() if adjoint
                else self._block_domain_dimension_tensors()
            )
        return ops.split(x, sizes, axis=axis)

    def _joined(self, blocks):
        return ops.concat(matrices.broadcast_batches(blocks), axis=-2)

    def _block_argument(self, x, name, transposed, axis):
        """The blocks of an argument, or one tensor, checked. `transposed`: what
        has as many rows as the operator."""
        dimensions = (
            self._block_range_dimensions() if transposed
            else self._block_domain_dimensions()
        )
        if not is_blockwise(dimensions, x, axis):
            x = as_tensor(x, name=name)
            self._check_input_dtype(x)
            mine = self.range_dimension if transposed else self.domain_dimension
            mine.assert_is_compatible_with(x.shape[axis])
            return x
        blocks = []
        for dimension, block in zip(dimensions, x):
            if not isinstance(block, LinearOperator):
                block = as_tensor(block)
                self._check_input_dtype(block)
                dimension.assert_is_compatible_with(block.shape[axis])
            blocks.append(block)
        return blocks

    def _check_blocks(self, left, right, what):
        """Of products and solutions of two operators of blocks."""

    def _multiplied(self, blocks, adjoint, adjoint_arg):
        raise NotImplementedError

    def _solved(self, blocks, adjoint, adjoint_arg):
        raise NotImplementedError

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product of the matrix and another.

        Args:
          x: a tensor [..., N, R], a list of the blocks of one, or an operator.
          adjoint: take the adjoint of this operator.
          adjoint_arg: take the adjoint of `x`.
          name: of the scope.

        Returns a tensor, a list of blocks or an operator, as `x` is one.
        """
        if isinstance(x, LinearOperator):
            left, right = self._operands(x, adjoint, adjoint_arg, "x")
            self._check_blocks(left, right, "multiply")
            with self._name_scope(name):
                return self._linop_matmul(left, right)
        with self._name_scope(name):
            x = self._block_argument(x, "x", adjoint, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        if isinstance(x, list):
            return self._multiplied(x, adjoint, adjoint_arg)
        blocks = self._split(x, -1 if adjoint_arg else -2, adjoint)
        return self._joined(self._multiplied(blocks, adjoint, adjoint_arg))

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product of the matrix and a vector.

        Args:
          x: a tensor [..., N], or a list of the blocks of one.
          adjoint: take the adjoint of this operator.
          name: of the scope.

        Returns a tensor or a list of blocks, as `x` is one.
        """
        with self._name_scope(name):
            x = self._block_argument(x, "x", adjoint, -1)
            return self._with_columns(self.matmul, x, adjoint)

    def _with_columns(self, f, x, adjoint):
        if isinstance(x, list):
            columns = [block[..., None] for block in x]
            return [ops.squeeze(y, axis=-1) for y in f(columns, adjoint=adjoint)]
        return ops.squeeze(f(x[..., None], adjoint=adjoint), axis=-1)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The X for which A X = rhs.

        Args:
          rhs: a tensor [..., M, R], a list of the blocks of one, or an operator.
          adjoint: take the adjoint of this operator.
          adjoint_arg: take the adjoint of `rhs`.
          name: of the scope.

        Returns a tensor, a list of blocks or an operator, as `rhs` is one.
        """
        self._check_solve()
        if isinstance(rhs, LinearOperator):
            left, right = self._operands(rhs, adjoint, adjoint_arg, "rhs")
            self._check_blocks(left, right, "solve")
            with self._name_scope(name):
                return self._linop_solve(left, right)
        with self._name_scope(name):
            rhs = self._block_argument(
                rhs, "rhs", not adjoint, -1 if adjoint_arg else -2
            )
            if isinstance(rhs, list):
                return self._solved(rhs, adjoint, adjoint_arg)
            blocks = self._split(rhs, -1 if adjoint_arg else -2, False)
            return self._joined(self._solved(blocks, adjoint, adjoint_arg))

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The vector x for which A x = rhs.

        Args:
          rhs: a tensor [..., M], or a list of the blocks of one.
          adjoint: take the adjoint of this operator.
          name: of the scope.

        Returns a tensor or a list of blocks, as `rhs` is one.
        """
        with self._name_scope(name):
            rhs = self._block_argument(rhs, "rhs", not adjoint, -1)
            return self._with_columns(self.solve, rhs, adjoint)

    # ---- Of the blocks on the diagonal ----

    def _joined_vectors(self, vectors):
        columns = matrices.broadcast_batches([v[..., None] for v in vectors])
        return ops.squeeze(ops.concat(columns, axis=-2), axis=-1)

    def _diag_part(self):
        return self._joined_vectors(
            [o.diag_part() for o in self._diagonal_operators]
        )

    def _eigvals(self):
        return self._joined_vectors(
            [o.eigvals() for o in self._diagonal_operators]
        )

    def _trace(self):
        result = self._diagonal_operators[0].trace()
        for operator in self._diagonal_operators[1:]:
            result += operator.trace()
        return result

    def _determinant(self):
        result = self._diagonal_operators[0].determinant()
        for operator in self._diagonal_operators[1:]:
            result *= operator.determinant()
        return result

    def _log_abs_determinant(self):
        result = self._diagonal_operators[0].log_abs_determinant()
        for operator in self._diagonal_operators[1:]:
            result += operator.log_abs_determinant()
        return result

    def _assert_non_singular(self):
        return matrices.all_of(
            [o.assert_non_singular() for o in self._diagonal_operators]
        )

    def _dense_of_rows(self, rows):
        """The matrix of rows of blocks, each with the block of the diagonal last;
        before those that are given and after are zeros."""
        flat = matrices.broadcast_batches([b for row in rows for b in row])
        dense, end = [], 0
        for row in rows:
            blocks, flat = flat[: len(row)], flat[len(row):]
            outer = ops.shape(blocks[0])[:-1]

            def zeros(count, outer=outer):
                return ops.zeros(
                    ops.concat([outer, [count]], axis=-1), dtype=self.dtype
                )

            start = end
            end += ops.shape(blocks[-1])[-1]
            before = [zeros(start)] if len(row) == 1 and len(rows) > 1 else []
            after = zeros(self.domain_dimension_tensor() - end)
            dense.append(ops.concat([*before, *blocks, after], axis=-1))
        matrix = ops.concat(dense, axis=-2)
        matrix.set_shape(self.shape)
        return matrix

    @property
    def _composite_tensor_fields(self):
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": nest.map_structure(lambda _: 0, self._operators)}
