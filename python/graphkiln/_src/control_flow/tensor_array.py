"""tf.TensorArray: a list of tensors of one dtype that loops write to and read
from.

Eagerly it is a list that all arrays made from each other share; in a graph,
one tensor list, whose handle loops and branches carry. What converts Python's
values, and knows the lines that wrote what nobody used, is here.
"""

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor, TensorShape, TensorSpec
from graphkiln._src import ops
from graphkiln._src.function import dropped_writes
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import TypeSpec


class TensorArray:
    """Tensors of one dtype by index.

    `write`, `scatter`, `unstack` and `split` return the array that holds what
    was written; use that one from there on.

    Args:
      dtype: of the elements.
      size: how many elements there are; required.
      dynamic_size: whether writing beyond the end makes the array longer.
      clear_after_read: whether an element can be read only once; True unless
        given. In graphs elements stay.
      tensor_array_name: accepted for compatibility.
      handle: accepted for compatibility; must be None.
      flow: the handle of a tensor list to use.
      infer_shape: whether all elements must have the same shape.
      element_shape: the shape of the elements as far as known.
      colocate_with_first_write_call: accepted for compatibility.
      name: of the op.

    Raises:
      ValueError: neither `size` nor `flow` is given.

    >>> ta = tf.TensorArray(tf.float32, size=2)
    >>> ta = ta.write(0, 1.0).write(1, 2.0)
    >>> ta.stack().numpy().tolist()
    [1.0, 2.0]
    """

    # `_line`: of the write that made it, "write at FILE:LINE", or None.
    __slots__ = ("__weakref__", "_held", "_line", "_used")

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        self._line, self._used = None, True
        dtype = _graphkiln.as_dtype(dtype)
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported; give `flow`, the "
                "handle of a tensor list"
            )
        shape = TensorShape(element_shape)
        if flow is not None:
            if not isinstance(flow, Tensor) or flow.dtype != dtypes.variant:
                raise TypeError(
                    "`flow` must be a variant tensor, the handle of a tensor "
                    f"list, got {flow}"
                )
            self._held = _graphkiln._TensorArray.of_flow(
                dtype, flow, bool(dynamic_size), bool(infer_shape), shape
            )
            return
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution "
                "is enabled."
                if _graphkiln.executing_eagerly()
                else "Argument `size` must be provided if argument `flow` is "
                "not provided."
            )
        self._held = _graphkiln._TensorArray.make(
            dtype, size, bool(dynamic_size),
            True if clear_after_read is None else bool(clear_after_read),
            bool(infer_shape), shape, name or "",
        )

    @classmethod
    def _holding(
        cls, held: _graphkiln._TensorArray, written: str | None = None
    ) -> "TensorArray":
        """The array of these elements; `written`: the method that made it."""
        made = object.__new__(cls)
        made._held = held
        made._line, made._used = None, True
        if written is not None:
            if not held.is_list:
                made._line = dropped_writes.caller(written)
                made._used = False
            elif not _graphkiln.executing_eagerly():
                made._line = written
                dropped_writes.remember(made)
        return made

    def __del__(self):
        if not self._used and not self._held.is_list:
            self._held.note_dropped(self._line)

    @property
    def _elements(self) -> _graphkiln._TensorArray:
        """The elements, which are now used."""
        self._used = True
        return self._held

    @property
    def dtype(self) -> DType:
        """Of the elements."""
        return self._held.dtype

    @property
    def dynamic_size(self) -> bool:
        """Does writing beyond the end make the array longer?"""
        return self._held.dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """Of the elements, as far as known."""
        return self._held.element_shape

    @property
    def flow(self):
        """The handle of the tensor list; 0 where there is none."""
        flow = self._elements.flow(False)
        return _graphkiln.constant(0) if flow is None else flow

    @property
    def handle(self) -> None:
        """None; kept for compatibility."""
        return None

    def identity(self) -> "TensorArray":
        """The same elements behind an Identity node.

        >>> ta = tf.TensorArray(tf.int32, size=1).write(0, 7)
        >>> int(ta.identity().read(0))
        7
        """
        return self._holding(self._elements.identity())

    def grad(self, source, flow=None, name=None):
        """Not there: gradients need no array of their own.

        Raises NotImplementedError.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; "
            "eager's gradient implementation does not use/need this function "
            "to compute gradients of operations that use TensorArrays."
        )

    def read(self, index, name=None):
        """The element at `index`; zeros if it was not written and its shape
        is known.

        Raises:
          tf.errors.OutOfRangeError: eagerly, there is no such element.
          tf.errors.InvalidArgumentError: in a graph, there is no such
            element; eagerly, it was read before and cleared.

        >>> ta = tf.TensorArray(tf.int32, size=2).unstack([4, 5])
        >>> int(ta.read(1))
        5
        """
        return self._elements.read(index, name or "")

    def write(self, index, value, name=None) -> "TensorArray":
        """The array with `value` at `index`.

        Raises:
          ValueError: `value` does not have the shape of the elements.
          tf.errors.OutOfRangeError: eagerly, there is no such element.
          tf.errors.InvalidArgumentError: `value` has another dtype; in a
            graph, there is no such element.

        >>> ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        >>> ta.write(1, 5).stack().numpy().tolist()
        [0, 5]
        """
        return self._holding(
            self._elements.write(index, value, name or ""),
            "write",
        )

    def stack(self, name=None):
        """All elements as one tensor, along a new first axis.

        >>> ta = tf.TensorArray(tf.int32, size=3).scatter([2, 0], [4, 6])
        >>> ta.stack().numpy().tolist()
        [6, 0, 4]
        """
        return self._elements.stack(name or "")

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor.

        >>> ta = tf.TensorArray(tf.int32, size=3).unstack([1, 2, 3])
        >>> ta.gather([2, 0]).numpy().tolist()
        [3, 1]
        """
        return self._elements.gather(indices, name or "")

    def concat(self, name=None):
        """All elements one after the other along their first axis.

        >>> ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        >>> ta.write(0, [1]).write(1, [2, 3]).concat().numpy().tolist()
        [1, 2, 3]
        """
        return self._elements.concat(name or "")

    def unstack(self, value, name=None) -> "TensorArray":
        """An array of the rows of `value`.

        >>> ta = tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]])
        >>> ta.read(1).numpy().tolist()
        [3, 4]
        """
        return self._holding(
            self._elements.unstack(value, name or ""), "unstack"
        )

    def scatter(self, indices, value, name=None) -> "TensorArray":
        """The array with the rows of `value` at `indices`.

        >>> ta = tf.TensorArray(tf.int32, size=2).scatter([1, 0], [4, 5])
        >>> ta.stack().numpy().tolist()
        [5, 4]
        """
        return self._holding(
            self._elements.scatter(indices, value, name or ""), "scatter"
        )

    def split(self, value, lengths, name=None) -> "TensorArray":
        """An array of consecutive parts of `value`, so long each.

        >>> ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        >>> ta.split([1, 2, 3], [1, 2]).read(1).numpy().tolist()
        [2, 3]
        """
        return self._holding(
            self._elements.split(value, lengths, name or ""), "split"
        )

    def size(self, name=None):
        """How many elements there are, as an int32 scalar.

        >>> int(tf.TensorArray(tf.int32, size=2).size())
        2
        """
        return self._elements.size(name or "")

    def close(self, name=None):
        """Drops the elements if they are a Python list.

        >>> tf.TensorArray(tf.int32, size=2).close()
        """
        self._elements.close()
        return None if _graphkiln.executing_eagerly() else ops.no_op(name=name)

    def _autograph_len(self):
        return self.size()

    @property
    def _type_spec(self) -> "TensorArraySpec":
        return TensorArraySpec.from_value(self)

    def _with_components(self, components: list) -> "TensorArray":
        """This array at another place of a branch or loop."""
        return self._holding(self._held.with_flow(components[0]))


