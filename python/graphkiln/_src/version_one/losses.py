"""tf.compat.v1.losses: losses that are weighted and kept in a collection."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, name_scope
from graphkiln._src import ops
from graphkiln._src.internal.ops import broadcast_weights, check_broadcastable
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln.compat import v1


class Reduction:
    """How weighted losses become one.

    >>> tf.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for another one."""
        if key not in cls.all():
            raise ValueError(
                f"Invalid Reduction Key {key}. Key should be one of {cls.all()}."
            )


_BY_WEIGHT = Reduction.SUM_BY_NONZERO_WEIGHTS


def _kept(loss: Tensor, collection: str | None) -> Tensor:
    if collection and not _graphkiln.executing_eagerly():
        v1.add_to_collection(collection, loss)
    return loss


def _sum(losses: list, name: str) -> Tensor:
    """Their sum, of that name if there is one alone, too."""
    if len(losses) == 1:
        return ops.identity(losses[0], name=name)
    return ops.add_n(losses, name=name)


def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Keeps a loss in a collection of the graph; eagerly nothing is kept.

    Args:
      loss: the loss.
      loss_collection: of the graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.add_loss(tf.constant(1.0))
    ...     len(tf.compat.v1.losses.get_losses())
    1
    """
    _kept(loss, loss_collection)


def get_losses(
    scope: str | None = None, loss_collection: str = GraphKeys.LOSSES
) -> list:
    """The losses of a collection of the graph, those in a scope if it is given.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.get_losses()
    []
    """
    return v1.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list:
    """What regularizers of variables gave, in a graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.get_regularization_losses()
    []
    """
    return v1.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Their sum, 0 if there are none.

    >>> tf.compat.v1.losses.get_regularization_loss().numpy().item()
    0.0
    """
    losses = get_regularization_losses(scope)
    return _sum(losses, name) if losses else _graphkiln.convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True,
    name: str = "total_loss",
    scope: str | None = None,
) -> Tensor:
    """The sum of all losses of the graph.

    Args:
      add_regularization_losses: are those of regularizers among them?
      name: of the op.
      scope: only losses in this one.

    Raises:
      ValueError: there are none.

    >>> with tf.Graph().as_default():
    ...     _ = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
    ...     tf.compat.v1.losses.get_total_loss().name
    'total_loss:0'
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return _sum(losses, name)


def _mean(total: Tensor, count: Any) -> Tensor:
    return ops.math.divide_no_nan(total, count, name="value")


def _number_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Any:
    """How many of the losses count: those whose weight is not 0."""
    known = _graphkiln.get_static_value(weights)
    if known is not None and known.ndim == 0:
        if known == 0.0:
            return 0.0
        if _graphkiln.executing_eagerly():
            # All of them, of each row too, as TensorFlow counts.
            return ops.cast(ops.size(losses), _graphkiln.float32)
    with name_scope("num_present") as scope:
        present = ops.where(
            ops.equal(weights, 0.0), ops.zeros_like(weights), ops.ones_like(weights)
        )
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = ops.range(1, ops.rank(present))
            return ops.reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return ops.reduce_sum(present, name=scope)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """Losses times their weights, as one.

    Args:
      losses: of any shape and dtype.
      weights: of the rank of `losses` with sizes of theirs or 1, or a scalar.
      scope: name of the ops' scope.
      loss_collection: of the graph, where the result is kept.
      reduction: a `Reduction`.

    Returns:
      A scalar of the dtype of `losses`; for `Reduction.NONE` of their shape.

    Raises:
      ValueError: the shapes do not fit, or it is no reduction.

    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 2.0], [1.0, 0.0]).numpy().item()
    1.0
    """
    Reduction.validate(reduction)
    with name_scope(scope or "weighted_loss"):
        given = _graphkiln.convert_to_tensor(losses)
        weights = ops.cast(_graphkiln.convert_to_tensor(weights), _graphkiln.float32)
        check = check_broadcastable(weights, given)
        with _graphkiln.control_dependencies([] if check is None else [check]):
            losses = ops.cast(given, _graphkiln.float32)
            weighted = ops.multiply(losses, weights)
            if reduction == Reduction.NONE:
                loss = weighted
            else:
                loss = ops.reduce_sum(weighted)
            if reduction == Reduction.MEAN:
                loss = _mean(loss, ops.reduce_sum(ops.ones_like(losses) * weights))
            elif reduction == _BY_WEIGHT:
                loss = _mean(loss, _number_present(losses, weights))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                size = ops.size(losses, name="num_elements")
                loss = _mean(loss, ops.cast(size, _graphkiln.float32))
            loss = ops.cast(loss, given.dtype)
            return _kept(loss, loss_collection)


