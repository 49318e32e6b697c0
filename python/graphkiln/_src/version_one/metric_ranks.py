"""tf.compat.v1.metrics of the k classes that are predicted first."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import SparseTensor, Tensor, name_scope
from graphkiln._src import ops
from graphkiln._src.internal.ops import check_broadcastable
from graphkiln._src.version_one.metric_parts import (
    Streamed,
    check_graph,
    metric_variable,
    streamed,
    tensor_or_sparse,
    weighted,
)
from graphkiln.compat import v1

_DOUBLE = _graphkiln.float64


def _name_at_k(name: str, k: int | None, class_id: int | None = None) -> str:
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _with_a_column(labels: Any, predictions: Tensor) -> Any:
    """Labels of the rank of the predictions: one label each becomes a row of one."""
    with name_scope("expand_labels") as scope:
        labels = tensor_or_sparse(labels)
        if isinstance(labels, SparseTensor):
            shape = labels.dense_shape
            if None not in (shape.shape.num_elements(), predictions.shape.rank):
                if predictions.shape.rank != shape.shape.num_elements() + 1:
                    return labels
                return ops.sparse.reshape(labels, ops.concat((shape, (1,)), 0), scope)
            return _graphkiln.cond(
                ops.equal(ops.rank(predictions), ops.size(shape) + 1),
                lambda: ops.sparse.reshape(labels, ops.concat((shape, (1,)), 0)),
                lambda: labels,
            )
        own, other = labels.shape.rank, predictions.shape.rank
        if None in (own, other):
            return _graphkiln.cond(
                ops.equal(ops.rank(predictions), ops.rank(labels) + 1),
                lambda: ops.expand_dims(labels, -1),
                lambda: labels,
            )
        if own == other:
            return labels
        if other == own + 1:
            return ops.expand_dims(labels, -1, name=scope)
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape "
            f"{predictions.shape}. Predictions rank should be the same rank as labels "
            "rank or labels rank plus one ."
        )


def _of_class(ids: Any, class_id: int | None) -> Any:
    """The ids that are that of the class, as a sparse tensor; all if it is None."""
    if class_id is None:
        return ids
    ids = tensor_or_sparse(ids)
    if isinstance(ids, SparseTensor):
        return ops.sparse.retain(ids, ops.equal(ids.values, class_id))
    shape = ops.shape(ids, out_type=_graphkiln.int64)
    rows = ops.concat((shape[:-1], (1,)), 0)
    wanted = ops.fill(rows, ops.cast(class_id, _graphkiln.int64))
    found = ops.sets.intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, shape)


# The sets of which each row is counted: in predictions and labels, or in one alone.
_SETS = {
    "true_positive": lambda predictions, labels: ops.sets.intersection(
        predictions, labels
    ),
    "false_positive": lambda predictions, labels: ops.sets.difference(
        predictions, labels, aminusb=True
    ),
    "false_negative": lambda predictions, labels: ops.sets.difference(
        predictions, labels, aminusb=False
    ),
}


def _sizes(which: str, labels: Any, predictions: Any, class_id: int | None) -> Tensor:
    found = _SETS[which](_of_class(predictions, class_id), _of_class(labels, class_id))
    return ops.cast(ops.sets.size(found), _DOUBLE)


def _count(
    which: str, labels: Any, predictions: Any, k: Any, class_id: Any, weights: Any
) -> tuple:
    """A variable with how many there are, and its value with this batch."""
    with name_scope(_name_at_k(which, k, class_id)) as scope:
        sizes = _sizes(which, labels, predictions, class_id)
        if weights is not None:
            weights = _graphkiln.convert_to_tensor(weights)
            check = check_broadcastable(weights, sizes)
            with _graphkiln.control_dependencies([] if check is None else [check]):
                sizes = ops.multiply(sizes, ops.cast(weights, _DOUBLE))
        variable = metric_variable([], _DOUBLE, scope)
        return variable, v1.assign_add(variable, ops.reduce_sum(sizes), name="update")


def _share(right: Any, wrong: Any, name: str) -> Tensor:
    return ops.divide(right, ops.add(right, wrong), name=name)


def _share_at_top_k(
    name: str | None,
    default: str,
    wrong: str,
    labels: Any,
    predictions_idx: Any,
    k: int | None,
    class_id: int | None,
    weights: Any,
    collections: tuple,
) -> Streamed:
    with name_scope(name or _name_at_k(default, k, class_id)) as scope:
        predictions_idx = _graphkiln.convert_to_tensor(predictions_idx)
        labels = _with_a_column(labels, predictions_idx)
        top = ops.cast(predictions_idx, _graphkiln.int64)
        given = labels, top, k, class_id, weights
        right, rights = _count("true_positive", *given)
        missed, misses = _count(wrong, *given)
        return streamed(
            _share, (right, missed), (rights, misses), collections, (scope, "update")
        )


def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the labels so far are among the classes that are predicted first.

    Args:
      labels: classes of each row, int64, a tensor or a sparse one; or one of each row.
      predictions_idx: the classes of each row that are predicted first.
      k: how many these are, for names alone.
      class_id: the class that is counted; None: all.
      weights: of each row, or of all; None: 1.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, float64, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.recall_at_top_k(
    ...         tf.constant([[1], [2]], tf.int64), [[0, 1], [0, 1]])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    return _share_at_top_k(
        name,
        "recall",
        "false_negative",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        (metrics_collections, updates_collections),
    )


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the labels so far are among the `k` classes with the largest
    predictions.

    Args:
      labels: classes of each row, int64, a tensor or a sparse one; or one of each row.
      predictions: a number for each class of each row.
      k: how many classes are predicted.
      class_id: the class that is counted; None: all.
      weights: of each row, or of all; None: 1.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, float64, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.recall_at_k(
    ...         tf.constant([1, 2], tf.int64), [[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]], 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("recall_at_k")
    with name_scope(name or _name_at_k("recall", k, class_id)) as scope:
        return recall_at_top_k(
            labels,
            ops.math.top_k(predictions, k).indices,
            k,
            class_id,
            weights,
            metrics_collections,
            updates_collections,
            scope,
        )


def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the classes that are predicted first are labels. Arguments, results
    and errors as of `recall_at_top_k`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision_at_top_k(
    ...         tf.constant([[1], [2]], tf.int64), [[0, 1], [0, 1]])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.25
    """
    check_graph("precision_at_top_k")
    return _share_at_top_k(
        name,
        "precision",
        "false_positive",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        (metrics_collections, updates_collections),
    )


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """How many of the `k` classes with the largest predictions are labels. Arguments,
    results and errors as of `recall_at_k`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision_at_k(
    ...         tf.constant([1, 2], tf.int64), [[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]], 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.25
    """
    check_graph("sparse_precision_at_k")
    with name_scope(name or _name_at_k("precision", k, class_id)) as scope:
        return precision_at_top_k(
            labels,
            ops.math.top_k(predictions, k).indices,
            k,
            class_id,
            weights,
            metrics_collections,
            updates_collections,
            scope,
        )


