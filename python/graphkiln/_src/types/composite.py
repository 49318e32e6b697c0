"""Values made of tensors: composite tensors, and classes that flatten
themselves with `__tf_flatten__`."""

import dataclasses

from graphkiln._graphkiln import TypeSpec


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
