"""The elements of a tf.TensorArray in a graph: one tensor list."""

import graphkiln as tf
from graphkiln import _dropped_writes
from graphkiln import _tensor_array_eager
from graphkiln import errors

_LIST_NAMES = {
    tf.float32: "float", tf.float64: "double", tf.float16: "half",
}


def _shape_input(shape: tf.TensorShape):
    """`shape` as the list ops take it: -1 for what is unknown."""
    if shape.rank is None:
        return -1
    sizes = [-1 if n is None else n for n in shape.as_list()]
    return sizes or tf.constant([], tf.int32)


class ListArray:
    """A tensor list's handle and what is known of the elements."""

    __slots__ = (
        "_flow", "_line", "_shape_cell", "_size", "_used", "dtype",
        "dynamic_size", "infer_shape",
    )

    def __init__(
        self, dtype, size, dynamic_size, flow, infer_shape, shape_cell: list
    ):
        self.dtype = dtype
        self.dynamic_size = dynamic_size
        self.infer_shape = infer_shape
        self._flow = flow
        self._size = size
        # Shared by all arrays that were made from each other: what one
        # learns about the shape, all know.
        self._shape_cell = shape_cell
        self._line = None
        self._used = True

    @classmethod
    def make(
        cls, dtype, size, dynamic_size, flow, infer_shape, element_shape, name
    ) -> "ListArray":
        """A new list, or that of the handle `flow`."""
        if flow is None:
            if size is None:
                raise ValueError(
                    "Argument `size` must be provided if argument `flow` is "
                    "not provided."
                )
            with tf.name_scope(name or "TensorArrayV2") as scope:
                flow = tf.raw_ops.TensorListReserve(
                    element_shape=_shape_input(element_shape),
                    num_elements=size, element_dtype=dtype, name=scope,
                )
        elif not isinstance(flow, tf.Tensor) or flow.dtype != tf.variant:
            raise TypeError(
                "`flow` must be a variant tensor, the handle of a tensor "
                f"list, got {flow}"
            )
        return cls(
            dtype, size, dynamic_size, flow, infer_shape, [element_shape]
        )

    @classmethod
    def of_eager(cls, array: _tensor_array_eager.EagerArray) -> "ListArray":
        """The elements of a Python list as a tensor list."""
        tensors = array.written()
        made = cls.make(
            array.dtype, len(tensors), array.dynamic_size, None,
            array.infer_shape, array.element_shape, None,
        )
        for index, tensor in enumerate(tensors):
            if tensor is not None:
                made._flow = tf.raw_ops.TensorListSetItem(
                    input_handle=made._flow, index=index, item=tensor
                )
        return made

    @property
    def flow(self):
        """The handle."""
        self._used = True
        return self._flow

    @property
    def element_shape(self) -> tf.TensorShape:
        """Of the elements, as far as known."""
        return self._shape_cell[0]

    def with_flow(self, flow) -> "ListArray":
        """What is known of this array, of another handle."""
        return ListArray(
            self.dtype, self._size, self.dynamic_size, flow,
            self.infer_shape, self._shape_cell,
        )

    def _written(self, flow, what: str) -> "ListArray":
        made = self.with_flow(flow)
        if not tf.executing_eagerly():
            made._line = what
            _dropped_writes.remember(made)
        return made

    def identity(self) -> "ListArray":
        """The same elements behind an Identity."""
        return self.with_flow(tf.identity(self.flow))

    def _fit(self, shape: tf.TensorShape) -> None:
        if not self.element_shape.is_compatible_with(shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected "
                f"{self.element_shape} "
            )
        if self.infer_shape:
            self._shape_cell[0] = self.element_shape.merge_with(shape)

    def _converted(self, value):
        """`value` as a tensor of the array's dtype."""
        if not tf.is_tensor(value):
            try:
                value = tf.convert_to_tensor(
                    value, dtype=self.dtype, name="value"
                )
            except (TypeError, ValueError):
                value = tf.convert_to_tensor(value, name="value")
        else:
            value = tf.convert_to_tensor(value)
        if value.dtype != self.dtype:
            raise errors.InvalidArgumentError(
                None, None,
                "Invalid data types; op elements "
                f"{_list_name(value.dtype)} but list elements "
                f"{_list_name(self.dtype)}",
            )
        return value

    def _static_size(self) -> int | None:
        if self.dynamic_size or self._size is None:
            return None
        size = self._size
        if isinstance(size, tf.Tensor):
            size = tf.get_static_value(size)
        return None if size is None else int(size)

    def read(self, index, name):
        """See TensorArray.read."""
        with tf.name_scope(name or "TensorArrayV2Read"):
            return tf.raw_ops.TensorListGetItem(
                input_handle=self.flow, index=_as_index(index),
                element_shape=_shape_input(self.element_shape),
                element_dtype=self.dtype,
            )

    def write(self, index, value, name) -> "ListArray":
        """See TensorArray.write."""
        with tf.name_scope(name or "TensorArrayV2Write"):
            value = self._converted(value)
            self._fit(value.shape)
            flow = tf.raw_ops.TensorListSetItem(
                input_handle=self.flow, index=_as_index(index), item=value,
                resize_if_index_out_of_bounds=bool(self.dynamic_size),
            )
        return self._written(flow, "write")

    def stack(self, name):
        """See TensorArray.stack."""
        size = self._static_size()
        with tf.name_scope(name or "TensorArrayV2Stack"):
            return tf.raw_ops.TensorListStack(
                input_handle=self.flow,
                element_shape=_shape_input(self.element_shape),
                element_dtype=self.dtype,
                num_elements=-1 if size is None else size,
            )

    def gather(self, indices, name):
        """See TensorArray.gather."""
        return tf.raw_ops.TensorListGather(
            input_handle=self.flow,
            indices=_as_indices(indices),
            element_shape=_shape_input(self.element_shape),
            element_dtype=self.dtype, name=name,
        )

    def concat(self, name):
        """See TensorArray.concat."""
        shape = self.element_shape
        if shape.rank is not None and shape.rank > 0:
            shape = tf.TensorShape([None]).concatenate(shape[1:])
        return tf.raw_ops.TensorListConcatV2(
            input_handle=self.flow, element_shape=_shape_input(shape),
            leading_dims=tf.constant([], tf.int64),
            element_dtype=self.dtype, name=name,
        )[0]

    def unstack(self, value, name) -> "ListArray":
        """See TensorArray.unstack."""
        with tf.name_scope(name or "TensorArrayUnstack"):
            value = self._converted(value)
            inner = value.shape[1:]
            self._fit(inner)
            flow = tf.raw_ops.TensorListFromTensor(
                tensor=value, element_shape=_shape_input(inner)
            )
            self._used = True
        return self._written(flow, "unstack")

    def scatter(self, indices, value, name) -> "ListArray":
        """See TensorArray.scatter."""
        with tf.name_scope(name or "TensorArrayScatter"):
            value = self._converted(value)
            self._fit(value.shape[1:])
            flow = tf.raw_ops.TensorListScatterIntoExistingList(
                input_handle=self.flow, tensor=value,
                indices=_as_indices(indices),
            )
        return self._written(flow, "scatter")

    def split(self, value, lengths, name) -> "ListArray":
        """See TensorArray.split."""
        with tf.name_scope(name or "TensorArraySplit"):
            value = self._converted(value)
            lengths = tf.cast(lengths, tf.int64)
            known = tf.get_static_value(lengths)
            if (
                self.infer_shape and known is not None and known.size
                and value.shape.rank is not None
                and known.max() == known.min()
            ):
                self._fit(
                    tf.TensorShape([int(known.flat[0])]).concatenate(
                        value.shape[1:]
                    )
                )
            flow = tf.raw_ops.TensorListSplit(
                tensor=value,
                element_shape=_shape_input(self.element_shape),
                lengths=lengths,
            )
            self._used = True
        return self._written(flow, "split")

    def size(self, name):
        """See TensorArray.size."""
        self._used = True
        if not self.dynamic_size and self._size is not None:
            return tf.convert_to_tensor(self._size, dtype=tf.int32)
        return tf.raw_ops.TensorListLength(input_handle=self.flow, name=name)

    def close(self, name):
        """See TensorArray.close."""
        self._used = True
        return tf.no_op(name=name)


def as_list(held) -> ListArray:
    """The array as a tensor list, which branches, loops and calls carry."""
    if isinstance(held, ListArray):
        return held
    return ListArray.of_eager(held)


def _as_index(index):
    if tf.is_tensor(index) and index.dtype != tf.int32:
        return tf.cast(index, tf.int32)
    return index


def _as_indices(indices):
    if tf.is_tensor(indices):
        return _as_index(indices)
    return tf.convert_to_tensor(indices, dtype=tf.int32, name="indices")


def _list_name(dtype) -> str:
    return _LIST_NAMES.get(dtype, dtype.name)
