"""tf.experimental.DynamicRaggedShape: the shape of a ragged tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor, TensorShape, TensorSpec, _ragged
from graphkiln._src import ops
from graphkiln._src.ragged.row_partition import (
    RowPartition,
    RowPartitionSpec,
    partition,
    partition_of,
)
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.types import dtypes as _dtypes
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec


class DynamicRaggedShape(CompositeTensor):
    """The partitions of the outer dimensions and the lengths of the others.

    What `tf.shape` gives for ragged tensors; `tf.reshape`, `tf.broadcast_to`,
    `tf.fill`, `tf.ones` and `tf.zeros` take it as a shape.

    Args:
      row_partitions: tf.experimental.RowPartition, the outermost first.
      inner_shape: of the flat values: a vector of integers.
      dtype: tf.int32 or tf.int64; of the shape's numbers.
      validate: whether partitions and inner shape are checked to fit.

    >>> shape = tf.shape(tf.ragged.constant([[1, 2, 3], [], [4]]))
    >>> shape
    <DynamicRaggedShape lengths=[3, (3, 0, 1)] num_row_partitions=1>
    >>> tf.broadcast_to(7, shape)
    <tf.RaggedTensor [[7, 7, 7], [], [7]]>
    """

    __slots__ = ("_inner_shape", "_row_partitions", "_static_inner_shape")

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape,
        dtype=None,
        validate: bool = False,
        static_inner_shape=None,
    ):
        for part in row_partitions:
            if not isinstance(part, RowPartition):
                raise TypeError(
                    "row_partitions must be a list of RowPartition. Received "
                    f"{part!r}."
                )
        if dtype is None:
            dtypes = [part.dtype for part in row_partitions]
            if isinstance(inner_shape, Tensor):
                dtypes.append(inner_shape.dtype)
            dtype = (
                _dtypes.int32 if _dtypes.int32 in dtypes[:1] else _dtypes.int64
            )
        dtype = _graphkiln.as_dtype(dtype)
        if dtype not in (_dtypes.int32, _dtypes.int64):
            raise ValueError(
                f"dtype must be tf.int32 or tf.int64. Received {dtype}."
            )
        static = TensorShape(static_inner_shape)
        if not isinstance(inner_shape, Tensor):
            static = TensorShape(inner_shape)
            inner_shape = _graphkiln.constant(
                inner_shape, dtype, shape=[static.rank]
            )
        elif static.rank is None:
            known = _graphkiln.get_static_value(inner_shape)
            if known is not None:
                static = TensorShape(known.tolist())
            elif inner_shape.shape[0] is not None:
                static = TensorShape([None] * inner_shape.shape[0])
        inner_shape.shape.assert_has_rank(1)
        if static.rank is None:
            raise ValueError("inner_shape must have a known number of lengths")
        if row_partitions and static.rank == 0:
            raise ValueError(
                "If row_partitions are provided, must have inner_rank > 0"
            )
        self._row_partitions = tuple(
            part.with_dtype(dtype) for part in row_partitions
        )
        self._inner_shape = ops.cast(inner_shape, dtype)
        self._static_inner_shape = static
        if validate:
            self._check()

    def _check(self) -> None:
        counts = [part.nvals() for part in self._row_partitions]
        needed = [part.nrows() for part in self._row_partitions[1:]]
        checks = [
            ops.debugging.assert_equal(
                count, rows, "the partitions do not fit each other"
            )
            for count, rows in zip(counts, [*needed, *self._inner_shape[:1]])
        ]
        checks = [check for check in checks if check is not None]
        with _graphkiln.control_dependencies(checks):
            self._inner_shape = ops.identity(self._inner_shape)

    @classmethod
    def from_tensor(cls, t, dtype=None) -> DynamicRaggedShape:
        """The shape of a tensor or ragged tensor.

        >>> tf.experimental.DynamicRaggedShape.from_tensor([[1, 2]])
        <DynamicRaggedShape lengths=[1, 2] num_row_partitions=0>
        """
        if not isinstance(t, RaggedTensor):
            t = _graphkiln.convert_to_tensor(t)
            dtype = _graphkiln.as_dtype(dtype or _dtypes.int64)
            return cls([], ops.shape(t, out_type=dtype), dtype, False, t.shape)
        dtype = _graphkiln.as_dtype(dtype or t.row_splits.dtype)
        parts = [partition_of(level) for level in t._levels()]
        flat = t.flat_values
        inner = ops.shape(flat, out_type=dtype)
        return cls(parts, inner, dtype, False, flat.shape)

    @classmethod
    def from_row_partitions(cls, row_partitions, dtype=None):
        """The shape of rows of scalars."""
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        count = row_partitions[-1].nvals()
        return cls(
            row_partitions, ops.reshape(count, [1]), dtype, False,
            [row_partitions[-1].static_nvals],
        )

    @classmethod
    def from_lengths(
        cls, lengths, num_row_partitions=None, dtype=_dtypes.int64
    ) -> DynamicRaggedShape:
        """The shape with these lengths: an int for a uniform dimension, the
        lengths of all rows for a ragged one.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([3, (2, 0, 1)])
        <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>
        """
        ragged = [
            axis for axis, length in enumerate(lengths)
            if not isinstance(length, int) and _rank(length) == 1
        ]
        if ragged and ragged[0] == 0:
            raise ValueError("The outermost dimension must be uniform")
        needed = ragged[-1] if ragged else 0
        count = needed if num_row_partitions is None else num_row_partitions
        if count < needed or count >= max(len(lengths), 1):
            raise ValueError(
                f"num_row_partitions ({count}) does not fit lengths {lengths}"
            )
        nrows = lengths[0] if lengths else None
        parts = []
        for axis in range(1, count + 1):
            if axis in ragged:
                part = RowPartition.from_row_lengths(
                    lengths[axis], dtype=dtype
                )
                ops.debugging.assert_equal(
                    part.nrows(), ops.cast(nrows, dtype),
                    f"lengths[{axis}] has another number of rows",
                )
            else:
                part = RowPartition.from_uniform_row_length(
                    lengths[axis], nrows=nrows, dtype=dtype
                )
            parts.append(part)
            known = part.static_nvals
            nrows = part.nvals() if known is None else known
        inner = [nrows, *lengths[count + 1 :]] if lengths else []
        if all(isinstance(length, int) for length in inner):
            return cls(parts, inner, dtype)
        return cls(
            parts, ops.stack([ops.cast(n, dtype) for n in inner]), dtype
        )

    # --- What it is.

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return self.num_row_partitions + self.inner_rank

    @property
    def inner_rank(self) -> int:
        """The rank of the flat values."""
        return self._static_inner_shape.rank

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the flat values."""
        return self._inner_shape

    @property
    def num_row_partitions(self) -> int:
        """How many dimensions are partitions, uniform or ragged."""
        return len(self._row_partitions)

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, the outermost first."""
        return self._row_partitions

    @property
    def dtype(self) -> DType:
        """Of the shape's numbers."""
        return self._inner_shape.dtype

    def with_dtype(self, dtype) -> DynamicRaggedShape:
        """The same with numbers of int32 or int64."""
        return DynamicRaggedShape(
            self._row_partitions, self._inner_shape, dtype, False,
            self._static_inner_shape,
        )

    def is_uniform(self, axis: int) -> bool:
        """Are all slices along `axis` of one length?"""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        if axis == 0 or axis > self.num_row_partitions:
            return True
        return self._row_partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list:
        """What is known of the length of each dimension: an int, None, or
        the lengths of all rows, if `ragged_lengths`, of a ragged one.

        >>> tf.shape(tf.ragged.constant([[1], []])).static_lengths()
        [2, (1, 0)]
        """
        if self.rank == 0:
            return []
        lengths: list = []
        for part in self._row_partitions:
            if not lengths:
                lengths.append(part.static_nrows)
            lengths.append(part.static_uniform_row_length)
            if lengths[-1] is None and ragged_lengths:
                known = _graphkiln.get_static_value(part.row_lengths())
                if known is not None:
                    lengths[-1] = tuple(known.tolist())
        inner = self._static_inner_shape.as_list()
        return lengths + (inner[1:] if lengths else inner)

    def _to_tensor_shape(self) -> TensorShape:
        return TensorShape(self.static_lengths(ragged_lengths=False))

    def _num_slices_in_dimension(self, axis: int) -> Tensor:
        """How many slices there are along the dimensions up to `axis`."""
        if axis < 0:
            raise ValueError("axis cannot be negative")
        if axis >= self.rank:
            raise ValueError(f"axis={axis} must be less than {self.rank}")
        if axis < self.num_row_partitions:
            return self._row_partitions[axis].nrows()
        inner = axis - self.num_row_partitions
        return ops.reduce_prod(self._inner_shape[: inner + 1])

    # --- Its parts.

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        axis = index + self.rank if index < 0 else index
        if axis < 0:
            raise IndexError(f"Index must not be negative: {index}")
        if axis > self.rank or (
            axis == self.rank and axis > self.num_row_partitions + 1
        ):
            raise IndexError(f"Index is too big: {axis}>={self.rank}")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        if axis > self.num_row_partitions:
            return self._inner_shape[axis - self.num_row_partitions]
        if self.num_row_partitions == 0:
            return self._inner_shape[axis]
        if axis == 0:
            return self._row_partitions[0].nrows()
        return self._row_partitions[axis - 1].uniform_row_length()

    def _slice(self, key: slice) -> DynamicRaggedShape:
        start, stop, step = key.indices(self.rank)
        if step != 1:
            raise NotImplementedError("Slicing a shape with a step")
        if stop <= start:
            return DynamicRaggedShape([], [], self.dtype)
        static = self._static_inner_shape
        count = self.num_row_partitions
        if start > 0:
            if not all(part.is_uniform() for part in self._row_partitions):
                raise ValueError("All relevant dimensions must be uniform")
            parts = [self[axis] for axis in range(start, stop)]
            known = self.static_lengths(False)[start:stop]
            return DynamicRaggedShape(
                [], ops.stack(parts), self.dtype, False, known
            )
        if stop > count:
            inner = stop - count
            return DynamicRaggedShape(
                self._row_partitions, self._inner_shape[:inner], self.dtype,
                False, static[:inner],
            )
        outer = self._row_partitions[: stop - 1]
        rows = self._row_partitions[stop - 1]
        return DynamicRaggedShape(
            outer, ops.reshape(rows.nrows(), [1]), self.dtype, False,
            [rows.static_nrows],
        )

    def __iter__(self) -> Iterator[Tensor]:
        return (self[axis] for axis in range(self.rank))

    def __eq__(self, other: object):
        if not isinstance(other, DynamicRaggedShape):
            return False
        if (self.num_row_partitions, self.inner_rank) != (
            other.num_row_partitions, other.inner_rank
        ):
            return False
        known = self._static_inner_shape
        if not known.is_compatible_with(other._static_inner_shape):
            return False
        equal = [_same(self._inner_shape, other._inner_shape)]
        for a, b in zip(self._row_partitions, other._row_partitions):
            ours, theirs = a.row_splits(), b.row_splits()
            if not ours.shape.is_compatible_with(theirs.shape):
                return False
            equal.append(_same(ours, theirs))
        return ops.reduce_all(ops.stack(equal))

    def __ne__(self, other: object):
        equal = self == other
        return not equal if isinstance(equal, bool) else ops.logical_not(equal)

    def __hash__(self):
        raise TypeError("unhashable type: 'DynamicRaggedShape'")

    def __repr__(self) -> str:
        return (
            f"<DynamicRaggedShape lengths={self.static_lengths()} "
            f"num_row_partitions={self.num_row_partitions}>"
        )

    def __tf_tensor__(self, dtype=None, name=None):
        raise ValueError(
            f"{self} is no tensor: TypeError: object of type "
            "'DynamicRaggedShape' has no len()"
        )

    @property
    def _type_spec(self) -> Spec:
        return Spec.from_value(self)


