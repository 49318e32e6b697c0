"""What Keras of the second version takes from TensorFlow's inside."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from graphkiln import _graphkiln, data
from graphkiln._src import ops


@contextlib.contextmanager
def cache_variable_reads() -> Iterator[None]:
    """Reads of one replica's variables need no cache."""
    yield


def auto_shard_dataset(
    dataset: object,
    num_shards: object,
    index: object,
    num_replicas_in_sync: int | None = None,
) -> object:
    """The part of a dataset that one of `num_shards` machines reads."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    if policy == data.experimental.AutoShardPolicy.OFF:
        return dataset
    return dataset.shard(num_shards, index)


class KerasModeKeys:
    """What Keras does with a model."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """What an estimator does with a model."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def list_pluggable_devices() -> list:
    """Devices of other makers' libraries: there are none."""
    return []


def assert_splits_match(nested_splits_lists: list) -> list:
    """Checks that ragged tensors have the same row splits.

    Args:
      nested_splits_lists: of each ragged tensor its `nested_row_splits`.

    Returns:
      Assertions to run.

    Raises:
      ValueError: their ragged ranks differ.
    """
    message = "Inputs must have identical ragged splits"
    first = nested_splits_lists[0]
    for splits in nested_splits_lists:
        if len(splits) != len(first):
            raise ValueError(message)
    return [
        _graphkiln.Assert(ops.reduce_all(ops.equal(mine, theirs)), [message])
        for splits in nested_splits_lists[1:]
        for mine, theirs in zip(first, splits)
    ]
