"""tf.linalg.LinearOperator: the base of operators that act like matrices."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, name_scope
from graphkiln._src import ops
from graphkiln._src.host.logging import warn_first
from graphkiln._src.linalg import batch_slices, hints, kinds, matrices
from graphkiln._src.linalg.matrices import as_tensor
from graphkiln._src.linalg.operator_facts import OperatorFacts

_SLOW = "Using (possibly slow) default implementation of %s.  "
_SLOW += "Requires conversion to a dense matrix%s."
_CUBIC = " and O(N^3) operations"


def _slow(what, how=_CUBIC):
    warn_first(_SLOW, what, how)


class LinearOperator(OperatorFacts):
    """Base of classes that act like a matrix, or a batch of them, and need not
    hold it: matrices with structure, or known by what they do to a vector.

    An operator of the shape [B1, ..., Bb, M, N] takes matrices [..., N, R] to
    [..., M, R] (`matmul`) and, where it can be inverted, back (`solve`). Batch
    dimensions broadcast. The result of such calls on other operators is an
    operator again, of a simple kind where one is known.

    What is promised of an operator, the hints, chooses algorithms and is never
    checked: `is_non_singular`, `is_self_adjoint`, `is_positive_definite` and
    `is_square` are True, False or, where nothing is known, None. What can be
    checked, `assert_non_singular()` and its like check.

    A class derived from this one defines `_shape()` and `_matmul(x, adjoint,
    adjoint_arg)`, `_shape_tensor()` where its shape may not be known while
    tracing, and whatever else of `_solve`, `_determinant`, `_to_dense`,
    `_diag_part`, `_trace` and so on it can do better than by way of the whole
    matrix: the public methods without the underscore call these, with the same
    arguments but `name`. Its constructor gives its own arguments to this one's
    as `parameters`.

    Args:
      dtype: of the matrix, and of what it is multiplied with.
      graph_parents: tensors it depends on; not needed any more.
      is_non_singular: is it known (not) to have an inverse?
      is_self_adjoint: is it known (not) to be its own conjugate transpose?
      is_positive_definite: has x^H A x a positive real part for all x but zero?
      is_square: has it as many rows as columns?
      name: of the operator; its class's if left out.
      parameters: the arguments of the derived class's constructor, by name.

    >>> class Doubling(tf.linalg.LinearOperator):
    ...     def __init__(self, size):
    ...         self.size = size
    ...         super().__init__(tf.float32, parameters=dict(size=size))
    ...     def _shape(self):
    ...         return tf.TensorShape([self.size, self.size])
    ...     def _matmul(self, x, adjoint=False, adjoint_arg=False):
    ...         return 2.0 * (tf.linalg.adjoint(x) if adjoint_arg else x)
    >>> Doubling(2).matvec([1.0, 3.0]).numpy().tolist()
    [2.0, 6.0]
    >>> Doubling(2).to_dense().numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        is_non_singular = hints.must_be(
            is_positive_definite, is_non_singular,
            "A positive definite matrix is always non-singular.",
        )
        if is_positive_definite:
            is_non_singular = True
        is_square = hints.must_be(
            is_non_singular, is_square, "A non-singular matrix is always square."
        )
        is_square = hints.must_be(
            is_self_adjoint, is_square, "A self-adjoint matrix is always square."
        )
        self._is_square_set_or_implied_by_hints = is_square
        self._graph_parents = []
        if graph_parents is not None:
            self._set_graph_parents(graph_parents)
        self._dtype = _graphkiln.as_dtype(dtype).base_dtype if dtype else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = parameters
        self._parameters_sanitized = False
        self._name = name or type(self).__name__

    # ---- Checks ----

    def _assert_non_singular(self):
        _slow("assert_non_singular")
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = ops.linalg.svd(self.to_dense(), compute_uv=False)
        ratio = ops.reduce_max(values, axis=-1) / ops.reduce_min(values, axis=-1)
        return ops.debugging.assert_less(
            ratio,
            self._max_condition_number_to_be_non_singular(),
            message="Singular matrix up to precision epsilon.",
        )

    def _max_condition_number_to_be_non_singular(self):
        with name_scope("max_nonsingular_condition_number"):
            real = self.dtype.real_dtype
            size = ops.reduce_max(
                [
                    as_tensor(100.0, dtype=real),
                    ops.cast(self.range_dimension_tensor(), real),
                    ops.cast(self.domain_dimension_tensor(), real),
                ]
            )
            return 1.0 / (size * np.finfo(self.dtype.as_numpy_dtype).eps)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """An operation that fails with InvalidArgumentError if the operator, or
        one of the batch, has no inverse.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self):
        _slow("assert_positive_definite")
        if self.is_self_adjoint:
            diagonal = ops.linalg.diag_part(ops.linalg.cholesky(self.to_dense()))
            return ops.debugging.assert_positive(
                ops.math.real(diagonal),
                message="Matrix was not positive definite.",
            )
        raise NotImplementedError("assert_positive_definite is not implemented.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """An operation that fails unless x^H A x has a positive real part for all
        x but zero.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        _slow("assert_self_adjoint", "")
        return ops.debugging.assert_equal(
            dense, ops.linalg.adjoint(dense),
            message="Matrix was not equal to its adjoint.",
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """An operation that fails unless the operator is its own adjoint.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg):
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype}.  Found: "
                f"{arg.dtype} in tensor {arg!s}"
            )

    # ---- Products ----

    def _operands(self, other, adjoint, adjoint_arg, name):
        """Itself and another operator as they are, or their adjoints; ValueError
        if they do not fit."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        rows, columns = right.range_dimension, left.domain_dimension
        if rows is not None and columns is not None and rows != columns:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension "
                f"{columns} but got {rows}."
            )
        return left, right

    def _argument(self, x, name, self_dim, arg_dim):
        """A tensor of the operator's dtype whose dimension fits."""
        x = as_tensor(x, name=name)
        self._check_input_dtype(x)
        mine = matrices.dimension(self.shape, self_dim)
        mine.assert_is_compatible_with(x.shape[arg_dim])
        return x

    @abc.abstractmethod
    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """The product of the matrix and another: A x.

        Args:
          x: a tensor [..., N, R] of the operator's dtype, or an operator.
          adjoint: take the adjoint of this operator.
          adjoint_arg: take the adjoint of `x`.
          name: of the scope.

        Returns a tensor [..., M, R], or for an operator one.
        """
        if isinstance(x, LinearOperator):
            left, right = self._operands(x, adjoint, adjoint_arg, "x")
            with self._name_scope(name):
                return self._linop_matmul(left, right)
        with self._name_scope(name):
            x = self._argument(
                x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2
            )
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_matmul(self, left_operator, right_operator):
        if kinds.is_a(right_operator, "LinearOperatorIdentity"):
            return left_operator
        if kinds.is_a(right_operator, "LinearOperatorZeros"):
            if not right_operator.is_square or not left_operator.is_square:
                raise ValueError(
                    "Matmul with non-square `LinearOperator`s or non-square "
                    "`LinearOperatorZeros` not supported at this time."
                )
            return right_operator
        return kinds.make(
            "LinearOperatorComposition",
            [left_operator, right_operator],
            **hints.of_product(left_operator, right_operator),
        )

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def __rmatmul__(self, other: Any) -> Any:
        return ops.linalg.matmul(other, self)

    def _matvec(self, x, adjoint=False):
        product = self.matmul(ops.expand_dims(x, axis=-1), adjoint=adjoint)
        return ops.squeeze(product, axis=-1)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product of the matrix and a vector.

        Args:
          x: a tensor [..., N] of the operator's dtype.
          adjoint: take the adjoint of this operator.
          name: of the scope.

        Returns a tensor [..., M].
        """
        with self._name_scope(name):
            x = self._argument(x, "x", -2 if adjoint else -1, -1)
            return self._matvec(x, adjoint=adjoint)

    def _check_determinant(self):
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to "
                "not be square."
            )

    def _determinant(self):
        _slow("determinant")
        if self._can_use_cholesky():
            return ops.exp(self.log_abs_determinant())
        return ops.linalg.det(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant of each matrix of the batch.

        Args:
          name: of the scope.
        """
        self._check_determinant()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        _slow("determinant")
        if self._can_use_cholesky():
            diagonal = ops.linalg.diag_part(ops.linalg.cholesky(self.to_dense()))
            return 2 * ops.reduce_sum(ops.math.log(diagonal), axis=[-1])
        return ops.linalg.slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the absolute value of each determinant.

        Args:
          name: of the scope.
        """
        self._check_determinant()
        with self._name_scope(name):
            return self._log_abs_determinant()

    # ---- Solutions ----

    def _dense_solve(self, rhs, adjoint=False, adjoint_arg=False):
        """By a factorization of the whole matrix."""
        if self.is_square is False:
            raise NotImplementedError(
                "Solve is not yet implemented for non-square operators."
            )
        rhs = matrices.adjoint_if(adjoint_arg, rhs)
        if self._can_use_cholesky():
            factor = ops.linalg.cholesky(self.to_dense())
            return ops.linalg.cholesky_solve(factor, rhs)
        return matrices.solve(self.to_dense(), rhs, adjoint=adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        _slow("solve")
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solve(self):
        if self.is_non_singular is False or self.is_square is False:
            what = (
                "be singular" if self.is_non_singular is False else "not be square"
            )
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to "
                f"{what}."
            )

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """The X for which A X = rhs, of a square operator that has an inverse.

        Args:
          rhs: a tensor [..., M, R] of the operator's dtype, or an operator.
          adjoint: take the adjoint of this operator.
          adjoint_arg: take the adjoint of `rhs`.
          name: of the scope.

        Returns a tensor [..., N, R], or for an operator one.
        """
        self._check_solve()
        if isinstance(rhs, LinearOperator):
            left, right = self._operands(rhs, adjoint, adjoint_arg, "rhs")
            with self._name_scope(name):
                return self._linop_solve(left, right)
        with self._name_scope(name):
            rhs = self._argument(
                rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2
            )
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_solve(self, left_operator, right_operator):
        if kinds.is_a(right_operator, "LinearOperatorIdentity"):
            return left_operator.inverse()
        return kinds.make(
            "LinearOperatorComposition",
            [kinds.make("LinearOperatorInversion", left_operator), right_operator],
            **hints.of_product(left_operator, right_operator),
        )

    def _solvevec(self, rhs, adjoint=False):
        solution = self.solve(ops.expand_dims(rhs, axis=-1), adjoint=adjoint)
        return ops.squeeze(solution, axis=-1)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The vector x for which A x = rhs.

        Args:
          rhs: a tensor [..., M] of the operator's dtype.
          adjoint: take the adjoint of this operator.
          name: of the scope.

        Returns a tensor [..., N].
        """
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs", -1 if adjoint else -2, -1)
            return self._solvevec(rhs, adjoint=adjoint)

    # ---- Other operators ----

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the conjugate transpose.

        Args:
          name: of the scope.
        """
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return self._linop_adjoint()

    H = property(adjoint, None, doc="Its adjoint: `op.H` is `op.adjoint()`.")

    def _linop_adjoint(self):
        return kinds.make(
            "LinearOperatorAdjoint", self, **hints.of(self, is_square=self.is_square)
        )

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse matrix.

        Args:
          name: of the scope.
        """
        if self.is_square is False or self.is_non_singular is False:
            what = "non square" if self.is_square is False else "singular"
            raise ValueError(
                "Cannot take the Inverse: This operator represents a "
                f"{what} matrix."
            )
        with self._name_scope(name):
            return self._linop_inverse()

    def _linop_inverse(self):
        return kinds.make(
            "LinearOperatorInversion", self, **hints.of(self, is_square=self.is_square)
        )

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular L with L L^H = A, for positive definite operators
        that are known to be their own adjoint.

        Args:
          name: of the scope.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite "
                "self adjoint matrix."
            )
        with self._name_scope(name):
            return self._linop_cholesky()

    def _linop_cholesky(self):
        return kinds.make(
            "LinearOperatorLowerTriangular",
            ops.linalg.cholesky(self.to_dense()),
            is_non_singular=True,
            is_self_adjoint=False,
            is_square=True,
        )

    # ---- Its elements ----

    def _to_dense(self):
        static = self.batch_shape.is_fully_defined()
        batch = self.batch_shape if static else self.batch_shape_tensor()
        size = self.domain_dimension.value
        if size is None:
            size = self.domain_dimension_tensor()
        return self.matmul(
            ops.eye(size, batch_shape=batch, dtype=self.dtype)
        )

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix itself, a tensor.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self):
        return ops.linalg.diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonal, [B1, ..., Bb, min(M, N)].

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self):
        return ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the main diagonal of each matrix.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum of the matrix and a tensor: A + x.

        Args:
          x: a tensor of the operator's dtype and a shape that broadcasts.
          name: of the scope.
        """
        with self._name_scope(name):
            x = as_tensor(x, name="x")
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    def _eigvals(self):
        return ops.linalg.eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues of an operator that is known to be its own adjoint, as
        complex numbers where its dtype is complex.

        Args:
          name: of the scope.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError(
                "Only self-adjoint matrices are supported."
            )
        with self._name_scope(name):
            return self._eigvals()

    def _cond(self):
        if self.is_self_adjoint:
            values = ops.abs(self._eigvals())
        else:
            values = ops.linalg.svd(self.to_dense(), compute_uv=False)
        return ops.reduce_max(values, axis=-1) / ops.reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Tensor:
        """The condition number of each matrix: its largest singular value over
        its smallest.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._cond()

    def _can_use_cholesky(self):
        return self.is_self_adjoint and self.is_positive_definite

    def _set_graph_parents(self, graph_parents):
        parents = [] if graph_parents is None else graph_parents
        for i, t in enumerate(parents):
            if t is None or not (
                matrices.is_reference(t) or _graphkiln.is_tensor(t)
            ):
                raise ValueError(
                    f"Graph parent item {i} is not a Tensor; {t}."
                )
        self._graph_parents = parents

    # ---- As a composite of tensors ----

    @property
    def _composite_tensor_fields(self):
        """The names of the constructor's arguments that make it again, but the
        hints'."""
        return ()

    @property
    def _composite_tensor_prefer_static_fields(self):
        """Which of them are kept as Python values where they are known."""
        return ()

    @property
    def _type_spec(self):
        return None

    def _convert_variables_to_tensors(self):
        """Itself with its variables' values in their places."""
        spec = self._type_spec
        values = batch_slices.values_of(spec._to_components(self))
        return spec._from_components(values)

    def __getitem__(self, slices: Any) -> Any:
        return batch_slices.sliced(self, {}, slices)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        """How many dimensions of which tensor are the matrix's or the batch's own."""
        return ()
