"""Functions of whole ragged tensors, by name."""

from __future__ import annotations

from collections.abc import Callable

import graphkiln as tf
from graphkiln._src.ragged import (
    conversion,
    dynamic_ragged_shape,
    gathers,
    moves,
    products,
    reductions,
    text,
)
from graphkiln._src.ragged.operators import flat_operands


def _where(api: Callable, bound: dict) -> object:
    parts = [bound.get(name) for name in ("condition", "x", "y")]
    if parts[1] is None and parts[2] is None:
        return _places(parts[0])
    known, flat, checks = flat_operands(parts)
    with tf.control_dependencies(checks):
        return known.with_flat_values(api(*flat))


def _places(condition: tf.RaggedTensor) -> tf.Tensor:
    """Where the elements are that are true."""
    rank = condition.shape.rank
    if rank is None:
        raise ValueError("A ragged condition must have a known rank.")
    deep = condition
    if deep.ragged_rank < rank - 1:
        flat = tf.RaggedTensor.from_tensor(
            deep.flat_values, ragged_rank=rank - 1 - deep.ragged_rank
        )
        deep = deep.with_flat_values(flat)
    places = conversion.coordinates(deep)
    return tf.cast(tf.boolean_mask(places, deep.flat_values), tf.int64)


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


def _join(api: Callable, bound: dict) -> object:
    known, flat, checks = flat_operands(bound["inputs"], tf.string)
    with tf.control_dependencies(checks):
        return known.with_flat_values(
            api(flat, separator=bound.get("separator", ""))
        )


def _cross_entropy(api: Callable, bound: dict) -> object:
    names = "labels", "logits"
    known, flat, checks = flat_operands([bound.get(name) for name in names])
    with tf.control_dependencies(checks):
        return known.with_flat_values(api(**dict(zip(names, flat))))


def _format(api: Callable, bound: dict) -> object:
    inputs = bound["inputs"]
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    mark, summarize = bound.get("placeholder", "{}"), bound.get("summarize", 3)
    pieces = bound["template"].split(mark)
    if len(pieces) != len(inputs) + 1:
        raise ValueError(
            f"{len(pieces) - 1} placeholder(s) in template does not match "
            f"{len(inputs)} tensor(s) provided as input"
        )
    parts: list = [pieces[0]]
    for value, piece in zip(inputs, pieces[1:]):
        parts.append(
            text.to_string(value, summarize)
            if isinstance(value, tf.RaggedTensor)
            else api("{}", value, summarize=summarize)
        )
        parts.append(piece)
    return tf.strings.join(parts)


TABLE: dict[str, Callable] = {
    **reductions.TABLE, **moves.TABLE, **gathers.TABLE,
    **products.TABLE,
    "shape": dynamic_ragged_shape.of_tensor, "where": _where, "size": _size, "rank": _rank, "add_n": _add_n,
    "join": _join, "format": _format,
    "sigmoid_cross_entropy_with_logits": _cross_entropy,
}
