"""tf.__operators__: functions behind operators of tensors, for handlers to be
registered for."""

from __future__ import annotations

import sys
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types.dispatched import dispatched


@dispatched
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """`x + y`; of strings they are joined.

    Args:
      x, y: tensors of one dtype.
      name: of the op.

    >>> tf.__operators__.add(1, 2).numpy().item()
    3
    """
    return ops.add(x, y, name=name)


@dispatched
def eq(self: Any, other: Any) -> Any:
    """`self == other`: element by element where tensors are compared by value.

    >>> tf.__operators__.eq(tf.constant(1), 1).numpy().item()
    True
    """
    return _graphkiln.Tensor.__eq__(self, other)


@dispatched
def ne(self: Any, other: Any) -> Any:
    """`self != other`: element by element where tensors are compared by value.

    >>> tf.__operators__.ne(tf.constant(1), 1).numpy().item()
    False
    """
    return _graphkiln.Tensor.__ne__(self, other)


@dispatched
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """`tensor[slice_spec]`, or the slice of a variable that can be assigned to.

    Args:
      tensor: a tensor.
      slice_spec: what stands in the brackets.
      var: the variable whose value `tensor` is.

    >>> tf.__operators__.getitem(tf.constant([1, 2, 3]), slice(1, None)).numpy()
    array([2, 3], dtype=int32)
    """
    if var is not None:
        return var[slice_spec]
    return _graphkiln.convert_to_tensor(tensor)[slice_spec]


@dispatched
def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """`rt_input[key]` of a ragged tensor.

    >>> tf.__operators__.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy()
    array([2, 3], dtype=int32)
    """
    return rt_input[key]


# By operator: the public function.
_OF_TWO = {
    "add": "__operators__.add",
    "sub": "math.subtract",
    "mul": "math.multiply",
    "div": "math.truediv",
    "truediv": "math.truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "math.pow",
    "matmul": "linalg.matmul",
    "and": "math.logical_and",
    "or": "math.logical_or",
    "xor": "math.logical_xor",
}
_OTHERS = {
    "lt": "math.less",
    "le": "math.less_equal",
    "gt": "math.greater",
    "ge": "math.greater_equal",
    "eq": "__operators__.eq",
    "ne": "__operators__.ne",
    "getitem": "__operators__.getitem",
    "invert": "math.logical_not",
    "neg": "math.negative",
    "abs": "math.abs",
}


def of_others(name: str) -> Any:
    """The operator "__add__" and the like of what is no tensor and took it over from
    `tf.Tensor`: the function that handlers can be registered for."""
    plain = name.strip("_")
    public = _OF_TWO.get(plain) or _OTHERS.get(plain)
    turned = public is None
    space, _, last = (public or _OF_TWO[plain.removeprefix("r")]).rpartition(".")
    function = getattr(getattr(sys.modules["graphkiln"], space), last)
    return (lambda x, y: function(y, x)) if turned else function


_graphkiln.provide(of_others)
