"""In which strategy a program's code runs."""

from __future__ import annotations

from graphkiln._src.distribute import contexts
from graphkiln._src.distribute import strategy as strategies
from graphkiln._src.distribute.strategy import Strategy


def get_replica_context() -> contexts.ReplicaContext | None:
    """The context of the replica in which this code runs; None in code that is for
    all replicas together, within the scope of a strategy.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1
    """
    return contexts.current()[1]


def get_strategy() -> Strategy:
    """The strategy in whose scope or replica this code runs; one of one replica
    otherwise.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     assert tf.distribute.get_strategy() is strategy
    """
    return contexts.current()[0]


def has_strategy() -> bool:
    """Is this code in the scope of a strategy, or in a replica of one?

    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not strategies.DEFAULT


def in_cross_replica_context() -> bool:
    """Is this code for all replicas of a strategy together?

    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return contexts.current()[1] is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the one of all code outside of any scope; None ends it.

    >>> tf.distribute.experimental_set_strategy(None)
    """
    if contexts.is_entered():
        raise RuntimeError(
            "Must not be called inside a `tf.distribute.Strategy` scope."
        )
    if strategy is None:
        contexts.chosen.pop("process", None)
    else:
        contexts.chosen["process"] = strategy
