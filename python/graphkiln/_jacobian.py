"""Matrices of derivatives: one backward pass for each row.

Eagerly, and for few rows in a graph, the passes are made one after another.
For many rows or an unknown number of them a graph has one pass in a loop.
"""

from collections.abc import Callable

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import raw_ops

# More rows than this are made by a loop in a graph.
_MOST_UNROLLED = 16


def one_hot(index, size, dtype) -> _graphkiln.Tensor:
    """1 at `index`, else 0."""
    return raw_ops.OneHot(
        indices=index,
        depth=size,
        on_value=raw_ops.Cast(x=1, DstT=dtype),
        off_value=raw_ops.Cast(x=0, DstT=dtype),
    )


def size_of(tensor, start: int = 0) -> object:
    """The product of a tensor's dimensions from `start` on: an int if it is
    known, else an int32 scalar."""
    shape = tensor.shape
    if shape.rank is not None:
        known = shape[start:].num_elements()
        if known is not None:
            return known
    return tf.reduce_prod(tf.shape(tensor)[start:])


def rows(
    tape, target, sources: list, count, start: Callable, axis: int
) -> list:
    """For each source the gradients of `target` that begin with `start(0)`
    up to `start(count - 1)`, stacked along `axis`; None where nothing
    depends on the source."""

    def row(index) -> list:
        found = tape.gradient([target], sources, [start(index)])
        return [
            None if g is None else _graphkiln.convert_to_tensor(g)
            for g in found
        ]

    if isinstance(count, int) and (
        tf.executing_eagerly() or count <= _MOST_UNROLLED
    ):
        if count == 0:
            return _no_rows(tape, target, sources, axis)
        made = [row(index) for index in range(count)]
        stacked: list = []
        for parts, source in zip(zip(*made), sources):
            if all(part is None for part in parts):
                stacked.append(None)
                continue
            dense = [_zeros(source) if p is None else p for p in parts]
            stacked.append(raw_ops.Pack(values=dense, axis=axis))
        return stacked
    # What no row depends on is known from any of them.
    connected = [part is not None for part in row(tf.constant(0))]
    if not any(connected):
        return [None] * len(sources)
    looped = tf.map_fn(
        lambda index: [part for part in row(index) if part is not None],
        tf.range(count),
        fn_output_signature=[
            tf.TensorSpec(source.shape, source.dtype)
            for source, wanted in zip(sources, connected) if wanted
        ],
    )
    parts = iter(looped)
    return [_moved(next(parts), axis) if c else None for c in connected]


def _no_rows(tape, target, sources: list, axis: int) -> list:
    """The rows of a target without elements."""
    found = tape.gradient([target], sources, [_zeros(target)])
    made: list = []
    for source, gradient in zip(sources, found):
        if gradient is None:
            made.append(None)
            continue
        rows = raw_ops.Pack(values=[_zeros(source)], axis=axis)
        none = [slice(None)] * axis + [slice(0)]
        made.append(rows[tuple(none)])
    return made


def _moved(stacked, axis: int):
    """The first axis as the axis `axis`, which is 0 or 1."""
    if axis == 0:
        return stacked
    rank = stacked.shape.rank
    if rank is None:
        others = tf.range(2, tf.rank(stacked))
        return tf.transpose(stacked, tf.concat([[1, 0], others], 0))
    return tf.transpose(stacked, [1, 0, *range(2, rank)])


def _zeros(source):
    return raw_ops.ZerosLike(x=_graphkiln.convert_to_tensor(source))


def shaped(value, first, second) -> _graphkiln.Tensor:
    """`value` in the shapes of two parts together, each a pair of a tensor
    and its first dimension that counts."""
    static = [t.shape[start:] for t, start in (first, second)
              if t.shape.rank is not None]
    if len(static) == 2 and all(s.is_fully_defined() for s in static):
        return raw_ops.Reshape(tensor=value, shape=static[0] + static[1])
    shape = tf.concat(
        [tf.shape(t)[start:] for t, start in (first, second)], 0
    )
    made = raw_ops.Reshape(tensor=value, shape=shape)
    if len(static) == 2:
        made.set_shape(static[0] + static[1])
    return made


def zeros(target, source, start: int) -> _graphkiln.Tensor:
    """The matrix of what does not depend on the source."""
    shape = tf.concat([tf.shape(target), tf.shape(source)[start:]], 0)
    return tf.zeros(shape, target.dtype)
