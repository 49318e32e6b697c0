"""Which elements: conditions, indices, diagonals, triangles, order."""

from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy import settings
from graphkiln._src.numpy.arrays import (
    as_array,
    choose,
    either,
    fill_like,
    known_or_tensor,
    promoted,
    rank_of,
)
from graphkiln._src.numpy.creation import tri
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.shapes import (
    atleast_1d,
    moveaxis,
    reshape,
    swapaxes,
)
from graphkiln._src.numpy.weak_tensor import like_numpy_yielding


@like_numpy("nonzero([0, 3, 5])[0]", "[1, 2]")
def nonzero(a):
    a = as_array(atleast_1d(a))
    if a.shape.rank is None:
        raise ValueError(
            "The rank of `a` is unknown, so we can't decide how many arrays to "
            "return."
        )
    return ops.unstack(ops.where(ops.cast(a, _graphkiln.bool)), a.shape.rank, axis=1)


@like_numpy("where([True, False], [1, 2], [3, 4])", "[1, 4]")
def where(condition, x=None, y=None):
    """Without `x` and `y` it is `nonzero`."""
    condition = as_array(condition, _graphkiln.bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return ops.where(condition, *promoted(x, y))


@like_numpy("select([[True, False]], [[1, 2]], 7)", "[1, 7]")
def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs "
            f"{len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    result, *choices = promoted(default, *choicelist)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = where(condition, choice, result)
    return result


@like_numpy("compress([True, False, True], [1, 2, 3])", "[1, 3]")
def compress(condition, a, axis=None):
    condition = as_array(condition, _graphkiln.bool)
    a = as_array(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    if a.ndim == 0 or axis is None:
        a = ops.reshape(a, [-1])
        axis = 0 if axis is None else axis
    if axis < 0:
        axis += a.ndim
    if not 0 <= axis < a.ndim:
        raise AssertionError(f"There is no axis {axis} of {a.ndim}")
    missing = a.shape[axis] - condition.shape[0]
    if missing > 0:
        condition = ops.concat([condition, ops.fill([missing], False)], axis=0)
    return ops.boolean_mask(a, condition, axis=axis)


@like_numpy("take([5, 6, 7], [0, 2])", "[5, 7]")
def take(a, indices, axis=None, out=None, mode="clip"):
    """Indices are put into the range: `mode` is "clip" or "wrap"."""
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in {"raise", "clip", "wrap"}:
        raise ValueError(f"Invalid mode '{mode}' for take")
    a, indices = as_array(a), as_array(indices)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    size = ops.shape(a, out_type=indices.dtype)[axis]
    if mode == "clip":
        indices = ops.clip_by_value(indices, 0, size - 1)
    elif mode == "wrap":
        indices = ops.math.floormod(indices, size)
    else:
        raise ValueError("The 'raise' mode to take is not supported.")
    return ops.gather(a, indices, axis=axis)


def _with_size(shape: Tensor, axis: object, size: object) -> Tensor:
    return ops.tensor_scatter_nd_update(shape, [[axis]], [size])


@like_numpy("take_along_axis([[5, 6], [7, 8]], [[1], [0]], 1)", "[[6], [7]]")
def take_along_axis(arr, indices, axis):
    arr, indices = as_array(arr), as_array(indices)
    if axis is None:
        return take_along_axis(ops.reshape(arr, [-1]), indices, 0)
    rank = rank_of(arr)
    axis = axis + rank if axis < 0 else axis
    old_shape = ops.shape(arr, out_type=indices.dtype)
    old_indices = ops.shape(indices, out_type=indices.dtype)
    # All axes but one broadcast.
    common = _graphkiln.broadcast_dynamic_shape(
        _with_size(old_shape, axis, 1), _with_size(old_indices, axis, 1)
    )
    arr = ops.broadcast_to(arr, _with_size(common, axis, old_shape[axis]))
    indices = ops.broadcast_to(indices, _with_size(common, axis, old_indices[axis]))
    static_shape = indices.shape
    indices = ops.where(indices < 0, indices + old_shape[axis], indices)
    is_last = ops.equal(axis, rank - 1)

    def swapped(x):
        return choose(is_last, lambda: x, lambda: swapaxes(x, axis, -1))

    arr, indices = swapped(arr), swapped(indices)
    shape = ops.shape(indices)
    rows = ops.reshape(arr, [-1, ops.shape(arr)[-1]])
    result = ops.gather(rows, ops.reshape(indices, [-1, shape[-1]]), batch_dims=1)
    result = swapped(ops.reshape(result, shape))
    result.set_shape(static_shape)
    return result


@like_numpy("ix_([0, 1], [2])[1]", "[[2]]")
def ix_(*args):
    result = []
    for i, value in enumerate(args):
        a = as_array(value)
        if a.shape.rank is None:
            _graphkiln.Assert(ops.equal(ops.rank(a), 1), [ops.rank(a)])
        elif a.shape.rank != 1:
            raise ValueError(
                f"Arguments must be 1-d, got arg {i} of rank {a.shape.rank}"
            )
        whole = value
        if a.dtype == _graphkiln.bool:
            whole = nonzero(a)[0]
        elif not a.dtype.is_integer:
            raise ValueError(
                f"Only integer and bool dtypes are supported, got {a.dtype}"
            )
        shape = [1] * len(args)
        shape[i] = -1
        result.append(reshape(whole, shape))
    return result


# ---- Diagonals and triangles ----


@like_numpy("diag_indices(2)[0]", "[0, 1]")
def diag_indices(n, ndim=2):
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(
                f"{name} argument to diag_indices must be nonnegative, got {value}"
            )
    return (ops.range(n),) * ndim


def _is_outside(k: object, shape: Tensor) -> object:
    """Is there no diagonal `k` of matrices of that shape?"""
    rows, columns = (known_or_tensor(shape)[i] for i in (-2, -1))
    return either(k <= -rows, k >= columns)


@like_numpy_yielding("diag([1, 2])", "[[1, 0], [0, 2]]")
def diag(v, k=0):
    """Of a matrix its diagonal, of a vector a matrix."""
    v = as_array(v)
    v.shape.with_rank_at_most(2)
    rank = rank_of(v)
    allowed = either(ops.equal(rank, 1), ops.equal(rank, 2))
    _graphkiln.Assert(allowed, [rank])

    def of_vector():
        return choose(
            ops.equal(ops.size(v), 0),
            lambda: ops.zeros([abs(k), abs(k)], dtype=v.dtype),
            lambda: ops.linalg.diag(v, k=k),
        )

    def of_matrix():
        matrix, which = choose(
            _is_outside(k, ops.shape(v)),
            lambda: (ops.zeros([0, 0], dtype=v.dtype), 0),
            lambda: (v, k),
        )
        return ops.linalg.diag_part(matrix, k=which)

    return choose(ops.equal(rank, 1), of_vector, of_matrix)


@like_numpy_yielding("diagflat([[1, 2]])", "[[1, 0], [0, 2]]")
def diagflat(v, k=0):
    return diag(ops.reshape(as_array(v), [-1]), k)


@like_numpy_yielding("diagonal([[1, 2], [3, 4]])", "[1, 4]")
def diagonal(a, offset=0, axis1=0, axis2=1):
    a = as_array(a)
    rank = a.shape.rank
    if (
        rank is not None
        and offset == 0
        and axis1 in (rank - 2, -2)
        and axis2 in (rank - 1, -1)
    ):
        return ops.linalg.diag_part(a)
    a = as_array(moveaxis(a, (axis1, axis2), (-2, -1)))
    shape = ops.shape(a)
    a, offset = choose(
        _is_outside(offset, shape),
        lambda: (ops.zeros(ops.concat([shape[:-1], [0]], 0), dtype=a.dtype), 0),
        lambda: (a, offset),
    )
    return ops.linalg.diag_part(a, k=offset)


def _masked_below(m: object, k: int, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """An array, which of its elements are below the diagonal, and zero."""
    m = as_array(m)
    if m.shape.ndims is None:
        raise ValueError(f"Argument to {name} should have known rank")
    shape = m.shape.as_list()
    if len(shape) < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    if shape[-1] is None or shape[-2] is None:
        raise ValueError(
            "Currently, the last two dimensions of the input array need to be known."
        )
    below = tri(*shape[-2:], k=k, dtype=bool)
    return m, ops.broadcast_to(below, ops.shape(m)), fill_like(0, m)


@like_numpy("tril([[1, 2], [3, 4]])", "[[1, 0], [3, 4]]")
def tril(m, k=0):
    m, below, zero = _masked_below(m, k, "tril")
    return ops.where(below, m, zero)


@like_numpy_yielding("triu([[1, 2], [3, 4]])", "[[1, 2], [0, 4]]")
def triu(m, k=0):
    m, below, zero = _masked_below(m, k - 1, "triu")
    return ops.where(below, zero, m)


# ---- Order ----


def _refuse_order(order: object) -> None:
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@like_numpy("argsort([3, 1, 2])", "[1, 2, 0]")
def argsort(a, axis=-1, kind="quicksort", order=None):
    """`kind` is "quicksort" or "stable"."""
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            "Invalid value for argument `kind`. Only kind=\"quicksort\" and "
            f"kind=\"stable\" are supported. Received: kind={kind}"
        )
    _refuse_order(order)
    a = as_array(a)
    if a.dtype.is_complex:
        raise TypeError(
            "argsort does not support complex64/complex128 dtypes. Received dtype: "
            f"{a.dtype}"
        )

    def sorted_indices():
        flat = ops.reshape(a, [-1]) if axis is None else a
        return ops.argsort(
            flat, 0 if axis is None else axis, stable=kind == "stable"
        )

    found = choose(
        ops.equal(rank_of(a), 0), lambda: ops.zeros([1], _graphkiln.int32),
        sorted_indices,
    )
    return as_array(found, int if settings.yields() else np.intp)


@like_numpy_yielding("sort([3, 1, 2])", "[1, 2, 3]")
def sort(a, axis=-1, kind="quicksort", order=None):
    if kind != "quicksort":
        raise ValueError(
            "Invalid value for argument `kind`. Only kind=\"quicksort\" is "
            f"supported. Received: kind={kind}"
        )
    _refuse_order(order)
    a = as_array(a)
    return ops.sort(ops.reshape(a, [-1]), 0) if axis is None else ops.sort(a, axis)


def _extreme(function: Callable, a: object, axis: object) -> Tensor:
    a = as_array(a)
    if axis is None:
        return function(ops.reshape(a, [-1]), axis=0)
    return function(as_array(atleast_1d(a)), axis=axis)


@like_numpy("argmax([3, 5, 4])", "1")
def argmax(a, axis=None):
    return _extreme(ops.argmax, a, axis)


@like_numpy("argmin([3, 1, 4])", "1")
def argmin(a, axis=None):
    return _extreme(ops.argmin, a, axis)
