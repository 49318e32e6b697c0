"""Counts: bincount, histograms, confusion matrices; and embedding look-up."""

import graphkiln as tf
from graphkiln import raw_ops as ops


def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=tf.int32,
    name=None,
    axis=None,
    binary_output=False,
):
    """How often each number occurs.

    Args:
      arr: integers of 0 or more.
      weights: of the shape of `arr`, summed instead of counted.
      minlength, maxlength: limits of the length of the result.
      axis: None or 0: of all elements; -1: of each row.
      binary_output: 1 for numbers that occur instead of the count.

    >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}")
    with tf.name_scope(name or "bincount"):
        arr = tf.convert_to_tensor(arr, name="arr")
        if arr.dtype not in (tf.int32, tf.int64):
            wide = arr.dtype in (tf.uint32, tf.uint64)
            arr = tf.cast(arr, tf.int64 if wide else tf.int32)
        if axis in (None, 0):
            arr = tf.reshape(arr, [-1])
        some = tf.cast(tf.size(arr) > 0, arr.dtype)
        size = some * (tf.reduce_max(arr) + 1)
        if minlength is not None:
            minlength = tf.convert_to_tensor(minlength, dtype_hint=arr.dtype)
            if minlength.dtype == tf.int64:
                arr, size = tf.cast(arr, tf.int64), tf.cast(size, tf.int64)
            size = tf.maximum(tf.cast(minlength, arr.dtype), size)
        if maxlength is not None:
            maxlength = tf.convert_to_tensor(maxlength, dtype_hint=arr.dtype)
            if maxlength.dtype == tf.int64:
                arr, size = tf.cast(arr, tf.int64), tf.cast(size, tf.int64)
            size = tf.minimum(tf.cast(maxlength, arr.dtype), size)
        if weights is None:
            weights = tf.constant([], dtype)
        else:
            weights = tf.convert_to_tensor(weights)
            if axis in (None, 0):
                weights = tf.reshape(weights, [-1])
        return ops.DenseBincount(
            input=arr,
            size=size,
            weights=weights,
            binary_output=binary_output,
        )


def histogram_fixed_width(
    values, value_range, nbins=100, dtype=tf.int32, name=None
):
    """How many values fall into each of `nbins` equal bins of a range.

    Values outside count in the first and last bin.

    >>> tf.histogram_fixed_width([0., 0.9], [0., 1.], nbins=2).numpy().tolist()
    [1, 1]
    """
    return ops.HistogramFixedWidth(
        values=values,
        value_range=value_range,
        nbins=nbins,
        dtype=dtype,
        name=name or "histogram_fixed_width",
    )


def in_top_k(targets, predictions, k, name=None):
    """Is the score of each target among the `k` largest of its row?

    >>> tf.math.in_top_k([1], [[0.1, 0.9]], 1).numpy().tolist()
    [True]
    """
    with tf.name_scope(name or "in_top_k"):
        return ops.InTopKV2(predictions=predictions, targets=targets, k=k)


def confusion_matrix(
    labels,
    predictions,
    num_classes=None,
    weights=None,
    dtype=tf.int32,
    name=None,
):
    """[classes, classes]: how often label (row) was predicted as (column).

    >>> tf.math.confusion_matrix([0, 1], [0, 0]).numpy().tolist()
    [[1, 0], [1, 0]]
    """
    with tf.name_scope(name or "confusion_matrix"):
        labels = tf.cast(tf.reshape(labels, [-1]), tf.int64)
        predictions = tf.cast(tf.reshape(predictions, [-1]), tf.int64)
        tf.debugging.assert_non_negative(
            labels, message="`labels` contains negative values"
        )
        tf.debugging.assert_non_negative(
            predictions, message="`predictions` contains negative values"
        )
        if num_classes is None:
            largest = tf.maximum(
                tf.reduce_max(labels), tf.reduce_max(predictions)
            )
            num_classes = largest + 1
        else:
            num_classes = tf.cast(num_classes, tf.int64)
        values = (
            tf.ones_like(predictions, dtype)
            if weights is None
            else tf.cast(tf.reshape(weights, [-1]), dtype)
        )
        return tf.scatter_nd(
            indices=tf.stack([labels, predictions], axis=1),
            updates=values,
            shape=tf.stack([num_classes, num_classes]),
        )


def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows of `params` that `ids` name.

    Args:
      params: a tensor or variable [rows, ...].
      ids: integers.
      max_norm: rows of a larger norm are scaled down to it.

    >>> tf.nn.embedding_lookup([[1.], [2.]], [1]).numpy().tolist()
    [[2.0]]
    """
    with tf.name_scope(name or "embedding_lookup"):
        if isinstance(params, (list, tuple)) and len(params) == 1:
            params = params[0]
        rows = tf.gather(params, ids)
        if max_norm is None:
            return rows
        axes = tf.range(tf.rank(ids), tf.rank(rows))
        return tf.clip_by_norm(rows, max_norm, axes=axes)
