"""Values made of tensors: composite tensors, and classes that flatten
themselves with `__tf_flatten__`."""

import dataclasses
from collections.abc import Callable, Sequence

from graphkiln._graphkiln import TypeSpec


class Rebuild:
    """A part of an output structure that only Python code can make.

    Attributes:
      spec: the tf.TypeSpec of the whole, if it has one.
    """

    __slots__ = ("parts", "rebuild", "spec")

    def __init__(
        self,
        rebuild: Callable[[object], object],
        parts: object,
        spec: object = None,
    ):
        self.rebuild = rebuild
        self.parts = parts
        self.spec = spec


def is_composite(value: object) -> bool:
    """Is `value` made of tensors that it can tell?"""
    cls = type(value)
    return hasattr(cls, "__tf_flatten__") or hasattr(cls, "_type_spec")


def is_structure(value: object) -> bool:
    """Is it a value of a dataclass that nests as lists do?"""
    cls = type(value)
    return (
        hasattr(cls, "__tf_flatten__")
        and hasattr(cls, "__tf_unflatten__")
        and dataclasses.is_dataclass(cls)
    )


def flatten(value: object) -> tuple[object, object]:
    """What `value` is besides its components, and those: a tuple, or
    whatever structure the spec of a composite tensor has."""
    if hasattr(type(value), "__tf_flatten__"):
        parts = value.__tf_flatten__()
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise TypeError(
                f"{type(value).__name__}.__tf_flatten__ must return "
                f"(metadata, components), got {parts!r}"
            )
        metadata, components = parts
        return _own(metadata), tuple(components)
    spec = value._type_spec
    return spec, spec._to_components(value)


def _own(metadata: object) -> object:
    """`metadata` as it is now, whatever becomes of its containers."""
    kind = type(metadata)
    if kind in (list, tuple):
        return kind(map(_own, metadata))
    if kind is dict:
        return {key: _own(value) for key, value in metadata.items()}
    return set(metadata) if kind is set else metadata


def unflatten(cls: type, metadata: object, components: Sequence) -> object:
    """The reverse of `flatten`."""
    if hasattr(cls, "__tf_unflatten__"):
        return cls.__tf_unflatten__(_own(metadata), tuple(components))
    return metadata._from_components(components)


def tensors_of(type_: object, value: object) -> list:
    """The tensors of a value whose class gives itself a type."""
    if isinstance(value, TypeSpec):
        return value.flatten()
    return type_.to_tensors(value)


class TracingContext:
    """What `__tf_tracing_type__` is given."""

    is_legacy_signature = False


def tracing_type(value: object) -> object:
    """The type that a value of a user's class gives itself: what its
    `__tf_tracing_type__` returns, or its `_type_spec`."""
    method = getattr(type(value), "__tf_tracing_type__", None)
    type_ = (
        value._type_spec if method is None
        else method(value, TracingContext())
    )
    if not all(
        hasattr(type_, name)
        for name in ("is_subtype_of", "most_specific_common_supertype")
    ):
        raise TypeError(
            "Expected an instance of TraceType for Tracing Protocol call to "
            f"{value} but got {type_}"
        )
    return type_
