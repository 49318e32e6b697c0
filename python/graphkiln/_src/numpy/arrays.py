"""What becomes an array, and in which dtype."""

from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.promotion import (
    NESTED,
    Weak,
    default_float,
    dtype_of,
    numpys_dtype,
    result_dtype,
)

_INEXACT = ("float16", "float32", "float64", "complex64", "complex128")


def tensor_of(value: object, hint: object = None) -> Tensor:
    """A tensor of a value; Python's floats are NumPy's."""
    dtype = None
    if isinstance(value, int) and value >= 2**63:
        dtype = _graphkiln.uint64
    elif hint is None and isinstance(value, float):
        dtype = default_float()
    return _graphkiln.convert_to_tensor(value, dtype=dtype, dtype_hint=hint)


def as_array(value: object, dtype: object = None) -> Tensor:
    """A tensor of that dtype, or of the one that NumPy finds."""
    if isinstance(value, Weak):
        value = value.tensor
    if isinstance(value, Tensor):
        if dtype is None:
            return value
        dtype = result_dtype(dtype)
        return value if value.dtype == dtype else ops.cast(value, dtype)
    dtype = dtype_of(value, dtype)
    # First as it is: NumPy makes an integer of 5.5, where it is told to.
    return ops.cast(tensor_of(value, dtype), dtype)


def promoted(*values: object) -> list[Tensor]:
    """Tensors of the dtype of all."""
    dtype = result_dtype(*values)
    return [as_array(value, dtype) for value in values]


def two_promoted(a: object, b: object) -> tuple[Tensor, Tensor]:
    """The same of the operands of a function of two, of NumPy's rules alone."""
    if isinstance(a, NESTED) or isinstance(b, NESTED):
        dtype = result_dtype(a, b)
    else:
        dtype = numpys_dtype([a, b])
    return as_array(a, dtype), as_array(b, dtype)


def binary(function: Callable, a: object, b: object) -> Tensor:
    return function(*two_promoted(a, b))


def is_inexact(dtype: DType) -> bool:
    """Is it a float or complex to NumPy, which does not know bfloat16?"""
    return dtype.name in _INEXACT


def unary(function: Callable, x: object, to_float: bool = False) -> Tensor:
    """`to_float`: integers become floats before."""
    x = as_array(x)
    if to_float and not is_inexact(x.dtype):
        x = ops.cast(x, result_dtype(float))
    return function(x)


def static_value(x: object) -> object:
    """What is known of a tensor, or a number; None of floats, whose gradients
    would be lost."""
    if not isinstance(x, Tensor):
        return x
    exact = not (x.dtype.is_floating or x.dtype.is_complex)
    return _graphkiln.get_static_value(x) if exact else None


def known_or_tensor(x: object) -> object:
    value = static_value(x)
    return x if value is None else value


def rank_of(x: Tensor) -> object:
    """A number, where it is known."""
    rank = x.shape.rank
    return ops.rank(x) if rank is None else rank


def choose(condition: object, if_true: Callable, if_false: Callable) -> object:
    """One of two results; where what is asked is not known, a branch."""
    value = static_value(condition)
    if value is None:
        return _graphkiln.cond(condition, if_true, if_false)
    return if_true() if value else if_false()


def either(a: object, b: object) -> object:
    known = static_value(a)
    if known is None:
        return ops.logical_or(a, b)
    return known if known else b


def broadcast(*values: Tensor) -> list[Tensor]:
    if len(values) < 2:
        return list(values)
    shape = ops.shape(values[0])
    for value in values[1:]:
        shape = _graphkiln.broadcast_dynamic_shape(shape, ops.shape(value))
    return [ops.broadcast_to(value, shape) for value in values]


def fill_like(value: float, x: Tensor) -> Tensor:
    """A scalar of the dtype of x."""
    return ops.cast(np.array(value), x.dtype)
