"""Reductions, joins and other functions of whole ragged tensors."""

from __future__ import annotations

from collections.abc import Callable

import graphkiln as tf


def _axis(axis: object, rank: int | None) -> int:
    if rank is None:
        raise ValueError("Ragged tensors of unknown rank cannot be reduced.")
    if not -rank <= axis < rank:
        raise ValueError(
            f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
        )
    return axis + rank if axis < 0 else axis


def _columns(rt: tf.RaggedTensor) -> tf.Tensor:
    """The position of each value in its row."""
    rowids = rt.value_rowids()
    count = tf.size(rowids, out_type=rowids.dtype)
    return tf.range(count) - tf.gather(rt.row_starts(), rowids)


_SEGMENTS = {
    "reduce_sum": "unsorted_segment_sum",
    "reduce_prod": "unsorted_segment_prod",
    "reduce_max": "unsorted_segment_max",
    "reduce_min": "unsorted_segment_min",
}


def _segments(name: str, values, ids: tf.Tensor, count: tf.Tensor):
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


def _reduce(name: str, api: Callable, rt, axis: object, keepdims: bool):
    if axis is None:
        result = api(rt.flat_values)
        if keepdims:
            result = tf.reshape(result, [1] * rt.shape.rank)
        return result
    if isinstance(axis, tf.Tensor):
        axis = tf.get_static_value(axis).tolist()
    if isinstance(axis, (list, tuple)):
        axes = sorted({_axis(a, rt.shape.rank) for a in axis}, reverse=True)
        if axes == list(range(rt.shape.rank - 1, -1, -1)):
            return _reduce(name, api, rt, None, keepdims)
        if len(axes) > 1 and name == "reduce_mean":
            total = _reduce("reduce_sum", tf.reduce_sum, rt, axes, keepdims)
            ones = rt.with_flat_values(tf.ones_like(rt.flat_values))
            return total / _reduce(
                "reduce_sum", tf.reduce_sum, ones, axes, keepdims
            )
        for a in axes:
            rt = (
                _reduce(name, api, rt, a, keepdims)
                if isinstance(rt, tf.RaggedTensor)
                else api(rt, axis=a, keepdims=keepdims)
            )
        return rt
    axis = _axis(axis, rt.shape.rank)
    if axis > 1:
        inner = (
            _reduce(name, api, rt.values, axis - 1, keepdims)
            if isinstance(rt.values, tf.RaggedTensor)
            else api(rt.values, axis=axis - 1, keepdims=keepdims)
        )
        return rt.with_values(inner)
    if isinstance(rt.values, tf.RaggedTensor):
        return NotImplemented
    if axis == 1:
        result = _segments(name, rt.values, rt.value_rowids(), rt.nrows())
    else:
        longest = tf.reduce_max(tf.concat([
            rt.row_lengths(), tf.zeros([1], rt.row_splits.dtype)
        ], 0))
        result = _segments(name, rt.values, _columns(rt), longest)
    return tf.expand_dims(result, axis) if keepdims else result


def _reduction(name: str) -> Callable:
    def reduce(api: Callable, bound: dict) -> object:
        return _reduce(
            name, api, bound["input_tensor"], bound.get("axis"),
            bool(bound.get("keepdims")),
        )

    return reduce


def _all_ragged(values: object) -> list:
    values = [
        v if isinstance(v, tf.RaggedTensor)
        else tf.RaggedTensor.from_tensor(v) for v in values
    ]
    splits_dtype = values[0].row_splits.dtype
    return [
        v if v.row_splits.dtype == splits_dtype
        else v.with_row_splits_dtype(splits_dtype) for v in values
    ]


def _concat_rows(values: list) -> tf.RaggedTensor:
    inner = [v.values for v in values]
    joined = (
        _concat_rows(inner) if isinstance(inner[0], tf.RaggedTensor)
        else tf.concat(inner, 0)
    )
    lengths = tf.concat([v.row_lengths() for v in values], 0)
    return tf.RaggedTensor.from_row_lengths(joined, lengths, validate=False)


def _concat(api: Callable, bound: dict) -> object:
    values = _all_ragged(bound["values"])
    ranks = {v.ragged_rank for v in values}
    axis = _axis(bound["axis"], values[0].shape.rank)
    if len(ranks) != 1 or axis > 1:
        return NotImplemented
    if axis == 0:
        return _concat_rows(values)
    if ranks != {1}:
        return NotImplemented
    # The values in the order of their rows, those of one row as given.
    rowids = tf.concat([v.value_rowids() for v in values], 0)
    order = tf.argsort(rowids, stable=True)
    lengths = tf.add_n([v.row_lengths() for v in values])
    flat = tf.gather(tf.concat([v.values for v in values], 0), order)
    return tf.RaggedTensor.from_row_lengths(flat, lengths, validate=False)


def _stack(api: Callable, bound: dict) -> object:
    values = _all_ragged(bound["values"])
    if bound.get("axis", 0) != 0:
        return NotImplemented
    rows = tf.stack([v.nrows() for v in values])
    return tf.RaggedTensor.from_row_lengths(
        _concat_rows(values), rows, validate=False
    )


def _expand_dims(api: Callable, bound: dict) -> object:
    rt = bound["input"]
    axis = bound["axis"]
    axis = axis + rt.shape.rank + 1 if axis < 0 else axis
    if axis == 0:
        return tf.RaggedTensor.from_row_lengths(
            rt, tf.expand_dims(rt.nrows(), 0), validate=False
        )
    if axis == 1:
        return tf.RaggedTensor.from_uniform_row_length(
            rt, 1, rt.nrows(), validate=False
        )
    return rt.with_values(tf.expand_dims(rt.values, axis - 1))


def _gather(api: Callable, bound: dict) -> object:
    params, indices = bound["params"], bound["indices"]
    if isinstance(params, tf.RaggedTensor) or bound.get("axis"):
        return NotImplemented
    return indices.with_flat_values(api(params, indices.flat_values))


def _where(api: Callable, bound: dict) -> object:
    parts = [bound.get(name) for name in ("condition", "x", "y")]
    if not all(isinstance(part, tf.RaggedTensor) for part in parts):
        return NotImplemented
    condition, x, y = parts
    if not condition.ragged_rank == x.ragged_rank == y.ragged_rank:
        return NotImplemented
    checks = [
        tf.debugging.assert_equal(a, b)
        for other in (x, y)
        for a, b in zip(condition.nested_row_splits, other.nested_row_splits)
    ]
    with tf.control_dependencies([c for c in checks if c is not None]):
        return condition.with_flat_values(
            api(condition.flat_values, x.flat_values, y.flat_values)
        )


def _size(api: Callable, bound: dict) -> object:
    return api(
        bound["input"].flat_values, out_type=bound.get("out_type") or tf.int32
    )


def _rank(api: Callable, bound: dict) -> object:
    rt = bound["input"]
    return tf.rank(rt.flat_values) + rt.ragged_rank


def _add_n(api: Callable, bound: dict) -> object:
    total, *others = bound["inputs"]
    for value in others:
        total = tf.add(total, value)
    return total


TABLE: dict[str, Callable] = {
    **{
        name: _reduction(name)
        for name in (*_SEGMENTS, "reduce_mean", "reduce_any", "reduce_all")
    },
    "concat": _concat, "stack": _stack, "expand_dims": _expand_dims,
    "gather": _gather, "where": _where, "size": _size, "rank": _rank,
    "add_n": _add_n,
}
