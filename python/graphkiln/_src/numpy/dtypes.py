"""NumPy's own classes and numbers, under their names."""

import numpy as np
from numpy import (
    e,
    iinfo,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    issubdtype,
    newaxis,
    object_,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)
from numpy import bool_ as bool_
from numpy import bytes_ as string_
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import complex128 as complex_
from numpy import float16, float32, float64
from numpy import float64 as float_
from numpy import str_ as unicode_

from graphkiln._graphkiln import DType
from graphkiln._src.numpy.documented import like_numpy

__all__ = [
    "bool_", "complex128", "complex64", "complex_", "e", "finfo", "float16",
    "float32", "float64", "float_", "iinfo", "inexact", "inf", "int16", "int32",
    "int64", "int8", "int_", "issubdtype", "newaxis", "object_", "pi", "string_",
    "uint16", "uint32", "uint64", "uint8", "unicode_",
]


@like_numpy("finfo('float32').bits", "32", plain=True)
def finfo(dtype):
    """What NumPy says."""
    return np.finfo(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)
