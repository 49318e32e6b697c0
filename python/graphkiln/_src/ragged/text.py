"""The text of ragged tensors as ops, so that functions can print them."""

import graphkiln as tf
from graphkiln import raw_ops as ops


def to_string(ragged, summarize: int = 3) -> tf.Tensor:
    """A string scalar such as "[[1, 2], [3]]".

    Rows longer than twice `summarize` show that many elements of each end;
    -1 shows all.
    """
    with tf.name_scope("RaggedToString"):
        flat = ragged.flat_values
        levels = list(ragged.nested_row_splits)
        inner = flat.shape.rank
        if inner is None:
            raise ValueError(
                "The values of a ragged tensor to print must be of known rank."
            )
        if inner > 1:
            # Inner dimensions print as rows of their own.
            dense = tf.RaggedTensor.from_tensor(flat, ragged_rank=inner - 1)
            levels += dense.nested_row_splits
            flat = dense.flat_values
        texts = _elements(flat)
        for splits in reversed(levels):
            texts = _rows(texts, tf.cast(splits, tf.int64), summarize)
        count = tf.shape(texts, out_type=tf.int64)
        whole = tf.concat([tf.zeros([1], tf.int64), count], 0)
        return _rows(texts, whole, summarize)[0]


def _elements(flat: tf.Tensor) -> tf.Tensor:
    if flat.dtype == tf.string:
        return ops.StringJoin(inputs=["'", _escaped(flat), "'"])
    return tf.strings.as_string(flat)


def _escaped(flat: tf.Tensor) -> tf.Tensor:
    """Strings with a backslash before each backslash and quote."""
    for special in ("\\", "'"):
        pieces = ops.StringSplitV2(input=flat, sep=special)
        row, place = tf.unstack(pieces.indices, axis=1)
        values = tf.where(
            place > 0,
            ops.StringJoin(inputs=["\\" + special, pieces.values]),
            pieces.values,
        )
        rows = tf.RaggedTensor.from_value_rowids(
            values, row, tf.size(flat, out_type=tf.int64), validate=False
        )
        flat = ops.ReduceJoin(
            inputs=rows.to_tensor(""), reduction_indices=[1]
        )
    return flat


def _rows(
    texts: tf.Tensor, splits: tf.Tensor, summarize: int
) -> tf.Tensor:
    """The elements of each row, joined in brackets."""
    lengths = splits[1:] - splits[:-1]
    count = tf.shape(texts, out_type=tf.int64)[0]
    place = tf.range(count) - tf.repeat(splits[:-1], lengths)
    texts = tf.where(
        place > 0, ops.StringJoin(inputs=[", ", texts]), texts
    )
    if summarize >= 0:
        length = tf.repeat(lengths, lengths)
        dropped = (place >= summarize) & (place < length - summarize)
        texts = tf.where(
            dropped,
            tf.where(
                tf.equal(place, summarize),
                ", ..." if summarize else "...", "",
            ),
            texts,
        )
    rows = tf.RaggedTensor.from_row_splits(texts, splits, validate=False)
    joined = ops.ReduceJoin(inputs=rows.to_tensor(""), reduction_indices=[1])
    return ops.StringJoin(inputs=["[", joined, "]"])
