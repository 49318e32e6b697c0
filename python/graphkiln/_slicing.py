"""Indexing with boolean masks."""

from graphkiln import _graphkiln
from graphkiln import raw_ops


def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The elements of `tensor` where `mask` is true."""
    tensor = _graphkiln.convert_to_tensor(tensor)
    mask = _graphkiln.convert_to_tensor(mask)
    rank = mask.shape.rank
    if rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some "
            "dimensions are None. E.g. shape=[None] is ok, but shape=None is "
            "not."
        )
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    axis = 0 if axis is None else int(axis)
    tensor.shape[axis:axis + rank].assert_is_compatible_with(mask.shape)
    shape = raw_ops.Shape(input=tensor)
    leading = raw_ops.Prod(
        input=shape[axis:axis + rank], reduction_indices=[0]
    )
    flat_shape = raw_ops.ConcatV2(
        values=[shape[:axis], [leading], shape[axis + rank:]], axis=0
    )
    flat = raw_ops.Reshape(tensor=tensor, shape=flat_shape)
    where = raw_ops.Where(
        input=raw_ops.Reshape(tensor=mask, shape=[-1])
    )
    indices = raw_ops.Squeeze(input=where, squeeze_dims=[1])
    return raw_ops.GatherV2(params=flat, indices=indices, axis=axis)