class TensorArraySpec(TypeSpec):
    """What is known of a tf.TensorArray.

    Args:
      element_shape: of the elements, as far as known.
      dtype: of the elements.
      dynamic_size: whether it grows.
      infer_shape: whether all elements must have the same shape.

    >>> spec = tf.TensorArraySpec([], tf.float32)
    >>> f = tf.function(lambda ta: ta.stack(), input_signature=[spec])
    >>> f(tf.TensorArray(tf.float32, 2, element_shape=[]).unstack([1.0, 2.0])
    ...     ).numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        element_shape=None,
        dtype=dtypes.float32,
        dynamic_size=False,
        infer_shape=True,
    ):
        self._element_shape = TensorShape(element_shape)
        self._dtype = _graphkiln.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = bool(infer_shape)

    @classmethod
    def from_value(cls, value: TensorArray) -> "TensorArraySpec":
        """The spec of an array."""
        if not isinstance(value, TensorArray):
            raise TypeError(
                "Expected value to be a TensorArray, but got: "
                f"`{type(value)}`"
            )
        held = value._held
        return cls(
            held.element_shape, held.dtype, held.dynamic_size,
            held.infer_shape,
        )

    @property
    def value_type(self) -> type:
        """tf.TensorArray."""
        return TensorArray

    def _serialize(self) -> tuple:
        return (
            self._element_shape, self._dtype, self._dynamic_size,
            self._infer_shape,
        )

    @property
    def _component_specs(self) -> list:
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value: TensorArray) -> list:
        if not isinstance(value, TensorArray):
            raise TypeError(
                "Expected value to be a TensorArray, but got: "
                f"`{type(value)}`"
            )
        value._used = True
        return [value._held.flow(True)]

    def _from_components(self, components) -> TensorArray:
        return TensorArray._holding(
            _graphkiln._TensorArray.of_flow(
                self._dtype, components[0], self._dynamic_size,
                self._infer_shape, self._element_shape,
            )
        )
