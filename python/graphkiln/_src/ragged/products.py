"""Matrix products of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable

import graphkiln as tf
from graphkiln._src.ragged import axes


def _matmul(api: Callable, bound: dict) -> object:
    a, b = (
        value if isinstance(value, tf.RaggedTensor)
        else tf.convert_to_tensor(value)
        for value in (bound["a"], bound["b"])
    )
    if bound.get("a_is_sparse") or bound.get("b_is_sparse"):
        raise ValueError("Ragged matrices are not sparse.")
    ranks = a.shape.rank, b.shape.rank
    if None in ranks or ranks[0] != ranks[1]:
        raise ValueError("`a` and `b` must have the same rank.")
    if ranks[0] < 2:
        raise ValueError("`a` and `b` must be matrices or batches of them.")
    options = {
        name: bool(bound.get(name))
        for name in ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")
    }
    if ranks[0] == 2:
        return api(_dense(a), _dense(b), **options)
    return _of_batch(api, a, b, options)


def _lengths(value, axis: int) -> tf.Tensor:
    """For each matrix of a batch its size along 1 or 2; for what is ragged in
    the last dimension, the common length of its rows."""
    if not isinstance(value, tf.RaggedTensor):
        shape = tf.shape(value, out_type=tf.int64)
        return tf.fill(shape[:1], shape[axis])
    if axis == 1:
        return tf.cast(value.row_lengths(), tf.int64)
    inner = value.values
    if not isinstance(inner, tf.RaggedTensor):
        size = tf.shape(inner, out_type=tf.int64)[1]
        return tf.fill([value.nrows()], size)
    lengths = tf.cast(inner.row_lengths(), tf.int64)
    rowids = value.value_rowids()
    longest = tf.math.unsorted_segment_max(lengths, rowids, value.nrows())
    longest = tf.maximum(longest, tf.zeros_like(longest))
    check = tf.debugging.assert_equal(
        lengths, tf.gather(longest, rowids),
        "The matrices in `a` and `b` may not be ragged in their innermost "
        "dimension.",
    )
    with tf.control_dependencies([] if check is None else [check]):
        return tf.identity(longest)


def _dense(value):
    """A matrix whose rows are all of one length, as a tensor."""
    if not isinstance(value, tf.RaggedTensor):
        return value
    checked = _lengths(tf.expand_dims(value, 0), 2)
    with tf.control_dependencies([checked]):
        return value.to_tensor()


def _of_batch(api: Callable, a, b, options: dict):
    if a.shape.rank > 3:
        a, b = axes.all_ragged([a, b])
        message = "The batches of `a` and `b` must be the same."
        with axes.same_rows([a, b], message):
            inner = _of_batch(api, tf.identity(a.values), b.values, options)
            return a.with_values(inner)
    turned_a = options["transpose_a"] or options["adjoint_a"]
    turned_b = options["transpose_b"] or options["adjoint_b"]
    rows, inner_a = _lengths(a, 1), _lengths(a, 2)
    inner_b, columns = _lengths(b, 1), _lengths(b, 2)
    if turned_a:
        rows, inner_a = inner_a, rows
    if turned_b:
        inner_b, columns = columns, inner_b
    check = tf.debugging.assert_equal(
        inner_a, inner_b, "The matrices in `a` and `b` must fit."
    )
    with tf.control_dependencies([] if check is None else [check]):
        # What fills the boxes is zero on both sides.
        product = api(_box(a), _box(b), **options)
    ragged_columns = (
        isinstance(b, tf.RaggedTensor)
        and (turned_b or b.ragged_rank > 1)
    )
    if ragged_columns:
        return tf.RaggedTensor.from_tensor(
            product, (rows, tf.repeat(columns, rows))
        )
    return tf.RaggedTensor.from_tensor(product, rows)


def _box(value) -> tf.Tensor:
    return value.to_tensor() if isinstance(value, tf.RaggedTensor) else value


TABLE: dict[str, Callable] = {"matmul": _matmul}
