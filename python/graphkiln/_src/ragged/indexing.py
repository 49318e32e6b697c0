"""Indexing of ragged tensors. `_ragged_tensor` puts its class here."""

import graphkiln as tf

RaggedTensor: type = None


def getitem(ragged, key):
    """`ragged[key]`: integers, slices, `...` and tf.newaxis; a ragged
    dimension can be sliced, but not indexed."""
    keys = list(key) if isinstance(key, tuple) else [key]
    for item in keys:
        _check(item)
    keys = _without_ellipsis(keys, ragged)
    with tf.name_scope("RaggedGetItem"):
        return _index(ragged, keys)


def _check(item: object) -> None:
    if item is None or item is Ellipsis or isinstance(item, (int, slice)):
        return
    if isinstance(item, tf.Tensor) or hasattr(item, "__index__"):
        if getattr(item, "shape", tf.TensorShape([])).rank in (0, None):
            return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) "
        "and scalar tf.int32/tf.int64 tensors are valid indices, got "
        f"{item!r}"
    )


def _without_ellipsis(keys: list, ragged) -> list:
    places = [i for i, item in enumerate(keys) if item is Ellipsis]
    if not places:
        return keys
    if len(places) > 1:
        raise ValueError("An index can have only one ellipsis ('...').")
    rank = ragged.shape.rank
    if rank is None:
        raise ValueError(
            "An ellipsis needs a ragged tensor of known rank to stand for."
        )
    used = sum(item is not None for item in keys) - 1
    if used > rank:
        raise ValueError(f"Too many indices for a tensor of rank {rank}.")
    at = places[0]
    return keys[:at] + [slice(None)] * (rank - used) + keys[at + 1 :]


def _is_all(item: object) -> bool:
    return isinstance(item, slice) and item == slice(None)


def _index(ragged, keys: list):
    if not keys:
        return ragged
    if not isinstance(ragged, RaggedTensor):
        return ragged[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        # One row, which holds all.
        inner = _index(ragged, rest)
        if isinstance(inner, RaggedTensor):
            count = inner.nrows()
            splits = tf.stack([tf.zeros_like(count), count])
            return RaggedTensor(inner, (splits, None), internal=True)
        return tf.expand_dims(inner, 0)
    if isinstance(first, slice):
        return _inner(_rows(ragged, first), rest)
    return _index(_row(ragged, first), rest)


def _row(ragged, i):
    """The row at a number, which may be negative or a tensor."""
    splits = ragged.row_splits
    count = splits.shape[0] and splits.shape[0] - 1
    if not isinstance(i, tf.Tensor):
        i = int(i)
        if count is not None and not -count <= i < count:
            raise IndexError(f"Row key {i} out of bounds")
        at = i if i >= 0 else (
            count + i if count is not None else ragged.nrows() + i
        )
    else:
        i = tf.cast(i, splits.dtype)
        at = tf.where(i < 0, i + ragged.nrows(), i)
    start, limit = splits[:-1][at], splits[1:][at]
    return ragged.values[start:limit]


def _rows(ragged, key: slice):
    """Rows selected by a slice."""
    if _is_all(key):
        return ragged
    splits = ragged.row_splits
    starts, limits = splits[:-1][key], splits[1:][key]
    values = gather_rows(ragged.values, flat_ranges(starts, limits))
    return of_lengths(values, limits - starts, ragged._uniform_row_length)


def of_lengths(values, lengths: tf.Tensor, uniform=None):
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)
    return RaggedTensor(values, (splits, uniform), internal=True)


def gather_rows(values, indices: tf.Tensor):
    """The slices of `values` along its first dimension at `indices`."""
    if not isinstance(values, RaggedTensor):
        return tf.gather(values, indices)
    starts = tf.gather(values.row_splits[:-1], indices)
    limits = tf.gather(values.row_splits[1:], indices)
    inner = gather_rows(values.values, flat_ranges(starts, limits))
    return of_lengths(inner, limits - starts, values._uniform_row_length)


def flat_ranges(
    starts: tf.Tensor, limits: tf.Tensor, step: int = 1
) -> tf.Tensor:
    """range(start, limit, step) of each pair, one after the other."""
    lengths = range_lengths(starts, limits, step)
    ends = tf.cumsum(lengths)
    total = tf.reduce_sum(lengths)
    offsets = tf.range(total, dtype=starts.dtype) - tf.repeat(
        ends - lengths, lengths
    )
    return tf.repeat(starts, lengths) + offsets * step


def range_lengths(
    starts: tf.Tensor, limits: tf.Tensor, step: int
) -> tf.Tensor:
    """len(range(start, limit, step)) of each pair."""
    if step > 0:
        lengths = (limits - starts + (step - 1)) // step
    else:
        lengths = (starts - limits + (-step - 1)) // -step
    return tf.maximum(lengths, tf.zeros([], lengths.dtype))


def _inner(ragged, keys: list):
    """Applies keys to the dimensions below the rows."""
    if not keys or all(_is_all(key) for key in keys):
        return ragged
    if not isinstance(ragged, RaggedTensor):
        return ragged[(slice(None), *keys)]
    key, rest = keys[0], keys[1:]
    if key is None:
        below = _inner(ragged, rest)
        values = below.values if isinstance(below, RaggedTensor) else below
        return _below_new_axis(ragged, values)
    if not isinstance(key, slice):
        if ragged._uniform_row_length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        return _inner(_column(ragged, key), rest)
    if not _is_all(key):
        ragged = _columns(ragged, key)
    return ragged.with_values(_inner(ragged.values, rest))


def _column(ragged, i):
    """Element i of every row; the rows are of one length."""
    length = ragged._uniform_row_length
    if not isinstance(i, tf.Tensor) and not -length <= i < length:
        raise IndexError(f"Index {i} out of bounds for rows of {length}")
    splits = ragged.row_splits
    i = tf.cast(i, splits.dtype)
    i = tf.where(i < 0, i + length, i)
    return gather_rows(ragged.values, splits[:-1] + i)


def _columns(ragged, key: slice):
    """The same slice of every row."""
    splits = ragged.row_splits
    starts, limits = splits[:-1], splits[1:]
    lengths = limits - starts
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    zero = tf.zeros_like(lengths)
    # As slice.indices does for each length.
    low, high = (zero, lengths) if step > 0 else (zero - 1, lengths - 1)

    def bound(value, default):
        if value is None:
            return default
        value = tf.cast(value, splits.dtype) + zero
        value = tf.where(value < 0, value + lengths, value)
        return tf.minimum(tf.maximum(value, low), high)

    first = bound(key.start, low if step > 0 else high)
    last = bound(key.stop, high if step > 0 else low)
    values = gather_rows(
        ragged.values, flat_ranges(starts + first, starts + last, step)
    )
    uniform = ragged._uniform_row_length
    if uniform is not None and not any(
        isinstance(part, tf.Tensor) for part in (key.start, key.stop)
    ):
        uniform = len(range(*key.indices(uniform)))
    else:
        uniform = None
    return of_lengths(values, range_lengths(first, last, step), uniform)


def _below_new_axis(ragged, values):
    """The rows of `ragged` of one element each, which holds the row."""
    count = ragged.nrows()
    inner = RaggedTensor(
        values, (ragged.row_splits, ragged._uniform_row_length), internal=True
    )
    splits = tf.range(count + 1, dtype=ragged.row_splits.dtype)
    return RaggedTensor(inner, (splits, 1), internal=True)
