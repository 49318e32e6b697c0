"""Functions of tensors that take structures in their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import DynamicRaggedShape, RaggedTensor, RowPartition
from graphkiln._src import ops
from graphkiln._src.structured import partitions
from graphkiln._src.structured.structured_tensor import StructuredTensor


def _positive_axis(axis: Any, rank: int | None, name: str = "ndims") -> int:
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis < 0:
            raise ValueError(
                f"axis={axis} may only be negative if {name} is statically known."
            )
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


def _shape(input, out_type=_graphkiln.int32, name=None):
    return input._ragged_shape.with_dtype(out_type)


def _rank(input, name=None):
    return _graphkiln.constant(input.rank, _graphkiln.int32)


def _size(input, out_type=None, name=None):
    count = 1 if input.rank == 0 else input.nrows()
    if input.row_partitions:
        count = input.row_partitions[-1].nvals()
    return ops.cast(count, out_type or _graphkiln.int32)


def _filled(make: Callable, structures: StructuredTensor, dtype: Any) -> Any:
    """Numbers in the places of structures."""
    dtype = dtype or _graphkiln.float32
    parts = structures.row_partitions
    if structures.rank == 0:
        return make([], dtype)
    if not parts:
        return make([structures.nrows()], dtype)
    values = make([parts[-1].nvals()], dtype)
    for part in reversed(parts):
        values = partitions.of_rows(values, part)
    return values


def _zeros_like(input, dtype=None, name=None, layout=None):
    return _filled(ops.zeros, input, dtype)


def _ones_like(input, dtype=None, name=None, layout=None):
    return _filled(ops.ones, input, dtype)


def _rebuilt(
    values: Sequence[Any], function: Callable[[Sequence[Any]], Any]
) -> Any:
    """What a function of tensors makes of values of the same fields."""
    if not isinstance(values[0], StructuredTensor):
        return function(values)
    numbers = function([_filled(ops.zeros, v, _graphkiln.int32) for v in values])
    fields = {
        k: _rebuilt([v.field_value(k) for v in values], function)
        for k in values[0].field_names()
    }
    if fields:
        return StructuredTensor.from_fields(fields, numbers.shape)
    return _without_fields(numbers)


def _without_fields(numbers: Any) -> StructuredTensor:
    shape = numbers.shape
    if shape.rank is None:
        raise ValueError("Can't build StructuredTensor w/ unknown rank")
    if shape.rank < 2:
        rows = ops.shape(numbers)[0] if shape.rank else None
        return StructuredTensor.from_fields({}, shape, nrows=rows)
    dtype = (
        numbers.row_splits.dtype
        if isinstance(numbers, RaggedTensor)
        else _graphkiln.int64
    )
    parts = partitions.as_partitions(DynamicRaggedShape.from_tensor(numbers, dtype))
    return StructuredTensor.from_fields({}, shape, row_partitions=parts)


def _expand_dims(input, axis, name=None):
    axis = _positive_axis(axis, input.rank + 1, "rank(st)")
    sizes = input.shape.as_list()
    return StructuredTensor.from_fields(
        {k: ops.expand_dims(input.field_value(k), axis) for k in input.field_names()},
        shape=[*sizes[:axis], 1, *sizes[axis:]],
        nrows=input.nrows() if axis > 0 else 1,
        row_partitions=_expanded(input, axis),
    )


def _expanded(structures: StructuredTensor, axis: int) -> tuple[RowPartition, ...]:
    """The partitions with a dimension of size 1 more."""
    own = structures.row_partitions
    if structures.rank == 0:
        return ()
    if axis == 0:
        count = structures.nrows()
        return (
            RowPartition.from_uniform_row_length(count, count, nrows=1, validate=False),
            *own,
        )
    count = own[axis - 2].nvals() if axis > 1 else structures.nrows()
    single = RowPartition.from_uniform_row_length(
        ops.cast(1, count.dtype), count, nrows=count, validate=False
    )
    return (*own[: axis - 1], single, *own[axis - 1 :])


def _gather(
    params, indices, validate_indices=None, axis=None, batch_dims=0, name=None
):
    axis = _positive_axis(
        batch_dims if axis is None else axis, params.shape.rank, "params.shape.rank"
    )
    if not isinstance(indices, RaggedTensor):
        indices = _graphkiln.convert_to_tensor(indices, name="indices")

    def gathered(parts):
        return ops.gather(parts[0], indices, axis=axis, batch_dims=batch_dims)

    return _rebuilt([params], gathered)


def _concat(values, axis, name="concat"):
    if not isinstance(values, Sequence):
        raise ValueError("values must be a list of StructuredTensors (not a list)")
    if not all(isinstance(v, StructuredTensor) for v in values):
        raise ValueError("values must be a list of StructuredTensors")
    paths = [_paths(v) for v in values]
    apart = set().union(*(p.keys() ^ paths[0].keys() for p in paths))
    if apart:
        raise ValueError(
            "Some paths are present in some, but not all, structured tensors: "
            f"{apart!r}"
        )
    if any(p != paths[0] for p in paths):
        raise ValueError("Ranks of sub-message do not match")
    axis = _positive_axis(axis, values[0].rank)
    return _rebuilt(values, lambda parts: ops.concat(parts, axis))


def _paths(structures: StructuredTensor) -> dict[tuple, int | None]:
    """Fields in one another, with the ranks of those that are structures."""
    found: dict[tuple, int | None] = {(): structures.rank}
    for name in structures.field_names():
        value = structures.field_value(name)
        below = _paths(value) if isinstance(value, StructuredTensor) else {(): None}
        found.update({(name, *path): rank for path, rank in below.items()})
    return found


def _shuffle(value, seed=None, name=None):
    if value.rank == 0:
        raise ValueError("Cannot shuffle a scalar StructuredTensor")
    order = ops.random.shuffle(ops.range(value.nrows()), seed=seed)
    return _gather(value, order, axis=0)


def _register() -> None:
    of_one = {
        "input": (
            (ops.shape, _shape), (ops.rank, _rank), (ops.size, _size),
            (ops.zeros_like, _zeros_like), (ops.ones_like, _ones_like),
            (ops.expand_dims, _expand_dims),
        ),
        "params": ((ops.gather, _gather),),
        "value": ((ops.random.shuffle, _shuffle),),
    }
    for argument, functions in of_one.items():
        for api, function in functions:
            _graphkiln.dispatch_for_api(api, {argument: StructuredTensor})(function)
    _graphkiln.dispatch_for_api(ops.concat, {"values": list[StructuredTensor]})(_concat)


_register()
