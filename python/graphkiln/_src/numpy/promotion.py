"""Which dtype values of several dtypes get: NumPy's answer, or that of the
modes in which the dtypes of Python's numbers yield to others."""

import functools
import numbers

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import (
    AbstractTensor,
    DType,
    IndexedSlices,
    TensorShape,
    Variable,
)
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.documented import like_numpy

_PLAIN = (bool, int, float)
# What has values inside.
NESTED = (list, tuple, dict, range)


class Weak:
    """What yields: tensors whose dtype came of Python's numbers alone. They have
    a `tensor`."""

    __slots__ = ()


def default_float() -> DType:
    return _graphkiln.float32 if settings.prefers_float32 else _graphkiln.float64


def _as_numpy_sees(value: object) -> object:
    """Numbers and arrays, whose dtypes NumPy finds itself; of others the dtype."""
    if type(value) is float or isinstance(value, float):
        return np.float32(value) if settings.prefers_float32 else value
    if isinstance(value, complex):
        return np.complex64(value) if settings.prefers_float32 else value
    if isinstance(value, _PLAIN) or isinstance(value, numbers.Real):
        return value
    if isinstance(value, DType):
        return value.as_numpy_dtype
    if isinstance(value, TensorShape):
        return np.int32
    dtype = getattr(value, "dtype", None)
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else value


def _without_repetitions(values: list) -> list:
    """Of many Python numbers those that decide."""
    kept, ints = {}, []
    for value in values:
        kind = type(value)
        if kind is int:
            ints.append(value)
        elif kind in (bool, float, complex):
            kept[kind] = value
        else:
            kept[id(value)] = value
    if ints:
        kept.update((("int", value), value) for value in (min(ints), max(ints)))
    return list(kept.values())


# Of each value its dtype alone counts since this version, not how large it is.
_TYPES_DECIDE = int(np.__version__.split(".")[0]) >= 2


def _deciding(value: object) -> object:
    """What of a value decides its dtype; None: the whole of it."""
    kind = type(value)
    if kind is float or kind is bool or kind is complex:
        return kind
    if kind is int:
        return int if -(2**63) <= value < 2**63 else None
    if isinstance(value, DType):
        return value
    if settings.prefers_float32 and isinstance(value, (float, complex)):
        return float if isinstance(value, float) else complex
    dtype = getattr(value, "dtype", None)
    return dtype if isinstance(dtype, (DType, np.dtype)) else None


@functools.cache
def _known_dtype(prefers_float32: bool, kinds: tuple) -> DType:
    examples = [k() if isinstance(k, type) else k for k in kinds]
    seen = [_as_numpy_sees(value) for value in examples]
    return _graphkiln.as_dtype(np.result_type(*seen))


def numpys_dtype(values: list) -> DType:
    """The dtype that NumPy gives to all of these."""
    if _TYPES_DECIDE and 0 < len(values) <= 4:
        kinds = tuple(map(_deciding, values))
        if all(kind is not None for kind in kinds):
            return _known_dtype(settings.prefers_float32, kinds)
    seen = [_as_numpy_sees(value) for value in _without_repetitions(values)]
    return _graphkiln.as_dtype(np.result_type(*seen or [np.float64]))


def _flat(values: tuple) -> list:
    lists = (list(v) if isinstance(v, range) else v for v in values)
    return _graphkiln.nest_flatten(list(lists))


def result_dtype(*values: object) -> DType:
    """The dtype of all these values and dtypes, those in lists among them."""
    if len(values) == 1 and isinstance(values[0], DType):
        return values[0]
    if settings.yields():
        return yielding_dtype(*values)[0]
    if not any(isinstance(value, NESTED) for value in values):
        return numpys_dtype(list(values))
    return numpys_dtype(_flat(values))


def dtype_of(value: object, dtype: object = None) -> DType:
    """The dtype of an array made of `value`, if none is asked for."""
    if dtype is not None:
        return result_dtype(dtype)
    if isinstance(value, (str, bytes)):
        return _graphkiln.string
    return result_dtype(value)


# ---- Where Python's numbers yield ----

_BITS = {
    "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
    "int8": 8, "int16": 16, "int32": 32, "int64": 64,
}
# Floats in order of their sizes, with the bits of the integers they hold.
_FLOATS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_PART = {"complex64": "float32", "complex128": "float64"}
_WEAK = ("int32", "int64", "float32", "float64", "complex128")
_SAFE, _LOSSY = True, False

# A dtype's name, and whether it is weak.
Kind = tuple[str, bool]


def _of_integers(a: str, b: str) -> tuple[Kind, bool]:
    unsigned = [name for name in (a, b) if name.startswith("u")]
    if len(unsigned) != 1:
        return (max(a, b, key=_BITS.__getitem__), False), _SAFE
    signed = b if unsigned == [a] else a
    bits = _BITS[unsigned[0]]
    if _BITS[signed] > bits:
        return (signed, False), _SAFE
    if bits == 64:
        return ("float64", True), _LOSSY
    return (f"int{2 * bits}", False), _LOSSY


def _holds(integer: str, number: str) -> bool:
    bits = _BITS[integer] - (not integer.startswith("u"))
    return bits <= _FLOATS[_PART.get(number, number)]


