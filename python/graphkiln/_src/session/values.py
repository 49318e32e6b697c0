"""What sessions give for values that are made of several tensors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphkiln import _graphkiln


class IndexedSlicesValue(NamedTuple):
    """The arrays of a tf.IndexedSlices.

    >>> tf.compat.v1.IndexedSlicesValue([1.0], [0], None).indices
    [0]
    """

    values: object
    indices: object
    dense_shape: object


class RaggedTensorValue:
    """The arrays of a tf.RaggedTensor: `values` and the places where rows
    begin.

    >>> value = tf.compat.v1.ragged.constant_value([[1], [2, 3]])
    >>> value.to_list()
    [[1], [2, 3]]
    >>> value.row_splits.tolist()
    [0, 1, 3]
    """

    def __init__(self, values: object, row_splits: object) -> None:
        if not (
            isinstance(row_splits, (np.ndarray, np.generic))
            and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and (
            row_splits.dtype != values.row_splits.dtype
        ):
            raise ValueError(
                "row_splits and values.row_splits must have the same dtype"
            )
        self._values = values
        self._row_splits = row_splits

    @property
    def row_splits(self) -> np.ndarray:
        """Where rows begin, and the end."""
        return self._row_splits

    @property
    def values(self) -> object:
        """The rows, one after another."""
        return self._values

    @property
    def dtype(self) -> np.dtype:
        """Of the innermost values."""
        return self._values.dtype

    @property
    def flat_values(self) -> object:
        """The innermost values."""
        values = self._values
        while isinstance(values, RaggedTensorValue):
            values = values.values
        return values

    @property
    def nested_row_splits(self) -> tuple:
        """The row splits of all ragged dimensions, the outermost first."""
        splits, values = [], self
        while isinstance(values, RaggedTensorValue):
            splits.append(values.row_splits)
            values = values.values
        return tuple(splits)

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple:
        """The shape; None where rows differ."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    @property
    def _nested_row_partitions(self) -> tuple:
        return self.nested_row_splits

    def to_list(self) -> list:
        """The rows as nested lists."""
        values = self._values
        items = (
            values.to_list()
            if isinstance(values, RaggedTensorValue)
            else values.tolist()
        )
        ends = self._row_splits
        return [items[ends[i]:ends[i + 1]] for i in range(len(ends) - 1)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return (
            f"tf.RaggedTensorValue(values={self._values!r}, "
            f"row_splits={self._row_splits!r})"
        )


def ragged_value(flat_values: object, splits: object) -> object:
    """The value of these row splits, the outermost first."""
    for row_splits in reversed(list(splits)):
        flat_values = RaggedTensorValue(flat_values, row_splits)
    return flat_values


def constant_value(
    pylist: object,
    dtype: object = None,
    ragged_rank: int | None = None,
    inner_shape: object = None,
    row_splits_dtype: object = "int64",
) -> object:
    """A RaggedTensorValue of nested lists; an array where no dimension is
    ragged.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).flat_values.tolist()
    [1, 2, 3]
    """
    # NumPy decides what the elements are, rules of tensors how they nest.
    kind = getattr(dtype, "as_numpy_dtype", dtype)
    as_tensors = None if kind in (None, object, bytes, str) else dtype
    if np.dtype(kind).kind in "SUO":
        as_tensors = None
    # A graph of its own: nothing is added to the default one.
    with _graphkiln.Graph().as_default():
        made = _graphkiln.ragged_constant(
            pylist,
            as_tensors,
            ragged_rank,
            inner_shape,
            row_splits_dtype=row_splits_dtype,
        )
    splits = getattr(made, "nested_row_splits", ())
    elements = pylist
    for _ in splits:
        elements = [element for row in elements for element in row]
    array = np.array(elements)
    if kind not in (None, object):
        array = array.astype(kind)
    array = array.reshape(getattr(made, "flat_values", made).shape)
    return ragged_value(array, [_graphkiln.get_static_value(s) for s in splits])
