"""Functions of tf.compat.v1.nn that have no twin of today."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops
from graphkiln._src.version_one.partitioned_variables import PartitionedVariable


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> _graphkiln.Tensor:
    """Rows of a table, or of one that is cut into several.

    Args:
      params: the table, or a list of its parts.
      ids: which rows, of int32 or int64.
      partition_strategy: "mod": row `i` is in part `i % len(params)`; "div": parts
        are consecutive, the first ones a row longer if need be.
      name: of the op.
      validate_indices: has no effect: they always are.
      max_norm: rows that are longer are cut to this length.

    Raises:
      ValueError: without parts, or for another strategy.

    >>> parts = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(parts, [0, 1, 2]).numpy().tolist()
    [[0.0], [1.0], [2.0]]
    """
    whole = not isinstance(params, (list, tuple, PartitionedVariable))
    parts = [params] if whole else list(params)
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            f"Unrecognized partition strategy: {partition_strategy}.Must be one of "
            "either `mod` or `div`."
        )
    if len(parts) == 1 or partition_strategy == "div":
        return ops.nn.embedding_lookup(parts, ids, max_norm=max_norm, name=name)
    with _graphkiln.name_scope(name or "embedding_lookup"):
        ids = _graphkiln.convert_to_tensor(ids)
        count = _graphkiln.constant(len(parts), ids.dtype)
        flat = ops.reshape(ids, [-1])
        places = ops.dynamic_partition(
            ops.range(ops.size(flat)), ops.cast(flat % count, _graphkiln.int32), len(parts)
        )
        rows = [
            ops.nn.embedding_lookup(
                part, ops.gather(flat // count, where), max_norm=max_norm
            )
            for part, where in zip(parts, places, strict=True)
        ]
        found = ops.dynamic_stitch(places, rows)
        return ops.reshape(
            found, ops.concat([ops.shape(ids), ops.shape(found)[1:]], 0)
        )


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: Any = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[_graphkiln.Tensor, _graphkiln.Tensor, _graphkiln.Tensor]:
    """Normalizes a batch of images, channel by channel (Ioffe and Szegedy, "Batch
    normalization", 2015).

    Args:
      x: [batch, height, width, channels], or of five axes.
      scale: of each channel.
      offset: of each channel.
      mean: of each channel, if not training; else what a running mean begins at.
      variance: likewise.
      epsilon: added to variances.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: are mean and variance those of the batch?
      name: of the op.
      exponential_avg_factor: the batch's part in the running mean and variance.

    Returns:
      The normalized images, the mean and the variance.

    Raises:
      ValueError: without mean and variance, if not training or if there are
        running ones.

    >>> y, mean, _ = tf.compat.v1.nn.fused_batch_norm(
    ...     [[[[1.0]], [[3.0]]]], [1.0], [0.0])
    >>> mean.numpy().tolist()
    [2.0]
    """
    running = not is_training or exponential_avg_factor != 1.0
    if running and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is "
            "False or `exponential_avg_factor` != 1.0. Received: `mean` "
            f"{mean!r} and `variance` {variance!r}"
        )
    x = _graphkiln.convert_to_tensor(x)
    kept = _graphkiln.constant([], _graphkiln.float32)
    result = raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=kept if mean is None else mean,
        variance=kept if variance is None else variance,
        epsilon=max(epsilon, 1.001e-5),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=bool(is_training),
        name=name,
    )
    return result[0], result[1], result[2]
