"""Public functions of tf.math, tf.linalg and tf.nn that combine others."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import IndexedSlices, Tensor
from graphkiln._src import ops as _ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes


def _of_core(name):
    """A function of the core, whose documentation Python's has, too."""
    function = _graphkiln.composite_function(name)

    def decorate(python):
        python.__doc__ = function.__doc__
        python.core = function
        return python

    return decorate


@_of_core("einsum")
def einsum(equation, *inputs, **kwargs):
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. "
            "Valid arguments: name, optimize."
        )
    return einsum.core(equation, inputs, optimize, name=name)


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


@_of_core("linalg.global_norm")
def global_norm(t_list, name=None):
    return global_norm.core(_values(_check_list(t_list)), name=name)


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


@_of_core("meshgrid")
def meshgrid(*args, **kwargs):
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(
            f"'{next(iter(kwargs))}' is an invalid keyword argument for this "
            "function"
        )
    return meshgrid.core(args, indexing, name=name)


def repeat(input, repeats, axis=None, name=None):
    """Repeats each element (or slice along an axis) `repeats` times.

    >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
    [1, 1, 2]
    """
    with name_scope.name_scope(name or "Repeat"):
        x = _graphkiln.convert_to_tensor(input)
        if axis is None:
            x = _ops.reshape(x, [-1])
            axis = 0
        rank = x.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(
                f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
            )
        axis = axis if axis >= 0 else rank + axis
        repeats = _graphkiln.convert_to_tensor(repeats)
        if repeats.dtype != dtypes.int64:
            repeats = _ops.cast(repeats, dtypes.int32)
        repeats.shape.with_rank_at_most(1)
        if x.shape.rank is not None and repeats.shape.rank == 1:
            size = repeats.shape[0]
            if size != 1:
                x.shape[axis:axis + 1].assert_is_compatible_with([size])
        if repeats.shape.num_elements() == 1:
            return _repeat_all(x, _ops.reshape(repeats, []), axis)
        size = _ops.shape(x)[axis]
        counts = _ops.broadcast_to(_ops.reshape(repeats, [-1]), [size])
        ends = _ops.cumsum(counts)
        total = _ops.reduce_sum(counts)
        places = _ops.searchsorted(ends, _ops.range(total), side="right")
        return _ops.gather(x, places, axis=axis)


def _repeat_all(x, count, axis: int):
    """Each slice along an axis `count` times; the shape is known while
    tracing if those of `x` and the count are."""
    shape = _ops.shape(x, out_type=count.dtype)
    before, size, behind = shape[:axis], shape[axis:axis + 1], shape[axis + 1:]
    count = _ops.reshape(count, [1])
    ones = _ops.ones([axis + 1], count.dtype)
    tiled = _ops.tile(_ops.expand_dims(x, axis + 1),
                    _ops.concat([ones, count, _ops.ones_like(behind)], 0))
    made = _ops.reshape(tiled, _ops.concat([before, size * count, behind], 0))
    if not _graphkiln.executing_eagerly() and x.shape.rank is not None:
        dims = x.shape.as_list()
        known = _graphkiln.get_static_value(count)
        if dims[axis] is not None:
            dims[axis] = None if known is None else dims[axis] * int(known[0])
        made.set_shape(dims)
    return made
