"""tf.types.experimental.AtomicFunction: a graph with its captures."""

import abc
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.function.callable import Callable


class AtomicFunction(Callable):
    """A graph to call with all of its inputs, captures among them."""

    @abc.abstractmethod
    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Runs it with these captured values."""


AtomicFunction.register(_graphkiln.AtomicFunction)
