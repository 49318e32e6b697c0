"""Counts: histograms, confusion matrices; and embedding look-up."""

import graphkiln as tf


def histogram_fixed_width_bins(
    values, value_range, nbins=100, dtype=tf.int32, name=None
):
    """The number of the bin that each value falls into, of `nbins` equal bins
    of a range.

    Values outside fall into the first and last bin. The numbers are int32,
    whatever `dtype` says.

    >>> bins = tf.histogram_fixed_width_bins([0., 0.9, 7.], [0., 1.], nbins=2)
    >>> bins.numpy().tolist()
    [0, 1, 1]
    """
    with tf.name_scope(name or "histogram_fixed_width_bins"):
        values = tf.convert_to_tensor(values, name="values")
        value_range = tf.convert_to_tensor(value_range, name="value_range")
        nbins = tf.convert_to_tensor(nbins, dtype_hint=tf.int32, name="nbins")
        check = tf.debugging.Assert(
            nbins > 0, [f"nbins {nbins} must > 0"], name="nbins"
        )
        with tf.control_dependencies([] if check is None else [check]):
            nbins = tf.cast(nbins, values.dtype)
        low, high = value_range[0], value_range[1]
        places = tf.truediv(values - low, high - low)
        places = tf.floor(tf.cast(nbins, places.dtype) * places)
        last = tf.cast(nbins - 1, tf.int32)
        return tf.clip_by_value(tf.cast(places, tf.int32), 0, last)


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
