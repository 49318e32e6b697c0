"""Reductions of ragged tensors along any axis, running sums, softmax."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import graphkiln as tf
from graphkiln._src.ragged import axes

_SEGMENTS = {
    "reduce_sum": "unsorted_segment_sum",
    "reduce_prod": "unsorted_segment_prod",
    "reduce_max": "unsorted_segment_max",
    "reduce_min": "unsorted_segment_min",
}


@dataclasses.dataclass(frozen=True)
class _Join:
    """The reduction that joins texts, beside the names of the others."""

    separator: str


def _segments(name: str | _Join, values, ids: tf.Tensor, count: tf.Tensor):
    if isinstance(name, _Join):
        return _joined(name.separator, values, ids, count)
    if name in ("reduce_any", "reduce_all"):
        segment = (
            tf.math.unsorted_segment_max if name == "reduce_any"
            else tf.math.unsorted_segment_min
        )
        # Of nothing: the least int32 or the greatest.
        found = segment(tf.cast(values, tf.int32), ids, count)
        return tf.greater(found, 0)
    if name == "reduce_mean":
        ones = tf.ones_like(values)
        return _segments("reduce_sum", values, ids, count) / _segments(
            "reduce_sum", ones, ids, count
        )
    return getattr(tf.math, _SEGMENTS[name])(values, ids, count)


def _joined(separator: str, texts, ids: tf.Tensor, count: tf.Tensor):
    """The texts of each id, in their order."""
    order = tf.argsort(ids, stable=True)
    rows = tf.RaggedTensor.from_value_rowids(
        tf.gather(texts, order), tf.gather(ids, order), nrows=count,
        validate=False,
    )
    is_first = tf.equal(_columns(rows), 0)
    shape = tf.concat(
        [tf.shape(is_first), tf.ones([tf.rank(texts) - 1], tf.int32)], 0
    )
    before = tf.reshape(tf.where(is_first, "", separator), shape)
    # Rows filled up with nothing join to what they held.
    dense = rows.with_values(tf.strings.join([before, rows.values]))
    return tf.strings.reduce_join(dense.to_tensor(""), axis=1)


def _aggregate(name: str | _Join, data, ids: tf.Tensor, count: tf.Tensor):
    """Joins the slices of `data` that have the same id, element by element:
    the result has a row for each id, as long as its longest slice."""
    if not isinstance(data, tf.RaggedTensor):
        return _segments(name, data, ids, count)
    lengths = data.row_lengths()
    longest = tf.math.unsorted_segment_max(lengths, ids, count)
    longest = tf.maximum(longest, tf.zeros_like(longest))
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(longest)], 0)
    rowids = data.value_rowids()
    places = tf.gather(splits, tf.gather(ids, rowids)) + _columns(data)
    values = _aggregate(name, data.values, places, splits[-1])
    return tf.RaggedTensor.from_row_splits(values, splits, validate=False)


def _columns(rt: tf.RaggedTensor) -> tf.Tensor:
    """The position of each value in its row."""
    rowids = rt.value_rowids()
    count = tf.size(rowids, out_type=rowids.dtype)
    return tf.range(count) - tf.gather(rt.row_starts(), rowids)


def _ratio(total, count):
    if isinstance(total, tf.RaggedTensor):
        return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


def _along(name: str, api: Callable, value, axis: int, keepdims: bool):
    """The reduction along one axis that is in range."""
    if not isinstance(value, tf.RaggedTensor):
        if name == "reduce_mean" and value.dtype.is_integer:
            # Below ragged rows integers have means that are none.
            total = tf.reduce_sum(value, axis=axis, keepdims=keepdims)
            return total / tf.cast(tf.shape(value)[axis], value.dtype)
        return api(value, axis=axis, keepdims=keepdims)
    if axis > 1:
        return value.with_values(
            _along(name, api, value.values, axis - 1, keepdims)
        )
    if axis == 1:
        result = _aggregate(
            name, value.values, value.value_rowids(), value.nrows()
        )
    else:
        longest = tf.reduce_max(tf.concat([
            value.row_lengths(), tf.zeros([1], value.row_splits.dtype)
        ], 0))
        result = _aggregate(name, value.values, _columns(value), longest)
    return tf.expand_dims(result, axis) if keepdims else result


def reduce(name: str, api: Callable, rt, axis: object, keepdims: bool):
    """The reduction `api`, which is called `name`, of a ragged tensor."""
    if axis is None:
        if name == "reduce_mean" and rt.dtype.is_integer:
            # As along one axis: integers have means that are none.
            ones = tf.ones_like(rt.flat_values)
            result = tf.reduce_sum(rt.flat_values) / tf.reduce_sum(ones)
        else:
            result = api(rt.flat_values)
        if keepdims:
            result = tf.reshape(result, [1] * rt.shape.rank)
        return result
    if isinstance(axis, tf.Tensor):
        axis = tf.get_static_value(axis)
        if axis is None:
            raise ValueError("The axis of a ragged reduction must be constant.")
        axis = axis.tolist()
    rank = rt.shape.rank
    if not isinstance(axis, (list, tuple)):
        return _along(name, api, rt, axes.checked(axis, rank), keepdims)
    ordered = sorted({axes.checked(a, rank) for a in axis}, reverse=True)
    if len(ordered) == rank and not isinstance(name, _Join):
        return reduce(name, api, rt, None, keepdims)
    if len(ordered) > 1 and name == "reduce_mean":
        ones = rt.with_flat_values(tf.ones_like(rt.flat_values))
        return _ratio(*(
            reduce("reduce_sum", tf.reduce_sum, part, ordered, keepdims)
            for part in (rt, ones)
        ))
    for a in ordered:
        rt = _along(name, api, rt, a, keepdims)
    return rt


def _reduction(name: str) -> Callable:
    def reduction(api: Callable, bound: dict) -> object:
        return reduce(
            name, api, bound["input_tensor"], bound.get("axis"),
            bool(bound.get("keepdims")),
        )

    return reduction


def _reduce_join(api: Callable, bound: dict) -> object:
    separator = bound.get("separator", "")
    return reduce(
        _Join(separator),
        lambda flat, **along: api(flat, separator=separator, **along),
        bound["inputs"], bound.get("axis"), bool(bound.get("keepdims")),
    )


def _variance(api: Callable, bound: dict) -> object:
    del api
    rt = bound["input_tensor"]
    if not (rt.dtype.is_floating or rt.dtype.is_complex):
        raise TypeError("Input must be either real or complex")
    mean, square = (
        reduce(
            "reduce_mean", tf.reduce_mean, part, bound.get("axis"),
            bool(bound.get("keepdims")),
        )
        for part in (rt, rt.with_flat_values(tf.square(rt.flat_values)))
    )
    if isinstance(mean, tf.RaggedTensor):
        return mean.with_flat_values(
            square.flat_values - tf.square(mean.flat_values)
        )
    return square - tf.square(mean)


def _deviation(api: Callable, bound: dict) -> object:
    return tf.sqrt(_variance(api, bound))


def _unsorted_segments(name: str) -> Callable:
    def segments(api: Callable, bound: dict) -> object:
        del api
        data, ids = bound["data"], bound["segment_ids"]
        while isinstance(ids, tf.RaggedTensor):
            if not isinstance(data, tf.RaggedTensor):
                raise ValueError(
                    "segment_ids is ragged, and data is not: they must have "
                    "the same rows."
                )
            with axes.same_rows([data, ids], "segment_ids.shape must be a "
                                "prefix of data.shape"):
                data, ids = tf.identity(data.values), ids.values
        ids = tf.convert_to_tensor(ids)
        count = tf.convert_to_tensor(bound["num_segments"])
        return _aggregate(name, data, ids, tf.cast(count, ids.dtype))

    return segments


def _cumsum(api: Callable, bound: dict) -> object:
    rt = bound["x"]
    axis = axes.checked(bound.get("axis", 0), rt.shape.rank)
    whole = api(
        rt.to_tensor(), axis, bool(bound.get("exclusive")),
        bool(bound.get("reverse")),
    )
    return tf.RaggedTensor.from_tensor(whole, rt.nested_row_lengths())


def _softmax(api: Callable, bound: dict) -> object:
    rt = bound["logits"]
    axis = bound.get("axis")
    axis = axes.checked(-1 if axis is None else axis, rt.shape.rank)
    if axis == 0:
        return NotImplemented
    return _softmax_along(api, rt, axis)


def _softmax_along(api: Callable, rt, axis: int):
    if not isinstance(rt, tf.RaggedTensor):
        return api(rt, axis)
    values = rt.values
    if axis > 1:
        return rt.with_values(_softmax_along(api, values, axis - 1))
    if isinstance(values, tf.RaggedTensor):
        raise ValueError("The softmax of rows of ragged tensors.")
    rowids, count = rt.value_rowids(), rt.nrows()
    top = tf.gather(_segments("reduce_max", values, rowids, count), rowids)
    powers = tf.exp(values - tf.stop_gradient(top))
    total = _segments("reduce_sum", powers, rowids, count)
    return rt.with_values(powers / tf.gather(total, rowids))


TABLE: dict[str, Callable] = {
    **{
        name: _reduction(name)
        for name in (*_SEGMENTS, "reduce_mean", "reduce_any", "reduce_all")
    },
    **{
        segments: _unsorted_segments(name)
        for name, segments in _SEGMENTS.items()
    },
    "reduce_variance": _variance, "reduce_std": _deviation,
    "cumsum": _cumsum, "softmax": _softmax, "reduce_join": _reduce_join,
}
