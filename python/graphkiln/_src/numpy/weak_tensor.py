"""Tensors whose dtype yields to others, in the modes "safe" and "all"."""

import functools
import inspect
import operator
from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import AbstractTensor, Tensor, Variable
from graphkiln._src import ops
from graphkiln._src.host.logging import warn_first
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.promotion import Weak, yielding_dtype
from graphkiln._src.types.batchable_extension_type import BatchableExtensionType

_DTYPES = ("int32", "int64", "float32", "float64", "complex128")


def _methods(symbol: str) -> tuple[Callable, Callable]:
    """An operator of a weak tensor, and the reflected one."""

    def forward(self, other):
        return weak_operator(symbol, self, other)

    def reflected(self, other):
        return weak_operator(symbol, other, self)

    return forward, reflected


class _Gradient:
    """The gradient of a weak tensor is one of its tensor, and yields."""

    def get_gradient_components(self, value):
        return value.tensor

    def replace_gradient_components(self, value, gradient):
        return WeakTensor.from_tensor(gradient)


class WeakTensor(Weak, BatchableExtensionType, AbstractTensor):
    """A tensor whose dtype was inferred of Python's numbers, and yields to those
    of other tensors."""

    tensor: Tensor

    def __validate__(self):
        if self.tensor.dtype.name not in _DTYPES:
            raise TypeError(
                f"{self.tensor.dtype} not allowed as a weak type. The allowed types "
                f"are {', '.join(_DTYPES)}."
            )

    dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: self.tensor.shape)
    is_tensor_like = property(lambda self: True)
    __array_priority__ = 100
    __composite_gradient__ = _Gradient()

    def __getattr__(self, name: str) -> object:
        if name == "tensor":
            raise AttributeError(name)  # of one that is not made yet
        member = settings.members.get(name)
        if member is None:
            return getattr(self.tensor, name)
        return member.__get__(self, type(self))

    def _with_mark(self, text: str) -> str:
        return f"{text[:-1]}, weak=True{text[-1]}"

    def __repr__(self) -> str:
        return self._with_mark(repr(self.tensor))

    def __str__(self) -> str:
        return self._with_mark(str(self.tensor))

    def __format__(self, spec: str) -> str:
        return f"{format(self.tensor, spec)} weakly typed"

    def __tf_tensor__(self, dtype: object = None, name: object = None) -> Tensor:
        return _graphkiln.convert_to_tensor(self.tensor, dtype=dtype, name=name)

    def to_tensor(self) -> Tensor:
        return self.tensor

    @classmethod
    def from_tensor(cls, tensor: Tensor) -> "WeakTensor":
        if not isinstance(tensor, Tensor):
            raise _graphkiln.InvalidArgumentError(
                None, None, f"A weak tensor is made of a tensor, not {type(tensor)}."
            )
        graph = _graphkiln.is_symbolic_tensor(tensor)
        return GraphWeakTensor(tensor) if graph else EagerWeakTensor(tensor)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __hash__(self):
        return hash(self.tensor)

    def __len__(self):
        return len(self.tensor)

    def __bool__(self):
        return bool(self.tensor)

    def __iter__(self):
        return (WeakTensor.from_tensor(row) for row in self.tensor)

    def __getitem__(self, key):
        return self.tensor[key]

    def __round__(self, digits=None):
        return settings.members["__round__"](self, digits or 0)

    __add__, __radd__ = _methods("+")
    __sub__, __rsub__ = _methods("-")
    __mul__, __rmul__ = _methods("*")
    __truediv__, __rtruediv__ = _methods("/")
    __floordiv__, __rfloordiv__ = _methods("//")
    __mod__, __rmod__ = _methods("%")
    __pow__, __rpow__ = _methods("**")
    __matmul__, __rmatmul__ = _methods("@")
    __and__, __rand__ = _methods("&")
    __or__, __ror__ = _methods("|")
    __xor__, __rxor__ = _methods("^")
    __lt__ = _methods("<")[0]
    __le__ = _methods("<=")[0]
    __gt__ = _methods(">")[0]
    __ge__ = _methods(">=")[0]
    __eq__ = _methods("==")[0]
    __ne__ = _methods("!=")[0]

    def __neg__(self):
        return WeakTensor.from_tensor(-self.tensor)

    def __pos__(self):
        return self

    def __abs__(self):
        return WeakTensor.from_tensor(abs(self.tensor))

    def __invert__(self):
        return WeakTensor.from_tensor(~self.tensor)


