"""Products of arrays, and polynomials."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.numpy.arrays import (
    as_array,
    binary,
    broadcast,
    choose,
    either,
    promoted,
    rank_of,
)
from graphkiln._src.numpy.documented import like_numpy
from graphkiln._src.numpy.shapes import padded_before
from graphkiln._src.numpy.weak_tensor import yielding_of_two


def _any_scalar(a: Tensor, b: Tensor) -> object:
    return either(ops.equal(rank_of(a), 0), ops.equal(rank_of(b), 0))


@like_numpy("dot([1, 2], [3, 4])", "11")
def dot(a, b):
    def product(a, b):
        return choose(
            _any_scalar(a, b),
            lambda: a * b,
            lambda: choose(
                ops.equal(rank_of(b), 1),
                lambda: ops.tensordot(a, b, axes=[[-1], [-1]]),
                lambda: ops.tensordot(a, b, axes=[[-1], [-2]]),
            ),
        )

    return binary(product, a, b)


def _matrix_product(a: Tensor, b: Tensor) -> Tensor:
    if a.shape.rank == b.shape.rank == 2:
        return ops.matmul(a, b)
    return choose(
        ops.equal(rank_of(b), 1),
        lambda: ops.tensordot(a, b, axes=1),
        lambda: choose(
            ops.equal(rank_of(a), 1),
            lambda: ops.tensordot(a, b, axes=[[0], [-2]]),
            lambda: ops.matmul(a, b),
        ),
    )


@yielding_of_two
@like_numpy("matmul([[1, 2]], [[3], [4]])", "[[11]]")
def matmul(x1, x2):
    def product(a, b):
        try:
            return _matrix_product(a, b)
        except _graphkiln.InvalidArgumentError as error:
            raise ValueError(str(error)) from error

    return binary(product, x1, x2)


@like_numpy("tensordot([1, 2], [3, 4], 1)", "11")
def tensordot(a, b, axes=2):
    return binary(lambda a, b: ops.tensordot(a, b, axes=axes), a, b)


@like_numpy("inner([1, 2], [3, 4])", "11")
def inner(a, b):
    return binary(
        lambda a, b: choose(
            _any_scalar(a, b),
            lambda: a * b,
            lambda: ops.tensordot(a, b, axes=[[-1], [-1]]),
        ),
        a,
        b,
    )


@like_numpy("outer([1, 2], [3, 4])", "[[3, 4], [6, 8]]")
def outer(a, b):
    return binary(
        lambda a, b: ops.reshape(a, [-1, 1]) * ops.reshape(b, [-1]), a, b
    )


@like_numpy("vdot([1, 2], [3, 4])", "11")
def vdot(a, b):
    a, b = (ops.reshape(x, [-1]) for x in promoted(a, b))
    return dot(ops.math.conj(a) if a.dtype.is_complex else a, b)


@like_numpy("kron([1, 2], [1, 10])", "[1, 10, 2, 20]")
def kron(a, b):
    a, b = promoted(a, b)
    rank = max(a.shape.rank, b.shape.rank)
    a, b = (ops.reshape(x, padded_before(rank, ops.shape(x))) for x in (a, b))
    ones = ops.ones([rank], _graphkiln.int32)

    def interleaved(first, second):
        return ops.reshape(ops.stack([first, second], axis=1), [-1])

    product = ops.reshape(a, interleaved(ops.shape(a), ones)) * ops.reshape(
        b, interleaved(ones, ops.shape(b))
    )
    return ops.reshape(product, ops.shape(a) * ops.shape(b))


@like_numpy("einsum('i,i->', [1, 2], [3, 4])", "11")
def einsum(subscripts, *operands, **kwargs):
    """`casting` is "safe" or "no", `optimize` a bool, "greedy" or "optimal"."""
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting == "safe":
        operands = promoted(*operands)
    elif casting == "no":
        operands = [as_array(x) for x in operands]
    else:
        raise ValueError(
            "Invalid value for argument `casting`. Expected casting=\"safe\" or "
            f"casting=\"no\". Received: casting={casting}"
        )
    if not optimize or optimize is True:
        optimize = "greedy"
    elif optimize not in ("greedy", "optimal"):
        raise ValueError(
            "Invalid value for argument `optimize`. Expected one of {True, "
            f"\"greedy\", \"optimal\"}}. Received: optimize={optimize}"
        )
    return ops.einsum(subscripts, *operands, optimize=optimize)


@like_numpy("polyval([1, 0, 2], 3)", "11")
def polyval(p, x):
    def horner(p, x):
        if p.shape.rank == 0:
            p = ops.reshape(p, [1])
        coefficients = ops.unstack(p)
        if len(coefficients) == 1:
            return ops.broadcast_to(coefficients[0], x.shape)
        result = coefficients[0]
        for coefficient in coefficients[1:]:
            result = coefficient + result * x
        return result

    return binary(horner, p, x)


# ---- The product of vectors of three ----


def _moved(a: Tensor, start: object, end: object) -> Tensor:
    """One axis in another place; both counted from the start."""
    rank = a.shape.rank
    if rank is not None:
        order = [axis for axis in range(rank) if axis != start]
        order.insert(end, start)
        return ops.transpose(a, order)
    rest = ops.concat([ops.range(start), ops.range(start + 1, ops.rank(a))], 0)
    order = ops.concat([rest[:end], [start], rest[end:]], 0)
    return ops.transpose(a, order)


def _from_start(axis: object, a: Tensor) -> object:
    return axis + rank_of(a) if axis < 0 else axis


def _of_three(a: Tensor, b: Tensor) -> Tensor:
    x, y, z = ops.unstack(a, 3, axis=-1)
    u, v, w = ops.unstack(b, 3, axis=-1)
    return ops.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


@like_numpy("cross([1, 0, 0], [0, 1, 0])", "[0, 0, 1]")
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis

    def size_of_last(x):
        last = x.shape[-1] if x.shape.rank is not None else None
        return ops.shape(x)[-1] if last is None else last

    def extended(x, size):
        def with_zero():
            before = ops.zeros([rank_of(x) - 1, 2], _graphkiln.int32)
            return ops.pad(x, ops.concat([before, [[0, 1]]], 0))

        return choose(ops.equal(size, 2), with_zero, lambda: x)

    def product(a, b):
        a = _moved(a, _from_start(axisa, a), _from_start(-1, a))
        b = _moved(b, _from_start(axisb, b), _from_start(-1, b))
        sizes = size_of_last(a), size_of_last(b)
        for size in sizes:
            if isinstance(size, int) and size not in (2, 3):
                raise ValueError(
                    "incompatible dimensions for cross product (dimension must be 2 "
                    f"or 3): {sizes}"
                )
        c = _of_three(*broadcast(extended(a, sizes[0]), extended(b, sizes[1])))
        flat = ops.logical_and(ops.equal(sizes[0], 2), ops.equal(sizes[1], 2))
        return choose(
            flat,
            lambda: c[..., 2],
            lambda: _moved(c, _from_start(-1, c), _from_start(axisc, c)),
        )

    return binary(product, a, b)
