"""tf.types.experimental.Callable: what tf.function makes."""

import abc
from typing import Any

from graphkiln import _graphkiln


class Callable(metaclass=abc.ABCMeta):
    """What tf.function makes: can be called and has a type.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.Callable)
    True
    """

    @property
    @abc.abstractmethod
    def function_type(self) -> _graphkiln.FunctionType:
        """Parameters and what is returned."""

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it."""


# They are also the classes below, whose modules need not be loaded yet.
Callable.register(_graphkiln.Function)
Callable.register(_graphkiln.ConcreteFunction)
Callable.register(_graphkiln.AtomicFunction)
