"""tf.linalg.LinearOperatorAdjoint and LinearOperatorInversion."""

from __future__ import annotations

from typing import Any

from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds
from graphkiln._src.linalg.linear_operator import LinearOperator

_PROPERTIES = {
    "is_square": "square",
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
}


def _joined_hints(operator, parameters, what):
    """Hints of an operator and its user: what is made of it has the same."""
    return {
        hint: hints.joined(
            operator, hint, parameters[hint],
            f"An operator is {word} if and only if its {what} is {word}.",
        )
        for hint, word in _PROPERTIES.items()
    }


class _OfAnother(LinearOperator):
    """What is the same of an operator and one that is made of it alone."""

    @property
    def operator(self) -> LinearOperator:
        """The operator that it is made of."""
        return self._operator

    def _assert_non_singular(self):
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self.operator.assert_self_adjoint()

    def _cond(self):
        return self.operator.cond()

    @property
    def _composite_tensor_fields(self):
        return ("operator",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operator": 0}


@kinds.kind
class LinearOperatorAdjoint(_OfAnother):
    """The adjoint of another operator, its conjugate transpose.

    Args:
      operator: the other one. Its hints hold for its adjoint, too.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: known (not) to be square?
      name: of the operator; the other's name + "_adjoint" if left out.

    >>> full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(full).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._operator = operator
        super().__init__(
            dtype=operator.dtype,
            parameters=parameters,
            name=operator.name + "_adjoint" if name is None else name,
            **_joined_hints(operator, parameters, "adjoint"),
        )

    def _linop_adjoint(self):
        return self.operator

    def _shape(self):
        shape = self.operator.shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self):
        shape = self.operator.shape_tensor()
        return ops.concat([shape[:-2], [shape[-1], shape[-2]]], axis=-1)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(
            x, adjoint=not adjoint, adjoint_arg=adjoint_arg
        )

    def _matvec(self, x, adjoint=False):
        return self.operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.solve(
            rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg
        )

    def _solvevec(self, rhs, adjoint=False):
        return self.operator.solvevec(rhs, adjoint=not adjoint)

    def _conjugate(self, x):
        return x if self.is_self_adjoint else ops.math.conj(x)

    def _determinant(self):
        return self._conjugate(self.operator.determinant())

    def _log_abs_determinant(self):
        return self.operator.log_abs_determinant()

    def _trace(self):
        return self._conjugate(self.operator.trace())

    def _to_dense(self):
        dense = self.operator.to_dense()
        return dense if self.is_self_adjoint else ops.linalg.adjoint(dense)

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def _eigvals(self):
        values = self.operator.eigvals()
        return values if self.operator.is_self_adjoint else ops.math.conj(values)


@kinds.kind
class LinearOperatorInversion(_OfAnother):
    """The inverse of another operator, which solves where that multiplies.

    Args:
      operator: the other one. Its hints hold for its inverse, too.
      is_non_singular: known (not) to have an inverse? It has.
      is_self_adjoint: known (not) to be its own adjoint?
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator; the other's name + "_inv" if left out.

    >>> full = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(full).to_dense().numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = constructor.parameters_of(locals())
        self._operator = operator
        for hint in ("is_non_singular", "is_square"):
            of_other, given = getattr(operator, hint), parameters[hint]
            if of_other is False or given is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied "
                    f"hint `{hint}` equal to `True` or `None`. Found "
                    f"`operator.{hint}`: {of_other}, `{hint}`: {given}."
                )
        super().__init__(
            dtype=operator.dtype,
            parameters=parameters,
            name=operator.name + "_inv" if name is None else name,
            **_joined_hints(operator, parameters, "inverse"),
        )

    def _linop_inverse(self):
        return self.operator

    def _linop_solve(self, left_operator, right_operator):
        return left_operator.operator.matmul(right_operator)

    def _shape(self):
        return self.operator.shape

    def _shape_tensor(self):
        return self.operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self):
        return -1.0 * self.operator.log_abs_determinant()

    def _eigvals(self):
        return 1.0 / self.operator.eigvals()
