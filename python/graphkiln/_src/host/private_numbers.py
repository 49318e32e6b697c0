"""Small functions of TensorFlow's modules of numbers and shapes that are not public."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src import ops
from graphkiln._src.numpy.behavior import experimental_enable_numpy_behavior


def max_error(grad1: list, grad2: list) -> float:
    """How far derivatives of `tf.test.compute_gradient` are apart at most."""
    error = 0.0
    for theory, found in zip(grad1, grad2, strict=True):
        if theory.size or found.size:
            error = np.maximum(error, np.fabs(theory - found).max())
    return error


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """A shape of which its rank is known at most."""
    rank = kwargs.get("ndims", rank)
    return TensorShape(None if rank is None else [None] * rank)


def with_dependencies(
    dependencies: list, output_tensor: object, name: str | None = None
) -> object:
    """The tensor, or IndexedSlices, after all of `dependencies`."""
    if _graphkiln.executing_eagerly():
        return output_tensor
    with (
        _graphkiln.name_scope(name or "control_dependency") as scope,
        _graphkiln.control_dependencies(dependencies),
    ):
        if isinstance(output_tensor, _graphkiln.IndexedSlices):
            return _graphkiln.IndexedSlices(
                ops.identity(output_tensor.values, name=scope),
                output_tensor.indices,
                output_tensor.dense_shape,
            )
        return ops.identity(output_tensor, name=scope)


def tensor_equals(self: Any, other: Any) -> Any:
    """`tensor == other`, False for None."""
    if other is None:
        return False
    return self == other if _graphkiln.is_tensor(self) else ops.equal(self, other)


def tensor_not_equals(self: Any, other: Any) -> Any:
    """`tensor != other`, True for None."""
    if other is None:
        return True
    return self != other if _graphkiln.is_tensor(self) else ops.not_equal(self, other)


def enable_numpy_methods_on_tensor() -> None:
    """Tensors get the methods of NumPy's arrays, with all that comes with them here."""
    experimental_enable_numpy_behavior()


def variable_shape(handle: Tensor, out_type: Any = None) -> Tensor:
    """The shape of a variable, as a tensor."""
    return raw_ops.VariableShape(input=handle, out_type=out_type or _graphkiln.int32)
