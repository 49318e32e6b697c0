"""Arrays in other shapes and orders, joined and taken apart."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import (
    as_array,
    broadcast,
    choose,
    promoted,
    rank_of,
    static_value,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.weak_tensor import like_numpy_yielding, yielding


@like_numpy_yielding("reshape([1, 2, 3, 4], [2, 2])", "[[1, 2], [3, 4]]")
def reshape(a, newshape, order="C"):
    """`order` is "C" or "F"."""
    if order not in {"C", "F"}:
        raise ValueError(f"Unsupported order argument {order}")
    a = as_array(a)
    if isinstance(newshape, int):
        newshape = [newshape]
    if order == "C":
        return ops.reshape(a, newshape)
    return ops.transpose(ops.reshape(ops.transpose(a), newshape[::-1]))


@like_numpy_yielding("ravel([[1, 2], [3, 4]])", "[1, 2, 3, 4]")
def ravel(a):
    return ops.reshape(as_array(a), [-1])


@like_numpy_yielding("flatten([[1, 2], [3, 4]], 'F')", "[1, 3, 2, 4]")
def flatten(a, order="C"):
    """A method of NumPy's arrays."""
    if order not in ("C", "A", "K", "F"):
        raise ValueError(
            "order can only be C, A, K (all row major) or F (column major)."
        )
    a = as_array(a)
    return ops.reshape(ops.transpose(a) if order == "F" else a, [-1])


@like_numpy_yielding("expand_dims([1, 2], 0)", "[[1, 2]]")
def expand_dims(a, axis):
    return ops.expand_dims(as_array(a), axis=axis)


@like_numpy_yielding("squeeze([[1, 2]])", "[1, 2]")
def squeeze(a, axis=None):
    return ops.squeeze(as_array(a), axis)


@like_numpy_yielding("transpose([[1, 2], [3, 4]])", "[[1, 3], [2, 4]]")
def transpose(a, axes=None):
    if axes is not None:
        axes = as_array(axes)
    return ops.transpose(as_array(a), perm=axes)


def _axis_from_start(axis: object, rank: object) -> object:
    if isinstance(axis, (int, np.integer)):
        return axis + rank if axis < 0 else axis
    return ops.where(axis < 0, axis + rank, axis)


@like_numpy_yielding("swapaxes([[1, 2], [3, 4]], 0, 1)", "[[1, 3], [2, 4]]")
def swapaxes(a, axis1, axis2):
    a = as_array(a)
    rank = rank_of(a)
    first, second = _axis_from_start(axis1, rank), _axis_from_start(axis2, rank)
    if isinstance(first, int) and isinstance(second, int):
        order = list(range(rank))
        order[first], order[second] = second, first
    else:
        order = ops.tensor_scatter_nd_update(
            ops.range(rank), [[first], [second]], [second, first]
        )
    return ops.transpose(a, order)


def _without(values: Tensor, places: tuple) -> Tensor:
    """A vector without the elements at these places."""
    rest, start = [], 0
    for place in ops.unstack(ops.sort(ops.stack(places)), num=len(places)):
        rest.append(values[start:place])
        start = place + 1
    return ops.concat([*rest, values[start:]], 0)


@like_numpy_yielding(
    "moveaxis(tnp.ones([2, 3, 4]), 0, -1).shape", "TensorShape([3, 4, 2])", plain=True
)
def moveaxis(a, source, destination):
    if not source and not destination:
        return as_array(a)
    a = as_array(a)
    source = (source,) if isinstance(source, int) else source
    destination = (destination,) if isinstance(destination, int) else destination
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    rank = rank_of(a)
    source = tuple(axis + rank if axis < 0 else axis for axis in source)
    destination = tuple(axis + rank if axis < 0 else axis for axis in destination)
    if isinstance(rank, int):
        order = [axis for axis in range(rank) if axis not in source]
        for to, axis in sorted(zip(destination, source, strict=True)):
            if to > len(order):
                raise AssertionError(f"There is no axis {to} of {rank}")
            order.insert(to, axis)
        return ops.transpose(a, order)
    axes = ops.range(rank)
    order = ops.scatter_nd(
        ops.expand_dims(_without(axes, destination), 1), _without(axes, source), [rank]
    )
    order = ops.tensor_scatter_nd_update(
        order, ops.expand_dims(destination, 1), source
    )
    return ops.transpose(a, order)


@like_numpy_yielding("flip([1, 2, 3])", "[3, 2, 1]")
def flip(m, axis=None):
    m = as_array(m)
    rank = rank_of(m)
    if axis is None:
        return ops.reverse(m, ops.range(rank))
    return ops.reverse(m, [axis + rank if axis < 0 else axis])


@like_numpy_yielding("flipud([[1, 2], [3, 4]])", "[[3, 4], [1, 2]]")
def flipud(m):
    return flip(m, 0)


