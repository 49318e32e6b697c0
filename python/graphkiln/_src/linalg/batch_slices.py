"""Slices of an operator's batch: `op[0]`, `op[..., 1:]`."""

from collections.abc import Sequence

import numpy as np

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Variable
from graphkiln._src import ops
from graphkiln._src.linalg.matrices import constant_value


def values_of(components):
    """The structure with variables' values in their places."""
    return nest.map_structure(
        lambda x: x.read_value() if isinstance(x, Variable)
        else x._convert_variables_to_tensors()
        if hasattr(x, "_convert_variables_to_tensors") else x,
        components,
    )


def _chosen(condition, x, y):
    known = [constant_value(a) for a in map(_graphkiln.convert_to_tensor,
                                            (condition, x, y))]
    if all(k is not None for k in known):
        return np.where(*known)
    return ops.where(condition, x, y)


def _with_rank_of(param, ndims, batch_shape):
    """A parameter that has all batch dimensions, of size 1 where it had none."""
    if hasattr(param, "batch_shape_tensor"):
        inner = param._experimental_parameter_ndims_to_matrix_ndims
        changed = {
            name: _each(
                lambda p, n: _with_rank_of(p, n, batch_shape),
                getattr(param, name), n,
            )
            for name, n in dict(inner).items()
        }
        return type(param)(**{**param.parameters, **changed})
    base = ops.concat(
        [batch_shape, ops.ones([ndims], dtype=_graphkiln.int32)], axis=0
    )
    return ops.broadcast_to(
        param, _graphkiln.broadcast_dynamic_shape(base, ops.shape(param))
    )


def _each(f, params, ndims):
    """`f` of each parameter in lists that are nested as `ndims`."""
    if params is None:
        return None
    if isinstance(ndims, (list, tuple)):
        return [_each(f, p, n) for p, n in zip(params, ndims)]
    return f(params, ndims)


def _fitting(slices, intended, actual):
    """Slices of a batch as they are for a parameter that it broadcasts."""
    fitting = []
    i = 0
    for s in slices:
        if s is Ellipsis:
            if i < 0:
                raise ValueError(f"Found multiple `...` in slices {slices}")
            after = slices[slices.index(Ellipsis) + 1:]
            i = -sum(x is not None for x in after)
        elif s is not None:
            broadcasts = intended[i] > actual[i]
            if isinstance(s, slice):
                parts = [
                    None if p is None else _chosen(broadcasts, whole, p)
                    for p, whole in zip((s.start, s.stop, s.step), (0, 1, 1))
                ]
                s = slice(*parts)
            else:
                s = _chosen(broadcasts, 0, s)
            i += 1
        fitting.append(s)
    return fitting


def _slice_parameter(param, ndims, slices, batch_shape):
    param = _with_rank_of(param, ndims, ops.ones_like(batch_shape))
    if hasattr(param, "batch_shape_tensor"):
        shape = param.batch_shape_tensor()
    else:
        shape = ops.shape(param)
    shape = shape[: ops.size(shape) - ndims]
    if (
        constant_value(ops.size(batch_shape)) != 0
        and constant_value(ops.size(shape)) == 0
    ):
        return param
    fitting = _fitting(slices, batch_shape, shape)
    if ndims > 0:
        if not any(s is Ellipsis for s in slices):
            fitting.append(Ellipsis)
        fitting += [slice(None)] * ndims
    return param[tuple(fitting)]


def sliced(operator, changed, slices):
    """The operator of a part of the batch.

    Args:
      operator: of which batch dimensions are indexed.
      changed: arguments of its constructor that are given otherwise.
      slices: as a tensor's.
    """
    if not isinstance(slices, Sequence):
        slices = (slices,)
    parameters = {}
    if not (len(slices) == 1 and slices[0] is Ellipsis):
        batch_shape = operator.batch_shape_tensor()
        ndims = operator._experimental_parameter_ndims_to_matrix_ndims
        for name, n in dict(ndims).items():
            value = getattr(operator, name)
            parameters[name] = _each(
                lambda p, k: _slice_parameter(p, k, slices, batch_shape),
                value, n,
            )
    return type(operator)(**{**operator.parameters, **parameters, **changed})
