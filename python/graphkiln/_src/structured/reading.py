"""Structures of dictionaries and lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import RaggedTensorSpec, RowPartition, TensorShape
from graphkiln._graphkiln import TensorSpec
from graphkiln._src.structured import python_values


def _mismatch(path: tuple, value: Any, spec: Any) -> ValueError:
    return ValueError(f"Value at {path!r} does not match typespec: {value!r} vs "
                      f"{spec!r}")


def from_python(cls: type, value: Any, spec: Any, path: tuple) -> Any:
    """A structure, or a tensor, of Python's values.

    Args:
      cls: tf.experimental.StructuredTensor.
      value: dictionaries and lists.
      spec: of what is made, or None.
      path: the names of fields above, for messages.
    """
    if isinstance(value, dict):
        return _from_dictionary(cls, value, spec, path)
    if not isinstance(value, (list, tuple)):
        if spec is not None and not (
            isinstance(spec, TensorSpec) and spec.shape.rank == 0
        ):
            raise _mismatch(path, spec, value)
        return _parsed(
            lambda: _graphkiln.constant(value, spec and spec.dtype), path
        )
    keys: dict[str, None] = {}
    rank = python_values.keys_and_depth(value, keys)
    if rank is not None:
        return _from_dictionaries(cls, value, list(keys), rank, spec, path)
    if spec is None:
        return _parsed(lambda: _graphkiln.ragged_constant(value), path)
    if isinstance(spec, TensorSpec):
        made = _parsed(lambda: _graphkiln.constant(value, spec.dtype), path)
        if not spec.shape.is_compatible_with(made.shape):
            raise _mismatch(path, spec, value)
        return made
    if isinstance(spec, RaggedTensorSpec):
        rank = spec.ragged_rank
        return _parsed(
            lambda: _graphkiln.ragged_constant(
                value, spec.dtype, rank, spec.shape[rank + 1:],
                row_splits_dtype=spec.row_splits_dtype,
            ),
            path,
        )
    depth = python_values.depth_of_empty_lists(value)
    if not isinstance(spec, cls.Spec) or depth is None:
        raise _mismatch(path, spec, value)
    return _from_dictionaries(cls, value, [], depth, spec, path)


def _parsed(make: Callable[[], Any], path: tuple) -> Any:
    try:
        return make()
    except Exception as e:
        raise ValueError(f"Error parsing path {path!r}") from e


def _from_dictionary(cls: type, value: dict, spec: Any, path: tuple) -> Any:
    specs = {}
    if spec is not None:
        if not isinstance(spec, cls.Spec) or spec.rank != 0 or (
            set(value) != set(spec._fields)
        ):
            raise _mismatch(path, value, spec)
        specs = spec._fields
    return cls.from_fields({
        k: from_python(cls, v, specs.get(k), path + (k,)) for k, v in value.items()
    })


def _from_dictionaries(
    cls: type, value: Any, keys: list[str], rank: int, spec: Any, path: tuple
) -> Any:
    fields: dict[str, Any] = {key: [] for key in keys}
    for child in value:
        python_values.add_to_fields(child, fields, 1)
    shape = TensorShape([None] * rank)
    if spec is None:
        fields = {
            k: from_python(cls, v, None, path + (k,)) for k, v in fields.items()
        }
    else:
        if not isinstance(spec, cls.Spec) or (
            set(fields) - set(spec._fields)
        ):
            raise _mismatch(path, value, spec)
        shape = spec.shape
        if shape.rank < rank:
            raise ValueError(
                f"Value at {path!r} does not match typespec (rank mismatch): "
                f"{value!r} vs {spec!r}"
            )
        fields = {
            k: from_python(cls, fields.get(k, []), s, path + (k,))
            for k, s in spec._fields.items()
        }
    if not fields and spec is None:
        return _without_fields(cls, value, rank)
    return _parsed(lambda: cls.from_fields(fields, shape), path)


def _without_fields(cls: type, value: Any, rank: int) -> Any:
    if rank == 1:
        return cls.from_fields({}, [len(value)], len(value))
    rows = _graphkiln.ragged_constant(python_values.without_dictionaries(value))
    parts = [
        RowPartition.from_row_splits(s, validate=False)
        for s in rows.nested_row_splits
    ]
    return cls.from_fields(
        {}, [len(value)] + [None] * (rank - 1), len(value), parts
    )
