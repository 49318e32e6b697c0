"""Functions that go element by element."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.arrays import (
    as_array,
    binary,
    broadcast,
    fill_like,
    is_inexact,
    promoted,
    unary,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.promotion import NESTED, result_dtype
from graphkiln._src.numpy.selection import where
from graphkiln._src.numpy.weak_tensor import like_numpy_yielding


def _is_bool(x: Tensor) -> bool:
    return x.dtype == _graphkiln.bool


def _or_of_bools(of_bools, otherwise, a, b):
    return binary(
        lambda x, y: of_bools(x, y) if _is_bool(x) else otherwise(x, y), a, b
    )


def _through(dtype, function, a, b):
    """Bools are computed in another dtype."""

    def compute(x, y):
        if _is_bool(x):
            x, y = ops.cast(x, dtype), ops.cast(y, dtype)
        return function(x, y)

    return binary(compute, a, b)


# ---- Arithmetic ----


@like_numpy("add([1, 2], 3)", "[4, 5]")
def add(x1, x2):
    return _or_of_bools(ops.logical_or, ops.add, x1, x2)


@like_numpy("subtract([1, 2], 3)", "[-2, -1]")
def subtract(x1, x2):
    return binary(ops.subtract, x1, x2)


@like_numpy("multiply([1, 2], 3)", "[3, 6]")
def multiply(x1, x2):
    return _or_of_bools(ops.logical_and, ops.multiply, x1, x2)


@like_numpy("true_divide([1, 2], 2)", "[0.5, 1.0]")
def true_divide(x1, x2):
    return _through(result_dtype(float), ops.truediv, x1, x2)


@like_numpy("divide([1, 2], 2)", "[0.5, 1.0]")
def divide(x1, x2):
    return true_divide(x1, x2)


@like_numpy("floor_divide([5, 6], 2)", "[2, 3]")
def floor_divide(x1, x2):
    return _through(_graphkiln.int8, ops.math.floordiv, x1, x2)


@like_numpy("mod([5, 6], 3)", "[2, 0]")
def mod(x1, x2):
    return _through(_graphkiln.int8, ops.math.floormod, x1, x2)


@like_numpy("remainder([5, 6], 3)", "[2, 0]")
def remainder(x1, x2):
    return mod(x1, x2)


@like_numpy("divmod(7, 2)[1]", "1")
def divmod(x1, x2):
    return floor_divide(x1, x2), mod(x1, x2)


@like_numpy("power([1, 2], 3)", "[1, 8]")
def power(x1, x2):
    return binary(ops.pow, x1, x2)


@like_numpy("float_power([1., 2.], 3)", "[1.0, 8.0]")
def float_power(x1, x2):
    return power(x1, x2)


@like_numpy("maximum([1, 5], 3)", "[3, 5]")
def maximum(x1, x2):
    zero = isinstance(x2, (int, float, np.number)) and not isinstance(x2, bool)
    if zero and x2 == 0 and isinstance(x1, Tensor) and not _is_bool(x1):
        return ops.nn.relu(x1)
    return _or_of_bools(ops.logical_or, ops.maximum, x1, x2)


@like_numpy("minimum([1, 5], 3)", "[1, 3]")
def minimum(x1, x2):
    return _or_of_bools(ops.logical_and, ops.minimum, x1, x2)


@like_numpy("clip([1, 5, 9], 2, 6)", "[2, 5, 6]")
def clip(a, a_min, a_max):
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    return ops.clip_by_value(*broadcast(*promoted(a, a_min, a_max)))


@like_numpy("arctan2(0., 1.)", "0.0")
def arctan2(x1, x2):
    return binary(ops.math.atan2, x1, x2)


@like_numpy("nextafter(1., 2.)", "1.0000000000000002")
def nextafter(x1, x2):
    return binary(ops.math.nextafter, x1, x2)


@like_numpy("heaviside([-1., 0., 2.], 0.5)", "[0.0, 0.5, 1.0]")
def heaviside(x1, x2):
    def step(x, at_zero):
        positive = ops.where(x > 0, fill_like(1, at_zero), at_zero)
        return ops.where(x < 0, fill_like(0, at_zero), positive)

    y = binary(step, x1, x2)
    return y if is_inexact(y.dtype) else ops.cast(y, result_dtype(float))


@like_numpy("hypot(3., 4.)", "5.0")
def hypot(x1, x2):
    return sqrt(_sum(square(x1), square(x2)))


def _is_nested(*values: object) -> bool:
    return any(isinstance(value, NESTED) for value in values)


def _sum(a: object, b: object) -> object:
    """That of the operator, where tensors have NumPy's."""
    return a + b if settings.yields() and not _is_nested(a, b) else add(a, b)


def _difference(a: object, b: object) -> object:
    return a - b if settings.yields() and not _is_nested(a, b) else subtract(a, b)


def _log_of_sum(x1: object, x2: object, of_difference) -> Tensor:
    greatest = maximum(x1, x2)
    delta = _difference(x1, x2)
    # NaN: both are infinite and of one sign.
    return where(
        isnan(delta),
        _sum(x1, x2),
        _sum(greatest, of_difference(negative(abs(delta)))),
    )


