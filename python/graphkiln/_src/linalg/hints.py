"""What is promised of operators, and what follows for those made of them."""


def joined(operator, hint, given, message):
    """What an operator and its user say of one property; ValueError with the
    message if they say different things."""
    known = getattr(operator, hint)
    if (known is False and given) or (known and given is False):
        raise ValueError(message)
    if known or given:
        return True
    if known is False or given is False:
        return False
    return None


def must_be(is_true, given, message):
    """A property that follows, which its user may not deny."""
    if not is_true:
        return given
    if given is False:
        raise ValueError(message)
    return True


def is_square(left, right):
    """Is the product square?"""
    if left.is_square and right.is_square:
        return True
    if left.is_square is False and right.is_square is False:
        rows, columns = left.range_dimension, right.domain_dimension
        if rows is not None and columns is not None:
            return rows == columns
    if (
        left.is_square is not None
        and right.is_square is not None
        and left.is_square != right.is_square
    ):
        return False
    return None


def is_non_singular(left, right):
    """Is the product not singular?"""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return left.is_non_singular and right.is_non_singular


def is_self_adjoint(left, right):
    """Is the product of two that commute self-adjoint?"""
    if left.is_self_adjoint and right.is_self_adjoint:
        return True
    if {left.is_self_adjoint, right.is_self_adjoint} == {True, False}:
        return False
    return None


def is_positive_definite(left, right):
    """Is the product of two that commute positive definite?"""
    both = (
        left.is_positive_definite,
        left.is_self_adjoint,
        right.is_positive_definite,
        right.is_self_adjoint,
    )
    return True if all(x is True for x in both) else None


def of_commuting(left, right):
    """The hints of a square product of two that commute."""
    return {
        "is_non_singular": is_non_singular(left, right),
        "is_self_adjoint": is_self_adjoint(left, right),
        "is_positive_definite": is_positive_definite(left, right),
        "is_square": True,
    }


def of_product(left, right):
    """The hints of any product."""
    square = is_square(left, right)
    other = False if square is False else None
    return {
        "is_non_singular": is_non_singular(left, right) if square else other,
        "is_self_adjoint": other,
        "is_positive_definite": other,
        "is_square": square,
    }


def of(operator, **changed):
    """Those of an operator."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": True,
        **changed,
    }


def _is_adjoint_pair(left, right):
    if left is right and left.is_self_adjoint is not None:
        return bool(left.is_self_adjoint)
    return left.H is right or right.H is left


def is_adjoint_product(operators):
    """Do they read A B ... B.H A.H?"""
    operators = list(operators)
    if not operators:
        raise ValueError("AAT form is undefined for empty operators")
    if len(operators) % 2:
        return False
    return all(
        _is_adjoint_pair(operators[i], operators[-1 - i])
        for i in range(len(operators) // 2)
    )
