"""tf.compat.v1.metrics: means, errors and counts over many batches.

Each function gives a value, what its local variables say, and an op that adds a batch.
"""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.version_one.metric_parts import (
    Streamed,
    check_graph,
    flat,
    kept,
    metric_variable,
    of_one_rank,
    ratio,
    same_ranks,
    streamed,
    weighted,
)
from graphkiln.compat import v1

_FLOAT = _graphkiln.float32


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean of all values so far.

    Args:
      values: of any shape, of this batch.
      weights: of each value, or of each of its rows, or of all; None: 1.
      metrics_collections: names of collections in which the mean is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The mean, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: the shape of `weights` does not fit.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 3.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    2.0
    """
    check_graph("mean")
    with v1.variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, _FLOAT)
        total = metric_variable([], _FLOAT, "total")
        count = metric_variable([], _FLOAT, "count")
        if weights is None:
            number = ops.cast(ops.size(values), _FLOAT)
        else:
            values, _, weights = of_one_rank(values, None, weights)
            weights = weighted(values, weights, _FLOAT)
            values = ops.multiply(values, weights)
            number = ops.reduce_sum(weights)
        added = v1.assign_add(total, ops.reduce_sum(values))
        with _graphkiln.control_dependencies([values]):
            counted = v1.assign_add(count, number)
        return streamed(
            ratio,
            (total, count),
            (added, counted),
            (metrics_collections, updates_collections),
        )


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean of all batches so far, element by element. Arguments, results and errors
    as of `mean`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_tensor([1.0, 3.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([1., 3.], dtype=float32)
    """
    check_graph("mean_tensor")
    with v1.variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, _FLOAT)
        total = metric_variable(values.shape, _FLOAT, "total_tensor")
        count = metric_variable(values.shape, _FLOAT, "count_tensor")
        number = ops.ones_like(values)
        if weights is not None:
            values, _, weights = of_one_rank(values, None, weights)
            weights = weighted(values, weights, _FLOAT)
            values = ops.multiply(values, weights)
            number = ops.multiply(number, weights)
        added = v1.assign_add(total, values)
        with _graphkiln.control_dependencies([values]):
            counted = v1.assign_add(count, number)
        return streamed(
            ratio,
            (total, count),
            (added, counted),
            (metrics_collections, updates_collections),
        )


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the predictions so far are their labels, of 1.

    Args:
      labels: what is true.
      predictions: as many.
      weights: as of `mean`.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The accuracy, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.accuracy([1, 2], [1, 3])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("accuracy")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = ops.cast(predictions, labels.dtype)
    right = ops.cast(ops.equal(predictions, labels), _FLOAT)
    return mean(
        right, weights, metrics_collections, updates_collections, name or "accuracy"
    )


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How far the predictions so far are from their labels. Arguments, results and
    errors as of `accuracy`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_absolute_error([1.0, 2.0], [2.0, 5.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    2.0
    """
    check_graph("mean_absolute_error")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    return mean(
        ops.abs(predictions - labels),
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_absolute_error",
    )


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean square of how far the predictions so far are from their labels.
    Arguments, results and errors as of `accuracy`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_squared_error([1.0, 2.0], [2.0, 5.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    5.0
    """
    check_graph("mean_squared_error")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    return mean(
        ops.math.squared_difference(labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_squared_error",
    )


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The root of `mean_squared_error`. Arguments, results and errors as of `accuracy`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.root_mean_squared_error([1.0], [3.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    2.0
    """
    check_graph("root_mean_squared_error")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    value, update = mean_squared_error(
        labels, predictions, weights, name=name or "root_mean_squared_error"
    )
    return kept(
        ops.sqrt(value), ops.sqrt(update), (metrics_collections, updates_collections)
    )


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How far the predictions so far are from their labels, by `normalizer`; 0 where it
    is 0.

    Args:
      labels: what is true.
      predictions: as many.
      normalizer: what each difference is divided by.
      weights: as of `mean`.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The error, and an op that adds this batch to it and gives the new one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_relative_error([1.0], [3.0], [4.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("mean_relative_error")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    predictions, normalizer = same_ranks(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = ops.where(
        ops.equal(normalizer, 0.0),
        ops.zeros_like(labels),
        ops.divide(ops.abs(labels - predictions), normalizer),
    )
    return mean(
        errors,
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_relative_error",
    )


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """1 less the mean of the products of labels and predictions along `dim`, both of
    which have length 1.

    Args:
      labels: what is true.
      predictions: as many.
      dim: the dimension along which they are vectors.
      weights: as of `mean`.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The distance, and an op that adds this batch to it and gives the new one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_cosine_distance(
    ...         [[1.0, 0.0]], [[0.0, 1.0]], dim=1)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    check_graph("mean_cosine_distance")
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    products = ops.multiply(predictions, labels)
    products = ops.reduce_sum(products, axis=[dim], keepdims=True)
    value, update = mean(products, weights, name=name or "mean_cosine_distance")
    return kept(
        ops.subtract(1.0, value),
        ops.subtract(1.0, update),
        (metrics_collections, updates_collections),
    )


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the values so far are below a threshold, of 1.

    Args:
      values: of any shape, of this batch.
      threshold: a number.
      weights: as of `mean`.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The share, and an op that adds this batch to it and gives the new one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.percentage_below([1.0, 3.0], 2.0)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("percentage_below")
    below = ops.cast(ops.less(values, threshold), _FLOAT)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


def _each_class(correct: Any, total: Any, name: str) -> Tensor:
    each = ratio(correct, total, None if name == "value" else name)
    return ops.reduce_mean(each, name="mean_accuracy") if name == "value" else each


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean over classes of how many predictions for their labels are right.

    Args:
      labels: numbers of classes.
      predictions: as many.
      num_classes: how many classes there are.
      weights: as of `mean`.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The mean, and an op that adds this batch and gives the accuracy of each class.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_per_class_accuracy(
    ...         tf.constant([0, 1]), tf.constant([0, 0]), 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([1., 0.], dtype=float32)
    """
    check_graph("mean_per_class_accuracy")
    with v1.variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = flat(ops.cast(labels, _graphkiln.int64))
        predictions = flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], _FLOAT, "total")
        count = metric_variable([num_classes], _FLOAT, "count")
        ones = ops.ones([ops.size(labels)], _FLOAT)
        predictions = ops.cast(predictions, labels.dtype)
        right = ops.cast(ops.equal(predictions, labels), _FLOAT)
        if weights is not None:
            weights = ops.cast(flat(weights), _FLOAT)
            right *= weights
            ones *= weights
        added = v1.scatter_add(total, labels, ones)
        counted = v1.scatter_add(count, labels, right)
        return streamed(
            _each_class,
            (count, total),
            (counted, added),
            (metrics_collections, updates_collections),
        )


def _mean_of_overlaps(matrix: Any) -> Tensor:
    """The mean over classes of what labels and predictions share of what either has."""
    rows = ops.cast(ops.reduce_sum(matrix, 0), _FLOAT)
    columns = ops.cast(ops.reduce_sum(matrix, 1), _FLOAT)
    shared = ops.cast(ops.linalg.diag_part(matrix), _FLOAT)
    either = rows + columns - shared
    number = ops.reduce_sum(ops.cast(ops.not_equal(either, 0), _FLOAT))
    either = ops.where(ops.greater(either, 0), either, ops.ones_like(either))
    overlaps = ops.reduce_sum(ops.divide(shared, either), name="mean_iou")
    return ops.where(ops.greater(number, 0), overlaps / number, 0.0)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean over classes of how many labels and predictions are both of it, of those
    of which either is.

    Args:
      labels: numbers of classes.
      predictions: as many.
      num_classes: how many classes there are.
      weights: of each label; None: 1.
      metrics_collections: as of `mean`.
      updates_collections: as of `mean`.
      name: of the scope of the variables.

    Returns:
      The mean, and an op that adds this batch and gives the confusion matrix.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_iou(
    ...         tf.constant([0, 1]), tf.constant([0, 0]), 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     _ = session.run(update)
    ...     session.run(value).item()
    0.25
    """
    check_graph("mean_iou")
    with v1.variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable(
            [num_classes, num_classes], _graphkiln.float64, "total_confusion_matrix"
        )
        predictions = flat(ops.cast(predictions, _graphkiln.int64))
        labels = flat(ops.cast(labels, _graphkiln.int64))
        matrix = ops.math.confusion_matrix(
            labels,
            predictions,
            ops.cast(num_classes, _graphkiln.int64),
            weights=None if weights is None else flat(weights),
            dtype=_graphkiln.float64,
        )
        update = v1.assign_add(total, matrix)
        return kept(
            _mean_of_overlaps(total), update, (metrics_collections, updates_collections)
        )
