"""Counts: histograms, confusion matrices; and embedding look-up."""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes


def histogram_fixed_width_bins(
    values, value_range, nbins=100, dtype=dtypes.int32, name=None
):
    """The number of the bin that each value falls into, of `nbins` equal bins
    of a range.

    Values outside fall into the first and last bin. The numbers are int32,
    whatever `dtype` says.

    >>> bins = tf.histogram_fixed_width_bins([0., 0.9, 7.], [0., 1.], nbins=2)
    >>> bins.numpy().tolist()
    [0, 1, 1]
    """
    with name_scope.name_scope(name or "histogram_fixed_width_bins"):
        values = _graphkiln.convert_to_tensor(values, name="values")
        value_range = _graphkiln.convert_to_tensor(
            value_range, name="value_range"
        )
        nbins = _graphkiln.convert_to_tensor(
            nbins, dtype_hint=dtypes.int32, name="nbins"
        )
        check = _graphkiln.Assert(
            nbins > 0, [f"nbins {nbins} must > 0"], name="nbins"
        )
        with _graphkiln.control_dependencies(
            [] if check is None else [check]
        ):
            nbins = ops.cast(nbins, values.dtype)
        low, high = value_range[0], value_range[1]
        places = ops.truediv(values - low, high - low)
        places = ops.floor(ops.cast(nbins, places.dtype) * places)
        last = ops.cast(nbins - 1, dtypes.int32)
        return ops.clip_by_value(ops.cast(places, dtypes.int32), 0, last)


def confusion_matrix(
    labels,
    predictions,
    num_classes=None,
    weights=None,
    dtype=dtypes.int32,
    name=None,
):
    """[classes, classes]: how often label (row) was predicted as (column).

    >>> tf.math.confusion_matrix([0, 1], [0, 0]).numpy().tolist()
    [[1, 0], [1, 0]]
    """
    with name_scope.name_scope(name or "confusion_matrix"):
        labels = ops.cast(ops.reshape(labels, [-1]), dtypes.int64)
        predictions = ops.cast(ops.reshape(predictions, [-1]), dtypes.int64)
        ops.debugging.assert_non_negative(
            labels, message="`labels` contains negative values"
        )
        ops.debugging.assert_non_negative(
            predictions, message="`predictions` contains negative values"
        )
        if num_classes is None:
            largest = ops.maximum(
                ops.reduce_max(labels), ops.reduce_max(predictions)
            )
            num_classes = largest + 1
        else:
            num_classes = ops.cast(num_classes, dtypes.int64)
        values = (
            ops.ones_like(predictions, dtype)
            if weights is None
            else ops.cast(ops.reshape(weights, [-1]), dtype)
        )
        return ops.scatter_nd(
            indices=ops.stack([labels, predictions], axis=1),
            updates=values,
            shape=ops.stack([num_classes, num_classes]),
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
    with name_scope.name_scope(name or "embedding_lookup"):
        if isinstance(params, (list, tuple)) and len(params) == 1:
            params = params[0]
        rows = ops.gather(params, ids)
        if max_norm is None:
            return rows
        axes = ops.range(ops.rank(ids), ops.rank(rows))
        return ops.clip_by_norm(rows, max_norm, axes=axes)
