"""tf.RaggedTensor: rows of different lengths, as values and row splits."""

import numpy as np

import graphkiln as tf
from graphkiln._src.ragged import indexing, operators, rows
from graphkiln._src.ragged.spec import RaggedTensorSpec
from graphkiln._src.types.type_spec import CompositeTensor


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
        with tf.name_scope(name or "RaggedFromRowSplits"):
            values, row_splits = rows.convert(values, row_splits, "row_splits")
            row_splits = rows.checked_splits(row_splits, validate)
            return cls._checked(values, row_splits, validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Row i has `row_lengths[i]` of the values.

        >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        with tf.name_scope(name or "RaggedFromRowLengths"):
            values, lengths = rows.convert(values, row_lengths, "row_lengths")
            splits = rows.splits_of_lengths(lengths, validate)
            return cls._checked(values, splits, validate)

    @classmethod
    def from_value_rowids(
        cls, values, value_rowids, nrows=None, name=None, validate=True
    ):
        """Value j belongs to row `value_rowids[j]`; the ids never fall.

        >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        with tf.name_scope(name or "RaggedFromValueRowIds"):
            values, ids = rows.convert(values, value_rowids, "value_rowids")
            splits = rows.splits_of_rowids(values, ids, nrows, validate)
            return cls._checked(values, splits, False)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Row i begins at `row_starts[i]` and ends where the next begins."""
        with tf.name_scope(name or "RaggedFromRowStarts"):
            values, starts = rows.convert(values, row_starts, "row_starts")
            end = tf.cast(rows.nvals(values), starts.dtype)
            starts = rows.checked_starts(starts, values, validate)
            splits = tf.concat([starts, [end]], 0)
            return cls(values, (splits, None), internal=True)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Row i ends before `row_limits[i]`, where the next begins."""
        with tf.name_scope(name or "RaggedFromRowLimits"):
            values, limits = rows.convert(values, row_limits, "row_limits")
            limits = rows.checked_limits(limits, validate)
            splits = tf.concat([tf.zeros([1], limits.dtype), limits], 0)
            return cls._checked(values, splits, validate)

    @classmethod
    def from_uniform_row_length(
        cls, values, uniform_row_length, nrows=None, validate=True, name=None
    ):
        """All rows have `uniform_row_length` values.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape
        TensorShape([2, 2])
        """
        with tf.name_scope(name or "RaggedFromUniformRowLength"):
            values = rows.as_values(values)
            splits, length = rows.uniform_splits(
                values, uniform_row_length, nrows, validate
            )
            return cls(values, (splits, length), internal=True)

    @classmethod
    def _checked(cls, values, splits, validate):
        if validate:
            splits = rows.check_end(splits, values)
        return cls(values, (splits, None), internal=True)

    @classmethod
    def _nested(cls, flat_values, nested, argument, make):
        if isinstance(nested, tf.Tensor):
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
        row_splits_dtype=tf.int64,
    ):
        """The rows of a dense tensor, cut to `lengths` or before `padding`.

        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [4, 0, 0]], padding=0)
        <tf.RaggedTensor [[1, 2], [4]]>
        """
        from graphkiln._src.ragged import conversion

        return conversion.from_tensor(
            tensor, lengths, padding, ragged_rank, name, row_splits_dtype
        )

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=tf.int64):
        """The rows of a 2-D tf.SparseTensor without gaps."""
        from graphkiln._src.ragged import conversion

        return conversion.from_sparse(st_input, name, row_splits_dtype)

    # --- What it is.

    @property
    def dtype(self) -> tf.DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def values(self):
        """The rows, one after the other; ragged if the rank is above 2."""
        return self._values

    @property
    def flat_values(self) -> tf.Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> tf.Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[tf.Tensor, ...]:
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
        return tf.constant(self._uniform_row_length, self._row_splits.dtype)

    @property
    def shape(self) -> tf.TensorShape:
        """The static shape: None for ragged dimensions."""
        splits = self._row_splits.shape
        nrows = None if splits[0] is None else splits[0] - 1
        inner = self._values.shape[1:]
        return tf.TensorShape([nrows, self._uniform_row_length]) + inner

    def get_shape(self) -> tf.TensorShape:
        """The static shape."""
        return self.shape

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    # --- Its partition.

    def nrows(self, out_type=None, name=None) -> tf.Tensor:
        """How many rows there are; of the dtype of the splits by default."""
        out_type = tf.as_dtype(out_type or self._row_splits.dtype)
        with tf.name_scope(name or "RaggedNRows"):
            return tf.shape(self._row_splits, out_type=out_type)[0] - 1

    def row_starts(self, name=None) -> tf.Tensor:
        """Where each row begins in `values`."""
        with tf.name_scope(name or "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name=None) -> tf.Tensor:
        """Where each row ends in `values`."""
        with tf.name_scope(name or "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """The lengths of the rows along `axis`, ragged if that is above 1.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths()
        <tf.Tensor: shape=(3,), dtype=int64, numpy=array([2, 0, 1])>
        """
        if axis == 0:
            return self.nrows(name=name)
        rank = self.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(
                f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
            )
        axis = axis + rank if axis < 0 else axis
        if axis == 0:
            return self.nrows(name=name)
        with tf.name_scope(name or "RaggedRowLengths"):
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            shape = tf.shape(self._values, out_type=self._row_splits.dtype)
            return self.with_values(
                tf.fill(shape[: axis - 1], shape[axis - 1])
            )

    def value_rowids(self, name=None) -> tf.Tensor:
        """The row that each of `values` belongs to."""
        with tf.name_scope(name or "RaggedValueRowIds"):
            return rows.rowids(self._row_splits)

    def nested_row_lengths(self, name=None) -> tuple[tf.Tensor, ...]:
        """The row lengths of all ragged dimensions, outermost first."""
        return tuple(level.row_lengths() for level in self._levels())

    def nested_value_rowids(self, name=None) -> tuple[tf.Tensor, ...]:
        """The row ids of all ragged dimensions, outermost first."""
        return tuple(level.value_rowids() for level in self._levels())

    def bounding_shape(self, axis=None, name=None, out_type=None) -> tf.Tensor:
        """The shape of the smallest dense tensor that holds all values.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape()
        <tf.Tensor: shape=(2,), dtype=int64, numpy=array([2, 3])>
        """
        out_type = tf.as_dtype(out_type or self._row_splits.dtype)
        with tf.name_scope(name or "RaggedBoundingBox"):
            sizes = [self.nrows()]
            for level in self._levels():
                lengths = level.row_lengths()
                sizes.append(
                    tf.maximum(
                        tf.reduce_max(lengths), tf.zeros([], lengths.dtype)
                    )
                )
            inner = tf.shape(self.flat_values, self._row_splits.dtype)[1:]
            shape = tf.cast(tf.concat([tf.stack(sizes), inner], 0), out_type)
            return shape if axis is None else tf.gather(shape, axis)

    # --- Its parts replaced.

    def with_values(self, new_values) -> "RaggedTensor":
        """The same rows with other values, as many as there were."""
        new_values = rows.as_values(new_values)
        ours, theirs = self._values.shape[:1], new_values.shape[:1]
        ours.assert_is_compatible_with(theirs)
        if (
            isinstance(new_values, RaggedTensor)
            and new_values._row_splits.dtype != self._row_splits.dtype
        ):
            new_values = new_values.with_row_splits_dtype(tf.int64)
            return self.with_row_splits_dtype(tf.int64).with_values(new_values)
        return RaggedTensor(
            new_values, (self._row_splits, self._uniform_row_length),
            internal=True,
        )

    def with_flat_values(self, new_values) -> "RaggedTensor":
        """The same partitions with other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype) -> "RaggedTensor":
        """The same with row splits of int32 or int64."""
        dtype = tf.as_dtype(dtype)
        if dtype not in (tf.int32, tf.int64):
            raise ValueError(
                "Argument `row_splits` dtype must be int32 or int64. Received "
                f"{dtype}."
            )
        if self._row_splits.dtype == dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(
            values,
            (tf.cast(self._row_splits, dtype), self._uniform_row_length),
            internal=True,
        )

    def merge_dims(self, outer_axis, inner_axis):
        """The dimensions from one axis to another joined into one."""
        from graphkiln._src.ragged import conversion

        return conversion.merge_dims(self, outer_axis, inner_axis)

    # --- Other forms.

    def to_list(self) -> list:
        """Nested lists of Python values; eager only.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        splits = rows.eager(self, self._row_splits, "to_list").tolist()
        if isinstance(self._values, RaggedTensor):
            values = self._values.to_list()
        else:
            values = rows.eager(self, self._values, "to_list").tolist()
        return [
            values[start:end] for start, end in zip(splits, splits[1:])
        ]

    def numpy(self) -> np.ndarray:
        """An array of arrays, or of numbers if all rows are of one length."""
        splits = rows.eager(self, self._row_splits, "numpy")
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

    def to_tensor(self, default_value=None, name=None, shape=None) -> tf.Tensor:
        """A dense tensor: short rows are filled up with `default_value`.

        Args:
          default_value: a scalar of the same dtype; 0 or "" unless given.
          shape: the shape wanted; longer rows are cut.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor().numpy().tolist()
        [[1, 2], [3, 0]]
        """
        from graphkiln._src.ragged import conversion

        return conversion.to_tensor(self, default_value, name, shape)

    def to_sparse(self, name=None):
        """A tf.SparseTensor with the same values at the same places."""
        from graphkiln._src.ragged import conversion

        return conversion.to_sparse(self, name)

    def _gradient_part(self) -> tf.Tensor:
        return self.flat_values

    def _with_gradient(self, gradient) -> "RaggedTensor":
        return self.with_flat_values(gradient)

    def __tf_tensor__(self, dtype=None, name=None):
        if not tf.executing_eagerly():
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
        return indexing.getitem(self, key)

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


rows.RaggedTensor = indexing.RaggedTensor = RaggedTensor
operators.install(RaggedTensor)
