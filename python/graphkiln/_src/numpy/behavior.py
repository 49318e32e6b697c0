"""tf.experimental.numpy.experimental_enable_numpy_behavior."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.host.logging import get_logger
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.elementwise import around, clip
from graphkiln._src.numpy.reductions import amax, amin, mean
from graphkiln._src.numpy.shapes import flatten, ravel, reshape_method, transpose
from graphkiln._src.numpy.weak_tensor import yielding

_MODES = ("off", "legacy", "safe", "all")


def _size(tensor):
    """The number of elements; None if it is not known."""
    if not tensor.shape.is_fully_defined():
        return None
    return np.prod(tensor.shape.as_list())


def _tolist(tensor):
    """The elements as nested lists of Python's numbers."""
    if _graphkiln.is_symbolic_tensor(tensor):
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return tensor.numpy().tolist()


def _positive(tensor):
    return tensor


def _astype(tensor, dtype, name=None):
    """The tensor in another dtype."""
    return ops.cast(tensor, dtype, name=name)


_MEMBERS = {
    "T": property(lambda tensor: transpose(tensor), doc="The transpose."),
    "data": property(lambda tensor: tensor, doc="The tensor itself."),
    "ndim": property(lambda tensor: tensor.shape.ndims, doc="The rank, or None."),
    "size": property(_size, doc=_size.__doc__),
    "__pos__": _positive,
    "__round__": around,
    "astype": _astype,
    "clip": clip,
    "flatten": flatten,
    "max": amax,
    "mean": mean,
    "min": amin,
    "ravel": ravel,
    "reshape": yielding(reshape_method),
    "tolist": _tolist,
    "transpose": transpose,
}


def experimental_enable_numpy_behavior(
    prefer_float32=False, dtype_conversion_mode="legacy"
):
    """Lets tensors behave as NumPy's arrays do, from now on and in the whole
    program: they have methods such as `reshape` and `T`, lists of indices stand
    for the elements there, and operands of an operator are brought to one dtype.

    How, says the mode: "legacy" is NumPy's way, "off" none. In "all" the dtypes of
    Python's numbers yield to those of tensors, "safe" forbids whatever of that
    could lose digits. With `prefer_float32` Python's floats are float32, else
    float64.

    There is no way back:

        tnp = tf.experimental.numpy
        tnp.experimental_enable_numpy_behavior()
        (tf.constant([[1, 2], [3, 4]]).T + 0.5)[[0, 0]]
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. "
            "Make sure the provided dtype conversion mode is one of the followings: "
            "'off', 'legacy', 'safe' or 'all'."
        )
    if dtype_conversion_mode in ("safe", "all"):
        get_logger().warning(
            "UserWarning: enabling the new type promotion must happen at the "
            "beginning of the program. Please ensure no TF APIs have been used yet."
        )
    settings.mode = dtype_conversion_mode
    settings.prefers_float32 = bool(prefer_float32)
    settings.members.update(_MEMBERS)
    _graphkiln.set_numpy_behavior(
        promotes=dtype_conversion_mode == "legacy",
        weak=settings.yields(),
        slices=True,
        members=_MEMBERS,
    )
