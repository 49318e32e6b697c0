"""Sums of operators, as operators of the simplest kind that holds them."""

from graphkiln._src import ops
from graphkiln._src.linalg import kinds

_SCALED = ("LinearOperatorIdentity", "LinearOperatorScaledIdentity")
_DIAGONAL = ("LinearOperatorDiag", *_SCALED)
_TRIANGULAR = ("LinearOperatorLowerTriangular", *_DIAGONAL)
_ALL = ("LinearOperatorFullMatrix", *_TRIANGULAR)


def is_supported(operator):
    return kinds.is_a(operator, *_ALL)


def _multiplier(operator):
    if kinds.is_a(operator, "LinearOperatorScaledIdentity"):
        return operator.multiplier
    return ops.ones(operator.batch_shape_tensor(), dtype=operator.dtype)


def _as_scaled(a, b, **known):
    return kinds.make(
        "LinearOperatorScaledIdentity",
        a.range_dimension_tensor(),
        _multiplier(a) + _multiplier(b),
        **known,
    )


def _as_diagonal(a, b, **known):
    return kinds.make("LinearOperatorDiag", a.diag_part() + b.diag_part(), **known)


def _sum(a, b):
    if not kinds.is_a(a, *_DIAGONAL):
        a, b = b, a
    return a.add_to_tensor(b.to_dense())


def _as_triangular(a, b, **known):
    return kinds.make("LinearOperatorLowerTriangular", _sum(a, b), **known)


def _as_matrix(a, b, **known):
    return kinds.make("LinearOperatorFullMatrix", _sum(a, b), **known)


_TIERS = (
    (_SCALED, _as_scaled),
    (_DIAGONAL, _as_diagonal),
    (_TRIANGULAR, _as_triangular),
    (_ALL, _as_matrix),
)


def add_operators(operators):
    """The operators, added as far as they can be.

    Args:
      operators: of supported kinds.
    """
    left = list(reversed(operators))
    for family, add in _TIERS:
        to_try, left = left, []
        while to_try:
            a = to_try.pop()
            i = len(to_try) - 1
            while i >= 0 and not (
                kinds.is_a(a, *family) and kinds.is_a(to_try[i], *family)
            ):
                i -= 1
            if i < 0:
                left.append(a)
                continue
            b = to_try.pop(i)
            positive = a.is_positive_definite and b.is_positive_definite
            to_try.append(
                add(
                    a, b,
                    is_non_singular=True if positive else None,
                    is_self_adjoint=a.is_self_adjoint and b.is_self_adjoint,
                    is_positive_definite=positive,
                    name=f"Add/{a.name}__{b.name}/",
                )
            )
    return left
