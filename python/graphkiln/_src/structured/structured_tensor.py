"""tf.experimental.StructuredTensor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import DynamicRaggedShape, RaggedTensor, RowPartition
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src.structured import partitions, python_values, reading
from graphkiln._src.types.batchable_extension_type import BatchableExtensionType
from graphkiln._src.types.extension_type import ExtensionType

_NAME = re.compile("^[a-zA-Z][a-zA-Z0-9_]*$")
_UPDATES = "`StructuredTensor.with_updates`"


class StructuredTensor(BatchableExtensionType):
    """Many structures with the same fields: one tensor for each field.

    Its shape is that of the structures: of one structure (). A field of
    structures of the shape [D1, ..., DN] has a tensor of the shape
    [D1, ..., DN, ...], or is a StructuredTensor of these dimensions.

    >>> people = tf.experimental.StructuredTensor.from_pyval([
    ...     {"age": 12, "names": ["Ann"]}, {"age": 82, "names": ["Bob", "Bo"]}])
    >>> people.shape
    TensorShape([2])
    >>> people[1]["age"].numpy().item()
    82
    >>> people.field_value("names").to_list()
    [[b'Ann'], [b'Bob', b'Bo']]
    """

    _fields: Mapping[
        str, Union[Tensor, RaggedTensor, "StructuredTensor", ExtensionType]
    ]
    _ragged_shape: DynamicRaggedShape

    __name__ = "tf.StructuredTensor"

    def __init__(
        self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape
    ) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    # ---- Made of what ----

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Structures without fields.

        Args:
          ragged_shape: their shape.
        """
        return StructuredTensor({}, ragged_shape)

    @classmethod
    def from_fields(
        cls,
        fields: dict[str, Any],
        shape: Any = (),
        nrows: Any = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Structures of their fields.

        Args:
          fields: tensors by name, whose outer dimensions are `shape`.
          shape: of the structures, of which the rank is known.
          nrows: how many there are, where fields do not tell.
          row_partitions: of a shape of more than one dimension, where fields do
            not tell.
          validate: accepted for compatibility.

        >>> tf.experimental.StructuredTensor.from_fields(
        ...     {"x": [1, 2], "y": [[3], [4]]}, shape=[2]).to_pyval()
        [{'x': 1, 'y': [3]}, {'x': 2, 'y': [4]}]
        """
        static = TensorShape(shape)
        rank = static.rank
        if rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        if not isinstance(fields, dict):
            raise TypeError(
                f"fields must be a dictionary, got {type(fields).__name__}"
            )
        if rank < 2 and row_partitions:
            raise ValueError("row_partitions must be None or [] if shape.rank<2")
        if rank == 0 and nrows is not None:
            raise ValueError("nrows must be None if shape.rank==0")
        parts = tuple(row_partitions or ())
        if row_partitions is not None and len(parts) != max(0, rank - 1):
            raise ValueError("len(row_partitions) must be shape.rank-1")
        made = {}
        for key, value in fields.items():
            if not isinstance(key, str):
                raise TypeError(f"Unexpected type for key in `fields`: {key}")
            if not _NAME.match(key):
                raise ValueError(f"Field name {key!r} is not currently allowed.")
            made[key] = _field(value)
        dtype = _shape_dtype(made, parts, nrows)
        of_all = _shape_of_fields(made, rank, dtype)
        if rank == 0:
            of_all = partitions.scalar_shape(dtype)
        elif static.is_fully_defined():
            of_all = partitions.merged(
                partitions.uniform_shape(static.as_list(), dtype), of_all
            )
        if rank == 1 and nrows is not None and static[0] is None:
            of_all = partitions.merged(
                of_all, partitions.vector_shape(nrows, dtype)
            )
        if rank > 1 and parts:
            of_all = partitions.merged(
                of_all, partitions.of_partitions(parts, dtype)
            )
        if of_all is None:
            raise ValueError(
                "Must specify `nrows`, a fully specified `shape`, or have `fields` "
                "if `rank=1`" if rank == 1 else
                "Must specify row_partitions, a fully specified shape, or have "
                "fields if rank > 1"
            )
        known = partitions.static_shape(of_all)
        if not known.is_compatible_with(static):
            raise ValueError(f"Shapes {static} and {known} are incompatible")
        if rank > 1:
            of_all = partitions.of_partitions(
                partitions.as_partitions(of_all), dtype
            )
        return cls({k: _rebuilt(v, parts) for k, v in made.items()}, of_all)

    @classmethod
    def from_fields_and_rank(
        cls,
        fields: Mapping[str, Any],
        rank: int,
        validate: bool = False,
        dtype: Any = None,
    ) -> StructuredTensor:
        """Structures of their fields, which tell the shape.

        Args:
          fields: tensors by name; one at least.
          rank: how many of their outer dimensions are the shape.
          validate: accepted for compatibility.
          dtype: of the shape.

        >>> tf.experimental.StructuredTensor.from_fields_and_rank(
        ...     {"x": [1, 2], "y": [3, 4]}, 1).shape
        TensorShape([2])
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        made = {k: _field(v) for k, v in fields.items()}
        dtype = dtype or _shape_dtype(made, (), None)
        made = {k: _with_shape_dtype(v, dtype) for k, v in made.items()}
        shape = (
            partitions.scalar_shape(dtype) if rank == 0
            else _shape_of_fields(made, rank, dtype)
        )
        parts: tuple = ()
        if rank > 1:
            parts = partitions.as_partitions(shape)
            shape = partitions.of_partitions(parts, dtype)
        return StructuredTensor(
            {k: _rebuilt(v, parts) for k, v in made.items()}, shape
        )

    # ---- What it is ----

    @property
    def rank(self) -> int:
        """How many dimensions the shape has."""
        return self._ragged_shape.rank

    @property
    def shape(self) -> TensorShape:
        """The static shape of the structures."""
        return partitions.static_shape(self._ragged_shape)

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How the structures lie in rows: one partition less than dimensions."""
        if self.rank < 2:
            return ()
        return partitions.as_partitions(self._ragged_shape)

    def nrows(self) -> Tensor | None:
        """How many rows there are; None of one structure."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields.keys())

    def field_value(self, field_name: Any) -> Any:
        """The values of a field.

        Args:
          field_name: a name, or a tuple of names of fields in one another.

        Raises KeyError if there is none.
        """
        if not isinstance(field_name, (list, tuple)):
            return self._fields[field_name]
        value = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    def with_shape_dtype(self, dtype: Any) -> StructuredTensor:
        """The same with splits and sizes of another dtype.

        Args:
          dtype: int32 or int64.
        """
        if dtype == self._ragged_shape.dtype:
            return self
        return StructuredTensor(
            {k: _with_shape_dtype(v, dtype) for k, v in self._fields.items()},
            self._ragged_shape.with_dtype(dtype),
        )

    def __getitem__(self, key: Any) -> Any:
        """A field of one structure, or some of the structures.

        Args:
          key: a name, where there is one structure; numbers and slices of
            dimensions; or a tuple of both.
        """
        key = tuple(key) if isinstance(key, (list, tuple)) else (key,)
        if not key:
            return self
        rank = self.rank
        if rank == 0 and key[0] == slice(None):
            fields = {k: _item(v, key[1:]) for k, v in self._fields.items()}
            return StructuredTensor.from_fields(fields, self.shape)
        if len(key) > rank:
            if not isinstance(key[rank], (str, bytes)):
                raise ValueError(
                    "Key for indexing a StructuredTensor must be a string"
                    + (" or a full slice (':')" if rank == 0 else "")
                )
            name = key[rank] if isinstance(key[rank], str) else key[rank].decode()
            return _item(self._fields[name], key[:rank] + key[rank + 1:])
        fields = {k: _item(v, key) for k, v in self._fields.items()}
        sizes: list = self.shape.as_list()
        gone = []
        for d, k in enumerate(key):
            if isinstance(k, slice):
                if k != slice(None):
                    sizes[d] = None
            elif isinstance(k, (int, np.integer, Tensor)):
                gone.append(d)
            elif k is None:
                raise ValueError("Slicing not supported for tf.newaxis")
            else:
                raise ValueError(f"Slicing not supported for {k!r}")
        return StructuredTensor.from_fields(
            fields, [s for d, s in enumerate(sizes) if d not in gone]
        )

    def __repr__(self) -> str:
        shown = ",\n        ".join(
            f'"{k}": ' + str(v).replace("\n", "\n            ")
            for k, v in sorted(self._fields.items())
        )
        return (
            f"<StructuredTensor(\n    fields={{\n        {shown}}},\n"
            f"    shape={self.shape})>"
        )

    # ---- Changed ----

    def with_updates(
        self, updates: Mapping[Any, Any], validate: bool = False
    ) -> StructuredTensor:
        """The same with other fields.

        Args:
          updates: by name, or tuple of names of fields in one another: a value,
            a function of the value so far, or None for none.
          validate: accepted for compatibility.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}])
        >>> st.with_updates({"x": lambda x: x * 10, "y": [3, 4]}).to_pyval()
        [{'x': 10, 'y': 3}, {'x': 20, 'y': 4}]
        """
        items = sorted(
            (((name,) if isinstance(name, str) else tuple(name), value)
             for name, value in updates.items()),
            key=lambda item: item[0],
        )
        for (before, _), (name, _) in zip(items, items[1:]):
            if name[: len(before)] == before:
                raise ValueError(
                    f"{_UPDATES} does not allow both parent and child nodes to be "
                    f"updated: parent={before}, child={name}. If needed you can "
                    "update child nodes in the parent update value."
                )
        return self._updated((), items)

    def _updated(self, path: tuple, items: list[tuple]) -> StructuredTensor:
        fields = dict(self._fields)
        for name, value in items:
            if not name or not name[0]:
                raise ValueError(
                    f"{_UPDATES} does not allow empty names {path + (name,)}."
                )
            first, rest = name[0], name[1:]
            full = path + (first,)
            if rest:
                below = fields.get(first)
                if below is None:
                    raise ValueError(
                        f"{_UPDATES} cannot create new sub-field {path + name} if "
                        f"parent field {full} is not set."
                    )
                if not isinstance(below, StructuredTensor):
                    raise ValueError(
                        f"{_UPDATES} cannot create new sub-field {path + name} if "
                        f"parent structure {full} is not a `StructuredTensor` that "
                        f"can contain sub-structures -- it is a `{type(below)}`."
                    )
                fields[first] = below._updated(full, [(rest, value)])
            elif value is None:
                if first not in fields:
                    raise ValueError(
                        f"{_UPDATES} cannot delete field {full} because it is not "
                        "present."
                    )
                del fields[first]
            elif callable(value):
                if first not in fields:
                    raise ValueError(
                        f"{_UPDATES} cannot update the field {full} because a "
                        "transforming function was given, but that field does not "
                        "already exist."
                    )
                fields[first] = value(fields[first])
            else:
                fields[first] = value
        try:
            return StructuredTensor.from_fields(
                fields, self.shape, self.nrows(), self.row_partitions
            )
        except ValueError as e:
            where = f" for field {path}" if path else ""
            raise ValueError(f"{_UPDATES} failed{where}") from e

    def promote(self, source_path: Sequence[str], new_name: str) -> StructuredTensor:
        """A field of a field as one beside the latter.

        Args:
          source_path: the names of fields in one another, two at least.
          new_name: of the new field.

        >>> st = tf.experimental.StructuredTensor.from_pyval(
        ...     [{"d": [{"t": [1, 2]}, {"t": [3]}]}, {"d": [{"t": [7]}]}])
        >>> st.promote(("d", "t"), "all").field_value("all").to_list()
        [[1, 2, 3], [7]]
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, (list, tuple)):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        path = tuple(source_path)
        value = self.field_value(path)
        above, parent = self.field_value(path[:-2]), self.field_value(path[:-1])
        if above.rank != parent.rank:
            if value.shape.rank is None:
                raise ValueError(
                    "Cannot determine if dimensions should be merged."
                )
            last = min(parent.rank, value.shape.rank - 1)
            if last > above.rank:
                value = _with_merged_dims(value, above.rank, last)
        return self.with_updates({path[:-2] + (new_name,): value})

    def partition_outer_dimension(
        self, row_partition: RowPartition
    ) -> StructuredTensor:
        """The first dimension becomes two.

        Args:
          row_partition: the rows.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}])
        >>> rows = tf.experimental.RowPartition.from_row_lengths([0, 2])
        >>> st.partition_outer_dimension(rows).to_pyval()
        [[], [{'x': 1}, {'x': 2}]]
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError(f"Shape {self.shape} must have rank at least 1")
        fields = {
            k: v.partition_outer_dimension(row_partition)
            if isinstance(v, StructuredTensor)
            else partitions.partitioned(v, row_partition)
            for k, v in self._fields.items()
        }
        shape = partitions.of_partitions(
            (row_partition, *self.row_partitions), self._ragged_shape.dtype
        )
        return StructuredTensor(fields, shape)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The dimensions from `outer_axis` to `inner_axis` become one.

        Args:
          outer_axis: the first of them.
          inner_axis: the last of them.

        >>> st = tf.experimental.StructuredTensor.from_pyval(
        ...     [[{"x": 1}, {"x": 2}], [], [{"x": 3}]])
        >>> st.merge_dims(0, 1).to_pyval()
        [{'x': 1}, {'x': 2}, {'x': 3}]
        """
        rank = self.rank
        axes = []
        for name, axis in (("outer_axis", outer_axis), ("inner_axis", inner_axis)):
            if not isinstance(axis, int):
                raise TypeError(
                    f"{name} must be an int; got {type(axis).__name__}"
                )
            if not -rank <= axis < rank:
                raise ValueError(
                    f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}"
                )
            axes.append(axis % rank)
        outer, inner = axes
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer}) to be less than or equal to "
                f"inner_axis ({inner})"
            )
        if outer == inner:
            return self
        dtype = self._ragged_shape.dtype
        own = self.row_partitions
        parts = partitions.merged_partitions(own, outer, inner)
        shape = (
            partitions.of_partitions(parts, dtype) if parts
            else partitions.flat_shape(self._ragged_shape, own)
        )
        fields = {
            k: _with_merged_dims(v, outer, inner) for k, v in self._fields.items()
        }
        told = _shape_of_fields(fields, rank - inner + outer, dtype)
        return StructuredTensor(fields, partitions.merged(shape, told))

    # ---- Python's values ----

    def to_pyval(self) -> Any:
        """A dictionary, or nested lists of them, as the shape says.

        Raises ValueError while a function is traced.
        """
        tensors = nest.flatten(self, expand_composites=True)
        if not all(isinstance(t, _graphkiln.EagerTensor) for t in tensors):
            raise ValueError(
                "StructuredTensor.to_pyval() is only supported in eager mode."
            )
        values = {k: _python_value(v) for k, v in self._fields.items()}
        if self.rank == 0:
            return values
        if not values:
            return python_values.empty_dictionaries(
                self.row_partitions, int(self.nrows())
            )
        return python_values.dictionaries(
            list(values), list(values.values()), self.rank
        )

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """What a dictionary, or lists of them, tells of.

        Args:
          pyval: dictionaries with the same keys, in lists as deep as one
            another. Lists of other things become tensors, ragged ones if they
            are nested.
          typespec: a spec of what is made, whose fields may be missing.

        >>> tf.experimental.StructuredTensor.from_pyval(
        ...     {"a": [1, 2], "b": {"c": [3]}}).to_pyval()
        {'a': [1, 2], 'b': {'c': [3]}}
        """
        return reading.from_python(StructuredTensor, pyval, typespec, ())

    class Spec:
        """What is known of a StructuredTensor."""

        @property
        def shape(self) -> TensorShape:
            """What is known of the shape."""
            return partitions.static_shape_of_spec(self._ragged_shape)

        @property
        def rank(self) -> int:
            """How many dimensions the shape has."""
            return self.shape.rank


def _field(value: Any) -> Any:
    if isinstance(value, (Tensor, RaggedTensor, ExtensionType)):
        return value
    try:
        return _graphkiln.convert_to_tensor(value)
    except (ValueError, TypeError) as e:
        raise TypeError(f"Unexpected type for value in `fields`: {value!r}") from e


def _shape_dtype(
    fields: Mapping[str, Any], parts: Sequence[RowPartition], nrows: Any
) -> Any:
    """int32 if somebody has it and nobody int64, else int64."""
    found = [p.dtype for p in parts]
    if isinstance(nrows, Tensor):
        found.append(nrows.dtype)
    for value in fields.values():
        if isinstance(value, RaggedTensor):
            found.append(value.row_splits.dtype)
        elif isinstance(value, StructuredTensor):
            found.append(value._ragged_shape.dtype)
    narrow = _graphkiln.int32 in found and _graphkiln.int64 not in found
    return _graphkiln.int32 if narrow else _graphkiln.int64


def _shape_of_fields(
    fields: Mapping[str, Any], rank: int, dtype: Any
) -> DynamicRaggedShape | None:
    found = None
    for key, value in fields.items():
        try:
            if isinstance(value, StructuredTensor):
                whole = value._ragged_shape.with_dtype(dtype)
            else:
                whole = DynamicRaggedShape.from_tensor(value, dtype)
            if whole.rank is not None and whole.rank < rank:
                raise ValueError(f"rank {whole.rank} is less than {rank}")
            found = partitions.merged(found, whole[:rank])
        except Exception as e:
            raise ValueError(f"Error in shape of {key}") from e
    return found


def _with_shape_dtype(value: Any, dtype: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.with_row_splits_dtype(dtype)
    if isinstance(value, StructuredTensor):
        return value.with_shape_dtype(dtype)
    return value


def _rebuilt(value: Any, parts: Sequence[RowPartition]) -> Any:
    """A field whose outer dimensions lie in these partitions."""
    if not isinstance(value, StructuredTensor) or not parts:
        return partitions.with_partitions(value, parts)
    own = (*parts, *value.row_partitions[len(parts):])
    return StructuredTensor(
        {k: _rebuilt(v, parts) for k, v in value._fields.items()},
        partitions.of_partitions(own, parts[0].dtype),
    )


def _item(value: Any, key: tuple) -> Any:
    return value[key] if key else value


def _with_merged_dims(value: Any, outer: int, inner: int) -> Any:
    if isinstance(value, StructuredTensor):
        return value.merge_dims(outer, inner)
    return partitions.with_merged_dims(value, outer, inner)


def _python_value(value: Any) -> Any:
    if isinstance(value, StructuredTensor):
        return value.to_pyval()
    if isinstance(value, RaggedTensor):
        return value.to_list()
    value = value.numpy()
    return value.tolist() if isinstance(value, np.ndarray) else value