def _check_given(names: str, *values: Any) -> None:
    for name, value in zip(names.split(), values, strict=True):
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _pair(labels: Any, predictions: Any, names: str = "labels predictions") -> Any:
    """Both as float32 tensors of one shape."""
    _check_given(names, labels, predictions)
    predictions = ops.cast(predictions, _graphkiln.float32)
    labels = ops.cast(labels, _graphkiln.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """How far predictions are from labels. Arguments, result and errors as of
    `compute_weighted_loss`.

    >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [2.0, 4.0]).numpy().item()
    1.5
    """
    with name_scope(scope or "absolute_difference") as scope:
        labels, predictions = _pair(labels, predictions)
        losses = ops.abs(ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """The squares of how far predictions are from labels. Arguments, result and
    errors as of `compute_weighted_loss`.

    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]).numpy().item()
    2.5
    """
    with name_scope(scope or "mean_squared_error") as scope:
        labels, predictions = _pair(labels, predictions)
        losses = ops.math.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
    dim: int | None = None,
) -> Tensor:
    """1 - the cosine between vectors of length 1. Other arguments, result and errors
    as of `compute_weighted_loss`.

    Args:
      axis: along which the vectors lie; `dim` is its old name.

    Raises:
      ValueError: `axis` is not given.

    >>> tf.compat.v1.losses.cosine_distance([1.0, 0.0], [0.0, 1.0], axis=0).numpy().item()
    1.0
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    with name_scope(scope or "cosine_distance_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        product = ops.multiply(predictions, labels)
        losses = 1 - ops.reduce_sum(product, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """max(0, 1 - logits) where labels are 1, max(0, 1 + logits) where they are 0.
    Arguments, result and errors as of `compute_weighted_loss`.

    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.5]).numpy().item()
    1.0
    """
    with name_scope(scope or "hinge_loss") as scope:
        labels, logits = _pair(labels, logits, "labels logits")
        signs = ops.subtract(2 * labels, ops.ones_like(labels))
        losses = ops.nn.relu(ops.subtract(ops.ones_like(labels), signs * logits))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """Half the squares of differences up to `delta`, from there on a straight line
    (Huber, 1964). Other arguments, result and errors as of `compute_weighted_loss`.

    Args:
      delta: where the line begins.

    >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [1.0, 3.0]).numpy().item()
    1.5
    """
    with name_scope(scope or "huber_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        size = ops.abs(ops.subtract(predictions, labels))
        delta = _graphkiln.convert_to_tensor(delta, dtype=size.dtype)
        near = ops.minimum(size, delta)
        losses = 0.5 * near * near + delta * ops.subtract(size, near)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """-log of the probability that predictions give to labels. Other arguments,
    result and errors as of `compute_weighted_loss`.

    Args:
      epsilon: added to what the logarithm is taken of.

    >>> loss = tf.compat.v1.losses.log_loss([1.0, 0.0], [0.5, 0.5])
    >>> round(loss.numpy().item(), 4)
    0.6931
    """
    with name_scope(scope or "log_loss") as scope:
        labels, predictions = _pair(labels, predictions)
        yes = ops.multiply(labels, ops.math.log(predictions + epsilon))
        no = ops.multiply(1 - labels, ops.math.log(1 - predictions + epsilon))
        return compute_weighted_loss(
            -yes - no, weights, scope, loss_collection, reduction
        )


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """The mean of the squared differences between differences: for each pair of
    elements of a row, how far its difference in the predictions is from that in the
    labels.

    Args:
      labels, predictions: [batch, ...].
      weights: [batch, 1, ...] or a scalar.
      scope, loss_collection: as of `compute_weighted_loss`.

    >>> loss = tf.compat.v1.losses.mean_pairwise_squared_error([[0.0, 1.0]], [[0.0, 3.0]])
    >>> loss.numpy().item()
    4.0
    """
    with name_scope(scope or "mean_pairwise_squared_error"):
        labels, predictions = _pair(labels, predictions)
        weights = ops.cast(_graphkiln.convert_to_tensor(weights), _graphkiln.float32)
        check = check_broadcastable(weights, labels)
        with _graphkiln.control_dependencies([] if check is None else [check]):
            differences = ops.subtract(predictions, labels)
            axes = ops.range(1, ops.rank(differences))
            squares = ops.reduce_sum(ops.square(differences), axis=axes, keepdims=True)
            present = _number_present(differences, weights, per_batch=True)
            first = 2.0 * _mean(squares, ops.maximum(present - 1, 0))
            sums = ops.reduce_sum(differences, axis=axes, keepdims=True)
            pairs = ops.maximum(ops.multiply(present, present - 1), 0)
            second = 2.0 * _mean(ops.square(sums), pairs)
            loss = ops.reduce_sum(ops.multiply(first - second, weights))
            loss = ops.where(
                ops.reduce_sum(present) > 0, loss, ops.zeros_like(loss), name="value"
            )
            return _kept(loss, loss_collection)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """Cross entropies of classes that do not exclude each other. Other arguments,
    result and errors as of `compute_weighted_loss`.

    Args:
      multi_class_labels: [batch, classes], probabilities.
      logits: [batch, classes].
      label_smoothing: moves labels towards 1/2 by this part.

    >>> loss = tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]])
    >>> round(loss.numpy().item(), 4)
    0.6931
    """
    _check_given("multi_class_labels logits", multi_class_labels, logits)
    with name_scope(scope or "sigmoid_cross_entropy_loss") as scope:
        logits = _graphkiln.convert_to_tensor(logits)
        labels = ops.cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = ops.nn.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """Cross entropies of one class out of several. No gradient flows to the labels.
    Other arguments, result and errors as of `compute_weighted_loss`.

    Args:
      onehot_labels: [batch, classes], probabilities.
      logits: [batch, classes].
      label_smoothing: moves labels towards 1/classes by this part.

    >>> loss = tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]])
    >>> round(loss.numpy().item(), 4)
    0.6931
    """
    _check_given("onehot_labels logits", onehot_labels, logits)
    with name_scope(scope or "softmax_cross_entropy_loss") as scope:
        logits = _graphkiln.convert_to_tensor(logits)
        labels = ops.cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = ops.cast(ops.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = ops.nn.softmax_cross_entropy_with_logits(
            labels=ops.stop_gradient(labels, name="labels_stop_gradient"),
            logits=logits,
            name="xentropy",
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _without_last(labels: Tensor, logits: Tensor, weights: Any) -> tuple:
    """Labels and weights without a last dimension of size 1 that is too much."""
    if labels.shape.rank is not None and labels.shape.rank == logits.shape.rank:
        if labels.shape[-1] in (None, 1):
            labels = ops.squeeze(labels, [-1])
    elif labels.shape.rank is None or logits.shape.rank is None:
        if labels.shape.rank is None or labels.shape[-1] in (None, 1):
            labels = _graphkiln.cond(
                ops.equal(ops.rank(logits), ops.rank(labels)),
                lambda: ops.squeeze(labels, [-1]),
                lambda: labels,
            )
    if weights is not None:
        weights = _graphkiln.convert_to_tensor(weights)
        rank, wanted = weights.shape.rank, labels.shape.rank
        if rank not in (None, 0) and wanted is not None and rank - wanted == 1:
            weights = ops.squeeze(weights, [-1])
    return labels, weights


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHT,
) -> Tensor:
    """Cross entropies of one class out of several, which the labels number. Other
    arguments, result and errors as of `compute_weighted_loss`.

    Args:
      labels: [batch] or [batch, 1] of int32 or int64.
      logits: [batch, classes].

    >>> loss = tf.compat.v1.losses.sparse_softmax_cross_entropy([0], [[0.0, 0.0]])
    >>> round(loss.numpy().item(), 4)
    0.6931
    """
    _check_given("labels logits", labels, logits)
    with name_scope(scope or "sparse_softmax_cross_entropy_loss") as scope:
        labels = _graphkiln.convert_to_tensor(labels)
        logits = _graphkiln.convert_to_tensor(logits)
        labels, weights = _without_last(labels, logits, weights)
        losses = ops.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
