"""Functions of TensorFlow's private list_ops: the ops of lists of tensors, with shapes
of their elements as programs write them."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor


def _shape(element_shape: Any) -> Any:
    """As an int32 tensor: -1 for one that is not known, and for its dimensions."""
    if _graphkiln.is_tensor(element_shape):
        return element_shape
    if isinstance(element_shape, _graphkiln.TensorShape):
        element_shape = (
            None if element_shape.rank is None else element_shape.as_list()
        )
    if element_shape is None or (
        isinstance(element_shape, int) and element_shape == -1
    ):
        return _graphkiln.constant(-1, _graphkiln.int32)
    sizes = [-1 if n is None else n for n in element_shape]
    return _graphkiln.convert_to_tensor(sizes, _graphkiln.int32)


def empty_tensor_list(
    element_shape: Any,
    element_dtype: Any,
    max_num_elements: Any = None,
    name: str | None = None,
) -> Tensor:
    """A list without elements."""
    return raw_ops.EmptyTensorList(
        element_shape=_shape(element_shape),
        element_dtype=element_dtype,
        max_num_elements=-1 if max_num_elements is None else max_num_elements,
        name=name,
    )


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """A list of elements that are not set yet."""
    return raw_ops.TensorListReserve(
        element_shape=_shape(element_shape),
        num_elements=num_elements,
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_from_tensor(
    tensor: Any, element_shape: Any, name: str | None = None
) -> Tensor:
    """A list of the rows of a tensor."""
    return raw_ops.TensorListFromTensor(
        tensor=_graphkiln.convert_to_tensor(tensor),
        element_shape=_shape(element_shape),
        name=name,
    )


def tensor_list_get_item(
    input_handle: Tensor,
    index: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """An element."""
    return raw_ops.TensorListGetItem(
        input_handle=input_handle,
        index=index,
        element_shape=_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_pop_back(
    input_handle: Tensor, element_dtype: Any, name: str | None = None
) -> Any:
    """The list without its last element, and that."""
    return raw_ops.TensorListPopBack(
        input_handle=input_handle,
        element_shape=-1,
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_gather(
    input_handle: Tensor,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """These elements, stacked."""
    return raw_ops.TensorListGather(
        input_handle=input_handle,
        indices=indices,
        element_shape=_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    input_handle: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """The rows of a tensor at these places, of a list that is given or of a new one."""
    tensor = _graphkiln.convert_to_tensor(tensor)
    if input_handle is not None:
        return raw_ops.TensorListScatterIntoExistingList(
            input_handle=input_handle, tensor=tensor, indices=indices, name=name
        )
    return raw_ops.TensorListScatterV2(
        tensor=tensor,
        indices=indices,
        element_shape=_shape(element_shape),
        num_elements=-1,
        name=name,
    )


def tensor_list_stack(
    input_handle: Tensor,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """All elements, stacked."""
    return raw_ops.TensorListStack(
        input_handle=input_handle,
        element_shape=_shape(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def tensor_list_concat(
    input_handle: Tensor,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """All elements, joined along their first dimension."""
    return raw_ops.TensorListConcatV2(
        input_handle=input_handle,
        element_dtype=element_dtype,
        element_shape=_shape(element_shape),
        leading_dims=_graphkiln.constant([], _graphkiln.int64),
        name=name,
    )[0]


def tensor_list_split(
    tensor: Any, element_shape: Any, lengths: Any, name: str | None = None
) -> Tensor:
    """A list of parts of a tensor that are as long as `lengths` says."""
    return raw_ops.TensorListSplit(
        tensor=tensor,
        element_shape=_shape(element_shape),
        lengths=lengths,
        name=name,
    )


def tensor_list_set_item(
    input_handle: Tensor,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:
    """The list with another element."""
    return raw_ops.TensorListSetItem(
        input_handle=input_handle,
        index=index,
        item=item,
        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
        name=name,
    )
