"""tf.RaggedTensor: rows of different lengths, as values and row splits."""

import operator
from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln, _loading, errors
from graphkiln._graphkiln import DType, Tensor, TensorShape, _ragged
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec


def _both(op: Callable) -> tuple[Callable, Callable]:
    """An operator and its reflection."""
    return (
        lambda self, other: _ragged.binary(op, self, other),
        lambda self, other: _ragged.binary(op, other, self),
    )


def _equality(op: Callable, otherwise: bool) -> Callable:
    def compare(self, other):
        if other is None:
            return otherwise
        try:
            return _ragged.binary(op, self, other)
        except (ValueError, errors.InvalidArgumentError):
            return otherwise  # They cannot be of one shape.

    return compare


class RaggedTensor(CompositeTensor):
    """A tensor with one or more dimensions of slices of different lengths.

    Made by `tf.ragged.constant` and by the `from_...` class methods.

    >>> rt = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 1, 1, 4])
    >>> rt
    <tf.RaggedTensor [[3], [], [1, 4, 1]]>
    >>> rt.shape
    TensorShape([3, None])
    >>> tf.function(lambda x: x.with_values(x.values * 2))(rt)
    <tf.RaggedTensor [[6], [], [2, 8, 2]]>
    """

    __slots__ = ("_row_splits", "_uniform_row_length", "_values")

    _counts_as_tensor = True

    def __init__(self, values, row_partition, internal=False):
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the "
                "factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._row_splits, self._uniform_row_length = row_partition

    # --- Factories.

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Row i is `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
          values: the rows, one after the other; ragged, too, if wanted.
          row_splits: int32 or int64, starts with 0, never falls.
          validate: whether that is checked.

        Raises ValueError or InvalidArgumentError if they do not fit.

        >>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])
        <tf.RaggedTensor [[1, 2], [3]]>
        """
        return _ragged.from_row_splits(values, row_splits, name, validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Row i has `row_lengths[i]` of the values.

        >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        return _ragged.from_row_lengths(values, row_lengths, name, validate)

    @classmethod
    def from_value_rowids(
        cls, values, value_rowids, nrows=None, name=None, validate=True
    ):
        """Value j belongs to row `value_rowids[j]`; the ids never fall.

        >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        return _ragged.from_value_rowids(
            values, value_rowids, nrows, name, validate
        )

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Row i begins at `row_starts[i]` and ends where the next begins."""
        return _ragged.from_row_starts(values, row_starts, name, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Row i ends before `row_limits[i]`, where the next begins."""
        return _ragged.from_row_limits(values, row_limits, name, validate)

    @classmethod
    def from_uniform_row_length(
        cls, values, uniform_row_length, nrows=None, validate=True, name=None
    ):
        """All rows have `uniform_row_length` values.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape
        TensorShape([2, 2])
        """
        return _ragged.from_uniform_row_length(
            values, uniform_row_length, nrows, name, validate
        )

    @classmethod
    def _nested(cls, flat_values, nested, argument, make):
        if isinstance(nested, Tensor):
            raise TypeError(
                f"Argument `{argument}` must be a list of Tensors. Received "
                f"{nested}."
            )
        result = flat_values
        for position in reversed(range(len(nested))):
            result = make(result, position)
        return result

    @classmethod
    def from_nested_row_splits(
        cls, flat_values, nested_row_splits, name=None, validate=True
    ):
        """One partition for each ragged dimension, the outermost first."""
        return cls._nested(
            flat_values, nested_row_splits, "nested_row_splits",
            lambda values, i: cls.from_row_splits(
                values, nested_row_splits[i], name, validate
            ),
        )

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values, nested_row_lengths, name=None, validate=True
    ):
        """One list of lengths for each ragged dimension, outermost first."""
        return cls._nested(
            flat_values, nested_row_lengths, "nested_row_lengths",
            lambda values, i: cls.from_row_lengths(
                values, nested_row_lengths[i], name, validate
            ),
        )

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values,
        nested_value_rowids,
        nested_nrows=None,
        name=None,
        validate=True,
    ):
        """One list of row ids for each ragged dimension, outermost first."""
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        elif len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as "
                "argument `nested_value_rowids`. len(nested_nrows) = "
                f"{len(nested_nrows)} vs. len(nested_values_rowids) = "
                f"{len(nested_value_rowids)}."
            )
        return cls._nested(
            flat_values, nested_value_rowids, "nested_value_rowids",
            lambda values, i: cls.from_value_rowids(
                values, nested_value_rowids[i], nested_nrows[i], name, validate
            ),
        )

    @classmethod
    def from_tensor(
        cls,
        tensor,
        lengths=None,
        padding=None,
        ragged_rank=1,
        name=None,
        row_splits_dtype=dtypes.int64,
    ):
        """The rows of a dense tensor, cut to `lengths` or before `padding`.

        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [4, 0, 0]], padding=0)
        <tf.RaggedTensor [[1, 2], [4]]>
        """
        return _ragged.from_tensor(
            tensor, lengths, padding, ragged_rank, name, row_splits_dtype
        )

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """The rows of a 2-D tf.SparseTensor without gaps."""
        return _ragged.from_sparse(st_input, name, row_splits_dtype)

    # --- What it is.

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def values(self):
        """The rows, one after the other; ragged if the rank is above 2."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of all ragged dimensions, outermost first."""
        return tuple(level._row_splits for level in self._levels())

    def _levels(self) -> list["RaggedTensor"]:
        levels = [self]
        while isinstance(levels[-1]._values, RaggedTensor):
            levels.append(levels[-1]._values)
        return levels

    @property
    def ragged_rank(self) -> int:
        """How many of the dimensions are partitions, uniform or ragged."""
        return len(self._levels())

    @property
    def uniform_row_length(self):
        """The length of every row if that is uniform, else None."""
        if self._uniform_row_length is None:
            return None
        return _graphkiln.constant(
            self._uniform_row_length, self._row_splits.dtype
        )

    @property
    def shape(self) -> TensorShape:
        """The static shape: None for ragged dimensions."""
        return _ragged.shape(self)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def _type_spec(self) -> TypeSpec:
        spec = _loading.load("graphkiln._src.ragged.spec")
        return spec.RaggedTensorSpec.from_value(self)

    # --- Its partition.

    def nrows(self, out_type=None, name=None) -> Tensor:
        """How many rows there are; of the dtype of the splits by default."""
        splits = _ragged.nrows(self._row_splits, name)
        return splits if out_type is None else ops.cast(splits, out_type)

    def row_starts(self, name=None) -> Tensor:
        """Where each row begins in `values`."""
        return _ragged.row_starts(self._row_splits, name)

    def row_limits(self, name=None) -> Tensor:
        """Where each row ends in `values`."""
        return _ragged.row_limits(self._row_splits, name)

    def row_lengths(self, axis=1, name=None):
        """The lengths of the rows along `axis`, ragged if that is above 1.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths()
        <tf.Tensor: shape=(3,), dtype=int64, numpy=array([2, 0, 1])>
        """
        return _ragged.row_lengths(self, axis, name)

    def value_rowids(self, name=None) -> Tensor:
        """The row that each of `values` belongs to."""
        return _ragged.rowids(self._row_splits, name)

    def nested_row_lengths(self, name=None) -> tuple[Tensor, ...]:
        """The row lengths of all ragged dimensions, outermost first."""
        return tuple(level.row_lengths() for level in self._levels())

    def nested_value_rowids(self, name=None) -> tuple[Tensor, ...]:
        """The row ids of all ragged dimensions, outermost first."""
        return tuple(level.value_rowids() for level in self._levels())

    def bounding_shape(self, axis=None, name=None, out_type=None) -> Tensor:
        """The shape of the smallest dense tensor that holds all values.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape()
        <tf.Tensor: shape=(2,), dtype=int64, numpy=array([2, 3])>
        """
        return _ragged.bounding_shape(self, axis, name, out_type)

    # --- Its parts replaced.

    def with_values(self, new_values) -> "RaggedTensor":
        """The same rows with other values, as many as there were."""
        return _ragged.with_values(self, new_values)

    def with_flat_values(self, new_values) -> "RaggedTensor":
        """The same partitions with other innermost values."""
        return _ragged.with_flat_values(self, new_values)

    def with_row_splits_dtype(self, dtype) -> "RaggedTensor":
        """The same with row splits of int32 or int64."""
        return _ragged.with_row_splits_dtype(self, dtype)

    def merge_dims(self, outer_axis, inner_axis):
        """The dimensions from one axis to another joined into one."""
        return _ragged.merge_dims(self, outer_axis, inner_axis)

    # --- Other forms.

    def to_list(self) -> list:
        """Nested lists of Python values; eager only.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        splits = _eager(self._row_splits, "to_list").tolist()
        if isinstance(self._values, RaggedTensor):
            values = self._values.to_list()
        else:
            values = _eager(self._values, "to_list").tolist()
        return [values[start:end] for start, end in zip(splits, splits[1:])]

    def numpy(self) -> np.ndarray:
        """An array of arrays, or of numbers if all rows are of one length."""
        splits = _eager(self._row_splits, "numpy")
        values = self._values.numpy()
        if len(splits) == 1:
            return np.zeros((0, 0) + values.shape[1:], values.dtype)
        parts = [values[i:j] for i, j in zip(splits, splits[1:])]
        if len({part.shape for part in parts}) == 1:
            return np.stack(parts)
        result = np.empty(len(parts), dtype=object)
        for i, part in enumerate(parts):
            result[i] = part
        return result

    def to_tensor(self, default_value=None, name=None, shape=None) -> Tensor:
        """A dense tensor: short rows are filled up with `default_value`.

        Args:
          default_value: a scalar of the same dtype; 0 or "" unless given.
          shape: the shape wanted; longer rows are cut.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor().numpy().tolist()
        [[1, 2], [3, 0]]
        """
        return _ragged.to_tensor(self, default_value, name, shape)

    def to_sparse(self, name=None):
        """A tf.SparseTensor with the same values at the same places."""
        return _ragged.to_sparse(self, name)

    def __tf_tensor__(self, dtype=None, name=None):
        if not _graphkiln.executing_eagerly():
            raise TypeError(
                f"Failed to convert elements of {self!r} to Tensor. Consider "
                "casting elements to a supported type. See "
                "https://www.tensorflow.org/api_docs/python/tf/dtypes for "
                "supported TF dtypes. A dense tensor of it: `to_tensor()`."
            )
        raise ValueError(
            f"{self} is no dense tensor: TypeError: object of type "
            "'RaggedTensor' has no len(). Use its `to_tensor()` or `values`."
        )

    def consumers(self) -> list:
        """The operations that use its parts."""
        if hasattr(self.flat_values, "numpy"):
            return []
        return self.flat_values.consumers()

    def __getitem__(self, key):
        return _ragged.getitem(self, key)

    def __iter__(self):
        count = self.shape[0]
        if count is None:
            raise TypeError(
                "Cannot iterate over a ragged tensor with an unknown number "
                "of rows."
            )
        return (self[i] for i in range(count))

    def __len__(self):
        raise TypeError("object of type 'RaggedTensor' has no len()")

    def __hash__(self):
        raise TypeError("RaggedTensor is unhashable.")

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    # --- Element by element.

    __add__, __radd__ = _both(ops.add)
    __sub__, __rsub__ = _both(ops.subtract)
    __mul__, __rmul__ = _both(ops.multiply)
    __truediv__, __rtruediv__ = _both(operator.truediv)
    __floordiv__, __rfloordiv__ = _both(operator.floordiv)
    __mod__, __rmod__ = _both(operator.mod)
    __pow__, __rpow__ = _both(ops.pow)
    __and__, __rand__ = _both(operator.and_)
    __or__, __ror__ = _both(operator.or_)
    __xor__, __rxor__ = _both(operator.xor)
    __lt__, __gt__ = _both(ops.less)[0], _both(ops.greater)[0]
    __le__, __ge__ = _both(ops.less_equal)[0], _both(ops.greater_equal)[0]
    __eq__, __ne__ = _equality(ops.equal, False), _equality(ops.not_equal, True)

    def __neg__(self):
        return _ragged.mapped(operator.neg, [self], None)

    def __abs__(self):
        return _ragged.mapped(ops.abs, [self], None)

    def __invert__(self):
        return _ragged.mapped(operator.invert, [self], None)

    def __repr__(self) -> str:
        parts = self._row_splits, self.flat_values
        if not all(hasattr(part, "numpy") for part in parts):
            return (
                f"tf.RaggedTensor(values={self._values}, "
                f"row_splits={self._row_splits})"
            )
        with np.printoptions(formatter={"all": _text}):
            return f"<tf.RaggedTensor {_text(self.numpy())}>"


def _text(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size == 0:
        return repr(value.tolist())  # keeps the empty rows
    return np.array2string(value, separator=", ")


def _eager(tensor: Tensor, method: str) -> np.ndarray:
    """The value of a part that is no placeholder."""
    if not hasattr(tensor, "numpy"):
        raise ValueError(
            f"RaggedTensor.{method}() is only supported in eager mode."
        )
    return tensor.numpy()


_ragged.set_ragged_class(RaggedTensor)
