"""tf.nn.with_space_to_batch: a function of the program over the residues of
places modulo rates."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types.dispatched import dispatched


@dispatched
def with_space_to_batch(
    input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None,
    data_format=None,
):
    """`op` of every residue of the places modulo `dilation_rate` by itself, which
    makes its window one with holes.

    Args:
      input: a tensor whose first dimension is the batch.
      dilation_rate: int32, one for each spatial dimension; all ones call `op`
        with `input` as it is.
      padding: "VALID", "SAME", or a list of [before, after] for each dimension.
      op: called with a tensor, the number of spatial dimensions and the padding
        that it must apply itself.
      filter_shape: sizes of the window, which "SAME" needs.
      spatial_dims: rising numbers of dimensions; those behind the batch, and
        behind the channels for formats "NC...", unless given.
      data_format: where the channels are.

    >>> def pooled(x, n, padding):
    ...     return tf.nn.pool(x, [2], "MAX", padding=padding)
    >>> tf.nn.with_space_to_batch(
    ...     [[[1.0], [2.0], [3.0], [4.0]]], [2], "VALID", pooled).numpy().tolist()
    [[[3.0], [4.0]]]
    """
    input = _graphkiln.convert_to_tensor(input, name="input")
    rate = _graphkiln.convert_to_tensor(dilation_rate, dtype="int32")
    if rate.shape.rank not in (None, 1):
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: {dilation_rate} "
            f"of rank {rate.shape.rank}"
        )
    if not rate.shape.is_fully_defined():
        raise ValueError(
            "`dilation_rate.shape` must be fully defined. Received: "
            f"{dilation_rate} with shape {rate.shape}"
        )
    count = rate.shape[0]
    dims, least_rank = _spatial_dims(spatial_dims, count, data_format)
    rank = input.shape.rank
    if rank is not None and rank < least_rank:
        raise ValueError(
            f"`input.shape.rank` must be at least {least_rank}. Received: "
            f"input.shape={input.shape} with rank {rank}"
        )
    known = _graphkiln.get_static_value(rate)
    if known is not None:
        if np.any(known < 1):
            raise ValueError(
                f"`dilation_rate` must be positive. Received: {known}"
            )
        if np.all(known == 1):
            return op(input, count, padding)
    base = _base_paddings(padding, filter_shape, count, rate, data_format)
    shape = ops.shape(input)
    sizes = ops.stack([shape[d] for d in dims])
    if input.shape.rank is not None:
        static = [input.shape[d] for d in dims]
        if None not in static:
            sizes = _graphkiln.convert_to_tensor(static, dtype="int32")
    paddings, crops = ops.required_space_to_batch_paddings(sizes, rate, base)
    rate = _spread(rate, 1, dims)
    made = op(
        ops.space_to_batch_nd(input, rate, _spread(paddings, 0, dims)), count, "VALID"
    )
    return ops.batch_to_space(made, rate, _spread(crops, 0, dims))


def _spatial_dims(given, count: int, data_format) -> tuple[list[int], int]:
    """The dimensions and the least rank that they need."""
    channels_first = data_format is not None and data_format.startswith("NC")
    first = 2 if channels_first else 1
    original = list(range(first, first + count) if given is None else given)
    dims = sorted({int(d) for d in original})
    if dims != original or any(d < 1 for d in dims):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of "
            f"positive integers. Received: spatial_dims={original}"
        )
    return dims, dims[-1] + (0 if channels_first else 1)


def _base_paddings(padding, filter_shape, count, rate, data_format):
    if padding == "VALID":
        return np.zeros([count, 2], np.int32)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError(
                "`filter_shape` must be specified for `padding='SAME'`. "
                f"Received: filter_shape={filter_shape} and padding={padding}"
            )
        window = _graphkiln.convert_to_tensor(filter_shape, dtype="int32")[:count]
        whole = (window - 1) * rate
        before = whole // 2
        return ops.stack([before, whole - before], axis=1)
    if isinstance(padding, (list, tuple)):
        pairs = np.asarray(padding, np.int32).reshape([count + 2, 2])
        if data_format is not None and data_format.startswith("NC"):
            return pairs[2:]
        return pairs[1:-1]
    raise ValueError(
        f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}"
    )


def _spread(values, fill: int, dims: list[int]):
    """`values` for each dimension of `dims`, `fill` for those between."""
    below = values.shape.as_list()[1:]
    parts, last = [], 0
    for i, d in enumerate(dims):
        if d > last + 1:
            parts.append(np.full([d - 1 - last, *below], fill, np.int32))
        parts.append(values[i : i + 1])
        last = d
    return ops.concat(parts, 0)
