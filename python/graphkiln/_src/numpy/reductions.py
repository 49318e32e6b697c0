"""Sums, means and whatever else makes fewer elements of many."""

from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.arrays import (
    as_array,
    choose,
    fill_like,
    is_inexact,
    rank_of,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.elementwise import isnan
from graphkiln._src.numpy.promotion import result_dtype
from graphkiln._src.numpy.selection import diagonal, where
from graphkiln._src.numpy.weak_tensor import like_numpy_yielding


def _refuse_out(out: object) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


def _is_exact(x: Tensor) -> bool:
    return x.dtype.is_integer or x.dtype == _graphkiln.bool


def _widened(x: Tensor) -> Tensor:
    """Bools and small integers as integers that hold their sums."""
    if x.dtype.is_unsigned:
        wide = _graphkiln.uint32 if settings.yields() else _graphkiln.uint64
    else:
        wide = _graphkiln.int32 if settings.yields() else _graphkiln.int64
    return x if x.dtype.size >= wide.size else ops.cast(x, wide)


def _to_float(x: Tensor) -> Tensor:
    return ops.cast(x, result_dtype(float))


def _as_it_is(x: Tensor) -> Tensor:
    return x


def _reduce(
    function: Callable,
    a: object,
    axis: object,
    keepdims: object,
    dtype: object = None,
    exact: Callable = _widened,
    of_bools: Callable | None = None,
    keeps_bools: bool = False,
) -> Tensor:
    """`exact`: what is made of integers and bools before; `of_bools`: the function
    of bools, where these are asked for, or kept."""
    dtype = result_dtype(dtype) if dtype else None
    a = as_array(a, dtype)
    given = {"axis": axis, "keepdims": bool(keepdims)}
    if isinstance(axis, Tensor) and axis.dtype.size < 4:
        given["axis"] = ops.cast(axis, _graphkiln.int64)
    bools = dtype == _graphkiln.bool or (keeps_bools and a.dtype == _graphkiln.bool)
    if bools and of_bools is not None:
        return of_bools(a, **given)
    if dtype is None and _is_exact(a):
        a = exact(a)
    return function(a, **given)


@like_numpy_yielding("sum([1, 2, 3])", "6")
def sum(a, axis=None, dtype=None, keepdims=None):
    return _reduce(
        ops.reduce_sum, a, axis, keepdims, dtype, of_bools=ops.reduce_any
    )


@like_numpy_yielding("prod([2, 3])", "6")
def prod(a, axis=None, dtype=None, keepdims=None):
    return _reduce(
        ops.reduce_prod, a, axis, keepdims, dtype, of_bools=ops.reduce_all
    )


@like_numpy_yielding("mean([1, 2])", "1.5")
def mean(a, axis=None, dtype=None, out=None, keepdims=None):
    """`out` must be None."""
    _refuse_out(out)
    return _reduce(ops.reduce_mean, a, axis, keepdims, dtype, exact=_to_float)


@like_numpy_yielding("amax([1, 3, 2])", "3")
def amax(a, axis=None, out=None, keepdims=None):
    """`out` must be None."""
    _refuse_out(out)
    return _reduce(
        ops.reduce_max, a, axis, keepdims, exact=_as_it_is, of_bools=ops.reduce_any,
        keeps_bools=True,
    )


@like_numpy_yielding("amin([2, 1, 3])", "1")
def amin(a, axis=None, out=None, keepdims=None):
    """`out` must be None."""
    _refuse_out(out)
    return _reduce(
        ops.reduce_min, a, axis, keepdims, exact=_as_it_is, of_bools=ops.reduce_all,
        keeps_bools=True,
    )


@like_numpy_yielding("max([1, 3, 2])", "3")
def max(a, axis=None, keepdims=None):
    return amax(a, axis=axis, keepdims=keepdims)


@like_numpy_yielding("min([2, 1, 3])", "1")
def min(a, axis=None, keepdims=None):
    return amin(a, axis=axis, keepdims=keepdims)


@like_numpy("ptp([2, 1, 4])", "3")
def ptp(a, axis=None, keepdims=None):
    return amax(a, axis=axis, keepdims=keepdims) - amin(
        a, axis=axis, keepdims=keepdims
    )


def _variance_less(ddof: int) -> Callable:
    """Of the sum of squares, divided by less than their number."""

    def compute(x, axis, keepdims):
        apart = x - ops.reduce_mean(x, axis=axis, keepdims=True)
        if x.dtype.is_complex:
            squares = ops.cast(ops.math.real(apart * ops.math.conj(apart)), x.dtype)
        else:
            squares = ops.square(apart)
        total = ops.reduce_sum(squares, axis=axis, keepdims=keepdims)
        if axis is None:
            count = ops.size(x)
        else:
            count = ops.reduce_prod(ops.gather(ops.shape(x), axis))
        return total / ops.cast(count - ddof, x.dtype)

    return compute


@like_numpy_yielding("var([1., 3.])", "1.0")
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    """`out` must be None."""
    computed = result_dtype(a, dtype) if dtype else None
    _refuse_out(out)
    function = _variance_less(ddof) if ddof else ops.math.reduce_variance
    if isinstance(axis, int) and axis < 0 and ddof:
        axis += rank_of(as_array(a))
    result = _reduce(function, a, axis, keepdims, computed, exact=_to_float)
    return ops.cast(result, result_dtype(dtype)) if dtype else result


@like_numpy_yielding("std([1., 3.])", "1.0")
def std(a, axis=None, keepdims=None):
    return _reduce(ops.math.reduce_std, a, axis, keepdims, exact=_to_float)


@like_numpy("all([True, False])", "False")
def all(a, axis=None, keepdims=None):
    return ops.reduce_all(as_array(a, bool), axis=axis, keepdims=bool(keepdims))


@like_numpy("any([True, False])", "True")
def any(a, axis=None, keepdims=None):
    return ops.reduce_any(as_array(a, bool), axis=axis, keepdims=bool(keepdims))


@like_numpy("count_nonzero([1, 0, 2])", "2")
def count_nonzero(a, axis=None):
    return ops.math.count_nonzero(as_array(a), axis)


# ---- Along an axis ----


def _accumulate(function: Callable, a: object, axis: object, dtype: object) -> Tensor:
    a = as_array(a, dtype if dtype else None)
    if dtype is None and a.dtype.is_integer:
        wide = np.promote_types(a.dtype.as_numpy_dtype, int)
        if wide != a.dtype.as_numpy_dtype:
            # Where Python's numbers yield, they have 32 bits.
            a = as_array(a, type(wide.type().item()) if settings.yields() else wide)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    elif axis < 0:
        axis += rank_of(a)
    return function(a, axis)


@like_numpy_yielding("cumsum([1, 2, 3])", "[1, 3, 6]")
def cumsum(a, axis=None, dtype=None):
    return _accumulate(ops.cumsum, a, axis, dtype)


@like_numpy_yielding("cumprod([1, 2, 3])", "[1, 2, 6]")
def cumprod(a, axis=None, dtype=None):
    return _accumulate(ops.math.cumprod, a, axis, dtype)


@like_numpy_yielding("diff([1, 3, 6])", "[2, 3]")
def diff(a, n=1, axis=-1):
    a = as_array(a)
    rank = a.shape.rank
    if rank is None:
        raise ValueError(
            "Function `diff` currently requires a known rank for input `a`. "
            f"Received: a={a} (unknown rank)"
        )
    if (axis + rank if axis < 0 else axis) >= rank:
        raise ValueError(
            f"Argument `axis` (received axis={axis}) is out of bounds for input {a} "
            f"of rank {rank}."
        )
    if n < 0:
        raise ValueError(
            f"Argument `order` must be a non-negative integer. Received: axis={n}"
        )
    later, earlier = [slice(None)] * rank, [slice(None)] * rank
    later[axis], earlier[axis] = slice(1, None), slice(None, -1)
    function = ops.not_equal if a.dtype == _graphkiln.bool else ops.subtract
    for _ in range(n):
        a = function(a[tuple(later)], a[tuple(earlier)])
    return a


# ---- Where some are NaN ----


def _without_nan(a: object, value: int) -> Tensor:
    a = as_array(a)
    return where(isnan(a), fill_like(value, a), a)


@like_numpy("nansum([1., 2.])", "3.0")
def nansum(a, axis=None, dtype=None, keepdims=False):
    return sum(_without_nan(a, 0), axis=axis, dtype=dtype, keepdims=keepdims)


@like_numpy("nanprod([2., 3.])", "6.0")
def nanprod(a, axis=None, dtype=None, keepdims=False):
    return prod(_without_nan(a, 1), axis=axis, dtype=dtype, keepdims=keepdims)


@like_numpy_yielding("nanmean([1., 2.])", "1.5")
def nanmean(a, axis=None, dtype=None, keepdims=None):
    a = as_array(a)
    if _is_exact(a):
        return mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    dtype = dtype or a.dtype
    numbers = ops.logical_not(isnan(a))
    count = sum(numbers, axis=axis, dtype=dtype, keepdims=keepdims)
    return nansum(a, axis=axis, dtype=dtype, keepdims=keepdims) / count


# ---- With weights, and of matrices ----


def _weighted(a: Tensor, axis: object, weights: Tensor) -> tuple[Tensor, Tensor]:
    def of_all():
        same = ops.reduce_all(ops.equal(ops.shape(a), ops.shape(weights)))
        _graphkiln.Assert(same, [ops.shape(a), ops.shape(weights)])
        total = ops.reduce_sum(weights, axis=axis)
        return ops.reduce_sum(a * weights, axis=axis) / total, total

    def of_axis():
        rank = ops.rank(weights)
        _graphkiln.Assert(ops.equal(rank, 1), [rank])
        total = ops.reduce_sum(weights)
        known = a.shape.rank
        if known is not None and not -known <= axis < known:
            text = f"axis = {axis} of an array of {known} dimensions"
            if _graphkiln.executing_eagerly():
                raise _graphkiln.InvalidArgumentError(None, None, text)
            raise ValueError(text)
        return ops.tensordot(a, weights, [[axis], [0]]) / total, total

    if axis is None:
        return of_all()
    return choose(ops.equal(rank_of(a), rank_of(weights)), of_all, of_axis)


@like_numpy_yielding("average([1., 3.], weights=[3, 1])", "1.5")
def average(a, axis=None, weights=None, returned=False):
    if axis is not None and not isinstance(axis, int):
        raise ValueError(
            f"Argument `axis` must be an integer. Received axis={axis} (of type "
            f"{type(axis)})"
        )
    a = as_array(a)
    floats = () if is_inexact(a.dtype) else (result_dtype(float),)
    if weights is None:
        a = as_array(a, result_dtype(a.dtype, *floats))
        result = ops.reduce_mean(a, axis=axis)
        total = ops.size(a) if axis is None else ops.shape(a)[axis]
        total = ops.cast(total, a.dtype)
    else:
        dtype = result_dtype(a.dtype, weights, *floats)
        result, total = _weighted(as_array(a, dtype), axis, as_array(weights, dtype))
    if not returned:
        return result
    return result, ops.broadcast_to(total, ops.shape(result))


@like_numpy_yielding("trace([[1, 2], [3, 4]])", "5")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    a = as_array(a, dtype if dtype else None)
    rank = a.shape.rank
    if (
        offset == 0
        and rank is not None
        and axis1 in (-2, rank - 2)
        and axis2 in (-1, rank - 1)
    ):
        return ops.linalg.trace(a)
    return sum(diagonal(a, offset, axis1, axis2), -1, dtype)
