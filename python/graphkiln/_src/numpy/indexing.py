"""x[...] as NumPy has it: lists and arrays of indices, and masks."""

import numbers
from typing import NamedTuple

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Dimension, Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import as_array, broadcast, promoted, rank_of
from graphkiln._src.numpy.shapes import moveaxis

_WORDS = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
    "integer or boolean arrays are valid indices"
)


def _index(value: object, scalar: bool = True) -> object:
    """A number or an integer tensor."""
    if isinstance(value, (numbers.Integral, Dimension)):
        return value
    data = as_array(value)
    if data.dtype == _graphkiln.bool:
        if data.shape.ndims != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {value}")
        data = ops.reshape(ops.where(data), [-1])
    wrong = scalar and data.shape.rank not in (None, 0)
    if wrong or not data.dtype.is_integer or data.dtype == _graphkiln.uint64:
        raise IndexError(f"{_WORDS}, got {value!r}")
    if data.dtype in (_graphkiln.int32, _graphkiln.int64):
        return data
    small = data.dtype.size < 4
    return ops.cast(data, _graphkiln.int32 if small else _graphkiln.int64)


class _Array(NamedTuple):
    """A list of indices in a key."""

    place: int  # in the key
    indices: Tensor
    from_end: bool  # is an ellipsis before it?


def _taken_apart(key: tuple) -> tuple[tuple, list[_Array]]:
    """What the basic part of a key takes, in which lists of indices stand for all,
    and these lists; the places of both are counted in the result of the first."""
    basic, arrays, scalars, ellipsis = [], [], [], False
    for place, item in enumerate(key):
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            item = slice(*(b if b is None else _index(b) for b in bounds))
        elif item is Ellipsis:
            ellipsis = True
        elif item is not None:
            item = _index(item, scalar=False)
            if not isinstance(item, Tensor) or item.shape.rank == 0:
                scalars.append(place)
            else:
                arrays.append(_Array(place, item, ellipsis))
                item = slice(None)
        basic.append(item)
    counted = []
    for a in arrays:
        if a.from_end:
            after = sum(scalar > a.place for scalar in scalars)
            counted.append(a._replace(place=a.place - len(key) + after))
        else:
            before = sum(scalar < a.place for scalar in scalars)
            counted.append(a._replace(place=a.place - before))
    return tuple(basic), sorted(counted)


def _are_adjacent(dims: list[int]) -> bool:
    if dims[0] < 0 <= dims[-1]:
        return False
    return all(b == a + 1 for a, b in zip(dims, dims[1:], strict=False))


def _basic(x: Tensor, key: tuple) -> Tensor:
    """x[key] of TensorFlow's own kind, whose bounds have one dtype."""
    bounds = [b for i in key if isinstance(i, slice) for b in (i.start, i.stop, i.step)]
    tensors = [b for b in [*bounds, *key] if isinstance(b, Tensor)]
    wide = any(t.dtype == _graphkiln.int64 for t in tensors)
    dtype = _graphkiln.int64 if wide else _graphkiln.int32

    def of_one(b):
        return ops.cast(b, dtype) if isinstance(b, Tensor) else b

    def item(i):
        if isinstance(i, slice):
            return slice(*(of_one(b) for b in (i.start, i.stop, i.step)))
        return of_one(i)

    return _graphkiln.basic_subscript(x, tuple(item(i) for i in key))


def _gathered_apart(x: Tensor, dims: list[int], indices: list[Tensor]) -> Tensor:
    """Of lists that do not stand side by side: their dimensions come first."""
    if dims != list(range(len(dims))):
        x = as_array(moveaxis(x, tuple(dims), tuple(range(len(dims)))))
    stacked = ops.stack(indices, axis=-1)
    sizes = ops.shape(x, out_type=stacked.dtype)[: len(dims)]
    return ops.gather_nd(x, ops.where(stacked < 0, stacked + sizes, stacked))


def _gathered(x: Tensor, dims: list[int], indices: list[Tensor]) -> Tensor:
    rank = rank_of(x)
    dims = [dim + rank if dim < 0 else dim for dim in dims]
    shape = ops.shape(x)
    axis = dims[0]
    at = None
    for dim, one in zip(dims, indices, strict=True):
        one = ops.cast(one, _graphkiln.int32)
        one = ops.where(one < 0, one + shape[dim], one)
        at = one if at is None else at * shape[dim] + one
    if len(dims) > 1:
        flat = ops.concat([shape[:axis], [-1], shape[axis + len(dims):]], axis=0)
        x = ops.reshape(x, flat)
    return ops.gather(x, at, axis=axis)


def _is_one_index(key: object) -> bool:
    """Is a list the indices of the first dimension, not one for each?"""
    for item in key:
        if item is None or item is Ellipsis:
            return False
        if isinstance(item, (list, tuple, slice)):
            return False
        if isinstance(item, (Tensor, np.ndarray)) and item.ndim != 0:
            return False
    return True


def _is_mask(key: object) -> bool:
    if isinstance(key, bool):
        return True
    if isinstance(key, Tensor):
        return key.dtype == _graphkiln.bool
    return isinstance(key, np.ndarray) and key.dtype == np.bool_


def subscript(x: Tensor, key: object) -> Tensor:
    if _is_mask(key):
        return ops.boolean_mask(x, key)
    if not isinstance(key, tuple):
        several = isinstance(key, list) and not _is_one_index(key)
        key = tuple(key) if several else (key,)
    basic, arrays = _taken_apart(key)
    x = _basic(x, basic)
    if not arrays:
        return x
    dims = [a.place for a in arrays]
    indices = broadcast(*promoted(*(a.indices for a in arrays)))
    if not _are_adjacent(dims):
        return _gathered_apart(x, dims, indices)
    return _gathered(x, dims, indices)
