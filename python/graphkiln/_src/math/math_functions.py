"""Public functions of tf.math, tf.linalg and tf.nn that combine others."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import IndexedSlices, Tensor
from graphkiln._src.types.dispatched import dispatched


def _of_core(name):
    """A function of the core, whose documentation Python's has, too."""
    function = _graphkiln.composite_function(name)

    def decorate(python):
        python.__doc__ = function.__doc__
        python.core = function
        return python

    return decorate


def _check_list(t_list) -> list:
    if isinstance(t_list, (Tensor, str)):
        raise TypeError("`t_list` should be a sequence of tensors")
    return list(t_list)


def _values(t_list: list) -> list:
    return [
        t.values if isinstance(t, IndexedSlices) else t
        for t in t_list
        if t is not None
    ]


@dispatched
@_of_core("linalg.global_norm")
def global_norm(t_list, name=None):
    return global_norm.core(_values(_check_list(t_list)), name=name)


@dispatched
@_of_core("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    t_list = _check_list(t_list)
    *clipped, norm = clip_by_global_norm.core(
        _values(t_list), clip_norm, use_norm, name=name
    )
    rest = iter(clipped)
    return [
        t if t is None
        else IndexedSlices(next(rest), t.indices, t.dense_shape)
        if isinstance(t, IndexedSlices)
        else next(rest)
        for t in t_list
    ], norm
