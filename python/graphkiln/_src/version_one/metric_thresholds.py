"""tf.compat.v1.metrics of predictions that are true above each of many thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    weighted,
)
from graphkiln.compat import v1

_FLOAT = _graphkiln.float32
_TINY = 1e-7
# What is counted: its variable, and whether labels and predictions are true.
_COUNTS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}


def _counts(
    labels: Any, predictions: Any, thresholds: Sequence, weights: Any, which: Sequence
) -> tuple[list, list]:
    """Variables with a count for each threshold, and their values with this batch."""
    predictions = _graphkiln.convert_to_tensor(predictions)
    zero, one = (ops.cast(n, predictions.dtype) for n in (0.0, 1.0))
    message = "predictions must be in [0, 1]"
    checks = [
        v1.assert_greater_equal(predictions, zero, message=message),
        v1.assert_less_equal(predictions, one, message=message),
    ]
    with _graphkiln.control_dependencies(checks):
        predictions, labels, weights = of_one_rank(
            ops.cast(predictions, _FLOAT), ops.cast(labels, _graphkiln.bool), weights
        )
    above = ops.greater(
        ops.reshape(predictions, [1, -1]),
        ops.expand_dims(_graphkiln.constant(thresholds), 1),
    )
    true = ops.reshape(labels, [1, -1])
    if weights is not None:
        weights = ops.reshape(weighted(predictions, weights, _FLOAT), [1, -1])
    variables, updates = [], []
    for key in which:
        name, label, prediction = _COUNTS[key]
        variable = metric_variable([len(thresholds)], _FLOAT, name)
        matches = ops.logical_and(
            true if label else ops.logical_not(true),
            above if prediction else ops.logical_not(above),
        )
        matches = ops.cast(matches, _FLOAT)
        if weights is not None:
            matches *= weights
        variables.append(variable)
        updates.append(v1.assign_add(variable, ops.reduce_sum(matches, 1)))
    return variables, updates


def _spread(number: int, last: float = 1.0 + _TINY) -> list[float]:
    """That many thresholds from just below 0 to just above 1."""
    return [-_TINY, *((i + 1) / (number - 1) for i in range(number - 2)), last]


def _trapezoids(low: Tensor, high: Tensor) -> Tensor:
    return (low + high) / 2.0


_HEIGHTS = {
    "trapezoidal": _trapezoids,
    "careful_interpolation": _trapezoids,
    "minoring": ops.minimum,
    "majoring": ops.maximum,
}


def _interpolated_area(tp: Any, fp: Any, fn: Any) -> Tensor:
    """The area below the curve of precision and recall, between whose points true
    positives grow with all positives (Davis and Goadrich)."""
    positive = tp + fp
    more = tp[:-1] - tp[1:]
    slope = ops.math.divide_no_nan(more, ops.maximum(positive[:-1] - positive[1:], 0))
    intercept = tp[1:] - ops.multiply(slope, positive[1:])
    both = ops.logical_and(positive[:-1] > 0, positive[1:] > 0)
    growth = ops.math.divide_no_nan(positive[:-1], ops.maximum(positive[1:], 0))
    growth = ops.where(both, growth, ops.ones_like(positive[1:]))
    area = ops.math.divide_no_nan(
        slope * (more + intercept * ops.math.log(growth)),
        ops.maximum(tp[1:] + fn[1:], 0),
    )
    return ops.reduce_sum(area, name="interpolate_pr_auc")


def _area(curve: str, method: str) -> Callable:
    """What makes the area below a curve of its four counts."""
    epsilon = 1e-6

    def area(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> Tensor:
        if curve == "PR" and method == "careful_interpolation":
            return _interpolated_area(tp, fp, fn)
        recall = ops.divide(tp + epsilon, tp + fn + epsilon)
        if curve == "ROC":
            x, y = ops.divide(fp, fp + tn + epsilon), recall
        else:
            x, y = recall, ops.divide(tp + epsilon, tp + fp + epsilon)
        heights = _HEIGHTS[method](y[:-1], y[1:])
        return ops.reduce_sum(ops.multiply(x[:-1] - x[1:], heights), name=name)

    return area


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence | None = None,
) -> Streamed:
    """The area below a curve of all predictions so far.

    Args:
      labels: what is true, cast to booleans.
      predictions: as many, from 0 to 1.
      weights: of each label, or of all; None: 1.
      num_thresholds: at how many the curve is known.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      curve: "ROC", of rates of true and false positives, or "PR", of precision and
        recall.
      name: of the scope of the variables.
      summation_method: "trapezoidal", "careful_interpolation" (of "PR"), "minoring" or
        "majoring".
      thresholds: where the curve is known, instead of `num_thresholds`.

    Returns:
      The area, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit, or it is no curve or method.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     round(session.run(update).item(), 2)
    0.75
    """
    check_graph("auc")
    with v1.variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(
                f"Curve must be either ROC or PR. Curve {curve} is unknown."
            )
        if summation_method not in _HEIGHTS:
            raise ValueError(
                f"Invalid summation_method: {summation_method} summation_method should "
                "be 'trapezoidal', 'careful_interpolation', 'minoring', or 'majoring'."
            )
        if curve == "PR" and summation_method == "trapezoidal":
            v1.logging.warning(
                "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch "
                'to "careful_interpolation" instead.'
            )
        if thresholds is None:
            thresholds = _spread(num_thresholds)
        else:
            thresholds = [-_TINY, *sorted(thresholds), 1.0 + _TINY]
        counts = _counts(labels, predictions, thresholds, weights, tuple(_COUNTS))
        return streamed(
            _area(curve, summation_method),
            *counts,
            (metrics_collections, updates_collections),
        )


def _count_at(
    key: str, name: str | None, given: tuple, thresholds: Sequence, collections: tuple
) -> Streamed:
    check_graph(f"{_COUNTS[key][0]}_at_thresholds")
    predictions, labels, weights = given
    with v1.variable_scope(name, _COUNTS[key][0], given):
        (variable,), (update,) = _counts(
            labels, predictions, thresholds, weights, (key,)
        )
        return kept(ops.identity(variable), update, collections)


def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are true and right at each threshold.

    Args:
      labels: what is true, cast to booleans.
      predictions: as many, from 0 to 1; those above a threshold are true.
      thresholds: a list of numbers.
      weights: of each label, or of all; None: 1.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      A value for each threshold, and an op that adds this batch and gives the new ones.

    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: predictions are not from 0 to 1, when the op runs.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_positives_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.6], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([1., 0.], dtype=float32)
    """
    return _count_at(
        "tp",
        name,
        (predictions, labels, weights),
        thresholds,
        (metrics_collections, updates_collections),
    )


