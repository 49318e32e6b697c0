"""Axes and row partitions of ragged tensors: their checks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import graphkiln as tf


def checked(axis: object, rank: int | None, name: str = "axis") -> int:
    """`axis` counted from the front. ValueError if there is none such."""
    if isinstance(axis, tf.Tensor):
        axis = tf.get_static_value(axis)
        if axis is not None:
            axis = int(axis)
    if not isinstance(axis, int):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis >= 0:
            return axis
        raise ValueError(
            f"{name}={axis} may only be negative if ndims is statically known."
        )
    if not -rank <= axis < rank:
        raise ValueError(
            f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}"
        )
    return axis + rank if axis < 0 else axis


@contextlib.contextmanager
def same_rows(
    values: Sequence[tf.RaggedTensor], message: str
) -> Iterator[None]:
    """What is made inside waits for the check that the rows of all are as
    long as those of the first."""
    first, *others = values
    checks = [
        tf.debugging.assert_equal(
            tf.cast(first.row_splits, tf.int64),
            tf.cast(other.row_splits, tf.int64), message,
        )
        for other in others
        if other.row_splits is not first.row_splits
    ]
    with tf.control_dependencies([c for c in checks if c is not None]):
        yield


def all_ragged(values: Sequence) -> list[tf.RaggedTensor]:
    """The values, tensors or ragged, as ragged ones of one ragged rank and
    one dtype of splits."""
    values = [
        v if isinstance(v, tf.RaggedTensor) else tf.convert_to_tensor(v)
        for v in values
    ]
    ragged = [v for v in values if isinstance(v, tf.RaggedTensor)]
    rank = max(v.ragged_rank for v in ragged)
    dtypes = {v.row_splits.dtype for v in ragged}
    dtype = dtypes.pop() if len(dtypes) == 1 else tf.int64
    return [_deepened(v, rank).with_row_splits_dtype(dtype) for v in values]


def _deepened(value, rank: int):
    if not isinstance(value, tf.RaggedTensor):
        if rank == 0:
            return value
        return tf.RaggedTensor.from_tensor(value, ragged_rank=rank)
    if value.ragged_rank == rank:
        return value
    return value.with_values(_deepened(value.values, rank - 1))
