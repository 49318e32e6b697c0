"""Values made of tensors: composite tensors, and classes that flatten
themselves with `__tf_flatten__`."""

from collections.abc import Callable, Sequence

from graphkiln._graphkiln import TraceType


class Rebuild:
    """A part of an output structure that only Python code can make."""

    __slots__ = ("parts", "rebuild")

    def __init__(self, rebuild: Callable[[object], object], parts: object):
        self.rebuild = rebuild
        self.parts = parts


def is_composite(value: object) -> bool:
    """Is `value` made of tensors that it can tell?"""
    cls = type(value)
    return hasattr(cls, "__tf_flatten__") or hasattr(cls, "_type_spec")


def flatten(value: object) -> tuple[object, tuple]:
    """What `value` is besides its components, and those."""
    if hasattr(type(value), "__tf_flatten__"):
        metadata, components = value.__tf_flatten__()
        return _hashable(metadata), tuple(components)
    spec = value._type_spec
    return spec, tuple(spec._to_components(value))


def _hashable(metadata: object) -> object:
    if isinstance(metadata, list):
        return tuple(_hashable(item) for item in metadata)
    return metadata


def unflatten(cls: type, metadata: object, components: Sequence) -> object:
    """The reverse of `flatten`."""
    if hasattr(cls, "__tf_unflatten__"):
        return cls.__tf_unflatten__(metadata, tuple(components))
    return metadata._from_components(tuple(components))


class TracingContext:
    """What `__tf_tracing_type__` is given."""

    is_legacy_signature = False


def tracing_type(value: object) -> TraceType:
    """The type that a value of a user's class gives itself."""
    return value.__tf_tracing_type__(TracingContext())
