"""Operators that are told their sizes: identities and zeros."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import matrices

_RANKS = {0: "0-D", 1: "1-D"}


def checked(size, name, rank, at_run_time):
    """A size, or a batch's, with checks of what is known, and at run time of the
    rest."""
    rank_message = f"Argument {name} must be a {_RANKS[rank]} Tensor."
    sign_message = f"Argument {name} must be non-negative."
    if at_run_time:
        checks = [
            ops.debugging.assert_rank(size, rank, message=rank_message),
            ops.debugging.assert_non_negative(size, message=sign_message),
        ]
        size = matrices.after(checks, size)
    if not size.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {size!s}")
    known = matrices.constant_value(size)
    if known is not None:
        if known.ndim != rank:
            raise ValueError(f"{rank_message}  Found: {known}")
        if np.any(known < 0):
            blank = "" if rank else " "
            raise ValueError(f"{sign_message}  Found:{blank}{known}")
    return size


def batch_shape(shape, at_run_time):
    """The argument `batch_shape` as a tensor, and what is known of it."""
    if shape is None:
        return None, None
    tensor = matrices.shape_tensor(shape, name="batch_shape_arg")
    tensor = checked(tensor, "batch_shape", 1, at_run_time)
    return tensor, matrices.constant_value(tensor)


def with_batch(operator, matrix_shape):
    if operator._batch_shape_arg is None:
        return matrix_shape
    return TensorShape(operator._batch_shape_static).concatenate(matrix_shape)


def with_batch_tensor(operator, rows, columns):
    matrix = ops.stack((rows, columns), axis=0)
    if operator._batch_shape_arg is None:
        return matrix
    return ops.concat((operator._batch_shape_arg, matrix), 0)


def with_batch_of(operator, x):
    """`x`, of which the batch is at least the operator's."""
    if operator._batch_shape_arg is None:
        return x
    special = operator.batch_shape.concatenate([1, 1])
    both = _graphkiln.broadcast_static_shape(x.shape, special)
    if special.is_fully_defined():
        if both == x.shape:
            return x
    else:
        special = ops.concat((operator.batch_shape_tensor(), [1, 1]), 0)
    return x + ops.zeros(special, dtype=operator.dtype)


def least(operator):
    """The smaller of the numbers of rows and columns, None if one is unknown."""
    rows = operator.range_dimension.value
    columns = operator.domain_dimension.value
    return None if rows is None or columns is None else min(rows, columns)


def least_tensor(operator):
    return ops.reduce_min(operator.shape_tensor()[-2:])


def filled_diagonal(operator, fill):
    """A diagonal of ones, or of zeros."""
    if operator.shape.is_fully_defined():
        shape = operator.batch_shape.concatenate([least(operator)])
    else:
        shape = ops.concat(
            [operator.batch_shape_tensor(), [least_tensor(operator)]], axis=0
        )
    return fill(shape, dtype=operator.dtype)


def sliced(operator, slices):
    """The operator of a part of its batch."""
    whole = ops.ones(matrices.as_tensor(operator._batch_shape_arg))
    batch = ops.shape(whole[slices])
    return type(operator)(**{**operator.parameters, "batch_shape": batch})