def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are false and right at each threshold.
    Arguments, results and errors as of `true_positives_at_thresholds`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_negatives_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.6], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([0., 1.], dtype=float32)
    """
    return _count_at(
        "tn",
        name,
        (predictions, labels, weights),
        thresholds,
        (metrics_collections, updates_collections),
    )


def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are true and wrong at each threshold.
    Arguments, results and errors as of `true_positives_at_thresholds`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.false_positives_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.6], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([1., 0.], dtype=float32)
    """
    return _count_at(
        "fp",
        name,
        (predictions, labels, weights),
        thresholds,
        (metrics_collections, updates_collections),
    )


def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many predictions so far are false and wrong at each threshold.
    Arguments, results and errors as of `true_positives_at_thresholds`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.false_negatives_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.6], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([1., 2.], dtype=float32)
    """
    return _count_at(
        "fn",
        name,
        (predictions, labels, weights),
        thresholds,
        (metrics_collections, updates_collections),
    )


def _share(right: Any, wrong: Any, name: str) -> Tensor:
    return ops.divide(right, _TINY + right + wrong, name=name)


def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the predictions so far that are true are right at each threshold, of 1.
    Arguments, results and errors as of `true_positives_at_thresholds`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.1], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).round(2)
    array([1., 0.], dtype=float32)
    """
    check_graph("precision_at_thresholds")
    with v1.variable_scope(
        name, "precision_at_thresholds", (predictions, labels, weights)
    ):
        return streamed(
            _share,
            *_counts(labels, predictions, thresholds, weights, ("tp", "fp")),
            (metrics_collections, updates_collections),
            ("precision_value", "precision_update_op"),
        )


