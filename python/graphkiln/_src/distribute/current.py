"""In which strategy a program's code runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

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


def maybe_merge_call(
    fn: Callable, strategy: Strategy, *args: Any, **kwargs: Any
) -> Any:
    """`fn(strategy, *args, **kwargs)` for all replicas together.

    Called in a replica it leaves it for the call, as `merge_call` does, unless the
    strategy needs none.

    >>> strategy = tf.distribute.get_strategy()
    >>> tf.__internal__.distribute.interim.maybe_merge_call(
    ...     lambda strategy, x: x + 1, strategy, 2)
    3
    """
    replica = get_replica_context()
    if strategy_supports_no_merge_call() or replica is None:
        return fn(strategy, *args, **kwargs)
    return replica.merge_call(fn, args=args, kwargs=kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Do replicas of the strategy update variables without leaving for all of them?

    >>> tf.__internal__.distribute.strategy_supports_no_merge_call()
    True
    """
    return not has_strategy()


@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """A `with` statement in which reading a variable of several replicas brings their
    values together; with one replica it is that replica's.

    >>> with tf.__internal__.distribute.variable_sync_on_read_context():
    ...     tf.Variable(1).numpy().item()
    1
    """
    yield
