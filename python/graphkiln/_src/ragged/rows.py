"""Partitions of values into rows: their conversion and checks.

`_ragged_tensor` puts its class here.
"""

import numpy as np

import graphkiln as tf

RaggedTensor: type = None


def as_values(values):
    """A tensor or ragged tensor."""
    if isinstance(values, RaggedTensor):
        return values
    return tf.convert_to_tensor(values)


def _is_other(partition: object) -> bool:
    """Does it begin with what is no integer?"""
    while isinstance(partition, (list, tuple, np.ndarray)):
        if len(partition) == 0:
            return False
        partition = partition[0]
    return isinstance(
        partition, (float, np.floating, str, bytes, complex, np.complexfloating)
    )


def convert(values, partition, name: str):
    """Values and a partition of them as tensors, of one dtype of splits."""
    values = as_values(values)
    ours = isinstance(partition, tf.Tensor)
    if not ours:
        dtype = getattr(partition, "dtype", None)
        if dtype is None or dtype not in (np.int32, np.int64):
            dtype = np.int64
            if _is_other(partition):
                raise ValueError(f"{name} must have dtype int32 or int64")
        partition = tf.convert_to_tensor(partition, dtype)
    if partition.dtype not in (tf.int32, tf.int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    partition.shape.assert_has_rank(1)
    if isinstance(values, RaggedTensor):
        inner = values.row_splits.dtype
        if inner != partition.dtype:
            if ours:
                partition = tf.cast(partition, tf.int64)
                values = values.with_row_splits_dtype(tf.int64)
            else:
                partition = tf.cast(partition, inner)
    return values, partition


def nvals(values) -> tf.Tensor:
    """How many values there are."""
    if isinstance(values, RaggedTensor):
        return values.nrows()
    return tf.shape(values, out_type=tf.int64)[0]


def _with(checks: list, tensor: tf.Tensor) -> tf.Tensor:
    checks = [check for check in checks if check is not None]
    if tf.executing_eagerly() or not checks:
        return tensor
    with tf.control_dependencies(checks):
        return tf.identity(tensor)


def _starts_with_zero(start: tf.Tensor, message: str):
    return tf.debugging.assert_equal(start, tf.zeros([], start.dtype), message)


def checked_starts(starts: tf.Tensor, values, validate: bool) -> tf.Tensor:
    """`starts` of rows: from 0 on, rising, none behind the values."""
    if not validate:
        return starts
    message = "Arguments to from_row_starts do not form a valid RaggedTensor"
    count = tf.cast(nvals(values), starts.dtype)
    return _with(
        [
            _starts_with_zero(starts[:1], message),
            tf.debugging.assert_non_negative(
                starts[1:] - starts[:-1], message
            ),
            tf.debugging.assert_less_equal(starts[-1:], count, message),
        ],
        starts,
    )


def checked_limits(limits: tf.Tensor, validate: bool) -> tf.Tensor:
    """`limits` of rows: not below 0, rising."""
    if not validate:
        return limits
    message = "Arguments to from_row_limits do not form a valid RaggedTensor"
    return _with(
        [
            tf.debugging.assert_non_negative(limits[:1], message),
            tf.debugging.assert_non_negative(
                limits[1:] - limits[:-1], message
            ),
        ],
        limits,
    )


def checked_splits(splits: tf.Tensor, validate: bool) -> tf.Tensor:
    """`splits`, which are refused unless they start with 0 and rise."""
    if splits.shape[0] == 0:
        raise ValueError("row_splits tensor may not be empty.")
    if not validate:
        return splits
    message = "Arguments to from_row_splits do not form a valid RaggedTensor:"
    return _with(
        [
            _starts_with_zero(splits[0], message + "zero"),
            tf.debugging.assert_non_negative(
                splits[1:] - splits[:-1], message + "monotonic"
            ),
        ],
        splits,
    )


def check_end(splits: tf.Tensor, values) -> tf.Tensor:
    """`splits`, which are refused unless they end where the values do."""
    count = tf.cast(nvals(values), splits.dtype)
    message = "Arguments to _from_row_partition do not form a valid RaggedTensor"
    return _with(
        [
            tf.debugging.assert_equal(
                splits[-1], count, message
            )
        ],
        splits,
    )


def splits_of_lengths(lengths: tf.Tensor, validate: bool) -> tf.Tensor:
    """Where rows of these lengths begin and the last one ends."""
    if validate:
        lengths = _with(
            [
                tf.debugging.assert_non_negative(
                    lengths,
                    "Arguments to from_row_lengths do not form a valid "
                    "RowPartition",
                )
            ],
            lengths,
        )
    return tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)


