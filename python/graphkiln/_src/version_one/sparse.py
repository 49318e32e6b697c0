"""Sparse tensors: functions that the first version alone had."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import SparseTensor, SparseTensorValue, Tensor
from graphkiln._src import ops


def _sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def _one_of(new: str, value: Any, old: str, old_value: Any) -> Any:
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
    return old_value


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = _graphkiln.string
) -> Tensor:
    """A sparse tensor as three strings or variants.

    Args:
      sp_input: the sparse tensor.
      name: of the op.
      out_type: string or variant.

    >>> tf.compat.v1.serialize_sparse(tf.sparse.from_dense([1, 0])).shape
    TensorShape([3])
    """
    return ops.io.serialize_sparse(_sparse(sp_input), out_type, name)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = _graphkiln.string
) -> Tensor:
    """The rows of a sparse tensor, each as three strings or variants.

    Args:
      sp_input: the sparse tensor.
      name: of the op.
      out_type: string or variant.

    >>> tf.compat.v1.serialize_many_sparse(tf.sparse.from_dense([[1], [0]])).shape
    TensorShape([2, 3])
    """
    return ops.io.serialize_many_sparse(_sparse(sp_input), out_type, name)


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """A sparse tensor of which one names the places in the last dimension and
    another the values.

    Args:
      sp_ids: the places; a list of them if the result has several dimensions more.
      sp_values: the values.
      vocab_size: of the last dimension; a list if there are several.
      name: of the ops.
      already_sorted: are the places in order?

    Raises:
      TypeError, ValueError: for what is no list where the other is.

    >>> ids = tf.sparse.from_dense([[2, 1]])
    >>> values = tf.SparseTensor(ids.indices, [0.5, 0.25], [1, 2])
    >>> tf.sparse.to_dense(tf.compat.v1.sparse_merge(ids, values, 3)).numpy().tolist()
    [[0.0, 0.25, 0.5]]
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        if not isinstance(vocab_size, (Tensor, Integral)):
            raise TypeError(
                "vocab_size has to be a Tensor or Python int. Found "
                f"{type(vocab_size)}"
            )
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    elif not isinstance(sp_ids, Iterable):
        raise TypeError(
            f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}"
        )
    wrong = vocab_size
    if isinstance(vocab_size, Iterable):
        others = [s for s in vocab_size if not isinstance(s, (Tensor, Integral))]
        wrong = others[0] if others else None
    if wrong is not None:
        raise TypeError(
            "vocab_size has to be a list of Tensors or Python ints. Found "
            f"{type(wrong)}"
        )
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with _graphkiln.name_scope(name or "SparseMerge"):
        parts = [_sparse(part) for part in sp_ids]
        values = _sparse(sp_values)
        columns = [ops.cast(p.values, _graphkiln.int64)[:, None] for p in parts]
        sizes = [ops.cast(size, _graphkiln.int64) for size in vocab_size]
        merged = SparseTensor(
            ops.concat([parts[0].indices[:, :-1], *columns], 1),
            values.values,
            ops.concat([parts[0].dense_shape[:-1], sizes], 0),
        )
        return merged if already_sorted else _graphkiln.sparse_reorder(merged)


class KeywordRequired:
    """Stands for nothing: arguments behind it are given by name."""

    def __repr__(self) -> str:
        return "KeywordRequired"


_BY_NAME = KeywordRequired()


def sparse_split(
    keyword_required: Any = _BY_NAME,
    sp_input: Any = None,
    num_split: int | None = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """The parts of a sparse tensor along an axis.

    Args:
      keyword_required: nothing: all others are given by name.
      sp_input: the sparse tensor.
      num_split: how many parts.
      axis: of what is split.
      name: of the op.
      split_dim: the older name of `axis`.

    Raises:
      ValueError: for arguments by place, and missing ones.

    >>> parts = tf.compat.v1.sparse_split(
    ...     sp_input=tf.sparse.from_dense([[1, 2]]), num_split=2, axis=1)
    >>> [p.values.numpy().tolist() for p in parts]
    [[1], [2]]
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    for what, value in (("sp_input", sp_input), ("num_split", num_split),
                        ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    axis = _one_of("axis", axis, "split_dim", split_dim)
    given = _sparse(sp_input)
    made = raw_ops.SparseSplit(
        split_dim=axis, indices=given.indices, values=given.values,
        shape=given.dense_shape, num_split=num_split, name=name,
    )
    return [SparseTensor(*parts) for parts in zip(*made, strict=True)]


def _reduced(
    op: Callable, sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any,
    keep_dims: Any,
) -> SparseTensor:
    keepdims = _one_of("keepdims", keepdims, "keep_dims", keep_dims)
    axis = _one_of("axis", axis, "reduction_axes", reduction_axes)
    if axis is None:
        axis = ops.range(ops.rank(sp_input))
    return SparseTensor(*op(
        input_indices=sp_input.indices, input_values=sp_input.values,
        input_shape=sp_input.dense_shape, reduction_axes=axis,
        keep_dims=bool(keepdims),
    ))


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """The maximum along axes, of what is there, as a sparse tensor.

    Args:
      sp_input: the sparse tensor.
      axis: the axes; all unless given.
      keepdims: do they stay, of size 1?
      reduction_axes: the older name of `axis`.
      keep_dims: the older name of `keepdims`.

    >>> tf.compat.v1.sparse_reduce_max_sparse(
    ...     tf.sparse.from_dense([[1, 2], [0, 0]]), 1).values.numpy().tolist()
    [2]
    """
    return _reduced(
        raw_ops.SparseReduceMaxSparse, sp_input, axis, keepdims, reduction_axes,
        keep_dims,
    )


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """The sum along axes, of what is there, as a sparse tensor.

    Args:
      sp_input: the sparse tensor.
      axis: the axes; all unless given.
      keepdims: do they stay, of size 1?
      reduction_axes: the older name of `axis`.
      keep_dims: the older name of `keepdims`.

    >>> tf.compat.v1.sparse_reduce_sum_sparse(
    ...     tf.sparse.from_dense([[1, 2], [0, 0]]), 1).values.numpy().tolist()
    [3]
    """
    return _reduced(
        raw_ops.SparseReduceSumSparse, sp_input, axis, keepdims, reduction_axes,
        keep_dims,
    )


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices, of which one may have many zeros.

    Args:
      a: a matrix of float32 or bfloat16.
      b: likewise.
      transpose_a: is `a` transposed?
      transpose_b: is `b` transposed?
      a_is_sparse: has `a` many zeros?
      b_is_sparse: has `b` many zeros?
      name: of the op.

    >>> tf.compat.v1.sparse_matmul([[2.0]], [[3.0]]).numpy().tolist()
    [[6.0]]
    """
    return raw_ops.SparseMatMul(
        a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b,
        a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, name=name,
    )