def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The old name of `precision_at_k`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.sparse_precision_at_k(
    ...         tf.constant([1], tf.int64), [[0.1, 0.7, 0.2]], 1)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    return precision_at_k(
        labels,
        predictions,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _repeated(labels: Any, times: int) -> Any:
    """Labels once for each of that many, along a new dimension before the last."""
    if not isinstance(labels, SparseTensor):
        each = ops.expand_dims(labels, -2)
        ones = ops.ones_like(ops.shape(labels)[:-1])
        return ops.tile(each, ops.concat((ones, (times, 1)), 0))
    shape = labels.dense_shape
    wider = ops.concat((shape[:-1], (1,), shape[-1:]), 0)
    wide = ops.sparse.reshape(labels, wider)
    return wide if times == 1 else ops.sparse.concat(-2, [wide] * times)


def _number_relevant(labels: Any, k: int) -> Tensor:
    if isinstance(labels, SparseTensor):
        return ops.minimum(ops.sets.size(labels), k)
    present = ops.cast(ops.greater_equal(labels, 0), labels.dtype)
    return ops.minimum(ops.reduce_sum(present, axis=-1), ops.cast(k, labels.dtype))


def _average_precision(labels: Any, predictions_idx: Tensor) -> Tensor:
    """Of each row: the mean over its labels of the precision where each is found."""
    k = predictions_idx.shape[-1]
    if k is None:
        raise ValueError(
            "The last dimension of predictions_idx must be set. Currently, it is None."
        )
    predictions_idx = ops.cast(predictions_idx, _graphkiln.int64)
    labels = _with_a_column(labels, predictions_idx)
    each = ops.expand_dims(predictions_idx, -1)
    relevant = _sizes("true_positive", _repeated(labels, k), each, None)
    found = ops.cumsum(relevant, axis=-1)
    given = ops.cumsum(ops.ones_like(relevant), axis=-1)
    precisions = ops.multiply(ops.divide(found, given), relevant)
    number = ops.cast(_number_relevant(labels, k), _DOUBLE)
    return ops.divide(ops.reduce_sum(precisions, axis=-1), number)


def _within(labels: Any, classes: Tensor) -> Any:
    """Labels with -1 for those that are no class."""
    labels = tensor_or_sparse(labels)
    is_sparse = isinstance(labels, SparseTensor)
    values = labels.values if is_sparse else labels
    classes = ops.cast(classes, values.dtype)

    def cleaned() -> Any:
        outside = ops.greater_equal(values, classes)
        made = ops.where(outside, -ops.ones_like(values), values)
        return labels.with_values(made) if is_sparse else made

    largest = ops.reduce_max(values)
    return _graphkiln.cond(ops.greater_equal(largest, classes), cleaned, lambda: labels)


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The mean over rows of the average precision of the `k` classes with the largest
    predictions.

    Args:
      labels: classes of each row, int64, a tensor or a sparse one; or one of each row.
      predictions: a number for each class of each row.
      k: how many classes are predicted.
      weights: of each row, or of all; None: 1.
      metrics_collections: names of collections in which the value is kept.
      updates_collections: names of collections in which the update is kept.
      name: of the scope of the variables.

    Returns:
      The value, float64, and an op that adds this batch to it and gives the new one.

    Raises:
      ValueError: shapes do not fit, or `k` is below 1.
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.average_precision_at_k(
    ...         tf.constant([1, 2], tf.int64), [[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]], 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    check_graph("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with name_scope(name or _name_at_k("average_precision", k)) as scope:
        top = ops.math.top_k(predictions, k).indices
        precision = _average_precision(_within(labels, ops.shape(predictions)[-1]), top)
        if weights is not None:
            weights = weighted(precision, weights, _DOUBLE)
            precision = ops.multiply(precision, weights)
        with name_scope("max") as inner:
            most = metric_variable([], _DOUBLE, inner)
            number = ops.size(precision) if weights is None else ops.reduce_sum(weights)
            mosts = v1.assign_add(most, ops.cast(number, _DOUBLE), name="update")
        with name_scope("total") as inner:
            total = metric_variable([], _DOUBLE, inner)
            totals = v1.assign_add(total, ops.reduce_sum(precision), name="update")
        return streamed(
            ops.math.divide_no_nan,
            (total, most),
            (totals, mosts),
            (metrics_collections, updates_collections),
            ("mean", scope),
        )


def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Streamed:
    """The old name of `average_precision_at_k`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.sparse_average_precision_at_k(
    ...         tf.constant([1], tf.int64), [[0.1, 0.7, 0.2]], 1)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    return average_precision_at_k(
        labels,
        predictions,
        k,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )
