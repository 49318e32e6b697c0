"""Gathers from, and by, ragged tensors."""

from __future__ import annotations

from collections.abc import Callable

import graphkiln as tf
from graphkiln._src.ragged import axes
from graphkiln._src.ragged.indexing import gather_rows, of_lengths


def _gather(api: Callable, bound: dict) -> object:
    params, indices = (
        value if isinstance(value, tf.RaggedTensor)
        else tf.convert_to_tensor(value)
        for value in (bound["params"], bound["indices"])
    )
    if indices.dtype not in (tf.int32, tf.int64):
        raise tf.errors.InvalidArgumentError(
            None, None,
            f"Value for attr 'Tindices' of {indices.dtype.name} is not in the "
            "list of allowed values: int32, int64",
        )
    batch_dims = bound.get("batch_dims") or 0
    batch_dims = axes.checked(
        batch_dims, None if indices.shape.rank is None
        else indices.shape.rank + 1, "batch_dims",
    ) if batch_dims >= 0 else batch_dims + indices.shape.rank
    axis = bound.get("axis")
    axis = batch_dims if axis is None else axes.checked(
        axis, params.shape.rank
    )
    if axis < batch_dims:
        raise ValueError(
            f"axis={axis} must be at least batch_dims={batch_dims}"
        )
    return _take(params, indices, axis, batch_dims)


def _ragged(value, rank: int):
    """`value` with at least `rank` ragged dimensions."""
    if rank == 0:
        return value
    if not isinstance(value, tf.RaggedTensor):
        return tf.RaggedTensor.from_tensor(value, ragged_rank=rank)
    return value.with_values(_ragged(value.values, rank - 1))


