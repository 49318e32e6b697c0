"""tf.types.experimental.PolymorphicFunction: a function that is traced."""

import abc
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.function.callable import Callable
from graphkiln._src.function.concrete_function import ConcreteFunction


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


PolymorphicFunction.register(_graphkiln.Function)
