"""tf.nn.with_space_to_batch: a function of the program over the residues of
places modulo rates."""

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
    explicit = isinstance(padding, (list, tuple))
    parts = _graphkiln.composition_function("_nn.space_to_batch_parts")(
        input,
        rate,
        "EXPLICIT" if explicit else padding,
        filter_shape,
        None if spatial_dims is None else list(spatial_dims),
        data_format,
        padding if explicit else None,
    )
    count = rate.shape[0]
    if not parts:
        return op(input, count, padding)
    rate, paddings, crops = parts
    made = op(ops.space_to_batch_nd(input, rate, paddings), count, "VALID")
    return ops.batch_to_space(made, rate, crops)