class Spec(TypeSpec):
    """What is known of a tf.experimental.DynamicRaggedShape."""

    def __init__(self, row_partitions, static_inner_shape, dtype=_dtypes.int64):
        self._row_partitions = tuple(row_partitions)
        self._static_inner_shape = TensorShape(static_inner_shape)
        self._dtype = _graphkiln.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: DynamicRaggedShape) -> Spec:
        """The spec of a shape."""
        return cls(
            [part._type_spec for part in value.row_partitions],
            value._static_inner_shape, value.dtype,
        )

    @property
    def value_type(self) -> type:
        """tf.experimental.DynamicRaggedShape."""
        return DynamicRaggedShape

    def _serialize(self) -> tuple:
        return self._row_partitions, self._static_inner_shape, self._dtype

    @property
    def _component_specs(self) -> list:
        inner = TensorSpec([self._static_inner_shape.rank], self._dtype)
        return [*self._row_partitions, inner]

    def _to_components(self, value: DynamicRaggedShape) -> list:
        return [*value.row_partitions, value.inner_shape]

    def _from_components(self, components: list) -> DynamicRaggedShape:
        *parts, inner = components
        return DynamicRaggedShape(
            parts, inner, self._dtype, False, self._static_inner_shape
        )

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions}, "
            f"static_inner_shape={self._static_inner_shape!r}, "
            f"dtype={self._dtype!r})"
        )


