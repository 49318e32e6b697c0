"""Python values that become constants of a graph: kept, compared, shown."""

import copy
import enum
import zlib

import numpy as np

from graphkiln import _graphkiln

_MAX_LEAVES = 1000
_MAX_ELEMENTS = 1 << 16
MISSING = object()

_PLAIN = (
    bool, int, float, complex, str, bytes, type(None), range, enum.Enum,
    np.generic, np.dtype, _graphkiln.DType, _graphkiln.TensorShape,
)
_CONTAINERS = (list, tuple, dict, set, frozenset)


class LargeArray:
    """Stands for an array that is too large to keep a copy of."""

    def __init__(self, array: np.ndarray):
        self.shape = array.shape
        self.dtype = array.dtype
        flat = array.reshape(-1)
        step = -(-flat.size // _MAX_ELEMENTS)
        self._sample = zlib.crc32(
            np.ascontiguousarray(flat[::step]).view(np.uint8)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LargeArray) and vars(self) == vars(other)

    __hash__ = None

    def __repr__(self) -> str:
        return f"<array of shape {self.shape}, {self.dtype}>"


def is_plain(value: object, budget: list[int] | None = None) -> bool:
    """Is it a value that a trace freezes, and small enough to keep?"""
    budget = budget if budget is not None else [_MAX_LEAVES]
    budget[0] -= 1
    if budget[0] < 0:
        return False
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject and (
            value.size <= _MAX_ELEMENTS or budget[0] == _MAX_LEAVES - 1
        )
    if type(value) is dict:
        return all(
            is_plain(k, budget) and is_plain(v, budget)
            for k, v in value.items()
        )
    if type(value) in _CONTAINERS or (
        isinstance(value, tuple) and hasattr(value, "_fields")
    ):
        return all(is_plain(item, budget) for item in value)
    return False


def comparable(value: object) -> object:
    """What `value` is compared as."""
    if isinstance(value, np.ndarray) and value.size > _MAX_ELEMENTS:
        return LargeArray(value)
    return value


def copied(value: object) -> object:
    """`value` as later changes leave it."""
    value = comparable(value)
    changeable = isinstance(value, (*_CONTAINERS, np.ndarray))
    return copy.deepcopy(value) if changeable else value


def same(a: object, b: object) -> bool:
    """Equal, and of equal types throughout."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(
            a, b, equal_nan=a.dtype.kind in "fc"
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    try:
        return bool(a == b) or (a != a and b != b)
    except Exception:  # a comparison of the user's class
        return False


def short(value: object) -> str:
    """`value` in a line of text."""
    if value is MISSING:
        return "<gone>"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
