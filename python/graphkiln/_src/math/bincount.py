"""tf.math.bincount and tf.sparse.bincount: how often each number occurs."""

from __future__ import annotations

from graphkiln import _graphkiln
from graphkiln import raw_ops as ops
from graphkiln._graphkiln import RaggedTensor, SparseTensor, Tensor
from graphkiln._src import ops as _ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes


def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=dtypes.int32,
    name=None,
    axis=None,
    binary_output=False,
):
    """How often each number occurs.

    Args:
      arr: integers of 0 or more; a tensor, or a ragged or sparse one.
      weights: of the shape and kind of `arr`, summed instead of counted.
      minlength, maxlength: limits of the length of the result.
      axis: None or 0: of all elements; -1: of each row.
      binary_output: 1 for numbers that occur instead of the count.

    >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    >>> rows = tf.ragged.constant([[1, 2, 1], [], [0]])
    >>> tf.math.bincount(rows, axis=-1).numpy().tolist()
    [[0, 2, 1], [0, 0, 0], [1, 0, 0]]
    """
    _check_axis(axis)
    with name_scope.name_scope(name or "bincount"):
        if weights is not None and binary_output:
            raise ValueError(_EXCLUSIVE)
        arr, weights = _operands(arr, weights)
        if weights is None:
            weights = _graphkiln.constant([], dtype)
        if axis != -1:
            arr, weights = _elements(arr), _elements(weights)
        values = _values(arr)
        if values.dtype not in (dtypes.int32, dtypes.int64):
            wide = values.dtype in (dtypes.uint32, dtypes.uint64)
            values = _ops.cast(values, dtypes.int64 if wide else dtypes.int32)
        some = _ops.cast(_ops.size(values) > 0, values.dtype)
        size = some * (_ops.reduce_max(values) + 1)
        for limit, bound in (
            (minlength, _ops.maximum),
            (maxlength, _ops.minimum),
        ):
            if limit is None:
                continue
            limit = _graphkiln.convert_to_tensor(limit, dtype_hint=values.dtype)
            if limit.dtype == dtypes.int64:
                values, size = (
                    _ops.cast(v, dtypes.int64) for v in (values, size)
                )
            size = bound(_ops.cast(limit, values.dtype), size)
        rest = dict(
            size=size, weights=_values(weights), binary_output=binary_output
        )
        if isinstance(arr, RaggedTensor):
            splits = _ops.cast(arr.row_splits, dtypes.int64)
            return ops.RaggedBincount(splits=splits, values=values, **rest)
        if isinstance(arr, SparseTensor):
            return ops.SparseBincount(
                indices=arr.indices, values=values,
                dense_shape=arr.dense_shape, **rest,
            )
        return ops.DenseBincount(input=values, **rest)


def sparse_bincount(
    values,
    weights=None,
    axis=0,
    minlength=None,
    maxlength=None,
    binary_output=False,
    name=None,
):
    """How often each number occurs, as a sparse tensor of those that do.

    Args:
      values: integers of 0 or more; a tensor, or a ragged or sparse one.
      weights: of the shape and kind of `values`, summed instead of counted.
      axis: 0: of all elements; -1: of each row.
      minlength: the least length of the result's rows.
      maxlength: that length; numbers that are not below it do not count.
      binary_output: 1 for numbers that occur instead of the count.

    >>> counts = tf.sparse.bincount([[1, 1, 7], [0, 0, 0]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 1], [0, 7], [1, 0]], [2, 1, 3])
    """
    _check_axis(axis)
    with name_scope.name_scope(name or "count"):
        if weights is not None and binary_output:
            raise ValueError(_EXCLUSIVE)
        values, weights = _operands(values, weights)
        if weights is None:
            weights = _graphkiln.constant([], _values(values).dtype)
        if axis != -1:
            values, weights = _elements(values), _elements(weights)
        rest = dict(
            values=_values(values), weights=_values(weights),
            minlength=-1 if minlength is None else minlength,
            maxlength=-1 if maxlength is None else maxlength,
            binary_output=binary_output,
        )
        if isinstance(values, RaggedTensor):
            splits = _ops.cast(values.row_splits, dtypes.int64)
            counts = ops.RaggedCountSparseOutput(splits=splits, **rest)
        elif isinstance(values, SparseTensor):
            counts = ops.SparseCountSparseOutput(
                indices=values.indices, dense_shape=values.dense_shape, **rest
            )
        else:
            counts = ops.DenseCountSparseOutput(**rest)
        return SparseTensor(*counts)


_EXCLUSIVE = (
    "Arguments `binary_output` and `weights` are mutually exclusive. Please "
    "specify only one."
)


def _check_axis(axis: int | None) -> None:
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are "
            "currently supported."
        )


def _operands(values, weights) -> tuple:
    """Values and weights of one kind; those of unlike rows are refused."""
    for kind in (RaggedTensor, SparseTensor):
        if not isinstance(values, kind):
            continue
        if weights is None:
            return values, None
        if not isinstance(weights, kind):
            raise ValueError(
                f"Argument `weights` must be a {kind.__name__} if `values` is "
                f"a {kind.__name__}. Received weights={weights} of type: "
                f"{type(weights).__name__}"
            )
        return values, _of_the_same_rows(values, weights)
    values = _graphkiln.convert_to_tensor(values, name="arr")
    if weights is not None:
        weights = _graphkiln.convert_to_tensor(weights, name="weights")
    return values, weights


def _of_the_same_rows(values, weights):
    if isinstance(values, RaggedTensor):
        pairs = zip(values.nested_row_splits, weights.nested_row_splits)
    else:
        pairs = zip(
            (values.indices, values.dense_shape),
            (weights.indices, weights.dense_shape),
        )
    checks = [
        _ops.debugging.assert_equal(
            _ops.cast(a, dtypes.int64), _ops.cast(b, dtypes.int64),
            "`weights` and `values` must have the same rows",
        )
        for a, b in pairs
        if a is not b
    ]
    with _graphkiln.control_dependencies(
        [c for c in checks if c is not None]
    ):
        return _ops.identity(weights)


def _elements(value) -> Tensor:
    if isinstance(value, RaggedTensor):
        value = value.flat_values
    elif isinstance(value, SparseTensor):
        value = value.values
    return _ops.reshape(value, [-1])


def _values(value) -> Tensor:
    if isinstance(value, (RaggedTensor, SparseTensor)):
        return _graphkiln.convert_to_tensor(value.values)
    return value
