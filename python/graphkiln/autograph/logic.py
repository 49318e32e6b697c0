"""Boolean operators, comparisons and assert."""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph import branches, staging


def _bool_operand(value, operator: str, position: int):
    """`value` as a bool tensor; TypeError naming operator and operand."""
    value = _graphkiln.convert_to_tensor(value)
    if value.dtype != dtypes.bool:
        raise TypeError(
            f"operand {position} of `{operator}` is {value} of dtype "
            f"{value.dtype.name}, but must be a bool; compare it or use "
            "tf.cast(..., tf.bool)"
        )
    return value


def _scalar_condition(value, operator: str):
    if value.shape.is_fully_defined() and value.shape.num_elements() != 1:
        raise ValueError(
            f"the left operand of `{operator}` must be a scalar, got {value}; "
            "tf.logical_and and tf.logical_or work element by element"
        )
    return value


def _combine(operands, is_and: bool):
    operator = "and" if is_and else "or"
    value = None
    for i, operand in enumerate(operands):
        value = operand()
        if i + 1 == len(operands):
            break
        if staging.is_staged(value):
            left = _scalar_condition(
                _bool_operand(value, operator, i + 1), operator
            )
            return _staged_combine(left, operands[i + 1:], is_and, i + 2)
        if bool(value) != is_and:
            return value
    return value


def _staged_combine(left, operands, is_and: bool, position: int):
    operator = "and" if is_and else "or"

    def others():
        return _bool_operand(_combine(operands, is_and), operator, position)

    def known():
        return _graphkiln.constant(not is_and)

    first, second = (others, known) if is_and else (known, others)
    name = f"{operator} expression"
    return branches.choose(left, name, first, second, name)


def and_(*operands):
    """`a and b and ...` of functions that give the operands."""
    return _combine(operands, True)


def or_(*operands):
    """`a or b or ...` of functions that give the operands."""
    return _combine(operands, False)


def not_(value):
    """`not value`."""
    if staging.is_staged(value):
        if isinstance(value, _graphkiln.BaseVariable):
            value = _graphkiln.convert_to_tensor(value)
        return ops.logical_not(value)
    return not value


def both(a, b):
    """`a and b` where `b` costs nothing and has no effects."""
    if staging.is_staged(a) or staging.is_staged(b):
        if a is True:
            return b
        if b is True:
            return a
        return ops.logical_and(a, b)
    return a and b


def none_of(*flags):
    """Is no flag set?"""
    staged = [f for f in flags if staging.is_staged(f)]
    if any(f for f in flags if not staging.is_staged(f)):
        return False
    if not staged:
        return True
    result = staged[0]
    for flag in staged[1:]:
        result = ops.logical_or(result, flag)
    return ops.logical_not(result)


def chained(first, *parts):
    """`a < b < c`: alternately a comparison and what gives its right side,
    each evaluated at most once."""
    compare, right = parts[0], parts[1]
    value = right()
    result = compare(first, value)
    if len(parts) == 2:
        return result
    return and_(lambda: result, lambda: chained(value, *parts[2:]))


def in_(item, container):
    """`item in container`."""
    if staging.is_staged(container):
        container = _graphkiln.convert_to_tensor(container)
        return ops.reduce_any(ops.equal(container, item))
    if staging.is_staged(item) and isinstance(
        container, (list, tuple, set, frozenset, range, dict)
    ):
        # As in Python, what is the same object is in it, whatever its value.
        if any(c is item for c in container):
            return True
        if _is_hashable(item):  # `==` asks for the same object
            return False
        item = _graphkiln.convert_to_tensor(item)
        found = [ops.equal(item, c) for c in container]
        if not found:
            return False
        found = [
            ops.reduce_all(f) if f.shape.rank != 0 else f for f in found
        ]
        return ops.reduce_any(ops.stack(found))
    return item in container


def _is_hashable(item):
    """Tensors are where TensorFlow 1's equality is in force."""
    try:
        hash(item)
    except TypeError:
        return False
    return True


def assert_stmt(condition, message, source: str):
    """`assert condition, message()`."""
    if not staging.is_staged(condition):
        if message is None:
            assert condition
        else:
            assert condition, message()
        return
    data = [source] if message is None else message()
    if not isinstance(data, (list, tuple)):
        data = [data]
    _graphkiln.Assert(condition, list(data))