def splits_of_rowids(values, ids: tf.Tensor, nrows, validate: bool):
    """The splits of values whose row ids never fall."""
    values.shape[:1].assert_is_compatible_with(ids.shape)
    known = tf.get_static_value(ids)
    static = None if nrows is None else tf.get_static_value(
        tf.convert_to_tensor(nrows)
    )
    if static is not None:
        if static < 0:
            raise ValueError(f"Expected nrows >= 0; got {static}")
        if validate and known is not None and known.size:
            if known[-1] >= static:
                raise ValueError(
                    "Expected nrows >= value_rowids[-1] + 1; got nrows="
                    f"{static}, value_rowids[-1]={known[-1]}"
                )
    if nrows is None:
        nrows = tf.reduce_sum(ids[-1:]) + 1 if ids.shape[0] != 0 else 0
        if ids.shape[0] is None:
            nrows = tf.where(tf.size(ids) > 0, nrows, tf.zeros_like(nrows))
    nrows = tf.cast(nrows, ids.dtype)
    if validate:
        message = (
            "Arguments to from_value_rowids do not form a valid RowPartition"
        )
        ids = _with(
            [
                tf.debugging.assert_non_negative(ids[:1], message),
                tf.debugging.assert_non_negative(ids[1:] - ids[:-1], message),
                tf.debugging.assert_less(ids[-1:], nrows, message),
            ],
            ids,
        )
    lengths = tf.math.unsorted_segment_sum(tf.ones_like(ids), ids, nrows)
    splits = tf.concat([tf.zeros([1], ids.dtype), tf.cumsum(lengths)], 0)
    if static is not None:
        splits.set_shape([int(static) + 1])
    return splits


def uniform_splits(values, length, nrows, validate: bool):
    """Splits of rows of one length, and that if it is known."""
    length = tf.convert_to_tensor(length, dtype_hint=tf.int64)
    if length.dtype not in (tf.int32, tf.int64):
        raise ValueError("uniform_row_length must have dtype int32 or int64")
    if isinstance(values, RaggedTensor):
        length = tf.cast(length, values.row_splits.dtype)
    length.shape.assert_has_rank(0)
    static = tf.get_static_value(length)
    static = None if static is None else int(static)
    if static is not None and static < 0:
        raise ValueError(f"uniform_row_length={static} must be non-negative")
    count = tf.cast(nvals(values), length.dtype)
    if nrows is None:
        if static == 0:
            nrows = tf.zeros([], length.dtype)
        else:
            nrows = count // length
    nrows = tf.cast(tf.convert_to_tensor(nrows), length.dtype)
    if validate:
        known = [tf.get_static_value(x) for x in (nrows, count)]
        if static is not None and None not in known:
            if static * known[0] != known[1]:
                raise ValueError(
                    f"uniform_row_length={static} times nrows={known[0]} must "
                    f"equal nvals={known[1]}"
                )
        else:
            nrows = _with(
                [tf.debugging.assert_equal(nrows * length, count)], nrows
            )
    return tf.range(nrows + 1, dtype=length.dtype) * length, static


def check_count(nrows, length, nvals) -> tf.Tensor:
    """`nrows`, which are refused unless rows of `length` hold all values."""
    return _with([tf.debugging.assert_equal(nrows * length, nvals)], nrows)


def rowids(splits: tf.Tensor) -> tf.Tensor:
    """The row of each value."""
    lengths = splits[1:] - splits[:-1]
    count = tf.shape(splits, out_type=splits.dtype)[0] - 1
    return tf.repeat(tf.range(count, dtype=splits.dtype), lengths)


def eager(ragged, tensor, method: str) -> np.ndarray:
    """The value of a part of a ragged tensor that is no placeholder."""
    if not hasattr(tensor, "numpy"):
        raise ValueError(
            f"RaggedTensor.{method}() is only supported in eager mode."
        )
    return tensor.numpy()
