"""What tf.compat.v1.metrics are made of: variables that are local, counts in them, and a
value made twice, of what they hold and of what they hold after an update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import SparseTensor, Tensor, Variable, name_scope
from graphkiln._src import ops
from graphkiln._src.internal.ops import broadcast_weights
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln.compat import v1

Streamed = tuple[Tensor, Tensor]


def check_graph(name: str) -> None:
    """Raises RuntimeError eagerly, where no op could be run again."""
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{name} is not supported when eager execution is enabled."
        )


def metric_variable(shape: Any, dtype: Any, name: str) -> Variable:
    """Zeros among the local variables and those of metrics."""
    return v1.Variable(
        lambda: ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        synchronization=_graphkiln.VariableSynchronization.ON_READ,
        aggregation=_graphkiln.VariableAggregation.SUM,
        name=name,
    )


def kept(value: Tensor, update: Tensor, collections: Sequence) -> Streamed:
    """Both, each in its collections of the graph."""
    for tensor, names in zip((value, update), collections, strict=True):
        if names:
            v1.add_to_collections(names, tensor)
    return value, update


def streamed(
    compute: Callable,
    variables: Sequence,
    updates: Sequence,
    collections: Sequence,
    names: Sequence = ("value", "update_op"),
) -> Streamed:
    """What `compute` makes of the variables, and of their values after the updates.

    Args:
      compute: takes as many values, and a name.
      variables: what was counted.
      updates: their values with this batch.
      collections: where the value is kept and where the update, each None or a list.
      names: of both.
    """
    value = compute(*variables, names[0])
    return kept(value, compute(*updates, names[1]), collections)


def ratio(numerator: Any, denominator: Any, name: str | None = None) -> Tensor:
    """Their quotient, 0 where the denominator is not positive."""
    return ops.math.divide_no_nan(numerator, ops.maximum(denominator, 0), name=name)


def same_ranks(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Both, of which the one with a dimension too many loses its last, of size 1;
    predictions have `expected_rank_diff` more than labels."""
    with name_scope(name or "remove_squeezable_dimensions"):
        labels = _graphkiln.convert_to_tensor(labels)
        predictions = _graphkiln.convert_to_tensor(predictions)
        if None not in (labels.shape.rank, predictions.shape.rank):
            more = predictions.shape.rank - labels.shape.rank - expected_rank_diff
            if more == 1 and _may_be_squeezed(predictions):
                predictions = ops.squeeze(predictions, [-1])
            elif more == -1 and _may_be_squeezed(labels):
                labels = ops.squeeze(labels, [-1])
            return labels, predictions
        more = ops.rank(predictions) - ops.rank(labels) - expected_rank_diff
        return (
            _squeezed_if(ops.equal(-1, more), labels),
            _squeezed_if(ops.equal(1, more), predictions),
        )


def _may_be_squeezed(tensor: Tensor) -> bool:
    shape = tensor.shape
    return shape.rank is None or (
        shape.rank > 0 and shape.dims[-1].is_compatible_with(1)
    )


def _squeezed_if(condition: Tensor, tensor: Tensor) -> Tensor:
    if not _may_be_squeezed(tensor):
        return tensor
    return _graphkiln.cond(condition, lambda: ops.squeeze(tensor, [-1]), lambda: tensor)


def of_one_rank(predictions: Any, labels: Any, weights: Any) -> tuple:
    """Predictions, labels and weights of one rank, as far as a last dimension of size 1
    is all that differs; weights may be a scalar."""
    predictions = _graphkiln.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = same_ranks(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = _graphkiln.convert_to_tensor(weights)
    own, other = weights.shape.rank, predictions.shape.rank
    if own == 0:
        return predictions, labels, weights
    if None not in (own, other):
        if own - other == 1:
            weights = ops.squeeze(weights, [-1])
        elif other - own == 1:
            weights = ops.expand_dims(weights, -1)
        return predictions, labels, weights
    given, rank = weights, ops.rank(weights)
    more = rank - ops.rank(predictions)
    weights = _graphkiln.cond(
        ops.equal(rank, 0),
        lambda: given,
        lambda: _graphkiln.cond(
            ops.equal(more, -1),
            lambda: ops.expand_dims(given, -1),
            lambda: _squeezed_if(ops.equal(more, 1), given),
        ),
    )
    return predictions, labels, weights


def weighted(values: Tensor, weights: Any, dtype: Any) -> Tensor:
    """The weights in that dtype, one for each of the values."""
    return broadcast_weights(ops.cast(weights, dtype), values)


def tensor_or_sparse(value: Any) -> Any:
    """A sparse tensor as it is, a value of one as a tensor, or else a dense one."""
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, v1.SparseTensorValue):
        return SparseTensor.from_value(value)
    return _graphkiln.convert_to_tensor(value)


def flat(tensor: Tensor) -> Tensor:
    """A tensor of rank 1 or less as it is, others as a row."""
    return ops.reshape(tensor, [-1]) if tensor.shape.rank > 1 else tensor
