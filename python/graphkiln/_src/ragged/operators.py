"""Python operators on ragged tensors: element by element."""

from collections.abc import Callable, Sequence

import graphkiln as tf
from graphkiln._src.ragged import axes, conversion

_MISMATCH = "Unable to broadcast: dimension size mismatch in dimension {}"


def _mismatch(x, y) -> tf.errors.InvalidArgumentError:
    return tf.errors.InvalidArgumentError(
        None, None,
        "Unable to broadcast: dimension size mismatch of ragged operands "
        f"with shapes {x.shape} and {y.shape}.",
    )


def flat_operands(operands: Sequence, dtype: tf.DType | None = None) -> tuple:
    """(a ragged operand, the flat values of each operand beside those of it).

    Operands that are no ragged tensors become tensors, by preference of
    `dtype`. Waits for the checks that all are of one shape in control
    dependencies, which the caller enters: they are the third result.
    """
    known = next(v for v in operands if isinstance(v, tf.RaggedTensor))
    flat, checks = [], []
    for operand in operands:
        if isinstance(operand, tf.RaggedTensor):
            if operand is not known:
                operand = _of_rank(operand, known)
                checks += _same_partitions(known, operand)
            flat.append(operand.flat_values)
        else:
            operand = tf.convert_to_tensor(operand, dtype_hint=dtype)
            flat.append(_beside(known, operand, checks))
    return known, flat, _made(checks)


def _of_rank(value, known):
    """`value` with as many ragged dimensions as `known` has."""
    if value.shape.rank != known.shape.rank:
        raise _mismatch(known, value)
    if value.ragged_rank > known.ragged_rank:
        raise _mismatch(known, value)
    return axes.all_ragged([known, value])[1]


def _same_partitions(x, y) -> list:
    """Checks that two ragged tensors have equal splits."""
    checks = []
    for a, b in zip(x.nested_row_splits, y.nested_row_splits):
        if a is not b:
            if a.dtype != b.dtype:
                a, b = tf.cast(a, tf.int64), tf.cast(b, tf.int64)
            if not a.shape.is_fully_defined() or a.shape != b.shape:
                same_size = tf.equal(tf.size(a), tf.size(b))
                checks.append(tf.debugging.assert_equal(same_size, True))
            if a.shape.is_compatible_with(b.shape):
                with tf.control_dependencies(_made(checks)):
                    checks.append(tf.debugging.assert_equal(a, b))
    return checks


def _made(checks: list) -> list:
    """Those that are ops: the others have been passed already."""
    return [check for check in checks if check is not None]


def _beside(known, other: tf.Tensor, checks: list) -> tf.Tensor:
    """The element of a dense operand for each flat value of `known`."""
    inner = known.flat_values.shape.rank - 1
    if other.shape.rank is None:
        raise ValueError("An operand of a ragged tensor must have a rank.")
    if other.shape.rank <= inner:
        return other
    if _is_column(known, other):
        return tf.gather(tf.squeeze(other, [1]), known.value_rowids())
    outer = known.ragged_rank + 1
    if other.shape.rank > outer + inner:
        raise _mismatch(known, other)
    missing = [1] * (outer + inner - other.shape.rank)
    other = tf.reshape(other, tf.concat([missing, tf.shape(other)], 0))
    sizes = tf.shape(other, out_type=tf.int64)[:outer]
    fits = tf.logical_or(
        tf.equal(sizes[0], 1),
        tf.equal(tf.cast(known.nrows(), tf.int64), sizes[0]),
    )
    checks.append(tf.debugging.Assert(fits, [_MISMATCH.format(0)]))
    for axis, splits in enumerate(known.nested_row_splits, 1):
        size = tf.cast(sizes[axis], splits.dtype)
        count = tf.size(splits, out_type=splits.dtype)
        uniform = tf.where(
            tf.equal(size, 1), splits, tf.range(count) * size
        )
        checks.append(tf.debugging.assert_equal(uniform, splits))
    places = tf.cast(conversion.coordinates(known), tf.int64)
    places = tf.where(tf.equal(sizes, 1), tf.zeros_like(places), places)
    return tf.gather_nd(other, places)


def _is_column(ragged, other) -> bool:
    """Is `other` of shape [rows of `ragged`, 1]?"""
    if other.shape.rank != 2 or other.shape[1] != 1:
        return False
    if ragged.ragged_rank != 1 or ragged.values.shape.rank != 1:
        return False
    rows = ragged.shape[0]
    return rows is not None and rows == other.shape[0]


def binary(op: Callable, x, y):
    """`op` on the values of two operands, one of which is ragged."""
    ragged = x if isinstance(x, tf.RaggedTensor) else y
    if isinstance(y, tf.RaggedTensor) and y.ragged_rank > ragged.ragged_rank:
        ragged = y
    order = [ragged, y if ragged is x else x]
    known, flat, checks = flat_operands(order, ragged.dtype)
    if ragged is not x:
        flat.reverse()
    if not checks or tf.executing_eagerly():
        return known.with_flat_values(op(*flat))
    with tf.control_dependencies(checks):
        return known.with_flat_values(op(*flat))


def install(cls: type) -> None:
    """Gives the class its operators."""
    for name, op in (
        ("add", tf.add), ("sub", tf.subtract), ("mul", tf.multiply),
        ("truediv", lambda x, y: x / y), ("floordiv", lambda x, y: x // y),
        ("mod", lambda x, y: x % y), ("pow", tf.pow),
        ("and", lambda x, y: x & y), ("or", lambda x, y: x | y),
        ("xor", lambda x, y: x ^ y),
    ):
        setattr(cls, f"__{name}__", _operator(op))
        setattr(cls, f"__r{name}__", _reflected(op))
    for name, op in (
        ("lt", tf.less), ("le", tf.less_equal), ("gt", tf.greater),
        ("ge", tf.greater_equal),
    ):
        setattr(cls, f"__{name}__", _operator(op))
    cls.__eq__ = _equality(tf.equal, False)
    cls.__ne__ = _equality(tf.not_equal, True)
    cls.__neg__ = lambda self: self.with_flat_values(-self.flat_values)
    cls.__abs__ = lambda self: self.with_flat_values(tf.abs(self.flat_values))
    cls.__invert__ = lambda self: self.with_flat_values(~self.flat_values)


def _operator(op: Callable) -> Callable:
    return lambda self, other: binary(op, self, other)


def _equality(op: Callable, otherwise: bool) -> Callable:
    def compare(self, other):
        if other is None:
            return otherwise
        try:
            return binary(op, self, other)
        except (ValueError, tf.errors.InvalidArgumentError):
            return otherwise  # They cannot be of one shape.

    return compare


def _reflected(op: Callable) -> Callable:
    return lambda self, other: binary(op, other, self)
