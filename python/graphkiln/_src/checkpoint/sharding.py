"""Which data files a checkpoint has: tf.train.experimental's sharding callbacks."""

from __future__ import annotations

import abc
import dataclasses
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import DeviceSpec, Tensor

# {checkpoint key: {slice spec: tensor}}
Shard = Mapping[str, Mapping[str, Tensor]]
_Entry = tuple[str, str, Tensor]
_Decide = Callable[[list[tuple[str, Tensor, Any]]], list[list[_Entry]]]


@dataclasses.dataclass(frozen=True, eq=True)
class ShardableTensor:
    """A tensor that a checkpoint is to have, as a sharding callback sees it.

    `checkpoint_key` names it, `slice_spec` is "" for a whole one; `trackable` is the
    object whose value it is, None for the graph of objects.

    >>> class Largest(tf.train.experimental.ShardByTaskPolicy):
    ...     def __call__(self, shardable_tensors):
    ...         self.largest = max(shardable_tensors, key=lambda t: t.shape.num_elements())
    ...         return super().__call__(shardable_tensors)
    >>> import tempfile
    >>> largest = Largest()
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=largest)
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    >>> path = checkpoint.write(tempfile.mkdtemp() + "/c", options)
    >>> largest.largest.checkpoint_key, largest.largest.shape
    ('v/.ATTRIBUTES/VARIABLE_VALUE', TensorShape([2]))
    """

    _tensor_save_spec: Any
    tensor: Tensor
    dtype: Any
    device: Any
    name: str
    shape: Any
    slice_spec: str
    checkpoint_key: str
    trackable: Any

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, str(self.device), self.checkpoint_key))


class ShardingCallback(abc.ABC):
    """Decides which tensor goes to which data file of a checkpoint.

    A subclass has a `description` and is called with a list of ShardableTensors. It
    gives a list of shards, each a mapping {checkpoint key: {slice spec: tensor}}.
    Each tensor has to be there once, whole or in parts that make it whole ("4 3 0,2:-"
    is rows 0 and 1 of shape [4, 3]), with its type; what is written is checked.

    Raises:
      RuntimeError: when a checkpoint is written, if it is not so.

    >>> import tempfile
    >>> class OneEach(tf.train.experimental.ShardingCallback):
    ...     @property
    ...     def description(self):
    ...         return "A file for each tensor."
    ...     def __call__(self, shardable_tensors):
    ...         return [
    ...             {t.checkpoint_key: {t.slice_spec: t.tensor}}
    ...             for t in shardable_tensors
    ...         ]
    >>> folder = tempfile.mkdtemp()
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=OneEach())
    >>> path = tf.train.Checkpoint(v=tf.Variable(1)).write(folder + "/c", options)
    >>> len(tf.io.gfile.glob(path + ".data-*"))  # with one for the graph of objects
    2
    """

    @property
    @abc.abstractmethod
    def description(self) -> str:
        """What it does, in words."""

    @abc.abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        """The shards of these tensors."""

    def __hash__(self) -> int:
        parts = [hash(self.description)]
        for name, value in vars(self).items():
            parts.append(hash((name, value if isinstance(value, Hashable) else None)))
        return hash(tuple(sorted(parts)))


class ShardByTaskPolicy(ShardingCallback):
    """One data file for each task, and so one: what happens by default.

    >>> tf.train.experimental.ShardByTaskPolicy().description
    'Split tensors into shards based on their device spec task.'
    """

    @property
    def description(self) -> str:
        """What it does, in words."""
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        shard: dict[str, dict[str, Tensor]] = {}
        for value in shardable_tensors:
            shard.setdefault(value.checkpoint_key, {})[value.slice_spec] = value.tensor
        return [shard]


class MaxShardSizePolicy(ShardingCallback):
    """Data files of at most so many bytes; tensors are cut where one ends.

    A number or string that is larger by itself has a file of its own; the graph of
    objects counts as nothing.

    Args:
      max_shard_size: in bytes, positive.

    Raises:
      TypeError: it is no whole number.
      InvalidArgumentError: when a checkpoint is written, if it is not positive.

    >>> import tempfile
    >>> policy = tf.train.experimental.MaxShardSizePolicy(max_shard_size=400)
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=policy)
    >>> folder = tempfile.mkdtemp()
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(tf.zeros([10, 25])))
    >>> path = checkpoint.write(folder + "/c", options)
    >>> len(tf.io.gfile.glob(path + ".data-*"))
    3
    """

    def __init__(self, max_shard_size: int) -> None:
        self.max_shard_size = operator.index(max_shard_size)

    @property
    def description(self) -> str:
        """What it does, in words."""
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        return [
            _shard_of(entries)
            for entries in _graphkiln._shards_of_size(
                [(t.checkpoint_key, t.tensor) for t in shardable_tensors],
                self.max_shard_size,
            )
        ]


def _shard_of(entries: Sequence[_Entry]) -> dict[str, dict[str, Tensor]]:
    shard: dict[str, dict[str, Tensor]] = {}
    for key, spec, tensor in entries:
        shard.setdefault(key, {})[spec] = tensor
    return shard


def _text(name: Any) -> str:
    if isinstance(name, str):
        return name
    raise TypeError(
        "A sharding callback gives shards {checkpoint key: {slice spec: tensor}}: "
        f"expected str, got {name!r}"
    )


def check_sharding_callback(callback: Any) -> None:
    """Raises ValueError for what is none."""
    if callback is not None and not isinstance(callback, ShardingCallback):
        raise ValueError(
            "The experimental_sharding_callback checkpoint option"
            "must be of type ShardingCallback. The option provided"
            f"was of type {type(callback)}."
        )


def policy_of(callback: ShardingCallback | None) -> None | int | tuple[_Decide, str]:
    """A callback as the core takes it."""
    if callback is None or type(callback) is ShardByTaskPolicy:
        return None
    if type(callback) is MaxShardSizePolicy:
        return callback.max_shard_size

    def decide(tensors: list[tuple[str, Tensor, Any]]) -> list[list[_Entry]]:
        shards = callback(
            [
                ShardableTensor(
                    _tensor_save_spec=None,
                    tensor=tensor,
                    dtype=tensor.dtype,
                    device=DeviceSpec.from_string(tensor.device),
                    name=key,
                    shape=tensor.shape,
                    slice_spec="",
                    checkpoint_key=key,
                    trackable=owner,
                )
                for key, tensor, owner in tensors
            ]
        )
        return [
            [
                (_text(key), _text(spec), tensor)
                for key, slices in shard.items()
                for spec, tensor in slices.items()
            ]
            for shard in shards
        ]

    return decide, callback.description
