"""What operators of all kinds do with the tensors that they are given."""

import math

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import Dimension, TensorShape, Variable
from graphkiln._src import ops
from graphkiln._src.variables.module import Module

as_tensor = _graphkiln.convert_to_tensor
constant_value = _graphkiln.get_static_value


def is_reference(x):
    """Is it read at each use: a variable, or a module that stands for a tensor?"""
    return isinstance(x, Variable) or (
        isinstance(x, Module) and hasattr(x, "dtype") and hasattr(x, "shape")
    )


def tensor_or_reference(value, name=None):
    """A tensor, or what is read at each use; None stays."""
    if value is None or is_reference(value):
        return value
    return as_tensor(value, name=name)


def no_reference(x, name):
    if is_reference(x):
        raise TypeError(
            f"Argument {name} cannot be reference type. Found: {type(x)}."
        )


def shape_tensor(shape, name=None):
    """A shape as a tensor; int32 where it is empty."""
    if isinstance(shape, (tuple, list)) and not shape:
        return as_tensor(shape, dtype=_graphkiln.int32, name=name)
    return as_tensor(shape, name=name)


def dimension(shape, index):
    """One of a shape's dimensions; unknown where the rank is."""
    return Dimension(None) if shape.rank is None else shape.dims[index]


def broadcast_shapes(shapes):
    """The static shape of shapes."""
    first, *others = shapes
    for shape in others:
        first = _graphkiln.broadcast_static_shape(first, shape)
    return first


def broadcast_shape_tensors(shapes):
    """The same at run time."""
    first, *others = shapes
    for shape in others:
        first = _graphkiln.broadcast_dynamic_shape(first, shape)
    return first


def adjoint_if(flag, x):
    return ops.linalg.adjoint(x) if flag else x


def static_or_dynamic_shape(x):
    return x.shape if x.shape.is_fully_defined() else ops.shape(x)


def joined_shape(first, sizes):
    """A shape and more sizes: static if all of them are."""
    known = [constant_value(s) for s in sizes]
    if isinstance(first, TensorShape) and all(s is not None for s in known):
        return first.concatenate([int(s) for s in known])
    return ops.concat([first, sizes], axis=0)


def broadcast_batches(matrices):
    """Matrices whose batch dimensions are all alike."""
    matrices = [as_tensor(m) for m in matrices]
    for matrix in matrices:
        if matrix.shape.rank is not None and matrix.shape.rank < 2:
            raise ValueError(
                "Expected [batch] matrix to have at least two dimensions. "
                f"Found: {matrix}."
            )
    if len(matrices) < 2:
        return matrices
    static = broadcast_shapes([m.shape[:-2] for m in matrices])
    if static.is_fully_defined():
        return [
            m
            if m.shape[:-2] == static
            else ops.broadcast_to(
                m, ops.concat([static.as_list(), ops.shape(m)[-2:]], axis=0)
            )
            for m in matrices
        ]
    shapes = [ops.shape(m) for m in matrices]
    batch = broadcast_shape_tensors([s[:-2] for s in shapes])
    return [
        ops.broadcast_to(m, ops.concat([batch, s[-2:]], axis=0))
        for m, s in zip(matrices, shapes)
    ]


def _extra_batches_last(a, b, adjoint):
    """Batches that only `b` has as more columns of it, where that saves
    factorizations: (a, b, what undoes it); None where it does not."""
    a_rank, b_rank = a.shape.rank, b.shape.rank
    if a_rank is None or b_rank is None or a_rank >= b_rank:
        return None
    extra = b_rank - a_rank
    size = a.shape[-2 if adjoint else -1]
    columns = b.shape[-1]
    outer = b.shape[:extra]
    if size is not None and columns is not None and outer.is_fully_defined():
        if math.prod(outer.as_list()) < 2 or size <= columns:
            return None
    shape = ops.shape(b)
    perm = np.concatenate([np.arange(extra, b_rank), np.arange(extra)])
    flat = ops.reshape(
        ops.transpose(b, perm),
        ops.concat([shape[extra:-1], [-1]], axis=0),
    )

    def undo(y):
        whole = ops.concat(
            [ops.shape(y)[:-1], shape[-1:], shape[:extra]], axis=0
        )
        return ops.transpose(ops.reshape(y, whole), np.argsort(perm))

    return adjoint_if(adjoint, a), flat, undo


def solve(matrix, rhs, adjoint=False):
    """The solution of linear systems whose batch dimensions broadcast."""
    matrix = as_tensor(matrix, name="matrix")
    rhs = as_tensor(rhs, name="rhs", dtype=matrix.dtype)
    moved = _extra_batches_last(matrix, rhs, adjoint)
    if moved is None:
        matrix, rhs = broadcast_batches([matrix, rhs])
        return ops.linalg.solve(matrix, rhs, adjoint=adjoint)
    matrix, rhs, undo = moved
    matrix, rhs = broadcast_batches([matrix, rhs])
    return undo(ops.linalg.solve(matrix, rhs))


def assert_no_zeros(x, message):
    x = as_tensor(x, name="x")
    zero = as_tensor(0, dtype=x.dtype.real_dtype)
    return ops.debugging.assert_less(zero, ops.abs(x), message=message)


def assert_real(x, message):
    x = as_tensor(x, name="x")
    if x.dtype.is_floating:
        return ops.no_op()
    zero = as_tensor(0, dtype=x.dtype.real_dtype)
    return ops.debugging.assert_equal(zero, ops.math.imag(x), message=message)


def after(checks, x):
    """`x`, once the checks are done."""
    with _graphkiln.control_dependencies([c for c in checks if c is not None]):
        return ops.identity(x)


def fits_operator(operator, x):
    """Checks the rows of an argument when the program runs."""
    return ops.debugging.assert_equal(
        ops.shape(x)[-2],
        operator.domain_dimension_tensor(),
        message=(
            "Dimensions are not compatible.  shape[-2] of argument to be the "
            "same as this operator"
        ),
    )


def all_of(checks):
    """One operation after all of them; None when they are done already."""
    return _graphkiln.group(*[c for c in checks if c is not None])


def complex_of(x):
    """As complex numbers of the same precision."""
    if x.dtype.is_complex:
        return as_tensor(x)
    double = x.dtype == _graphkiln.float64
    return ops.cast(x, _graphkiln.complex128 if double else _graphkiln.complex64)
