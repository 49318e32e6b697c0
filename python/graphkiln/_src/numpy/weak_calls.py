"""Calls of public functions in the modes "safe" and "all", which the extension
hands over."""

import functools
import inspect
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import AbstractTensor, Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.promotion import Weak, yielding_dtype
from graphkiln._src.numpy.weak_tensor import (
    binary_call,
    converted,
    unary_call,
    weak_operator,
    weakly,
)

# Functions whose result yields if their first argument does.
_UNARY = """
    abs math.softplus sign math.real math.imag math.angle round sigmoid
    math.log_sigmoid math.conj math.reciprocal_no_nan math.erfinv math.ndtri
    math.erfcinv math.ceil sqrt exp math.rsqrt acos floor bitwise.invert acosh asin
    asinh atan atanh cos cosh math.digamma math.erf math.erfc math.expm1 math.lgamma
    math.log math.log1p negative math.reciprocal math.rint sin sinh square tan tanh
    zeros_like ones_like debugging.check_numerics nn.relu6 nn.leaky_relu nn.gelu
    nn.log_softmax nn.silu nn.elu nn.selu nn.softsign
    image.random_brightness image.stateless_random_brightness
    image.adjust_brightness image.adjust_gamma clip_by_value math.special.dawsn
    math.special.expint math.special.fresnel_cos math.special.fresnel_sin
    math.special.spence math.bessel_i0 math.bessel_i0e math.bessel_i1
    math.bessel_i1e math.special.bessel_k0 math.special.bessel_k0e
    math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_j0
    math.special.bessel_j1 math.special.bessel_y0 math.special.bessel_y1
    math.reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min
    reduce_prod math.reduce_std reduce_sum math.reduce_variance linalg.trace reshape
    nn.depth_to_space expand_dims image.extract_patches identity linalg.diag
    linalg.diag_part linalg.matrix_transpose nn.space_to_depth squeeze stop_gradient
    linalg.tensor_diag_part transpose
    """
# Functions of two arguments of one dtype.
_BINARY = """
    add subtract multiply math.multiply_no_nan matmul divide math.divide_no_nan
    truediv realdiv truncatediv math.floordiv truncatemod math.floormod math.mod pow
    """
_COMPARING = "maximum minimum equal"


@functools.cache
def _rules() -> dict[str, Callable]:
    """How functions are called, by what the extension calls them."""
    rules = {}
    for names, rule in (
        (_UNARY, _unary),
        ("scalar_mul", _of_second),
        (_BINARY, _binary),
        (_COMPARING, _comparing),
    ):
        for name in names.split():
            value = ops
            for part in name.split("."):
                value = getattr(value, part, None)
            identity = getattr(value, "_identity", None)
            if identity is not None:
                rules[identity] = rule
    return rules


@functools.cache
def _signature(identity: str, api: Callable) -> inspect.Signature:
    return inspect.signature(api)


def _unary(api: Callable, names: list, bound: inspect.BoundArguments) -> object:
    return unary_call(api, names[0], bound)


def _of_second(api: Callable, names: list, bound: inspect.BoundArguments) -> object:
    return unary_call(api, names[1], bound)


def _binary(api: Callable, names: list, bound: inspect.BoundArguments) -> object:
    return binary_call(api, names, bound)


def _comparing(api: Callable, names: list, bound: inspect.BoundArguments) -> object:
    return binary_call(api, names, bound, keeps=False)


def weak_call(api: Callable, args: tuple, kwargs: dict) -> object:
    """The result of a call, or NotImplemented where it is the one of always."""
    rule = _rules().get(api._identity)
    if rule is None:
        return NotImplemented
    signature = _signature(api._identity, api)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return NotImplemented  # which the function itself says
    return rule(api, list(signature.parameters), bound)


def weak_constant(value: object, dtype: object, shape: object, name: object) -> object:
    """tf.constant, or NotImplemented where it is the one of always."""
    plain = value.tensor if isinstance(value, Weak) else value
    more = {"shape": shape} if name is None else {"shape": shape, "name": name}
    if dtype is not None:
        if not isinstance(plain, AbstractTensor):
            return NotImplemented
        wanted = _graphkiln.as_dtype(dtype)
        try:
            found = yielding_dtype(value, wanted)[0]
        except NotImplementedError:
            found = wanted
        if plain is value and (found != wanted or plain.dtype == wanted):
            return NotImplemented
        if found == wanted:
            plain = converted(plain, wanted)
        return _graphkiln.constant(plain, wanted, **more)
    if isinstance(value, Tensor):
        return NotImplemented
    try:
        found, weak = yielding_dtype(value)
    except NotImplementedError:
        return NotImplemented
    return weakly(_graphkiln.constant(plain, found, **more), weak)


def weak_update(variable: object, value: object, name: str) -> object:
    """What is given to a method of a variable, in its dtype."""
    try:
        dtype, _ = yielding_dtype(variable, value)
    except NotImplementedError:
        return value
    if dtype != variable.dtype:
        raise TypeError(
            f"Variable dtype is immutable. Calling {name} of Variable (with dtype "
            f"{variable.dtype}) on {value} requires converting {value} to "
            f"{variable.dtype}. Cast {value} before calling {name}."
        )
    return converted(value, dtype)


_graphkiln.provide(weak_call, weak_constant, weak_operator, weak_update)
