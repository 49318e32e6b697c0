"""tf.experimental.RowPartition: how values are divided into rows."""

from __future__ import annotations

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor, TensorSpec, _ragged
from graphkiln._src import ops
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec


class RowPartition(CompositeTensor):
    """Rows of values, by where each row begins and ends.

    >>> partition = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> partition
    tf.RowPartition(row_splits=[0 2 2 3])
    >>> partition.nvals().numpy().item()
    3
    """

    __slots__ = ("_row_splits", "_uniform")

    def __init__(self, row_splits, uniform_row_length=None, internal=False):
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the "
                "factory methods instead (e.g., "
                "RowPartition.from_row_lengths())"
            )
        self._row_splits = row_splits
        self._uniform = uniform_row_length

    @classmethod
    def from_row_splits(
        cls, row_splits, validate=True, dtype=None, dtype_hint=dtypes.int64
    ):
        """Row i has the values from `row_splits[i]` to `row_splits[i + 1]`."""
        return cls(*_ragged.partition(
            "row_splits", row_splits, None, validate, dtype, dtype_hint
        ), internal=True)

    @classmethod
    def from_row_lengths(
        cls, row_lengths, validate=True, dtype=None, dtype_hint=dtypes.int64
    ):
        """Row i has `row_lengths[i]` values."""
        return cls(*_ragged.partition(
            "row_lengths", row_lengths, None, validate, dtype, dtype_hint
        ), internal=True)

    @classmethod
    def from_value_rowids(
        cls, value_rowids, nrows=None, validate=True, dtype=None,
        dtype_hint=dtypes.int64,
    ):
        """Value j belongs to row `value_rowids[j]`; the ids never fall."""
        return cls(*_ragged.partition(
            "value_rowids", value_rowids, nrows, validate, dtype, dtype_hint
        ), internal=True)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length, nvals=None, nrows=None, validate=True,
        dtype=None, dtype_hint=dtypes.int64,
    ):
        """Every row has `uniform_row_length` values."""
        return cls(*_ragged.uniform_partition(
            uniform_row_length, nvals, nrows, validate, dtype, dtype_hint
        ), internal=True)

    @property
    def dtype(self) -> DType:
        """Of the splits."""
        return self._row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    def row_lengths(self) -> Tensor:
        """How many values each row has."""
        return _ragged.lengths(self._row_splits)

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return _ragged.row_starts(self._row_splits)

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return _ragged.row_limits(self._row_splits)

    def value_rowids(self) -> Tensor:
        """The row of each value."""
        return _ragged.rowids(self._row_splits)

    def nrows(self) -> Tensor:
        """How many rows there are."""
        return _ragged.nrows(self._row_splits)

    def nvals(self) -> Tensor:
        """How many values there are."""
        return _ragged.nvals(self._row_splits)

    def uniform_row_length(self):
        """The length of every row if that is uniform, else None."""
        if self._uniform is None:
            return None
        return _graphkiln.constant(self._uniform, self.dtype)

    @property
    def static_nrows(self) -> int | None:
        """How many rows there are, if that is known."""
        size = self._row_splits.shape[0]
        return None if size is None else size - 1

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of every row, if that is uniform and known."""
        return self._uniform

    @property
    def static_nvals(self) -> int | None:
        """How many values there are, if that is known."""
        known = _graphkiln.get_static_value(self._row_splits)
        return None if known is None else int(known[-1])

    def is_uniform(self) -> bool:
        """Are all rows known to be of one length?"""
        return self._uniform is not None

    def with_dtype(self, dtype) -> RowPartition:
        """The same with splits of int32 or int64."""
        dtype = _splits_dtype(dtype)
        if self.dtype == dtype:
            return self
        return RowPartition(
            ops.cast(self._row_splits, dtype), self._uniform, internal=True
        )

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec.from_value(self)

    def __repr__(self) -> str:
        if self._uniform is not None:
            return (
                f"tf.RowPartition(nrows={_text(self.nrows())}, "
                f"uniform_row_length={self._uniform})"
            )
        return f"tf.RowPartition(row_splits={_text(self._row_splits)})"


class RowPartitionSpec(TypeSpec):
    """What is known of a tf.experimental.RowPartition."""

    def __init__(
        self,
        nrows=None,
        nvals=None,
        uniform_row_length=None,
        dtype=dtypes.int64,
    ):
        self._nrows = nrows
        self._nvals = nvals
        self._uniform = uniform_row_length
        self._dtype = _graphkiln.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: RowPartition) -> RowPartitionSpec:
        """The spec of a partition."""
        return cls(
            value.static_nrows, value.static_nvals,
            value.static_uniform_row_length, value.dtype,
        )

    @property
    def value_type(self) -> type:
        """tf.experimental.RowPartition."""
        return RowPartition

    def _serialize(self) -> tuple:
        return self._nrows, self._nvals, self._uniform, self._dtype

    @property
    def _component_specs(self) -> TensorSpec:
        size = None if self._nrows is None else self._nrows + 1
        return TensorSpec([size], self._dtype)

    def _to_components(self, value: RowPartition) -> Tensor:
        return value.row_splits()

    def _from_components(self, components: Tensor) -> RowPartition:
        return RowPartition(components, self._uniform, internal=True)

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform}, dtype={self._dtype!r})"
        )


def partition_of(level: RaggedTensor) -> RowPartition:
    """The outermost partition of a ragged tensor."""
    return RowPartition(
        level.row_splits, level._uniform_row_length, internal=True
    )


def partition(values, partitions) -> object:
    """Values in rows, the outermost partition first."""
    for level in reversed(partitions):
        values = RaggedTensor(
            values, (level.row_splits(), level.static_uniform_row_length),
            internal=True,
        )
    return values


def _splits_dtype(dtype) -> DType:
    dtype = _graphkiln.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"dtype must be tf.int32 or tf.int64. Received {dtype}."
        )
    return dtype


def _text(tensor: Tensor) -> str:
    return str(tensor.numpy() if hasattr(tensor, "numpy") else tensor)
