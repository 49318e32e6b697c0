"""tf.experimental.numpy.random: TensorFlow's numbers, for the program's seed."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import as_array
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.promotion import result_dtype
from graphkiln._src.numpy.shapes import isscalar


def _shape(size: object) -> object:
    if size is None:
        return ()
    if isinstance(size, (tuple, list)):
        return size
    return (size,) if isscalar(size) else size


@like_numpy("random.seed(5)", "", plain=True)
def seed(s):
    """It is `tf.random.set_seed`."""
    try:
        s = int(s)
    except TypeError:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from None
    _graphkiln.set_seed(s)


@like_numpy("random.randn(2, 3).shape", "TensorShape([2, 3])", plain=True)
def randn(*args):
    return standard_normal(size=args)


@like_numpy("random.standard_normal(3).shape", "TensorShape([3])", plain=True)
def standard_normal(size=None):
    return ops.random.normal(_shape(size), dtype=result_dtype(float))


@like_numpy("random.uniform(0., 2., [3]).shape", "TensorShape([3])", plain=True)
def uniform(low=0.0, high=1.0, size=None):
    dtype = result_dtype(float)
    low, high = as_array(low, dtype), as_array(high, dtype)
    if size is None:
        size = _graphkiln.broadcast_dynamic_shape(low.shape, high.shape)
    return ops.random.uniform(size, minval=low, maxval=high, dtype=dtype)


@like_numpy("random.poisson(2., 3).shape", "TensorShape([3])", plain=True)
def poisson(lam=1.0, size=None):
    return ops.random.poisson(_shape(size), lam, dtype=_graphkiln.int64)


@like_numpy("random.random([3]).shape", "TensorShape([3])", plain=True)
def random(size=None):
    return uniform(0.0, 1.0, size)


@like_numpy("random.rand(2, 3).shape", "TensorShape([2, 3])", plain=True)
def rand(*size):
    return uniform(0.0, 1.0, size)


@like_numpy("random.randint(5, size=3).shape", "TensorShape([3])", plain=True)
def randint(low, high=None, size=None, dtype=np.int64):
    """`dtype` is one of int32 and int64."""
    low = int(low)
    if high is None:
        low, high = 0, low
    size = () if size is None else (size,) if isinstance(size, int) else size
    found = result_dtype(dtype)
    if found not in (_graphkiln.int32, _graphkiln.int64):
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible "
            f"to {(np.int32, np.int64)} are supported."
        )
    return ops.random.uniform(size, minval=low, maxval=high, dtype=found)