def _of_floats(a: str, b: str) -> tuple[Kind, bool]:
    if a == b:
        return (a, False), _SAFE
    if {a, b} == {"bfloat16", "float16"}:
        return ("float32", False), _LOSSY
    return (max(a, b, key=list(_FLOATS).index), False), _SAFE


def _of_complex(a: str, b: str) -> tuple[Kind, bool]:
    """One of them is complex, the other one as well or a float."""
    if "complex128" in (a, b):
        return ("complex128", False), _SAFE
    if "float64" in (a, b):
        return ("complex128", False), _LOSSY
    return ("complex64", False), _SAFE


def _of_weak(strong: str, weak: str) -> tuple[Kind, bool]:
    if strong in _BITS:
        if weak in _BITS:
            return (strong, False), _SAFE
        safe = weak != "float32" and _holds(strong, "float64")
        return (weak if weak == "complex128" else "float64", True), safe
    if strong in _FLOATS and weak == "complex128":
        return _of_complex(strong, "complex64")[0], strong == "float64"
    return (strong, False), _SAFE


@functools.cache
def _joined(a: Kind, b: Kind) -> tuple[Kind, bool] | None:
    """The kind of both, and whether values of both are safe in it; None: there
    is none."""
    if a == b:
        return a, _SAFE
    if ("bool", False) in (a, b):
        other = b if a == ("bool", False) else a
        known = other[0] in _BITS or other[0] in _FLOATS or other[0] in _PART
        return (other, _SAFE) if known else None
    names = (a[0], b[0])
    if not all(n in _BITS or n in _FLOATS or n in _PART for n in names):
        return None
    if a[1] and b[1]:
        return (max(names, key=_WEAK.index), True), _SAFE
    if a[1] or b[1]:
        return _of_weak(*(names if b[1] else names[::-1]))
    integers = [name for name in names if name in _BITS]
    if len(integers) == 2:
        return _of_integers(*names)
    if integers:
        other = names[1] if names[0] in _BITS else names[0]
        return (other, False), _holds(integers[0], other)
    if any(name in _PART for name in names):
        return _of_complex(*names)
    return _of_floats(*names)


_TYPES = {
    bool: ("bool", False), int: ("int32", True), float: ("float32", True),
    complex: ("complex128", True),
}


def _kind(value: object) -> Kind:
    if isinstance(value, Weak):
        return value.tensor.dtype.name, True
    if isinstance(value, DType):
        return value.name, False
    plain = isinstance(value, (AbstractTensor, Variable, IndexedSlices))
    if not plain and hasattr(type(value), "_type_spec"):
        raise NotImplementedError(f"There are no rules for values of {type(value)}.")
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, DType):
        return dtype.name, False
    if isinstance(dtype, np.dtype):
        return _graphkiln.as_dtype(dtype).name, False
    if isinstance(value, (str, bytes)):
        return "string", False
    if isinstance(value, type) and value in _TYPES:
        return _TYPES[value]
    if isinstance(value, bool):
        return _TYPES[bool]
    if isinstance(value, int):
        if not -(2**31) <= value < 2**31:
            raise OverflowError(
                f"Python int {value} too large to convert to np.int32"
            )
        return _TYPES[int]
    for known in (float, complex):
        if isinstance(value, known):
            return _TYPES[known]
    if isinstance(value, TensorShape):
        return "int32", False
    if isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic)
    ):
        return _graphkiln.as_dtype(value).name, False
    raise NotImplementedError(f"{type(value)} has no dtype that could be promoted.")


def _shown(kind: Kind) -> str:
    return f"({_graphkiln.as_dtype(kind[0])}, weak={kind[1]})"


def yielding_dtype(*values: object) -> tuple[DType, bool]:
    """The dtype of all these values, and whether it yields to others. Raises
    NotImplementedError where there are no rules for a value, TypeError where
    the mode forbids what would happen."""
    kinds = []
    for value in _flat(tuple(v for v in values if v is not None)):
        kinds.append(_kind(value))
    result = kinds[0] if kinds else ("float32", True)
    for kind in kinds[1:]:
        joined = _joined(result, kind)
        if joined is None:
            raise NotImplementedError(
                f"No dtype holds {_shown(result)} and {_shown(kind)}."
            )
        if not joined[1] and settings.mode == "safe":
            raise TypeError(
                "In promotion mode PromoMode.SAFE, implicit dtype promotion "
                f"between {_shown(result)} and {_shown(kind)} is disallowed. "
                "Cast one of the values, or ask for the mode 'all'."
            )
        result = joined[0]
    return _graphkiln.as_dtype(result[0]), result[1]


@like_numpy("result_type(1, 2.5)", "tf.float64", plain=True)
def result_type(*arrays_and_dtypes):
    return result_dtype(*arrays_and_dtypes)


@like_numpy("promote_types('int32', 'float32')", "dtype('float64')", plain=True)
def promote_types(type1, type2):
    both = [
        np.dtype(_as_numpy_sees(t) if isinstance(t, DType) else t)
        for t in (type1, type2)
    ]
    return np.promote_types(*both)
