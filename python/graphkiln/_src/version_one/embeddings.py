"""tf.compat.v1.nn: lookups in tables that are cut into parts, and losses over samples
of classes."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import SparseTensor, Tensor
from graphkiln._src import ops
from graphkiln._src.version_one.nn import embedding_lookup
from graphkiln._src.version_one.partitioned_variables import PartitionedVariable


def _parts(params: Any) -> list:
    if isinstance(params, PartitionedVariable):
        return list(params)
    return params if isinstance(params, list) else [params]


def _with_values(sparse: SparseTensor, values: Any) -> SparseTensor:
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Rows of a table, those that a sparse matrix names in a row combined.

    Args:
      params: the table, or a list of its parts.
      sp_ids: [rows, any] of int64: which rows.
      sp_weights: of them, or None.
      partition_strategy: "mod" or "div", as of `embedding_lookup`.
      name: of the ops.
      combiner: "mean", which is the usual one, "sqrtn" or "sum".
      max_norm: rows that are longer are cut to this length.
      allow_fast_lookup: has no effect on the result.

    Raises:
      TypeError: for ids or weights that are not sparse.
      ValueError: for another combiner.

    >>> tf.compat.v1.nn.embedding_lookup_sparse(
    ...     tf.constant([[1.0], [3.0]]), tf.sparse.from_dense([[1, 1]]), None).numpy().tolist()
    [[3.0]]
    """
    parts = _parts(params)
    if len(parts) == 1 or partition_strategy == "div":
        return ops.nn.embedding_lookup_sparse(
            parts, sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup
        )
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    with _graphkiln.name_scope(name or "embedding_lookup_sparse"):
        ids, places = ops.unique(sp_ids.values)
        rows = embedding_lookup(parts, ids, partition_strategy, max_norm=max_norm)
        return ops.nn.embedding_lookup_sparse(
            rows, _with_values(sp_ids, places), sp_weights, combiner
        )


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` without ids that are negative and weights that are
    not positive; rows without any are zeros, or those of the default id.

    Args:
      embedding_weights: the table, or a list of its parts.
      sparse_ids: of any rank of at least 2: which rows.
      sparse_weights: of them, or None.
      combiner: "mean", "sqrtn" or "sum".
      default_id: what stands in empty rows.
      name: of the ops.
      partition_strategy: "mod" or "div", as of `embedding_lookup`.
      max_norm: rows that are longer are cut to this length.
      allow_fast_lookup: has no effect on the result.

    Raises:
      ValueError: without a table.

    >>> tf.compat.v1.nn.safe_embedding_lookup_sparse(
    ...     tf.constant([[1.0], [3.0]]),
    ...     tf.SparseTensor([[0, 0], [1, 0]], [-1, 1], [2, 1])).numpy().tolist()
    [[0.0], [3.0]]
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    parts = _parts(embedding_weights)
    if not parts:
        raise ValueError(f"Missing embedding_weights {parts}.")
    if len(parts) > 1 and partition_strategy != "div":
        with _graphkiln.name_scope(name or "embedding_lookup"):
            ids = sparse_ids.values
            first = ops.cast([default_id or 0], ids.dtype)
            known, places = ops.unique(ops.concat([first, ops.maximum(ids, 0)], 0))
            rows = embedding_lookup(parts, known, partition_strategy, max_norm=max_norm)
            # Of the rows that were looked up; what was negative stays so.
            there = ops.where(ids >= 0, ops.cast(places[1:], ids.dtype), -1)
            return ops.nn.safe_embedding_lookup_sparse(
                rows, _with_values(sparse_ids, there), sparse_weights, combiner,
                None if default_id is None else 0,
            )
    return ops.nn.safe_embedding_lookup_sparse(
        parts, sparse_ids, sparse_weights, combiner, default_id, max_norm, name,
        allow_fast_lookup,
    )


def _sampled(
    weights: Any, biases: Any, labels: Any, sampled: Any, strategy: str,
    draw: Any,
) -> tuple:
    """Weights and biases of the classes that are needed alone; labels and samples
    are then places in them."""
    parts = _parts(weights)
    if strategy == "div" or (len(parts) == 1 and len(_parts(biases)) == 1):
        return parts, _parts(biases), labels, sampled
    labels = ops.cast(labels, _graphkiln.int64)
    classes, *counts = draw(labels) if sampled is None else sampled
    classes = ops.cast(classes, _graphkiln.int64)
    known, places = ops.unique(
        ops.concat([ops.reshape(labels, [-1]), classes], 0), _graphkiln.int64
    )
    count = ops.size(labels)
    return (
        embedding_lookup(parts, known, strategy),
        embedding_lookup(_parts(biases), known, strategy),
        ops.reshape(places[:count], ops.shape(labels)),
        (places[count:], *counts),
    )


def _drawing(num_true: int, num_sampled: int, num_classes: int, seed: Any) -> Any:
    return lambda labels: ops.random.log_uniform_candidate_sampler(
        labels, num_true, num_sampled, True, num_classes, seed
    )


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """The loss of noise-contrastive estimation: true classes against drawn ones.

    Args:
      weights: [classes, dim], or a list of parts.
      biases: [classes].
      labels: [batch, num_true] of int64.
      inputs: [batch, dim].
      num_sampled: how many classes are drawn.
      num_classes: of which.
      num_true: how many true ones there are in a row.
      sampled_values: what a sampler drew, or None.
      remove_accidental_hits: do drawn classes that are true count?
      partition_strategy: "mod" or "div", as of `embedding_lookup`.
      name: of the ops.

    >>> tf.compat.v1.nn.nce_loss(
    ...     tf.ones([9, 2]), tf.ones([9]), tf.constant([[1]], tf.int64),
    ...     tf.ones([1, 2]), 3, 9).shape
    TensorShape([1])
    """
    with _graphkiln.name_scope(name or "nce_loss"):
        weights, biases, labels, sampled_values = _sampled(
            weights, biases, labels, sampled_values, partition_strategy,
            _drawing(num_true, num_sampled, num_classes, None),
        )
        return ops.nn.nce_loss(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true,
            sampled_values, remove_accidental_hits,
        )


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The cross entropy of true classes and the softmax of them and drawn ones.

    Args:
      weights: [classes, dim], or a list of parts.
      biases: [classes].
      labels: [batch, num_true] of int64.
      inputs: [batch, dim].
      num_sampled: how many classes are drawn.
      num_classes: of which.
      num_true: how many true ones there are in a row.
      sampled_values: what a sampler drew, or None.
      remove_accidental_hits: do drawn classes that are true count?
      partition_strategy: "mod" or "div", as of `embedding_lookup`.
      name: of the ops.
      seed: of the draws.

    >>> tf.compat.v1.nn.sampled_softmax_loss(
    ...     tf.ones([9, 2]), tf.ones([9]), tf.constant([[1]], tf.int64),
    ...     tf.ones([1, 2]), 3, 9).shape
    TensorShape([1])
    """
    with _graphkiln.name_scope(name or "sampled_softmax_loss"):
        weights, biases, labels, sampled_values = _sampled(
            weights, biases, labels, sampled_values, partition_strategy,
            _drawing(num_true, num_sampled, num_classes, seed),
        )
        return ops.nn.sampled_softmax_loss(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true,
            sampled_values, remove_accidental_hits, seed,
        )
