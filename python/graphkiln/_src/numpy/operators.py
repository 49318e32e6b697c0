"""What the extension asks for: operators of tensors that behave as NumPy's."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import AbstractTensor, Tensor
from graphkiln._src.numpy.arrays import as_array
from graphkiln._src.numpy.elementwise import around
from graphkiln._src.numpy.indexing import subscript
from graphkiln._src.numpy.products import matmul
from graphkiln._src.numpy.promotion import result_dtype


def numpy_operands(a: object, b: object) -> object:
    """Both operands in one dtype, or None where they are as they should be."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype == b.dtype:
        return None
    dtype = result_dtype(a, b)
    return tuple(
        as_array(v, dtype)
        if isinstance(v, AbstractTensor)
        else _graphkiln.convert_to_tensor(v, dtype=dtype)
        for v in (a, b)
    )


def numpy_matmul(a: object, b: object) -> Tensor:
    return matmul(a, b)


def numpy_round(x: Tensor, decimals: object) -> Tensor:
    return around(x, 0 if decimals is None else decimals)


def numpy_subscript(x: Tensor, key: object) -> Tensor:
    return subscript(x, key)


_graphkiln.provide(numpy_matmul, numpy_operands, numpy_round, numpy_subscript)