DynamicRaggedShape.Spec = Spec


def _rank(value) -> int | None:
    shape = getattr(value, "shape", None)
    return 1 if shape is None else len(shape)


def _same(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype != b.dtype:
        a, b = ops.cast(a, _dtypes.int64), ops.cast(b, _dtypes.int64)
    sizes = ops.equal(ops.shape(a), ops.shape(b))
    return _graphkiln.cond(
        ops.reduce_all(sizes),
        lambda: ops.reduce_all(ops.equal(a, b)),
        lambda: _graphkiln.constant(False),
    )


# --- Functions that take such shapes.


def _reshape(api: Callable, bound: dict) -> object:
    tensor, shape = bound["tensor"], bound["shape"]
    if isinstance(tensor, RaggedTensor):
        tensor = tensor.flat_values
    flat = api(tensor, shape.inner_shape)
    flat.set_shape(shape._static_inner_shape)
    return partition(flat, shape.row_partitions)


def _broadcast_to(api: Callable, bound: dict) -> object:
    value, shape = bound["input"], bound["shape"]
    if shape.num_row_partitions == 0:
        return api(value, shape.inner_shape)
    if not isinstance(value, RaggedTensor):
        value = _graphkiln.convert_to_tensor(value)
        if value.shape.rank == 0:
            return _filled(shape, value)
    template = partition(
        ops.zeros(shape.inner_shape, _dtypes.int8), shape.row_partitions
    )
    template.flat_values.set_shape(shape._static_inner_shape)
    return _ragged.binary(
        lambda x, y: api(x, ops.shape(y)), value, template
    )


def _fill(api: Callable, bound: dict) -> object:
    return _filled(bound["dims"], _graphkiln.convert_to_tensor(bound["value"]))


def _filled(shape: DynamicRaggedShape, value: Tensor) -> object:
    flat = ops.fill(shape.inner_shape, value)
    flat.set_shape(shape._static_inner_shape)
    return partition(flat, shape.row_partitions)


def _of_one_value(api: Callable, bound: dict) -> object:
    flat = api(
        bound["shape"].inner_shape, bound.get("dtype") or _dtypes.float32
    )
    flat.set_shape(bound["shape"]._static_inner_shape)
    return partition(flat, bound["shape"].row_partitions)


TABLE: dict[str, Callable] = {
    "reshape": _reshape, "broadcast_to": _broadcast_to, "fill": _fill,
    "ones": _of_one_value, "zeros": _of_one_value,
}


def of_tensor(api: Callable, bound: dict) -> DynamicRaggedShape:
    """tf.shape of a ragged tensor."""
    return DynamicRaggedShape.from_tensor(
        bound["input"], bound.get("out_type") or _dtypes.int32
    )