def _as_indices(values: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return values if values.dtype == like.dtype else tf.cast(values, like.dtype)


def _within(indices: tf.Tensor, starts: tf.Tensor, lengths: tf.Tensor):
    """Where the elements at `indices` of rows are; what is no element of its
    row is a place that no gather finds."""
    indices = _as_indices(indices, starts)
    found = tf.logical_and(indices >= 0, indices < lengths)
    return tf.where(found, starts + indices, -tf.ones_like(indices))


def _take(params, indices, axis: int, batch_dims: int):
    if batch_dims > 0:
        return _take_of_batch(params, indices, axis, batch_dims)
    if not isinstance(params, tf.RaggedTensor):
        if not isinstance(indices, tf.RaggedTensor):
            return tf.gather(params, indices, axis=axis)
        if axis > 0:
            params = _ragged(params, axis)
            return _take(params, indices, axis, 0)
    if axis > 1:
        return params.with_values(_take(params.values, indices, axis - 1, 0))
    if axis == 1:
        return _take_of_each(params, indices)
    if isinstance(indices, tf.RaggedTensor):
        return indices.with_values(_take(params, indices.values, 0, 0))
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("The rank of indices into ragged rows must be known.")
    if rank == 0:
        one = gather_rows(params, tf.expand_dims(indices, 0))
        return one.values
    if rank == 1:
        return gather_rows(params, indices)
    whole = tf.RaggedTensor.from_tensor(indices)
    return of_lengths(_take(params, whole.values, 0, 0), whole.row_lengths())


def _take_of_each(params: tf.RaggedTensor, indices):
    """The elements at the same indices of each row."""
    if isinstance(indices, tf.RaggedTensor):
        rows = tf.zeros([params.nrows()], tf.int64)
        indices = gather_rows(tf.expand_dims(indices, 0), rows)
        return _take_of_batch(params, indices, 1, 1)
    dims = [-1] + [1] * indices.shape.rank
    starts, lengths = (
        tf.reshape(part, dims)
        for part in (params.row_starts(), params.row_lengths())
    )
    places = _within(tf.expand_dims(indices, 0), starts, lengths)
    return _take(params.values, places, 0, 0)


def _take_of_batch(params, indices, axis: int, batch_dims: int):
    """The elements at indices[i] of params[i], for each i."""
    if batch_dims > 1 or axis > 1:
        params = _ragged(params, 1)
    if batch_dims > 1:
        indices = _ragged(indices, 1)
        message = "batch shape from indices does not match params shape"
        with axes.same_rows([indices, params], message):
            return indices.with_values(
                _take(
                    tf.identity(params.values), indices.values, axis - 1,
                    batch_dims - 1,
                )
            )
    if axis > 1:
        rowids = params.value_rowids()
        return params.with_values(
            _take_of_batch(
                params.values, gather_rows(indices, rowids), axis - 1, 1
            )
        )
    params = _ragged(params, 1)
    count = params.shape[:1]
    if not count.is_compatible_with(indices.shape[:1]):
        raise ValueError(
            f"batch shape from indices {indices.shape[:1]} does not match "
            f"params shape {params.shape}"
        )
    starts, lengths = params.row_starts(), params.row_lengths()
    if not isinstance(indices, tf.RaggedTensor):
        dims = [-1] + [1] * (indices.shape.rank - 1)
        places = _within(
            indices, tf.reshape(starts, dims), tf.reshape(lengths, dims)
        )
        return _take(params.values, places, 0, 0)
    places = indices
    flat_rows = indices.value_rowids()
    inner = indices.values
    while isinstance(inner, tf.RaggedTensor):
        flat_rows = tf.gather(flat_rows, inner.value_rowids())
        inner = inner.values
    dims = [-1] + [1] * (inner.shape.rank - 1)
    places = indices.with_flat_values(
        _within(
            inner, tf.reshape(tf.gather(starts, flat_rows), dims),
            tf.reshape(tf.gather(lengths, flat_rows), dims),
        )
    )
    return places.with_values(_take(params.values, places.values, 0, 0))


def _gather_nd(api: Callable, bound: dict) -> object:
    params, indices = bound["params"], bound["indices"]
    if bound.get("batch_dims"):
        raise ValueError(
            "batch_dims != 0 is not supported for ragged gather yet."
        )
    if isinstance(indices, tf.RaggedTensor):
        return indices.with_flat_values(
            tf.gather_nd(params, indices.flat_values)
        )
    indices = tf.convert_to_tensor(indices)
    depth = indices.shape[-1] if indices.shape.rank else None
    if depth is None:
        raise ValueError("indices.shape[-1] must be statically known.")
    if depth == 0:
        return NotImplemented
    if indices.shape.rank == 1:
        one = _gather_nd(api, {**bound, "indices": tf.expand_dims(indices, 0)})
        return one.values if isinstance(one, tf.RaggedTensor) else one[0]
    if indices.shape.rank > 2:
        whole = tf.RaggedTensor.from_tensor(indices)
        inner = _gather_nd(api, {**bound, "indices": whole.values})
        return of_lengths(inner, whole.row_lengths())
    places = indices[:, 0]
    for i in range(1, depth):
        if not isinstance(params, tf.RaggedTensor):
            places = _as_indices(places, indices)
            return api(
                params, tf.concat([places[:, None], indices[:, i:]], 1)
            )
        starts, lengths = (
            tf.gather(part, places)
            for part in (params.row_starts(), params.row_lengths())
        )
        places = _within(indices[:, i], starts, lengths)
        params = params.values
    return gather_rows(params, places)


def _dynamic_partition(api: Callable, bound: dict) -> object:
    data, partitions = bound["data"], bound["partitions"]
    count = bound["num_partitions"]
    if isinstance(partitions, tf.RaggedTensor):
        data = _ragged(data, 1)
        message = "partitions and data must have the same rows"
        with axes.same_rows([data, partitions], message):
            data = tf.identity(data.values)
        return tf.dynamic_partition(data, partitions.values, count)
    indices = api(tf.range(data.nrows()), partitions, count)
    return [gather_rows(data, part) for part in indices]


TABLE: dict[str, Callable] = {
    "gather": _gather, "gather_nd": _gather_nd,
    "dynamic_partition": _dynamic_partition,
}
