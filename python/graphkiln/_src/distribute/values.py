"""What strategies take and give: reductions, contexts of input and of values."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from graphkiln._graphkiln import VariableAggregation


class ReduceOp(enum.Enum):
    """How the values of replicas become one.

    >>> tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.SUM)
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that does what a variable's aggregation says."""
        name = aggregation.name
        if name not in ("SUM", "MEAN"):
            raise ValueError(
                "Could not convert from `tf.VariableAggregation` "
                f"{aggregation} to`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[name]


def as_reduce_op(value: ReduceOp | str) -> ReduceOp:
    return ReduceOp(value.upper()) if isinstance(value, str) else value


class RunOptions(NamedTuple):
    """Options of `tf.distribute.Strategy.run`, which take no effect here.

    >>> tf.distribute.RunOptions().experimental_enable_dynamic_batch_size
    True
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputContext:
    """Which part of the input a function makes.

    Args:
      num_input_pipelines: how many parts there are.
      input_pipeline_id: which of them this is.
      num_replicas_in_sync: how many replicas take of it together.

    >>> tf.distribute.InputContext().get_per_replica_batch_size(8)
    8
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas take of the input together."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """Which part this is."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """How many parts there are."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch."""
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible "
                f"by `num_replicas_in_sync` {self._num_replicas_in_sync!r} "
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id "
            f"{self._input_pipeline_id}, total: {self._num_input_pipelines})"
        )


class ValueContext:
    """For which replica a value is made.

    Args:
      replica_id_in_sync_group: which replica.
      num_replicas_in_sync: of how many.

    >>> tf.distribute.experimental.ValueContext().num_replicas_in_sync
    1
    """

    def __init__(
        self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1
    ) -> None:
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """Which replica this is."""
        return self._replica_id_in_sync_group

    def __str__(self) -> str:
        return (
            "tf.distribute.ValueContext(replica id "
            f"{self._replica_id_in_sync_group},  total replicas in sync: "
            f"{self._num_replicas_in_sync})"
        )


class DistributedDataset:
    """Base of datasets whose elements lie on several replicas. Strategies here have
    one replica, and give datasets as they are; the class is there to be asked for by
    `isinstance`.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2))
    >>> isinstance(data, tf.distribute.DistributedDataset)
    False
    """


class DistributedIterator:
    """Base of iterators over a `tf.distribute.DistributedDataset`, there to be asked
    for by `isinstance`.

    >>> issubclass(tf.data.Iterator, tf.distribute.DistributedIterator)
    False
    """