@like_numpy_yielding("fliplr([[1, 2], [3, 4]])", "[[2, 1], [4, 3]]")
def fliplr(m):
    return flip(m, 1)


@like_numpy("roll([1, 2, 3], 1)", "[3, 1, 2]")
def roll(a, shift, axis=None):
    a = as_array(a)
    if axis is not None:
        return ops.roll(a, shift, axis)
    return ops.reshape(ops.roll(ops.reshape(a, [-1]), shift, 0), ops.shape(a))


@like_numpy_yielding("rot90([[1, 2], [3, 4]])", "[[2, 4], [1, 3]]")
def rot90(m, k=1, axes=(0, 1)):
    m = as_array(m)
    rank = rank_of(m)
    first, second = (axis + rank if axis < 0 else axis for axis in axes)
    if isinstance(rank, int) and not all(0 <= a < rank for a in (first, second)):
        raise ValueError(f"There are no axes {axes} of {rank}")
    k = k % 4
    if k == 0:
        return m
    if k == 2:
        return flip(flip(m, first), second)
    if isinstance(rank, int):
        order = list(range(rank))
        order[first], order[second] = second, first
    else:
        order = ops.tensor_scatter_nd_update(
            ops.range(rank), [[first], [second]], [second, first]
        )
    if k == 1:
        return transpose(flip(m, second), order)
    return flip(transpose(m, order), second)


@like_numpy("shape([[1, 2]])", "TensorShape([1, 2])", plain=True)
def shape(a):
    return as_array(a).shape


@like_numpy("ndim([[1, 2]])", "2", plain=True)
def ndim(a):
    return as_array(a).ndim


@like_numpy("isscalar(5)", "True", plain=True)
def isscalar(num):
    return ndim(num) == 0


@like_numpy("size(5)", "1", plain=True)
def size(x, axis=None):
    """The number of all elements: `axis` must be None."""
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, (int, float, np.int32, np.int64, np.float32, np.float64)):
        return 1
    x = as_array(x)
    if x.shape.is_fully_defined():
        return np.prod(x.shape.as_list(), dtype=int)
    return ops.size(x)


# ---- Of how many dimensions ----


def padded_before(rank: int, old_shape: object) -> Tensor:
    """A shape with ones before it, of so many dimensions."""
    old_shape = as_array(old_shape, _graphkiln.int32)
    missing = ops.maximum(rank - ops.size(old_shape), 0)
    return ops.pad(old_shape, [[missing, 0]], constant_values=1)


def _at_least(least: int, arrays: tuple, new_shape: object) -> object:
    @yielding
    def extended(value):
        x = as_array(value)
        return choose(
            least > rank_of(x),
            lambda: ops.reshape(x, new_shape(least, ops.shape(x))),
            lambda: x,
        )

    made = [extended(value) for value in arrays]
    return made[0] if len(made) == 1 else made


@like_numpy("atleast_1d(5)", "[5]")
def atleast_1d(*arys):
    return _at_least(1, arys, padded_before)


@like_numpy("atleast_2d([1, 2])", "[[1, 2]]")
def atleast_2d(*arys):
    return _at_least(2, arys, padded_before)


def _with_three(_, old_shape: Tensor) -> Tensor:
    rank = ops.size(old_shape)
    return choose(
        ops.equal(rank, 0),
        lambda: ops.ones([3], _graphkiln.int32),
        lambda: choose(
            ops.equal(rank, 1),
            lambda: ops.pad(old_shape, [[1, 1]], constant_values=1),
            lambda: ops.pad(old_shape, [[0, 1]], constant_values=1),
        ),
    )


@like_numpy("atleast_3d([1, 2]).shape", "TensorShape([1, 2, 1])", plain=True)
def atleast_3d(*arys):
    return _at_least(3, arys, _with_three)


# ---- Joined ----


@like_numpy("concatenate([[1, 2], [3]])", "[1, 2, 3]")
def concatenate(arys, axis=0):
    if not isinstance(arys, (list, tuple)):
        arys = [arys]
    if not arys:
        raise ValueError(
            "Need at least one array to concatenate. Received empty "
            f"input: arys={arys}"
        )
    return ops.concat(promoted(*arys), axis)


@like_numpy("append([1, 2], [3])", "[1, 2, 3]")
def append(arr, values, axis=None):
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([arr, values], axis=axis)


@like_numpy("stack([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]")
def stack(arrays, axis=0):
    if isinstance(arrays, Tensor):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return ops.stack(promoted(*arrays), axis)


@like_numpy("hstack([[1, 2], [3]])", "[1, 2, 3]")
def hstack(tup):
    arrays = promoted(*(atleast_1d(a) for a in tup))
    return choose(
        ops.equal(rank_of(arrays[0]), 1),
        lambda: ops.concat(arrays, axis=0),
        lambda: ops.concat(arrays, axis=1),
    )