@like_numpy("logaddexp(0., 0.)", "0.6931471805599453")
def logaddexp(x1, x2):
    return _log_of_sum(x1, x2, lambda d: log1p(exp(d)))


@like_numpy("logaddexp2(0., 0.)", "1.0")
def logaddexp2(x1, x2):
    return _log_of_sum(x1, x2, lambda d: log1p(exp2(d)) / np.log(2))


# ---- Integers ----


def _greatest_divisor(x: Tensor, y: Tensor) -> Tensor:
    if not (x.dtype.is_integer and y.dtype.is_integer):
        raise ValueError("Arguments to gcd must be integers.")
    x, y = broadcast(x, y)
    zero, one = fill_like(0, y), fill_like(1, y)

    def step(a, b):
        some = ops.not_equal(b, zero)
        # No division by zero: what is found there is not used.
        rest = ops.math.floormod(a, ops.where(some, b, one))
        a, b = ops.where(some, b, a), ops.where(some, rest, zero)
        return ops.maximum(a, b), ops.minimum(a, b)

    return _graphkiln.while_loop(
        lambda a, b: ops.reduce_any(ops.not_equal(b, zero)),
        step,
        (ops.abs(x), ops.abs(y)),
    )[0]


@like_numpy("gcd(12, 18)", "6")
def gcd(x1, x2):
    return binary(_greatest_divisor, x1, x2)


@like_numpy("lcm(4, 6)", "12")
def lcm(x1, x2):
    def least_multiple(x, y):
        divisor = _greatest_divisor(x, y)
        zero = fill_like(0, divisor)
        some = ops.not_equal(divisor, zero)
        part = ops.math.floordiv(
            ops.abs(y), ops.where(some, divisor, fill_like(1, divisor))
        )
        return ops.where(some, ops.abs(x) * part, zero)

    return binary(least_multiple, x1, x2)


def _bitwise(function, x1: object, x2: object) -> Tensor:
    def compute(x, y):
        if not _is_bool(x):
            return function(x, y)
        result = function(ops.cast(x, _graphkiln.int8), ops.cast(y, _graphkiln.int8))
        return ops.cast(result, _graphkiln.bool)

    return binary(compute, x1, x2)


@like_numpy("bitwise_and(6, 3)", "2")
def bitwise_and(x1, x2):
    return _bitwise(ops.bitwise.bitwise_and, x1, x2)


@like_numpy("bitwise_or(6, 3)", "7")
def bitwise_or(x1, x2):
    return _bitwise(ops.bitwise.bitwise_or, x1, x2)


@like_numpy("bitwise_xor(6, 3)", "5")
def bitwise_xor(x1, x2):
    return _bitwise(ops.bitwise.bitwise_xor, x1, x2)


@like_numpy_yielding("bitwise_not(6)", "-7")
def bitwise_not(x):
    return unary(
        lambda x: ops.logical_not(x) if _is_bool(x) else ops.bitwise.invert(x), x
    )


# ---- Of one argument ----


def _of_floats(function, numpy_name: str, call: str, result: str):
    """A function of floats that an op computes."""

    def of_floats(x):
        return unary(function, x, True)

    of_floats.__name__ = of_floats.__qualname__ = numpy_name
    return like_numpy_yielding(call, result)(of_floats)


log = _of_floats(lambda x: ops.math.log(x), "log", "log(1)", "0.0")
exp = _of_floats(lambda x: ops.exp(x), "exp", "exp(0)", "1.0")
sqrt = _of_floats(lambda x: ops.sqrt(x), "sqrt", "sqrt(4)", "2.0")
ceil = _of_floats(lambda x: ops.math.ceil(x), "ceil", "ceil(1.5)", "2.0")
floor = _of_floats(lambda x: ops.floor(x), "floor", "floor(1.5)", "1.0")
sin = _of_floats(lambda x: ops.sin(x), "sin", "sin(0)", "0.0")
cos = _of_floats(lambda x: ops.cos(x), "cos", "cos(0)", "1.0")
tan = _of_floats(lambda x: ops.tan(x), "tan", "tan(0)", "0.0")
sinh = _of_floats(lambda x: ops.sinh(x), "sinh", "sinh(0)", "0.0")
cosh = _of_floats(lambda x: ops.cosh(x), "cosh", "cosh(0)", "1.0")
tanh = _of_floats(lambda x: ops.tanh(x), "tanh", "tanh(0)", "0.0")
arcsin = _of_floats(lambda x: ops.asin(x), "arcsin", "arcsin(0)", "0.0")
arccos = _of_floats(lambda x: ops.acos(x), "arccos", "arccos(1)", "0.0")
arctan = _of_floats(lambda x: ops.atan(x), "arctan", "arctan(0)", "0.0")
arcsinh = _of_floats(lambda x: ops.asinh(x), "arcsinh", "arcsinh(0)", "0.0")
arctanh = _of_floats(lambda x: ops.atanh(x), "arctanh", "arctanh(0)", "0.0")
expm1 = _of_floats(lambda x: ops.math.expm1(x), "expm1", "expm1(0)", "0.0")
log1p = _of_floats(lambda x: ops.math.log1p(x), "log1p", "log1p(0)", "0.0")


