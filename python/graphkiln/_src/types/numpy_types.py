"""NumPy's side of the data types; imported when NumPy is first needed."""

import ml_dtypes
import numpy as np

_QUANTIZED = {"qint8": "i1", "quint8": "u1", "qint16": "i2", "quint16": "u2",
              "qint32": "i4"}
_FROM_ML_DTYPES = ("bfloat16", "float8_e5m2", "float8_e4m3fn", "int4", "uint4")


def numpy_type(dtype: object) -> object:
    """numpy.float32 and so on."""
    name = dtype.name
    if name in _FROM_ML_DTYPES:
        return getattr(ml_dtypes, name)
    if name in _QUANTIZED:
        return np.dtype([(name, _QUANTIZED[name])])
    if name == "string":
        return object
    if name == "bool":
        return np.bool_
    if name in ("resource", "variant"):
        raise KeyError(dtype.as_datatype_enum)
    return getattr(np, name)


def _bounds(dtype: object, which: str) -> object:
    numpy_dtype = numpy_type(dtype)
    if dtype.name in _QUANTIZED:
        numpy_dtype = np.dtype(_QUANTIZED[dtype.name])
    if dtype.is_floating:
        info = np.finfo if dtype.name.startswith("float") else ml_dtypes.finfo
        if dtype.name.startswith("float8"):
            info = ml_dtypes.finfo
        return getattr(info(numpy_dtype), which)
    if dtype.is_integer or dtype.is_quantized:
        info = ml_dtypes.iinfo if dtype.name.endswith("int4") else np.iinfo
        return getattr(info(numpy_dtype), which)
    word = {"max": "maximum", "min": "minimum"}[which]
    raise TypeError(
        f"Cannot find {word} value of {dtype} with type {dtype}."
    )


def maximum(dtype: object) -> object:
    """The largest finite value."""
    return _bounds(dtype, "max")


def minimum(dtype: object) -> object:
    """The smallest finite value."""
    return _bounds(dtype, "min")


_LIMITS = {
    "bool": (False, True), "uint8": (0, 255), "uint16": (0, 65535),
    "int8": (0, 127), "int16": (0, 32767), "int64": (0, 2**63 - 1),
    "uint64": (0, 2**64 - 1), "int32": (0, 2**31 - 1),
    "uint32": (0, 2**32 - 1), "float32": (0, 1), "float64": (0, 1),
    "float16": (0, 1), "bfloat16": (0, 1),
}


def limits(dtype: object) -> tuple:
    """The usual range of images of this type."""
    if dtype.name not in _LIMITS:
        raise ValueError(f"{dtype} does not have intensity limits.")
    return _LIMITS[dtype.name]
