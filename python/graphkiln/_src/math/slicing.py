"""Slices with masks of bits."""

from graphkiln import _graphkiln, raw_ops


def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
):
    """`input_[begin[0]:end[0]:strides[0], ...]`.

    Bit i of a mask says of entry i: it begins at the start (`begin_mask`),
    ends at the end (`end_mask`), stands for all dimensions that no entry
    names (`ellipsis_mask`), adds a dimension of size 1 (`new_axis_mask`) or
    takes one index and drops the dimension (`shrink_axis_mask`). `strides`
    are 1 by default; `var`, the variable sliced, changes nothing.

    Raises:
      InvalidArgumentError: for begin, end and strides that are not vectors of
        the same size, strides of 0 and an index out of bounds.

    >>> tf.strided_slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 3]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    begin = _graphkiln.convert_to_tensor(begin)
    if strides is None:
        strides = raw_ops.OnesLike(x=begin)
    return raw_ops.StridedSlice(
        input=input_,
        begin=begin,
        end=end,
        strides=strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name,
    )
