"""The elements of a tf.TensorArray in eager mode: a Python list.

Arrays that were made from each other by writing share it.
"""

import graphkiln as tf
from graphkiln import _dropped_writes
from graphkiln import errors


class _Elements:
    """The list that handles share, and which of them wrote last."""

    __slots__ = ("dropped", "element_shape", "read_before", "tensors")

    def __init__(self, tensors: list, element_shape: tf.TensorShape):
        self.tensors = tensors
        self.element_shape = element_shape
        self.read_before: set[int] = set()
        self.dropped: str | None = None


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


def _out_of_range(message: str) -> errors.OutOfRangeError:
    return errors.OutOfRangeError(None, None, message)


class EagerArray:
    """One handle of the shared elements."""

    __slots__ = (
        "_clear", "_elements", "_line", "_used", "dtype", "dynamic_size",
        "infer_shape",
    )

    def __init__(self, like, elements: _Elements, line: str | None):
        self.dtype, self.dynamic_size, self._clear, self.infer_shape = like
        self._elements = elements
        self._line = line
        self._used = line is None

    @classmethod
    def make(
        cls, dtype, size, dynamic_size, clear_after_read, infer_shape,
        element_shape,
    ) -> "EagerArray":
        """An array without any element written."""
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution "
                "is enabled."
            )
        clear = True if clear_after_read is None else bool(clear_after_read)
        size = int(size)
        return cls(
            (dtype, dynamic_size, clear, infer_shape),
            _Elements([None] * max(size, 0), element_shape),
            None,
        )

    def __del__(self):
        if not self._used:
            self._elements.dropped = self._line

    def _use(self) -> list:
        """The elements; the error if what was written last was dropped."""
        self._used = True
        if self._elements.dropped is not None:
            raise ValueError(_dropped_writes.lost(self._elements.dropped))
        return self._elements.tensors

    def _written(self, what: str) -> "EagerArray":
        return EagerArray(
            (self.dtype, self.dynamic_size, self._clear, self.infer_shape),
            self._elements,
            _dropped_writes.caller(what),
        )

    @property
    def element_shape(self) -> tf.TensorShape:
        """Of the elements, as far as known."""
        return self._elements.element_shape

    @property
    def flow(self):
        """0: there is no tensor list."""
        self._use()
        return tf.constant(0)

    def written(self) -> list:
        """The elements, None where nothing was written."""
        return list(self._use())

    def identity(self) -> "EagerArray":
        """The same elements."""
        self._use()
        return EagerArray(
            (self.dtype, self.dynamic_size, self._clear, self.infer_shape),
            self._elements, None,
        )

    def _element(self, index: int):
        """The element, zeros if it was not written."""
        tensors = self._elements.tensors
        if tensors[index] is None:
            shape = self.element_shape
            if not shape.is_fully_defined():
                raise ValueError(
                    "Cannot convert a partially known TensorShape "
                    f"{shape} to a Tensor."
                )
            tensors[index] = tf.zeros(shape, self.dtype)
        return tensors[index]

    def _checked(self, index) -> int:
        index = int(index)
        size = len(self._elements.tensors)
        if index < 0:
            raise _out_of_range(
                f"Reading from negative indices (index {index}) is not "
                "allowed."
            )
        if index >= size:
            raise _out_of_range(
                f"Tried to read from index {index} but array size is: {size} "
            )
        return index

    def read(self, index, name):
        """See TensorArray.read."""
        tensors = self._use()
        index = self._checked(index)
        if tensors[index] is None and index in self._elements.read_before:
            raise _invalid(
                f"Could not read index {index} twice because it was cleared "
                "after a previous read (perhaps try setting clear_after_read "
                "= false?)"
            )
        value = self._element(index)
        if self._clear:
            tensors[index] = None
            self._elements.read_before.add(index)
        return value

    def _converted(self, value):
        """`value` as a tensor of the array's dtype."""
        if not tf.is_tensor(value):
            try:
                value = tf.convert_to_tensor(value, dtype=self.dtype)
            except (TypeError, ValueError):
                value = tf.convert_to_tensor(value)
        else:
            value = tf.convert_to_tensor(value)
        if value.dtype != self.dtype:
            raise _invalid(
                f"TensorArray dtype is {self.dtype.name} but Op is trying to "
                f"write dtype {value.dtype.name} "
            )
        return value

    def _fit(self, shape: tf.TensorShape) -> None:
        expected = self.element_shape
        if not expected.is_compatible_with(shape):
            raise ValueError(
                f"Incompatible shape for value ({shape}), expected "
                f"({expected})"
            )
        if self.infer_shape:
            self._elements.element_shape = expected.merge_with(shape)

    def _set(self, index: int, value) -> None:
        tensors = self._elements.tensors
        size = len(tensors)
        if index < 0:
            raise _out_of_range(
                f"Writing to negative indices (index {index}) is not allowed."
            )
        if index >= size:
            if not self.dynamic_size:
                raise _out_of_range(
                    f"Tried to write to index {index} but array is not "
                    f"resizeable and size is: {size} "
                )
            tensors.extend([None] * (index + 1 - size))
        self._fit(value.shape)
        tensors[index] = value

    def write(self, index, value, name) -> "EagerArray":
        """See TensorArray.write."""
        self._use()
        self._set(int(index), self._converted(value))
        return self._written("write")

    def stack(self, name):
        """See TensorArray.stack."""
        tensors = self._use()
        if not tensors:
            inner = self.element_shape
            sizes = inner.as_list() if inner.is_fully_defined() else []
            return tf.zeros([0, *sizes], self.dtype)
        return tf.stack([self._element(i) for i in range(len(tensors))])

    def gather(self, indices, name):
        """See TensorArray.gather."""
        self._use()
        indices = tf.convert_to_tensor(indices, dtype_hint=tf.int32)
        chosen = indices.numpy().reshape(-1).tolist()
        if not chosen:
            inner = self.element_shape
            sizes = inner.as_list() if inner.is_fully_defined() else []
            return tf.zeros([0, *sizes], self.dtype)
        return tf.stack([self._element(self._checked(i)) for i in chosen])

    def concat(self, name):
        """See TensorArray.concat."""
        tensors = self._use()
        shape = self.element_shape
        if not tensors:
            if shape.rank is None or not shape[1:].is_fully_defined():
                raise _invalid(
                    "All except the first dimension must be fully defined "
                    "when concating an empty tensor list. element_shape: "
                    f"{shape}"
                )
            return tf.zeros([0, *shape[1:].as_list()], self.dtype)
        parts = [self._element(i) for i in range(len(tensors))]
        for i, part in enumerate(parts):
            if part.shape.rank == 0:
                raise _invalid(
                    f"Concat saw a scalar shape at index {i} but requires at "
                    "least vectors."
                )
        return tf.concat(parts, 0)

    def _replace(self, parts: list) -> None:
        for part in parts:
            self._fit(part.shape)
        self._elements.tensors[:] = parts
        self._elements.read_before.clear()

    def unstack(self, value, name) -> "EagerArray":
        """See TensorArray.unstack."""
        size = len(self._use())
        parts = tf.unstack(self._converted(value))
        if len(parts) > size and not self.dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of "
                f"static size {size} "
            )
        self._replace(parts)
        return self._written("unstack")

    def scatter(self, indices, value, name) -> "EagerArray":
        """See TensorArray.scatter."""
        self._use()
        indices = tf.convert_to_tensor(indices, dtype_hint=tf.int32)
        places = indices.numpy().reshape(-1).tolist()
        parts = tf.unstack(self._converted(value))
        if len(places) != len(parts):
            raise _invalid(
                "Expected len(indices) == tensor.shape[0], but saw: "
                f"{len(places)} vs. {len(parts)}"
            )
        for place, part in zip(places, parts):
            self._set(place, part)
        return self._written("scatter")

    def split(self, value, lengths, name) -> "EagerArray":
        """See TensorArray.split."""
        size = len(self._use())
        value = self._converted(value)
        lengths = tf.convert_to_tensor(lengths).numpy().reshape(-1).tolist()
        shape = value.shape
        if shape.rank == 0:
            raise _invalid(
                "Expected value to be at least a vector, but received shape: "
                f"{shape.as_list()} "
            )
        if sum(lengths) != shape[0]:
            raise _invalid(
                "Expected sum of lengths to be equal to values.shape[0], but "
                f"sum of lengths is {sum(lengths)} and value's shape is: "
                f"{shape.as_list()} "
            )
        if len(lengths) != size and not self.dynamic_size:
            raise _invalid(
                "TensorArray's size is not equal to the size of lengths "
                f"({size} vs. {len(lengths)}), and the TensorArray is not "
                "marked as dynamically resizeable."
            )
        self._replace(list(tf.split(value, lengths)) if lengths else [])
        return self._written("split")

    def size(self, name):
        """See TensorArray.size."""
        return tf.constant(len(self._use()))

    def close(self, name) -> None:
        """See TensorArray.close."""
        self._used = True
        self._elements.tensors.clear()
