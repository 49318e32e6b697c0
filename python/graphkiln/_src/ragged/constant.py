"""tf.ragged.constant: nested lists as ragged tensors."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src.graph import name_scope
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.types import dtypes


def constant(
    pylist,
    dtype=None,
    ragged_rank=None,
    inner_shape=None,
    name=None,
    row_splits_dtype=dtypes.int64,
):
    """A ragged tensor of nested lists of Python values.

    Args:
      pylist: nested lists, tuples or arrays; all values equally deep.
      dtype: of the values; from them unless given.
      ragged_rank: how many dimensions may be ragged; all but the innermost
        unless given. 0 makes a tf.Tensor.
      inner_shape: the shape of the innermost values.
      row_splits_dtype: tf.int32 or tf.int64.

    Raises ValueError if the depths or inner shapes differ.

    >>> tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    <tf.RaggedTensor [[1, 2], [3], [4, 5, 6]]>
    """
    with name_scope.name_scope(name or "RaggedConstant"):
        return _constant(
            pylist, dtype, ragged_rank, inner_shape, np.dtype(
                _graphkiln.as_dtype(row_splits_dtype).as_numpy_dtype
            )
        )


def _plain(value: object) -> object:
    """Arrays as lists, tuples as lists."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist()) if value.ndim else value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _depths(value: object) -> tuple[int | None, int]:
    """How deep the scalars lie (None: there are none), and how deep the
    lists nest."""
    if not isinstance(value, list):
        return 0, 0
    scalar, deepest = None, 1
    for item in value:
        at, deep = _depths(item)
        if at is not None:
            if scalar is not None and scalar != at + 1:
                raise ValueError(
                    "all scalar values must have the same nesting depth"
                )
            scalar = at + 1
        deepest = max(deepest, deep + 1)
    return scalar, deepest


def _constant(pylist, dtype, ragged_rank, inner_shape, splits_dtype):
    if isinstance(pylist, (Tensor, RaggedTensor)):
        raise TypeError(
            f"pylist must be a list of Python values, got {pylist!r}"
        )
    if ragged_rank is not None and not isinstance(ragged_rank, int):
        raise TypeError(
            "Argument `ragged_rank` must be an int. Received "
            f"{ragged_rank}."
        )
    pylist = _plain(pylist)
    if not isinstance(pylist, list):
        if ragged_rank not in (None, 0):
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with "
                f"ragged_rank={ragged_rank}"
            )
        if inner_shape:
            raise ValueError(
                "Invalid pylist={}: incompatible with "
                "dim(inner_shape)={}".format(pylist, len(inner_shape))
            )
        return _graphkiln.constant(pylist, dtype)
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(
            f"Invalid ragged_rank={ragged_rank}: must be nonnegative"
        )
    scalar_depth, deepest = _depths(pylist)
    if scalar_depth is not None:
        if deepest > scalar_depth:
            raise ValueError(
                f"Invalid pylist={pylist}: empty list nesting is greater than "
                "scalar value nesting"
            )
        if ragged_rank is not None and deepest < ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist}, max depth smaller than "
                f"ragged_rank={ragged_rank}"
            )
    if inner_shape is not None and not isinstance(inner_shape, (list, tuple)):
        inner_shape = TensorShape(inner_shape).as_list()
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + 1 + len(inner_shape)
        if (scalar_depth is not None and expected != scalar_depth) or (
            scalar_depth is None and expected < deepest
        ):
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with "
                f"ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )
    if ragged_rank == 0 or (
        ragged_rank is None
        and (deepest < 2 or (
            inner_shape is not None and deepest - len(inner_shape) < 2
        ))
    ):
        return _graphkiln.constant(pylist, dtype, shape=inner_shape)
    if inner_shape is None:
        if ragged_rank is None:
            ragged_rank, inner_shape = deepest - 1, ()
        else:
            inner_shape = _inner_shape(pylist, ragged_rank)
    elif ragged_rank is None:
        ragged_rank = deepest - len(inner_shape) - 1
    nested, flat = [], pylist
    for level in range(ragged_rank):
        splits, below = [0], []
        for row in flat:
            if not isinstance(row, list):
                raise ValueError(
                    f"pylist has scalar values depth {level + 1}, but "
                    f"ragged_rank={ragged_rank} requires scalar value depth "
                    f"greater than {ragged_rank}"
                )
            below += row
            splits.append(len(below))
        nested.append(np.array(splits, splits_dtype))
        flat = below
    if any(isinstance(item, list) for item in flat) and not inner_shape:
        raise ValueError("inner values have inconsistent shape")
    if scalar_depth is not None and ragged_rank >= scalar_depth:
        raise ValueError(
            f"pylist has scalar values depth {scalar_depth}, but "
            f"ragged_rank={ragged_rank} requires scalar value depth greater "
            f"than {ragged_rank}"
        )
    values = _graphkiln.constant(flat, dtype, shape=(len(flat), *inner_shape))
    for splits in reversed(nested):
        values = RaggedTensor(
            values, (_graphkiln.constant(splits), None), internal=True
        )
    return values


def _inner_shape(pylist: list, ragged_rank: int) -> tuple:
    """The shape of the values below `ragged_rank` levels of lists."""
    flat = pylist
    for _ in range(ragged_rank):
        if not all(isinstance(row, list) for row in flat):
            depth, _ = _depths(pylist)
            raise ValueError(
                f"pylist has scalar values depth {depth}, but "
                f"ragged_rank={ragged_rank} requires scalar value depth "
                f"greater than {ragged_rank}"
            )
        flat = [item for row in flat for item in row]
    shape = []
    while flat and all(isinstance(item, list) for item in flat):
        lengths = {len(item) for item in flat}
        if len(lengths) != 1:
            raise ValueError("inner values have inconsistent shape")
        shape.append(lengths.pop())
        flat = [item for row in flat for item in row]
    if any(isinstance(item, list) for item in flat):
        raise ValueError("inner values have inconsistent shape")
    return tuple(shape)