@like_numpy("vstack([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]")
def vstack(tup):
    return ops.concat(promoted(*(atleast_2d(a) for a in tup)), axis=0)


@like_numpy("dstack([[1, 2], [3, 4]])", "[[[1, 3], [2, 4]]]")
def dstack(tup):
    return ops.concat(promoted(*(atleast_3d(a) for a in tup)), axis=2)


# ---- Taken apart ----


def _sizes_between(a: Tensor, boundaries: object, axis: int) -> list[int]:
    if axis >= len(a.shape):
        raise ValueError(f"axis {axis} is out of bound for shape {a.shape}")
    total, sizes, before = a.shape[axis], [], 0
    for i, boundary in enumerate(boundaries):
        if boundary < before:
            raise ValueError(
                f"The {i}-th boundary {boundary} is smaller than the previous "
                f"boundary {before}"
            )
        rest = max(0, total - sum(sizes))
        sizes.append(min(boundary - before, rest))
        before = boundary
    return [*sizes, max(0, total - sum(sizes))]


@like_numpy("split([1, 2, 3, 4], 2)[1]", "[3, 4]")
def split(ary, indices_or_sections, axis=0):
    ary = as_array(ary)
    if not isinstance(indices_or_sections, int):
        indices_or_sections = _sizes_between(ary, indices_or_sections, axis)
    return ops.split(ary, indices_or_sections, axis=axis)


def _split_along(ary: object, indices_or_sections: object, axis: int) -> list:
    if axis == 1:
        axis = choose(ops.equal(ops.rank(ary), 1), lambda: 0, lambda: 1)
    if isinstance(indices_or_sections, int):
        length = as_array(ary).shape[axis]
        if length is not None and length % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return split(ary, indices_or_sections, axis=axis)


@like_numpy("vsplit(tnp.ones([4, 2]), 2)[1].shape", "TensorShape([2, 2])", plain=True)
def vsplit(ary, indices_or_sections):
    return _split_along(ary, indices_or_sections, 0)


@like_numpy("hsplit(tnp.ones([2, 4]), 2)[1].shape", "TensorShape([2, 2])", plain=True)
def hsplit(ary, indices_or_sections):
    return _split_along(ary, indices_or_sections, 1)


@like_numpy(
    "dsplit(tnp.ones([1, 2, 4]), 2)[1].shape", "TensorShape([1, 2, 2])", plain=True
)
def dsplit(ary, indices_or_sections):
    return _split_along(ary, indices_or_sections, 2)


# ---- Repeated and filled up ----


@like_numpy("tile([1, 2], 2)", "[1, 2, 1, 2]")
def tile(a, reps):
    a = as_array(a)
    reps = ops.reshape(as_array(reps, _graphkiln.int64), [-1])
    rank, count = rank_of(a), ops.size(reps)
    reps = ops.pad(reps, [[ops.maximum(rank - count, 0), 0]], constant_values=1)
    shape_of_a = ops.pad(
        ops.shape(a), [[ops.maximum(count - rank, 0), 0]], constant_values=1
    )
    return ops.tile(ops.reshape(a, shape_of_a), reps)


@like_numpy_yielding("repeat([1, 2], 2)", "[1, 1, 2, 2]")
def repeat(a, repeats, axis=None):
    a = as_array(a)
    result = ops.repeat(a, as_array(repeats), axis)
    known = static_value(repeats) if isinstance(repeats, Tensor) else repeats
    if known is not None and a.shape.is_fully_defined():
        result.set_shape(_repeated_shape(a.shape.as_list(), np.ravel(known), axis))
    return result


def _repeated_shape(old: list[int], repeats: np.ndarray, axis: object) -> list[int]:
    old = old or [1]
    length = int(np.prod(old)) if axis is None else old[axis]
    new = int(repeats[0]) * length if repeats.size == 1 else int(repeats.sum())
    if axis is None:
        return [new]
    old[axis] = new
    return old


@like_numpy("pad([1, 2], [[1, 0]], 'constant')", "[0, 1, 2]")
def pad(array, pad_width, mode, **kwargs):
    """`mode` is "constant", "reflect" or "symmetric"."""
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError("Unsupported padding mode: " + mode)
    return ops.pad(
        as_array(array),
        as_array(pad_width, _graphkiln.int64),
        mode=mode.upper(),
        constant_values=kwargs.get("constant_values", 0),
    )


@like_numpy("broadcast_arrays([1, 2], [[3]])[1]", "[[3, 3]]")
def broadcast_arrays(*args, **kwargs):
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    if len(args) == 1:
        return [yielding(as_array)(args[0])]
    return broadcast(*(as_array(arg) for arg in args))


def reshape_method(a: Tensor, *newshape, **kwargs) -> Tensor:
    """`reshape` as a method: the shape may be several arguments."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    if len(newshape) == 1 and not isinstance(newshape[0], int):
        newshape = newshape[0]
    return reshape(a, newshape, order=order)
