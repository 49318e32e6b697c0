"""tf.types.experimental.TraceType: the type of an argument."""

import abc
from collections.abc import Iterator, Sequence
from typing import Any

from graphkiln import _graphkiln


class TraceType(metaclass=abc.ABCMeta):
    """The type of an argument as tracing sees it.

    Subclasses take part in tracing: return one from `__tf_tracing_type__`.

    >>> concrete = tf.function(lambda x: x).get_concrete_function(1)
    >>> type_ = concrete.function_type.parameters['x'].type_constraint
    >>> isinstance(type_, tf.types.experimental.TraceType)
    True
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: "TraceType") -> bool:
        """Can a trace for `other` serve values of this type?"""

    @abc.abstractmethod
    def most_specific_common_supertype(
        self, others: Sequence["TraceType"]
    ) -> "TraceType | None":
        """The narrowest type of which all are subtypes, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What the Python function is traced with."""

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors that a value of this type is made of."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The value made of the next of the iterator `tensors`."""
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """The types of the tensors."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as one of this type."""
        if value == self.placeholder_value(None):
            return value
        own = getattr(type(value), "__tf_tracing_type__", None)
        if own is not None and own(value, cast_context).is_subtype_of(self):
            return value
        raise TypeError(f"Can not cast {value!r} to type {self!r}")

    @abc.abstractmethod
    def __hash__(self) -> int:
        """Types that are equal have equal hashes."""

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool:
        """Types that are equal share a trace."""


TraceType.register(_graphkiln.TraceType)
TraceType.register(_graphkiln.TypeSpec)
