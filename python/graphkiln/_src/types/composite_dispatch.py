"""Public functions on values that are no tensors.

A function made of an op that fails to convert its arguments asks here: targets
that the program registered come first, then ragged and sparse tensors. Calls
with plain tensors never get here.
"""

from __future__ import annotations

from collections.abc import Callable

from graphkiln import nest
from graphkiln._graphkiln import (
    CompositeTensor,
    DynamicRaggedShape,
    RaggedTensor,
    SparseTensor,
    _ragged as core,
)
from graphkiln._src import ops
from graphkiln._src.types import dispatch as _dispatch
from graphkiln._src.types import dtypes

# Functions of ragged arguments that change the flat values alone.
_FLAT = frozenset("one_hot dropout bitcast".split())


def dispatch(api: Callable, args: tuple, kwargs: dict) -> object:
    """The result of a call for arguments that `api` cannot convert;
    NotImplemented if it has nothing for them either."""
    result = _dispatch.dispatch(api, args, kwargs)
    if result is NotImplemented and _dispatch.key_of(api) is not None:
        return call(api, _dispatch.key_of(api), args, kwargs)
    return result


def call(api: Callable, key: object, args: tuple, kwargs: dict) -> object:
    """The result of `api`, or NotImplemented."""
    values = [
        item
        for value in (*args, *kwargs.values())
        for item in (value if isinstance(value, (list, tuple)) else (value,))
        if isinstance(item, CompositeTensor)
    ]
    if len(values) == 1 and key in _ALIASES["assert_type"]:
        (value,), rest, named = _dispatch.first(api, args, kwargs, 1)
        return api(value.values, *rest, **named)
    if values and key in _ALIASES["identity"]:
        return _identity(api, args, kwargs)
    if any(isinstance(value, DynamicRaggedShape) for value in values):
        special = core.SHAPE_FUNCTIONS
        for name in special:
            if key in _ALIASES[name]:
                return special[name](api, _dispatch.bind(api, args, kwargs))
    if any(isinstance(value, RaggedTensor) for value in values):
        return _ragged(api, key, args, kwargs)
    if any(isinstance(value, SparseTensor) for value in values):
        return _sparse(api, key, args, kwargs)
    return NotImplemented


class _Aliases(dict):
    """The keys of a function's aliases, looked up once."""

    def __missing__(self, name: str) -> frozenset:
        self[name] = _dispatch._keys((name,))
        return self[name]


_ALIASES = _Aliases()


def _identity(api: Callable, args: tuple, kwargs: dict) -> object:
    (value,), rest, named = _dispatch.first(api, args, kwargs, 1)
    parts = nest.flatten(value, expand_composites=True)
    return nest.pack_sequence_as(
        value, [api(part, *rest, **named) for part in parts],
        expand_composites=True,
    )


def _sparse(api: Callable, key: object, args: tuple, kwargs: dict) -> object:
    (value,), rest, named = _dispatch.first(api, args, kwargs, 1)
    if not isinstance(value, SparseTensor):
        return NotImplemented
    if getattr(api, "_keeps_zero", False):
        return value.with_values(api(value.values, *rest, **named))
    bound = _dispatch.bind(api, args, kwargs)
    out_type = bound.get("out_type") or dtypes.int32
    if key in _ALIASES["shape"]:
        return ops.cast(value.dense_shape, out_type)
    if key in _ALIASES["size"]:
        return ops.cast(ops.reduce_prod(value.dense_shape), out_type)
    if key in _ALIASES["rank"]:
        return ops.size(value.dense_shape)
    return NotImplemented


def _ragged(api: Callable, key: object, args: tuple, kwargs: dict) -> object:
    special = core.FUNCTIONS
    for name in special:
        if key in _ALIASES[name]:
            return special[name](api, _dispatch.bind(api, args, kwargs))
    flat = _dispatch.maps(api) == 1 or any(
        key in _ALIASES[name] for name in _FLAT
    )
    if flat:
        (value,), rest, named = _dispatch.first(api, args, kwargs, 1)
        if not isinstance(value, RaggedTensor):
            return NotImplemented
        return value.with_flat_values(api(value.flat_values, *rest, **named))
    if _dispatch.compares(api):
        operands, rest, named = _dispatch.first(api, args, kwargs, 2)
        return core.mapped(
            lambda *flat: api(*flat, *rest, **named), operands
        )
    if _dispatch.maps(api) == 2:
        operands, rest, named = _dispatch.first(api, args, kwargs, 2)
        if len(operands) != 2:
            return NotImplemented
        return core.binary(
            lambda x, y: api(x, y, *rest, **named), *operands
        )
    return NotImplemented