def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the labels so far that are true are predicted at each threshold, of 1.
    Arguments, results and errors as of `true_positives_at_thresholds`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.recall_at_thresholds(
    ...         [1, 1, 0], [0.7, 0.3, 0.1], [0.5, 0.9])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).round(2)
    array([0.5, 0. ], dtype=float32)
    """
    check_graph("recall_at_thresholds")
    with v1.variable_scope(
        name, "recall_at_thresholds", (predictions, labels, weights)
    ):
        return streamed(
            _share,
            *_counts(labels, predictions, thresholds, weights, ("tp", "fn")),
            (metrics_collections, updates_collections),
            ("recall_value", "recall_update_op"),
        )


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the true labels are predicted where a share of the false ones is.

    Args:
      labels: what is true, cast to booleans.
      predictions: as many, from 0 to 1.
      specificity: that share of the false ones, from 0 to 1.
      weights: of each label, or of all; None: 1.
      num_thresholds: among how many the nearest is taken.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit, or it is no share.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.sensitivity_at_specificity(
    ...         [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.9)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     round(session.run(update).item(), 2)
    0.5
    """
    check_graph("sensitivity_at_specificity")
    if specificity < 0 or specificity > 1:
        raise ValueError(
            "`specificity` must be in the range [0, 1]. Currently, `specificity` got "
            f"{specificity}."
        )

    def compute(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> Tensor:
        found = ops.divide(tn, tn + fp + _TINY)
        at = ops.argmin(ops.abs(found - specificity), 0)
        return ops.divide(tp[at], tp[at] + fn[at] + _TINY, name=name)

    with v1.variable_scope(
        name, "sensitivity_at_specificity", (predictions, labels, weights)
    ):
        thresholds = _spread(num_thresholds)
        return streamed(
            compute,
            *_counts(labels, predictions, thresholds, weights, tuple(_COUNTS)),
            (metrics_collections, updates_collections),
        )


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the false labels are predicted where a share of the true ones is.

    Args:
      labels: what is true, cast to booleans.
      predictions: as many, from 0 to 1.
      sensitivity: that share of the true ones, from 0 to 1.
      weights: of each label, or of all; None: 1.
      num_thresholds: among how many the nearest is taken, of equals the last.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit, or it is no share.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.specificity_at_sensitivity(
    ...         [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 1.0)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     round(session.run(update).item(), 2)
    0.5
    """
    check_graph("specificity_at_sensitivity")
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(
            "`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is "
            f"{sensitivity}."
        )

    def compute(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> Tensor:
        away = ops.abs(ops.divide(tp, tp + fn + _TINY) - sensitivity)
        nearest = ops.cast(ops.equal(away, ops.reduce_min(away)), _graphkiln.int64)
        at = ops.argmax(ops.cumsum(nearest), 0)
        return ops.divide(tn[at], tn[at] + fp[at] + _TINY, name=name)

    with v1.variable_scope(
        name, "specificity_at_sensitivity", (predictions, labels, weights)
    ):
        # TensorFlow's last threshold here is below 1.
        thresholds = _spread(num_thresholds, last=1.0 - _TINY)
        return streamed(
            compute,
            *_counts(labels, predictions, thresholds, weights, tuple(_COUNTS)),
            (metrics_collections, updates_collections),
        )
