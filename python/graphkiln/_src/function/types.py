"""tf.types.experimental: the kinds of objects that programs may ask for."""

import abc
import typing
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln

FunctionType = _graphkiln.FunctionType

TensorLike = typing.Union[
    _graphkiln.AbstractTensor, int, float, bool, str, bytes, complex, tuple,
    list, np.ndarray, np.generic,
]


class Callable(metaclass=abc.ABCMeta):
    """What tf.function makes: can be called and has a type.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.Callable)
    True
    """

    @property
    @abc.abstractmethod
    def function_type(self) -> FunctionType:
        """Parameters and what is returned."""

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it."""


class AtomicFunction(Callable):
    """A graph to call with all of its inputs, captures among them."""

    @abc.abstractmethod
    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Runs it with these captured values."""


class ConcreteFunction(Callable):
    """One trace: a graph for arguments of certain types.

    >>> f = tf.function(lambda x: x + 1)
    >>> c = f.get_concrete_function(tf.constant(1))
    >>> isinstance(c, tf.types.experimental.ConcreteFunction)
    True
    """

    @property
    @abc.abstractmethod
    def inference_fn(self) -> AtomicFunction:
        """The function that runs when no tape watches."""


class PolymorphicFunction(Callable):
    """A Python function that is traced for each type of its arguments.

    >>> f = tf.function(lambda x: x + 1)
    >>> isinstance(f, tf.types.experimental.PolymorphicFunction)
    True
    """

    @abc.abstractmethod
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The ConcreteFunction for arguments of these types."""

    @abc.abstractmethod
    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        """What the graph is compiled to."""


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


@typing.runtime_checkable
class SupportsTracingProtocol(typing.Protocol):
    """Objects that say themselves what type they are traced with."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type of this object."""


PolymorphicFunction.register(_graphkiln.Function)
ConcreteFunction.register(_graphkiln.ConcreteFunction)
AtomicFunction.register(_graphkiln.AtomicFunction)
TraceType.register(_graphkiln.TraceType)
TraceType.register(_graphkiln.TypeSpec)
