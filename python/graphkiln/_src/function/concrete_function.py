"""tf.types.experimental.ConcreteFunction: one trace."""

import abc

from graphkiln import _graphkiln
from graphkiln._src.function.atomic_function import AtomicFunction
from graphkiln._src.function.callable import Callable


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


ConcreteFunction.register(_graphkiln.ConcreteFunction)
