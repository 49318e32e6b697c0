"""Outer dimensions of tensors, as row partitions: what the fields of structures
share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import DynamicRaggedShape, RaggedTensor, RowPartition
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src import ops


def vector_shape(length: Any, dtype: Any) -> DynamicRaggedShape:
    """The shape of a vector."""
    return DynamicRaggedShape([], _row([length], dtype))


def flat_shape(
    shape: DynamicRaggedShape, parts: Sequence[RowPartition]
) -> DynamicRaggedShape:
    """The shape of all structures in one row; `parts`: all of its partitions."""
    static = shape._static_inner_shape.as_list()
    if len(parts) == shape.num_row_partitions and static[0] is not None:
        return vector_shape(static[0], shape.dtype)
    return vector_shape(parts[-1].nvals(), shape.dtype)


def scalar_shape(dtype: Any) -> DynamicRaggedShape:
    """The shape of a number."""
    return DynamicRaggedShape([], ops.zeros([0], dtype))


def uniform_shape(sizes: Sequence[int], dtype: Any) -> DynamicRaggedShape:
    """A shape without ragged dimensions."""
    return DynamicRaggedShape([], _graphkiln.constant(list(sizes), dtype))


def _row(numbers: Sequence[Any], dtype: Any) -> Tensor:
    if all(isinstance(n, int) for n in numbers):
        return _graphkiln.constant(list(numbers), dtype)
    return ops.stack([ops.cast(n, dtype) for n in numbers])


def static_shape(shape: DynamicRaggedShape) -> TensorShape:
    """What is known of a shape."""
    inner = shape._static_inner_shape.as_list()
    parts = shape.row_partitions
    if not parts:
        return TensorShape(inner)
    lengths = [p.static_uniform_row_length for p in parts]
    return TensorShape([parts[0].static_nrows, *lengths, *inner[1:]])


def static_shape_of_spec(spec: Any) -> TensorShape:
    """What a spec of a shape says of it."""
    inner = spec._static_inner_shape.as_list()
    parts = [p._serialize() for p in spec._row_partitions]
    if not parts:
        return TensorShape(inner)
    return TensorShape([parts[0][0], *(p[2] for p in parts), *inner[1:]])


def as_partitions(shape: DynamicRaggedShape) -> tuple[RowPartition, ...]:
    """All dimensions but the first as row partitions."""
    parts = list(shape.row_partitions)
    static = shape._static_inner_shape.as_list()
    inner = shape.inner_shape
    rows: Any = static[0] if static and static[0] is not None else None
    rows = inner[0] if rows is None and static else rows
    for i in range(1, len(static)):
        length = static[i] if static[i] is not None else inner[i]
        values = rows * length
        parts.append(
            RowPartition.from_uniform_row_length(
                _cast(length, shape.dtype), nvals=_cast(values, shape.dtype),
                nrows=_cast(rows, shape.dtype), validate=False,
            )
        )
        rows = values
    return tuple(parts)


def _cast(number: Any, dtype: Any) -> Tensor:
    if isinstance(number, int):
        return _graphkiln.constant(number, dtype)
    return ops.cast(number, dtype)


def of_partitions(
    parts: Sequence[RowPartition], dtype: Any
) -> DynamicRaggedShape:
    """The shape that these partitions tell of."""
    parts = [p.with_dtype(dtype) for p in parts]
    values = parts[-1].static_nvals
    return DynamicRaggedShape(
        parts, _row([parts[-1].nvals() if values is None else values], dtype)
    )


def merged(
    a: DynamicRaggedShape | None, b: DynamicRaggedShape | None
) -> DynamicRaggedShape | None:
    """What two say of one shape; ValueError if they cannot agree."""
    if a is None or b is None:
        return b if a is None else a
    first, second = static_shape(a), static_shape(b)
    if not first.is_compatible_with(second):
        raise ValueError(f"Shapes {first} and {second} are incompatible")

    def known(shape: DynamicRaggedShape) -> tuple:
        sizes = static_shape(shape).as_list()
        # More partitions tell of more ragged dimensions.
        return (shape.num_row_partitions, sum(d is not None for d in sizes))

    return b if known(b) > known(a) else a


def with_partitions(value: Any, parts: Sequence[RowPartition]) -> Any:
    """A ragged tensor with these as its outer partitions; others as they are."""
    if not parts or not isinstance(value, RaggedTensor):
        return value
    return of_rows(with_partitions(value.values, parts[1:]), parts[0])


def of_rows(values: Any, part: RowPartition) -> RaggedTensor:
    length = part.static_uniform_row_length
    if length is not None:
        return RaggedTensor.from_uniform_row_length(
            values, length, part.nrows(), validate=False
        )
    return RaggedTensor.from_row_splits(values, part.row_splits(), validate=False)


def partitioned(value: Any, part: RowPartition) -> Any:
    """A tensor whose first dimension becomes two."""
    if isinstance(value, Tensor) and part.static_uniform_row_length is not None:
        rest = ops.shape(value, out_type=part.dtype)[1:]
        sizes = _row([part.nrows(), part.uniform_row_length()], part.dtype)
        return ops.reshape(value, ops.concat([sizes, rest], 0))
    return of_rows(value, part)


def with_merged_dims(value: Any, outer: int, inner: int) -> Any:
    """A tensor whose dimensions from `outer` to `inner` become one."""
    if isinstance(value, RaggedTensor):
        return value.merge_dims(outer, inner)
    sizes = ops.shape(value)
    return ops.reshape(
        value, ops.concat([sizes[:outer], [-1], sizes[inner + 1:]], 0)
    )


def merged_partitions(
    parts: Sequence[RowPartition], outer: int, inner: int
) -> tuple[RowPartition, ...]:
    """The partitions of a shape whose dimensions from `outer` to `inner` become
    one."""
    if outer == 0:
        return tuple(parts[inner:])
    splits = parts[outer - 1].row_splits()
    for part in parts[outer:inner]:
        splits = ops.gather(part.row_splits(), splits)
    joined = RowPartition.from_row_splits(splits, validate=False)
    return (*parts[: outer - 1], joined, *parts[inner:])
