"""Arrays of nothing but numbers."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import (
    as_array,
    choose,
    rank_of,
    static_value,
    tensor_of,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.promotion import (
    default_float,
    dtype_of,
    result_dtype,
)
from graphkiln._src.numpy.shapes import atleast_1d, moveaxis
from graphkiln._src.numpy.weak_tensor import like_numpy_yielding

_MOST_DIMENSIONS = 32


@like_numpy("empty([2]).shape", "TensorShape([2])", plain=True)
def empty(shape, dtype=float):
    return zeros(shape, dtype)


@like_numpy_yielding("empty_like([1, 2]).shape", "TensorShape([2])", plain=True)
def empty_like(a, dtype=None):
    return zeros_like(a, dtype)


@like_numpy("zeros([2])", "[0.0, 0.0]")
def zeros(shape, dtype=float):
    return ops.zeros(shape, dtype=result_dtype(dtype) if dtype else default_float())


@like_numpy_yielding("zeros_like([1, 2])", "[0, 0]")
def zeros_like(a, dtype=None):
    return ops.zeros_like(a, dtype_of(a, dtype))


@like_numpy("ones([2])", "[1.0, 1.0]")
def ones(shape, dtype=float):
    return ops.ones(shape, dtype=result_dtype(dtype) if dtype else _graphkiln.float32)


@like_numpy_yielding("ones_like([5, 6])", "[1, 1]")
def ones_like(a, dtype=None):
    return ops.ones_like(a, dtype_of(a, dtype))


@like_numpy("eye(2)", "[[1.0, 0.0], [0.0, 1.0]]")
def eye(N, M=None, k=0, dtype=float):
    dtype = result_dtype(dtype) if dtype else _graphkiln.float32
    rows, k = int(N), int(k)
    columns = int(M) if M else rows
    length = min(rows, columns - k) if k > 0 else min(rows + k, columns)
    if length <= 0:
        return ops.zeros([rows, columns], dtype)
    if k == 0:
        return ops.eye(rows, columns, dtype=dtype)
    return ops.linalg.diag(
        ops.ones([length], dtype), k=k, num_rows=rows, num_cols=columns
    )


@like_numpy("identity(2)", "[[1.0, 0.0], [0.0, 1.0]]")
def identity(n, dtype=float):
    return eye(n, n, dtype=dtype)


@like_numpy("full([2], 7)", "[7, 7]")
def full(shape, fill_value, dtype=None):
    if not isinstance(shape, Tensor):
        shape = as_array(tensor_of(shape, _graphkiln.int32))
    return ops.broadcast_to(as_array(fill_value, dtype), atleast_1d(shape))


@like_numpy_yielding("full_like([1, 2], 7)", "[7, 7]")
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """`order`, `subok` and `shape` are as they are."""
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    if shape:
        raise ValueError("Overriding the shape is not supported.")
    a = as_array(a)
    return ops.broadcast_to(as_array(fill_value, dtype or a.dtype), ops.shape(a))


@like_numpy("broadcast_to([1, 2], [2, 2])", "[[1, 2], [1, 2]]")
def broadcast_to(array, shape):
    return full(shape, array)


def _with_rank(x: Tensor, least: int) -> Tensor:
    if least > _MOST_DIMENSIONS:
        raise ValueError(
            f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}."
        )
    if least == 0:
        return x
    rank = rank_of(x)

    def extended():
        ones_before = ops.ones([least - rank], _graphkiln.int32)
        return ops.reshape(x, ops.concat([ones_before, ops.shape(x)], 0))

    return choose(least > rank, extended, lambda: x)


@like_numpy_yielding("array([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]")
def array(val, dtype=None, copy=True, ndmin=0):
    """Tensors do not change: `copy` makes no difference."""
    x = as_array(val, dtype if dtype else None)
    return _with_rank(ops.identity(x) if copy else x, ndmin)



@like_numpy_yielding("asarray([1, 2])", "[1, 2]")
def asarray(a, dtype=None):
    return as_array(a, dtype if dtype else None)


@like_numpy_yielding("asanyarray([1, 2])", "[1, 2]")
def asanyarray(a, dtype=None):
    return as_array(a, dtype if dtype else None)


@like_numpy_yielding("ascontiguousarray(5)", "[5]")
def ascontiguousarray(a, dtype=None):
    return _with_rank(ops.identity(as_array(a, dtype if dtype else None)), 1)


@like_numpy_yielding("copy([1, 2])", "[1, 2]")
def copy(a):
    return ops.identity(as_array(a))


@like_numpy_yielding("arange(1, 7, 2)", "[1, 3, 5]")
def arange(start, stop=None, step=1, dtype=None):
    """Whether `stop` is among the values is not certain with steps of floats."""
    if not step:
        raise ValueError("step must be non-zero.")
    if dtype:
        dtype = result_dtype(dtype)
    else:
        dtype = result_dtype(*(v for v in (start, step, stop) if v is not None))
    first, last = (0, start) if stop is None else (start, stop)
    if (step > 0 and first > last) or (step < 0 and first < last):
        return as_array([], dtype)
    return ops.cast(ops.range(start, limit=stop, delta=step), dtype)


def _of_both_ends(start: object, stop: object) -> object:
    """The dtype of what lies between two numbers."""
    return result_dtype([start * 1.0, stop * 1.0])


@like_numpy("linspace(0, 1, 3)", "[0.0, 0.5, 1.0]")
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float, axis=0):
    """The dtype is that of `start` and `stop`, unless `dtype` is None."""
    if dtype:
        dtype = _of_both_ends(start, stop)
    start, stop = as_array(start, dtype), as_array(stop, dtype)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    step = _graphkiln.convert_to_tensor(np.nan)
    intervals = num - 1 if endpoint else num
    if intervals > 0:
        step = ops.truediv(stop - start, ops.cast(intervals, (stop - start).dtype))
    if not endpoint and num > 1:
        stop = ops.cast(stop, step.dtype) - step
        start = ops.cast(start, stop.dtype)
    result = ops.linspace(start, stop, num, axis=axis)
    if dtype:
        if dtype.is_integer:
            result = ops.floor(result)
        result = ops.cast(result, dtype)
    return (result, step) if retstep else result


@like_numpy("logspace(0., 2., 3)", "[1.0, 10.0, 100.0]")
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """The dtype is that of `start` and `stop`."""
    dtype = _of_both_ends(start, stop)
    exponents = linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    powers = ops.pow(ops.cast(base, exponents.dtype), exponents)
    return ops.cast(powers, dtype)


@like_numpy("around(tnp.geomspace(1., 4., 3), 6)", "[1.0, 2.0, 4.0]")
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    if dtype:
        dtype = _graphkiln.as_dtype(dtype)
    else:
        dtype = result_dtype(start, stop, float(num), zeros((), dtype))
    computed = _graphkiln.as_dtype(np.promote_types(dtype.as_numpy_dtype, np.float32))
    start, stop = as_array(start, computed), as_array(stop, computed)

    def is_not_positive(x):
        return 1 - ops.sign(ops.math.real(x))

    # Two negative ends: the powers are those of the positive ones.
    sign = 1 - is_not_positive(start) * is_not_positive(stop) // 2
    sign = ops.cast(sign, computed)

    def exponent(x):
        ten = _graphkiln.convert_to_tensor(np.array(np.log(10)), dtype=computed)
        return ops.math.log(sign * x) / ten

    result = sign * logspace(
        exponent(start), exponent(stop), num, endpoint=endpoint, dtype=computed
    )
    if axis != 0:
        result = moveaxis(result, 0, axis)
    return ops.cast(result, dtype)


@like_numpy("tri(2)", "[[1.0, 0.0], [1.0, 1.0]]")
def tri(N, M=None, k=0, dtype=None):
    columns = N if M is None else M
    dtype = result_dtype(float if dtype is None else dtype)
    if k < 0:
        if -k - 1 > N:
            return ops.zeros([N, columns], dtype)
        above = ops.linalg.band_part(
            ops.ones([N, columns], _graphkiln.bool), -k - 1, -1
        )
        return ops.cast(ops.logical_not(above), dtype)
    whole = ops.ones([N, columns], dtype)
    return whole if k > columns else ops.linalg.band_part(whole, -1, k)


@like_numpy_yielding(
    "vander([2, 3], 3)", "[[4, 2, 1], [9, 3, 1]]"
)
def vander(x, N=None, increasing=False):
    x = as_array(x)
    if N is None:
        N = ops.shape(x)[0]
    columns = static_value(N)
    if columns is None:
        _graphkiln.Assert(N >= 0, [N])
        columns = N
    elif columns < 0:
        raise ValueError("N must be nonnegative")
    if x.shape.rank is None:
        _graphkiln.Assert(ops.equal(ops.rank(x), 1), [ops.rank(x)])
    elif x.shape.rank != 1:
        raise ValueError("x must be a one-dimensional array")
    if increasing:
        powers = ops.range(0, columns, 1)
    else:
        powers = ops.range(columns - 1, -1, -1)
    return ops.pow(ops.expand_dims(x, -1), ops.cast(powers, x.dtype))


@like_numpy("meshgrid([1, 2], [3])[0]", "[[1, 2]]")
def meshgrid(*xi, **kwargs):
    """All arrays are whole: `sparse` must be False, `copy` True."""
    if kwargs.get("sparse", False):
        raise ValueError(
            "Function `meshgrid` does not support returning sparse arrays yet. "
            f"Received: sparse={kwargs['sparse']}"
        )
    if not kwargs.get("copy", True):
        raise ValueError(
            "Function `meshgrid` only supports copy=True. Received: "
            f"copy={kwargs['copy']}"
        )
    arrays = [as_array(x) for x in xi]
    return ops.meshgrid(*arrays, indexing=kwargs.get("indexing", "xy"))