class EagerWeakTensor(WeakTensor):
    """One with a value."""

    def numpy(self):
        if _graphkiln.is_symbolic_tensor(self.tensor):
            raise ValueError("WeakTensor.numpy() is only supported in eager mode.")
        return self.tensor.numpy()

    def __complex__(self):
        return complex(self.tensor)

    def __int__(self):
        return int(self.tensor)

    def __float__(self):
        return float(self.tensor)

    def __index__(self):
        return operator.index(self.tensor)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.tensor.__array__(dtype))


class GraphWeakTensor(WeakTensor):
    """One in a graph."""


def weakly(tensor: object, is_weak: bool) -> object:
    if isinstance(tensor, Weak):
        return tensor if is_weak else tensor.tensor
    return WeakTensor.from_tensor(tensor) if is_weak else tensor


def converted(value: object, dtype: object) -> Tensor:
    if isinstance(value, Weak):
        value = value.tensor
    if isinstance(value, (AbstractTensor, Variable)):
        return value if value.dtype == dtype else ops.cast(value, dtype)
    return _graphkiln.convert_to_tensor(value, dtype=dtype)


def _is_of(value: object, dtype: object) -> bool:
    return isinstance(value, (Tensor, Variable)) and value.dtype == dtype


# ---- Operators ----

_ARITHMETIC = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "@": operator.matmul,
}
_LOGIC = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_COMPARISONS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}
_OPERATORS = {**_ARITHMETIC, **_LOGIC, **_COMPARISONS}


def weak_operator(symbol: str, a: object, b: object) -> object:
    """What an operator returns where dtypes yield; NotImplemented: nothing else
    than always."""
    function = _OPERATORS[symbol]
    plain = [v.tensor if isinstance(v, Weak) else v for v in (a, b)]
    is_weak = any(isinstance(v, Weak) for v in (a, b))
    if symbol in _LOGIC or (b is None and symbol in ("==", "!=")):
        return function(*plain) if is_weak else NotImplemented
    try:
        dtype, weak = yielding_dtype(a, b)
    except NotImplementedError:
        return function(*plain) if is_weak else NotImplemented
    if all(_is_of(v, dtype) for v in (a, b)):
        return NotImplemented
    result = function(converted(a, dtype), converted(b, dtype))
    if not isinstance(result, Tensor):  # `==` of shapes that do not fit
        return result
    return weakly(result, weak and symbol in _ARITHMETIC)


# ---- Functions ----


def unary_call(
    function: Callable, x_name: str, bound: inspect.BoundArguments
) -> object:
    """The call of a function of one argument, `x_name`, where dtypes yield; of
    tensors, and where a dtype is asked for, NotImplemented."""
    x = bound.arguments.get(x_name)
    if isinstance(x, Tensor) or bound.arguments.get("dtype") is not None:
        return NotImplemented
    try:
        dtype, weak = yielding_dtype(x)
    except NotImplementedError:
        warn_first(
            "The new dtype semantics do not support %s of %s. Falling back to old "
            "semantics.", function.__name__, type(x),
        )
        return NotImplemented
    bound.arguments[x_name] = converted(x, dtype)
    return weakly(function(*bound.args, **bound.kwargs), weak)


def binary_call(
    function: Callable, names: list, bound: inspect.BoundArguments, keeps: bool = True
) -> object:
    """The call of a function whose first two arguments have one dtype; without
    `keeps` its result does not yield. NotImplemented of tensors of one dtype."""
    both = [bound.arguments.get(name) for name in names[:2]]
    try:
        dtype, weak = yielding_dtype(*both)
    except NotImplementedError:
        return NotImplemented
    if all(_is_of(v, dtype) for v in both):
        return NotImplemented
    for name, value in zip(names, both, strict=False):
        bound.arguments[name] = converted(value, dtype)
    return weakly(function(*bound.args, **bound.kwargs), weak and keeps)


def _yields(function: Callable, call: Callable) -> Callable:
    """`function`, in whose place `call(its parameters, its arguments)` is asked
    first where dtypes yield."""
    signature = inspect.signature(function)
    names = list(signature.parameters)

    @functools.wraps(function)
    def api(*args, **kwargs):
        if settings.yields():
            result = call(names, signature.bind(*args, **kwargs))
            if result is not NotImplemented:
                return result
        return function(*args, **kwargs)

    return api


def yielding(function: Callable) -> Callable:
    """A function of NumPy's whose result yields if its first argument does."""
    return _yields(
        function, lambda names, bound: unary_call(function, names[0], bound)
    )


def yielding_of_two(function: Callable) -> Callable:
    """A function of NumPy's whose result yields if both of its arguments do."""
    return _yields(
        function, lambda names, bound: binary_call(function, names, bound)
    )


def like_numpy_yielding(call: str, result: str, plain: bool = False) -> Callable:
    """`like_numpy` of a function that is `yielding`."""
    document = like_numpy(call, result, plain)
    return lambda function: yielding(document(function))


