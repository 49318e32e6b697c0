"""What is true of elements."""

from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import (
    as_array,
    binary,
    choose,
    fill_like,
    is_inexact,
    promoted,
    rank_of,
    unary,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.elementwise import imag
from graphkiln._src.numpy.reductions import all


def _ordered(function: Callable, x1: object, x2: object) -> Tensor:
    x1, x2 = promoted(x1, x2)
    if x1.dtype == _graphkiln.bool:
        x1, x2 = ops.cast(x1, _graphkiln.int32), ops.cast(x2, _graphkiln.int32)
    return function(x1, x2)


@like_numpy("equal([1, 2], 2)", "[False, True]")
def equal(x1, x2):
    return ops.equal(*promoted(x1, x2))


@like_numpy("not_equal([1, 2], 2)", "[True, False]")
def not_equal(x1, x2):
    return ops.not_equal(*promoted(x1, x2))


@like_numpy("greater([1, 2], 1)", "[False, True]")
def greater(x1, x2):
    return _ordered(ops.greater, x1, x2)


@like_numpy("greater_equal([1, 2], 2)", "[False, True]")
def greater_equal(x1, x2):
    return _ordered(ops.greater_equal, x1, x2)


@like_numpy("less([1, 2], 2)", "[True, False]")
def less(x1, x2):
    return _ordered(ops.less, x1, x2)


@like_numpy("less_equal([1, 2], 1)", "[True, False]")
def less_equal(x1, x2):
    return _ordered(ops.less_equal, x1, x2)


@like_numpy("array_equal([1, 2], [1, 2])", "True")
def array_equal(a1, a2):
    a, b = promoted(a1, a2)
    never = lambda: ops.cast(False, _graphkiln.bool)  # noqa: E731

    def of_one_rank():
        known = a.shape.is_fully_defined() and b.shape.is_fully_defined()
        same = a.shape == b.shape if known else ops.reduce_all(
            ops.equal(ops.shape(a), ops.shape(b))
        )
        return choose(same, lambda: ops.reduce_all(ops.equal(a, b)), never)

    return choose(ops.equal(rank_of(a), rank_of(b)), of_one_rank, never)


@like_numpy("isclose([1., 2.], [1., 3.])", "[True, False]")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    def near(a, b):
        if not is_inexact(a.dtype):
            return ops.equal(a, b)
        real = a.dtype.real_dtype
        rtol_of, atol_of = (
            _graphkiln.convert_to_tensor(x, dtype=real) for x in (rtol, atol)
        )
        result = ops.less_equal(ops.abs(a - b), atol_of + rtol_of * ops.abs(b))
        if equal_nan:
            both = ops.logical_and(ops.math.is_nan(a), ops.math.is_nan(b))
            result = ops.logical_or(result, both)
        return result

    return binary(near, a, b)


@like_numpy("allclose([1., 2.], [1., 2.])", "True")
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


def _logical(function: Callable, x1: object, x2: object) -> Tensor:
    return function(as_array(x1, bool), as_array(x2, bool))


@like_numpy("logical_and([1, 0], True)", "[True, False]")
def logical_and(x1, x2):
    return _logical(ops.logical_and, x1, x2)


@like_numpy("logical_or([1, 0], False)", "[True, False]")
def logical_or(x1, x2):
    return _logical(ops.logical_or, x1, x2)


@like_numpy("logical_xor([1, 0], True)", "[False, True]")
def logical_xor(x1, x2):
    return _logical(ops.math.logical_xor, x1, x2)


@like_numpy("logical_not([1, 0])", "[False, True]")
def logical_not(x):
    return ops.logical_not(as_array(x, bool))


@like_numpy("isfinite([1., tnp.inf])", "[True, False]")
def isfinite(x):
    return unary(ops.math.is_finite, x, True)


def _of_floats(function: Callable, x: object) -> object:
    x = as_array(x)
    return function(x) if x.dtype.is_floating else False


@like_numpy("isinf(tnp.array([1., tnp.inf]))", "[False, True]")
def isinf(x):
    """Of anything but floats it is False."""
    return _of_floats(ops.math.is_inf, x)


@like_numpy("isneginf(tnp.array([1., -tnp.inf]))", "[False, True]")
def isneginf(x):
    """Of anything but floats it is False."""
    return _of_floats(lambda x: ops.equal(x, fill_like(float("-inf"), x)), x)


@like_numpy("isposinf(tnp.array([1., tnp.inf]))", "[False, True]")
def isposinf(x):
    """Of anything but floats it is False."""
    return _of_floats(lambda x: ops.equal(x, fill_like(float("inf"), x)), x)


def _imaginary_is(function: Callable, x: object) -> Tensor:
    part = as_array(imag(x))
    return function(part, fill_like(0, part))


@like_numpy("iscomplex([1, 2j])", "[False, True]")
def iscomplex(x):
    return _imaginary_is(ops.not_equal, x)


@like_numpy("isreal([1, 2j])", "[True, False]")
def isreal(x):
    return _imaginary_is(ops.equal, x)


@like_numpy("iscomplexobj(1j)", "True", plain=True)
def iscomplexobj(x):
    return as_array(x).dtype.is_complex


@like_numpy("isrealobj(1j)", "False", plain=True)
def isrealobj(x):
    return not iscomplexobj(x)
