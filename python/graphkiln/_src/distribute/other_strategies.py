"""Strategies of machines that work together, which graphkiln does not run on yet. The
classes are there to be named: programs ask `isinstance`."""

from __future__ import annotations

from typing import Any

from graphkiln._src.distribute.strategy import Strategy


def _refusal(what: str) -> RuntimeError:
    return RuntimeError(
        f"graphkiln runs on one machine, which has no {what}: use "
        "tf.distribute.MirroredStrategy() or tf.distribute.get_strategy()."
    )


class ParameterServerStrategy(Strategy):
    """A strategy of workers and parameter servers; here it cannot be made.

    Raises:
      RuntimeError: always.

    >>> isinstance(tf.distribute.get_strategy(),
    ...            tf.distribute.ParameterServerStrategy)
    False
    """

    def __init__(
        self, cluster_resolver: Any, variable_partitioner: Any = None
    ) -> None:
        raise _refusal("parameter servers")


class CentralStorageStrategy(Strategy):
    """A strategy that keeps variables on one device for several others; here it
    cannot be made.

    Raises:
      RuntimeError: always.

    >>> isinstance(tf.distribute.get_strategy(),
    ...            tf.distribute.experimental.CentralStorageStrategy)
    False
    """

    def __init__(
        self, compute_devices: Any = None, parameter_device: Any = None
    ) -> None:
        raise _refusal("several devices")


class ClusterCoordinator:
    """Who gives work to the workers of a ParameterServerStrategy; here it cannot be
    made.

    Raises:
      RuntimeError: always.

    >>> isinstance(None, tf.distribute.coordinator.ClusterCoordinator)
    False
    """

    def __init__(self, strategy: Any) -> None:
        raise _refusal("workers")


class RemoteValue:
    """What a worker will have computed; there are none here.

    >>> isinstance(None, tf.distribute.experimental.coordinator.RemoteValue)
    False
    """


class PreemptionCheckpointHandler:
    """What saves when one of several machines is about to be taken away; here it
    cannot be made.

    Raises:
      RuntimeError: always.

    >>> isinstance(None, tf.distribute.experimental.PreemptionCheckpointHandler)
    False
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: Any = None,
        termination_config: Any = None,
    ) -> None:
        raise _refusal("cluster that takes machines away")


class ShardedVariable:
    """A variable in several parts, as parameter servers keep it; here it cannot be
    made.

    Raises:
      RuntimeError: always.

    >>> isinstance(None, tf.__internal__.distribute.ShardedVariable)
    False
    """

    def __init__(self, variables: Any, name: str = "ShardedVariable") -> None:
        raise _refusal("parameter servers")
