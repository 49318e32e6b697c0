"""Joins, splits, tiles and other movements of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import graphkiln as tf
from graphkiln._src.ragged import axes
from graphkiln._src.ragged.indexing import flat_ranges, gather_rows, of_lengths


def _concat_rows(values: Sequence) -> tf.RaggedTensor:
    joined = tf.concat([v.values for v in values], 0)
    lengths = tf.concat([v.row_lengths() for v in values], 0)
    return tf.RaggedTensor.from_row_lengths(joined, lengths, validate=False)


def _joined(values: Sequence, axis: int):
    """The concatenation of ragged tensors of one ragged rank."""
    if axis == 0:
        return _concat_rows(values)
    if axis > 1:
        message = "Inputs must have identical ragged splits"
        with axes.same_rows(values, message):
            inner = [tf.identity(v.values) for v in values]
            return values[0].with_values(tf.concat(inner, axis - 1))
    counts = [v.nrows() for v in values]
    checks = [
        tf.debugging.assert_equal(
            n, counts[0], "Input tensors have incompatible shapes"
        )
        for n in counts[1:]
    ]
    with tf.control_dependencies([c for c in checks if c is not None]):
        # The values in the order of their rows, those of one row as given.
        rowids = tf.concat([v.value_rowids() for v in values], 0)
        order = tf.argsort(rowids, stable=True)
        lengths = tf.add_n([v.row_lengths() for v in values])
        flat = tf.concat([v.values for v in values], 0)
        return of_lengths(gather_rows(flat, order), lengths)


def _concat(api: Callable, bound: dict) -> object:
    values = bound["values"]
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        return values[0]
    values = axes.all_ragged(values)
    return _joined(values, axes.checked(bound["axis"], values[0].shape.rank))


def _stack(api: Callable, bound: dict) -> object:
    values = axes.all_ragged(bound["values"])
    rank = values[0].shape.rank
    axis = axes.checked(
        bound.get("axis", 0), None if rank is None else rank + 1
    )
    if len(values) == 1:
        return tf.expand_dims(values[0], axis)
    if axis > 0:
        return _joined([tf.expand_dims(v, axis) for v in values], axis)
    rows = tf.stack([v.nrows() for v in values])
    return tf.RaggedTensor.from_row_lengths(
        _concat_rows(values), rows, validate=False
    )


def _expand_dims(api: Callable, bound: dict) -> object:
    rt = bound["input"]
    rank = rt.shape.rank
    axis = axes.checked(bound["axis"], None if rank is None else rank + 1)
    if axis == 0:
        return tf.RaggedTensor.from_uniform_row_length(
            rt, rt.nrows(), 1, validate=False
        )
    if axis == 1:
        return tf.RaggedTensor.from_uniform_row_length(
            rt, 1, rt.nrows(), validate=False
        )
    return rt.with_values(tf.expand_dims(rt.values, axis - 1))


def _squeeze(api: Callable, bound: dict) -> object:
    rt, axis = bound["input"], bound.get("axis")
    if axis is None:
        raise ValueError(
            "Ragged.squeeze must have an axis argument: which dimensions are "
            "of size 1 is not known before."
        )
    axis = axis if isinstance(axis, (list, tuple)) else [axis]
    dims = {
        axes.checked(a, rt.shape.rank, f"axis[{i}]")
        for i, a in enumerate(axis)
    }
    for a in sorted(dims, reverse=True):
        rt = _squeezed(rt, a, a)
    return rt


def _squeezed(value, axis: int, shown: int):
    if not isinstance(value, tf.RaggedTensor):
        return tf.squeeze(value, [axis])
    if axis > 1:
        return value.with_values(_squeezed(value.values, axis - 1, shown))
    sizes = value.row_lengths() if axis else value.nrows()
    check = tf.debugging.Assert(
        tf.reduce_all(tf.equal(sizes, 1)),
        [f"the given axis (axis = {shown}) is not squeezable!"],
    )
    with tf.control_dependencies([] if check is None else [check]):
        return tf.identity(value.values)


def _reverse(api: Callable, bound: dict) -> object:
    rt, axis = bound["tensor"], bound["axis"]
    if isinstance(axis, tf.Tensor):
        axis = tf.get_static_value(axis)
        axis = None if axis is None else axis.tolist()
    if not isinstance(axis, (list, tuple)):
        raise TypeError(
            "`axis` must be a list of int or a constant tensor when reversing "
            "axes in a ragged tensor"
        )
    for i, a in enumerate(axis):
        a = axes.checked(a, rt.shape.rank, f"axis[{i}]")
        rt = _reversed(api, rt, a)
    return rt


def _reversed(api: Callable, value, axis: int):
    if not isinstance(value, tf.RaggedTensor):
        return api(value, [axis])
    if axis > 1:
        return value.with_values(_reversed(api, value.values, axis - 1))
    if axis == 0:
        return gather_rows(value, api(tf.range(value.nrows()), [0]))
    # Limits are exclusive, and count down.
    starts, limits = value.row_starts(), value.row_limits()
    order = flat_ranges(limits - 1, starts - 1, -1)
    return value.with_values(gather_rows(value.values, order))


def _tile(api: Callable, bound: dict) -> object:
    rt, multiples = bound["input"], bound["multiples"]
    multiples = tf.convert_to_tensor(multiples)
    rank = rt.shape.rank
    if rank is None or multiples.shape.rank != 1:
        raise ValueError("multiples must be a vector, the rank be known.")
    multiples.shape.assert_is_compatible_with([rank])
    splits = rt.row_splits.dtype
    return _tiled(rt, [tf.cast(m, splits) for m in tf.unstack(multiples, rank)])


def _once(multiple: tf.Tensor) -> bool:
    known = tf.get_static_value(multiple)
    return known is not None and known == 1


def _tiled(value, multiples: Sequence[tf.Tensor]):
    if all(map(_once, multiples)):
        return value
    if not isinstance(value, tf.RaggedTensor):
        return tf.tile(value, tf.stack(list(multiples)))
    rows, columns, *inner = multiples
    one = tf.ones_like(rows)
    value = value.with_values(_tiled(value.values, [one, *inner]))
    if not _once(columns):
        starts, limits = (
            tf.repeat(part, columns)
            for part in (value.row_starts(), value.row_limits())
        )
        values = gather_rows(value.values, flat_ranges(starts, limits))
        value = of_lengths(values, value.row_lengths() * columns)
    if _once(rows):
        return value
    return gather_rows(value, tf.tile(tf.range(value.nrows()), [rows]))


def _split(api: Callable, bound: dict) -> object:
    rt, sizes = bound["value"], bound["num_or_size_splits"]
    axis = axes.checked(bound.get("axis", 0), rt.shape.rank)
    if 0 < axis <= rt.ragged_rank:
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape "
            f"{rt.shape} and `axis` {axis}."
        )
    if axis > rt.ragged_rank:
        parts = api(
            rt.flat_values, sizes, axis - rt.ragged_rank, bound.get("num")
        )
        return [rt.with_flat_values(part) for part in parts]
    indices = api(tf.range(rt.nrows()), sizes, 0, bound.get("num"))
    return [gather_rows(rt, part) for part in indices]


def _reshape(api: Callable, bound: dict) -> object:
    shape = bound["shape"]
    if isinstance(shape, tf.RaggedTensor):
        return NotImplemented
    return api(bound["tensor"].flat_values, shape)


TABLE: dict[str, Callable] = {
    "concat": _concat, "stack": _stack, "expand_dims": _expand_dims,
    "squeeze": _squeeze, "reverse": _reverse, "tile": _tile, "split": _split,
    "reshape": _reshape,
}
