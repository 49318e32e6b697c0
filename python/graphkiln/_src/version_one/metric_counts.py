"""tf.compat.v1.metrics: counts of right and wrong answers, precision and recall."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.version_one.metric_parts import (
    Streamed,
    check_graph,
    kept,
    metric_variable,
    of_one_rank,
    streamed,
)
from graphkiln.compat import v1


def _booleans(predictions: Any, labels: Any, weights: Any) -> tuple:
    return of_one_rank(
        ops.cast(predictions, _graphkiln.bool),
        ops.cast(labels, _graphkiln.bool),
        weights,
    )


def _count(
    name: str,
    default: str,
    expected: tuple[bool, bool],
    given: tuple,
    collections: tuple,
) -> Streamed:
    """How many labels and predictions are as expected, of a batch that is given."""
    with v1.variable_scope(name, default, given):
        predictions, labels, weights = _booleans(*given)
        matches = ops.logical_and(
            ops.equal(labels, expected[0]), ops.equal(predictions, expected[1])
        )
        count = metric_variable([], _graphkiln.float32, "count")
        values = ops.cast(matches, _graphkiln.float32)
        if weights is not None:
            check = v1.assert_rank_in(weights, (0, ops.rank(values)))
            with _graphkiln.control_dependencies([check]):
                values = ops.multiply(values, ops.cast(weights, _graphkiln.float32))
        value = ops.identity(count)
        update = v1.assign_add(count, ops.reduce_sum(values))
        return kept(value, update, collections)


def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are true and right.

    Args:
      labels: what is true, cast to booleans.
      predictions: as many, cast to booleans.
      weights: of each label, or of all; None: 1.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_positives(
    ...         [1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    check_graph("true_positives")
    return _count(
        name,
        "true_positives",
        (True, True),
        (predictions, labels, weights),
        (metrics_collections, updates_collections),
    )


def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are false and right. Arguments,
    results and errors as of `true_positives`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_negatives(
    ...         [1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    2.0
    """
    check_graph("true_negatives")
    return _count(
        name,
        "true_negatives",
        (False, False),
        (predictions, labels, weights),
        (metrics_collections, updates_collections),
    )


def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are true and wrong. Arguments,
    results and errors as of `true_positives`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.false_positives(
    ...         [1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    check_graph("false_positives")
    return _count(
        name,
        "false_positives",
        (False, True),
        (predictions, labels, weights),
        (metrics_collections, updates_collections),
    )


def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are false and wrong. Arguments,
    results and errors as of `true_positives`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.false_negatives(
    ...         [1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    check_graph("false_negatives")
    return _count(
        name,
        "false_negatives",
        (True, False),
        (predictions, labels, weights),
        (metrics_collections, updates_collections),
    )


def _share(right: Any, wrong: Any, name: str) -> Tensor:
    both = right + wrong
    return ops.where(ops.greater(both, 0), ops.divide(right, both), 0.0, name=name)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the predictions so far that are true are right, of 1; 0 if there are none.
    Arguments, results and errors as of `true_positives`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision([1, 1, 0], [1, 0, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    check_graph("precision")
    with v1.variable_scope(name, "precision", (predictions, labels, weights)):
        predictions, labels, weights = _booleans(predictions, labels, weights)
        right, rights = true_positives(labels, predictions, weights)
        wrong, wrongs = false_positives(labels, predictions, weights)
        return streamed(
            _share,
            (right, wrong),
            (rights, wrongs),
            (metrics_collections, updates_collections),
        )


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the labels so far that are true are predicted, of 1; 0 if there are none.
    Arguments, results and errors as of `true_positives`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.recall([1, 1, 0], [1, 0, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("recall")
    with v1.variable_scope(name, "recall", (predictions, labels, weights)):
        predictions, labels, weights = _booleans(predictions, labels, weights)
        right, rights = true_positives(labels, predictions, weights)
        wrong, wrongs = false_negatives(labels, predictions, weights)
        return streamed(
            _share,
            (right, wrong),
            (rights, wrongs),
            (metrics_collections, updates_collections),
        )
