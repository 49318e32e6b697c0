"""Which strategy a thread is in, and on which side of it: within a replica, or
over all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from graphkiln import nest
from graphkiln._src import ops
from graphkiln._src.distribute.values import as_reduce_op

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphkiln._src.distribute.strategy import Strategy

_CROSS_REPLICA = (
    "Method requires being in cross-replica context, use "
    "get_replica_context().merge_call()"
)


class _Entered(threading.local):
    """The contexts that a thread is in: pairs of a strategy and of the replica's
    context, None where it is over all replicas."""

    def __init__(self) -> None:
        self.stack: list[tuple[Strategy, ReplicaContext | None]] = []


_entered = _Entered()
# The strategy where no scope is entered, which `strategy` puts here, and the one
# that experimental_set_strategy sets for the process.
chosen: dict[str, Strategy] = {}


def current() -> tuple[Strategy, ReplicaContext | None]:
    if _entered.stack:
        return _entered.stack[-1]
    if "process" in chosen:
        return chosen["process"], None
    return chosen["default"], default_context()


def is_entered() -> bool:
    return bool(_entered.stack)


def default_context() -> ReplicaContext:
    return ReplicaContext(chosen["default"], 0)


class Within:
    """A context manager: this thread is in a context of a strategy's."""

    def __init__(self, strategy: Strategy, replica: ReplicaContext | None) -> None:
        self._pair = (strategy, replica)

    def __enter__(self) -> Strategy:
        _entered.stack.append(self._pair)
        return self._pair[0]

    def __exit__(self, *error: object) -> None:
        if not _entered.stack or _entered.stack[-1] is not self._pair:
            raise RuntimeError(
                "Scope nesting error: a scope of a tf.distribute.Strategy is left "
                "while one that was entered later is not."
            )
        _entered.stack.pop()


class ReplicaContext:
    """What code that runs in a replica knows of it, and how it speaks with the
    others. There is one replica.

    Args:
      strategy: a `tf.distribute.Strategy`.
      replica_id_in_sync_group: which replica.

    >>> context = tf.distribute.get_replica_context()
    >>> context.all_reduce("sum", tf.constant(2.0)).numpy().item()
    2.0
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int) -> None:
        self._strategy = strategy
        self._replica_id_in_sync_group = replica_id_in_sync_group

    def __enter__(self) -> None:
        self._within = Within(self._strategy, self)
        self._within.__enter__()

    def __exit__(self, *error: object) -> None:
        self._within.__exit__(*error)

    @property
    def strategy(self) -> Strategy:
        """The strategy of which this is a replica."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """Which replica this is."""
        return self._replica_id_in_sync_group

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices of this replica."""
        return self._strategy.extended.worker_devices

    def merge_call(
        self, merge_fn: Callable, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Calls `merge_fn(strategy, *args, **kwargs)` once for all replicas."""
        _require_replica(self)
        with Within(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas added, or their mean."""
        as_reduce_op(reduce_op)
        return nest.map_structure(ops.identity, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas behind one another along an axis."""
        return nest.map_structure(ops.identity, value)


def _require_replica(context: ReplicaContext) -> None:
    strategy, replica = current()
    if replica is None or strategy is not context.strategy:
        raise RuntimeError("`merge_call` called outside of its replica's context.")


def require_cross_replica(strategy: Strategy) -> None:
    """RuntimeError unless this thread is over all replicas of a strategy."""
    there, replica = current()
    if replica is not None and there is strategy and strategy is not chosen["default"]:
        raise RuntimeError(_CROSS_REPLICA)
