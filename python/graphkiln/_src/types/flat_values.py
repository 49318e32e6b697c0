"""Functions of the program applied to the values of ragged and sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln as core


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies `op` to the values of sparse tensors, wherever they stand.

    Args:
      op: a function of tensors; gives a tensor as long as the values.
      *args, **kwargs: its arguments; sparse tensors in them, however nested,
        are replaced by their values.

    Returns a sparse tensor with what `op` gives at the places of the first.

    Raises ValueError if no argument is sparse, InvalidArgumentError if several
    have other places or shapes.

    >>> s = tf.sparse.from_dense([[0, 7], [-5, 0]])
    >>> tf.sparse.map_values(tf.abs, s).values.numpy().tolist()
    [7, 5]
    """
    sparse: list[Any] = []

    def value_of(leaf: Any) -> Any:
        if not isinstance(leaf, core.SparseTensor):
            return leaf
        sparse.append(leaf)
        return leaf.values

    args, kwargs = core.nest_map(value_of, (args, kwargs))
    return core.sparse_map(sparse, lambda: op(*args, **kwargs))


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies `op` to the flat values of ragged tensors, wherever they stand.

    Args:
      op: a function of tensors; gives a tensor as long as the flat values.
      *args, **kwargs: its arguments; ragged tensors in them, also in lists,
        tuples and dicts, are replaced by their flat values.

    Returns a ragged tensor of what `op` gives with the rows of the first; what
    `op` gives if no argument is ragged.

    Raises ValueError if lengths or ragged ranks differ, InvalidArgumentError if
    rows do.

    >>> r = tf.ragged.constant([[1, -2], [-3]])
    >>> tf.ragged.map_flat_values(tf.abs, r)
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    ragged: list[Any] = []

    def value_of(value: Any) -> Any:
        if isinstance(value, core.RaggedTensor):
            ragged.append(value)
            return value.flat_values
        if isinstance(value, list):
            return [value_of(v) for v in value]
        if isinstance(value, tuple):
            return tuple(value_of(v) for v in value)
        if isinstance(value, dict):
            return {k: value_of(v) for k, v in value.items()}
        return value

    flat_args, flat_kwargs = value_of(args), value_of(kwargs)
    if not ragged:
        return op(*args, **kwargs)
    return core.ragged_map_flat(ragged, lambda: op(*flat_args, **flat_kwargs))
