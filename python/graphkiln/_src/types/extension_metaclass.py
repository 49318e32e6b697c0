"""What makes a class of a class statement with annotations an extension type.
What the annotations mean is decided in C++ (python/src/types/extension_class.h).
"""

import abc
import typing

from graphkiln import _graphkiln


def field_types(cls: type) -> dict[str, object]:
    """Types of the fields by name, those of base classes first; all as they
    were written if one of them is not defined yet."""
    try:
        return typing.get_type_hints(cls)
    except (NameError, AttributeError):
        return {
            name: value_type
            for base in reversed(cls.__mro__)
            for name, value_type in
            base.__dict__.get("__annotations__", {}).items()
        }


@typing.dataclass_transform(frozen_default=True)
class ExtensionTypeMetaclass(abc.ABCMeta):
    """Gives each extension type its constructor and its Spec."""

    def __init__(cls, name: str, bases: tuple, namespace: dict):
        super().__init__(name, bases, namespace)
        if not namespace.get("_tf_extension_type_abstract"):
            _graphkiln.complete_extension_type(cls)


_graphkiln.provide(field_types)
