"""Python operators on ragged tensors: element by element."""

from collections.abc import Callable

import graphkiln as tf


def _same_partitions(x, y) -> list:
    """Checks that two ragged tensors have equal splits."""
    checks = []
    for a, b in zip(x.nested_row_splits, y.nested_row_splits):
        if a is not b:
            checks.append(tf.debugging.assert_equal(a, b))
    return [check for check in checks if check is not None]


def binary(op: Callable, x, y):
    """`op` on the values of two operands, one of which is ragged."""
    ragged = [v for v in (x, y) if isinstance(v, tf.RaggedTensor)]
    if len(ragged) == 2:
        if x.ragged_rank != y.ragged_rank:
            raise ValueError(
                "Ragged operands must have the same ragged rank, got "
                f"{x.ragged_rank} and {y.ragged_rank}."
            )
        checks = _same_partitions(x, y)
        if checks and not tf.executing_eagerly():
            with tf.control_dependencies(checks):
                return x.with_flat_values(op(x.flat_values, y.flat_values))
        return x.with_flat_values(op(x.flat_values, y.flat_values))
    (known,) = ragged
    dtype = known.dtype
    other = y if known is x else x
    other = tf.convert_to_tensor(other, dtype_hint=dtype)
    if _is_column(known, other):
        # One element for each row.
        column = tf.gather(tf.squeeze(other, [1]), known.value_rowids())
        if known is x:
            return x.with_values(op(x.values, column))
        return y.with_values(op(column, y.values))
    if other.shape.rank != 0:
        inner = known.flat_values.shape.rank - 1
        if other.shape.rank is None or other.shape.rank > inner:
            raise ValueError(
                "An operand of a ragged tensor must be a scalar, another of "
                "the same partitions, or broadcast with its inner values; "
                f"got shapes {x.shape} and {y.shape}."
            )
    if known is x:
        return x.with_flat_values(op(x.flat_values, other))
    return y.with_flat_values(op(other, y.flat_values))


def _is_column(ragged, other) -> bool:
    """Is `other` of shape [rows of `ragged`, 1]?"""
    if other.shape.rank != 2 or other.shape[1] != 1:
        return False
    if ragged.ragged_rank != 1 or ragged.values.shape.rank != 1:
        return False
    rows = ragged.shape[0]
    return rows is not None and rows == other.shape[0]


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
        ("ge", tf.greater_equal), ("eq", tf.equal), ("ne", tf.not_equal),
    ):
        setattr(cls, f"__{name}__", _operator(op))
    cls.__neg__ = lambda self: self.with_flat_values(-self.flat_values)
    cls.__abs__ = lambda self: self.with_flat_values(tf.abs(self.flat_values))
    cls.__invert__ = lambda self: self.with_flat_values(~self.flat_values)


def _operator(op: Callable) -> Callable:
    return lambda self, other: binary(op, self, other)


def _reflected(op: Callable) -> Callable:
    return lambda self, other: binary(op, other, self)