@like_numpy("arccosh(1)", "0.0")
def arccosh(x):
    return unary(ops.acosh, x, True)


@like_numpy_yielding("abs([-1, 2])", "[1, 2]")
def abs(x):
    return unary(ops.abs, x)


@like_numpy_yielding("absolute([-1, 2])", "[1, 2]")
def absolute(x):
    return abs(x)


@like_numpy_yielding("fabs([-1, 2])", "[1, 2]")
def fabs(x):
    return abs(x)


@like_numpy_yielding("conj(1 - 2j)", "(1+2j)")
def conj(x):
    return unary(ops.math.conj, x)


@like_numpy_yielding("conjugate(1 - 2j)", "(1+2j)")
def conjugate(x):
    return unary(ops.math.conj, x)


@like_numpy_yielding("negative([1, -2])", "[-1, 2]")
def negative(x):
    return unary(ops.negative, x)


@like_numpy_yielding("positive([1, -2])", "[1, -2]")
def positive(x):
    return as_array(x)


@like_numpy_yielding("reciprocal([2., 4.])", "[0.5, 0.25]")
def reciprocal(x):
    return unary(ops.math.reciprocal, x)


@like_numpy_yielding("square([2, 3])", "[4, 9]")
def square(x):
    return unary(ops.square, x)


@like_numpy_yielding("sign([-2., 0., 3.])", "[-1.0, 0.0, 1.0]")
def sign(x, out=None, where=None, **kwargs):
    if out:
        raise ValueError("tf.numpy doesnt support setting out.")
    if where:
        raise ValueError("tf.numpy doesnt support setting where.")
    if kwargs:
        raise ValueError(f"tf.numpy doesnt support setting {kwargs.keys()}")
    return ops.sign(as_array(x))


@like_numpy("signbit([-1., 2.])", "[True, False]")
def signbit(x):
    """Of negative zeros it is False."""
    x = as_array(x)
    if _is_bool(x):
        return ops.fill(ops.shape(x), False)
    return ops.less(x, 0)


@like_numpy_yielding("deg2rad(180.)", "3.141592653589793")
def deg2rad(x):
    return unary(lambda x: x * (np.pi / 180.0), x, True)


@like_numpy_yielding("rad2deg(tnp.array(tnp.pi))", "180.0")
def rad2deg(x):
    return x * (180.0 / np.pi)


@like_numpy_yielding("angle(1j)", "1.5707963267948966")
def angle(z, deg=False):
    def of_number(x):
        if x.dtype.is_complex:
            return ops.math.angle(x)
        return ops.where(ops.less(x, 0), np.pi, 0.0)

    y = unary(of_number, z, True)
    return rad2deg(y) if deg else y


@like_numpy_yielding("cbrt(8.)", "2.0")
def cbrt(x):
    def root(x):
        of_size = ops.abs(x) ** (1.0 / 3)
        return ops.where(ops.less(x, 0), -of_size, of_size)

    return unary(root, x, True)


@like_numpy_yielding("exp2(3.)", "8.0")
def exp2(x):
    return unary(lambda x: 2**x, x, True)


@like_numpy_yielding("log2(8.)", "3.0")
def log2(x):
    return log(x) / np.log(2)


@like_numpy_yielding("log10(100.)", "2.0")
def log10(x):
    return log(x) / np.log(10)


@like_numpy_yielding("fix([-1.5, 1.5])", "[-1.0, 1.0]")
def fix(x):
    return unary(
        lambda x: ops.where(
            ops.less(x, 0), ops.math.ceil(x), ops.floor(x)
        ),
        x,
        True,
    )


@like_numpy_yielding("sinc(0.)", "1.0")
def sinc(x):
    def compute(x):
        pi_x = x * np.pi
        at_zero = ops.equal(x, 0)
        return ops.where(at_zero, ops.ones_like(x), ops.sin(pi_x) / pi_x)

    return unary(compute, x, True)


@like_numpy_yielding("around(1.26, 1)", "1.3")
def around(a, decimals=0):
    a = as_array(a)
    # `decimals` may be negative: integers become floats.
    computed = a.dtype if is_inexact(a.dtype) else result_dtype(float)
    factor = ops.cast(10.0**decimals, computed)
    rounded = ops.round(ops.cast(a, computed) * factor) / factor
    return ops.cast(rounded, a.dtype)


@like_numpy_yielding("round(1.26, 1)", "1.3")
def round(a, decimals=0):
    return around(a, decimals=decimals)


@like_numpy_yielding("real(1 + 2j)", "1.0")
def real(val):
    return ops.math.real(as_array(val))


@like_numpy_yielding("imag(1 + 2j)", "2.0")
def imag(val):
    return ops.math.imag(as_array(val))


@like_numpy("isnan([1., tnp.inf - tnp.inf])", "[False, True]")
def isnan(x):
    return unary(ops.math.is_nan, x, True)
