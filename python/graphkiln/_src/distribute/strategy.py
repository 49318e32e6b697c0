"""Strategies: how a program's step runs on several devices. graphkiln has one
replica, so that programs written for strategies run."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._src import ops
from graphkiln._src.distribute import contexts
from graphkiln._src.distribute.values import (
    InputContext,
    ReduceOp,
    ValueContext,
    as_reduce_op,
)
from graphkiln.autograph import (
    calls,
    operators,  # noqa: F401  what conversion needs
)

_LOCAL = "/job:localhost/replica:0/task:0"


def _full_name(device: str) -> str:
    text = str(_graphkiln.DeviceSpec.from_string(device).to_string())
    return text if text.startswith("/job:") else f"{_LOCAL}{text}"


def _mean(value: Any, axis: Any) -> Any:
    total = ops.reduce_sum(value, axis)
    count = ops.size(value) // ops.maximum(ops.size(total), 1)
    return total / ops.cast(count, total.dtype)


class StrategyExtended:
    """What libraries ask of a strategy, `strategy.extended`.

    Args:
      container_strategy: the strategy.

    >>> tf.distribute.get_strategy().extended.worker_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    _device = _full_name("/cpu:0")

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy

    # What one process does of what several share.
    should_checkpoint = True
    should_save_summary = True
    experimental_should_init = True
    experimental_between_graph = False
    _global_batch_size = True

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return True

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Where replicas run."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Where variables are."""
        return (self._device,)

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Do shapes have to be known?"""
        return False

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A scope whose variables are where another is. In a graph that a session
        runs all of its operations are colocated with that."""
        graph = _graphkiln.get_default_graph()
        if not _graphkiln.executing_eagerly() and not graph.building_function:
            handle = colocate_with_variable.handle
            if getattr(handle, "graph", None) is graph:
                return graph.colocate_with(handle.op)
        return contexts.Within(*contexts.current())

    def variable_created_in_scope(self, v: Any) -> bool:
        """Was a variable made in the scope of this strategy?"""
        return _owner(v) is self._strategy

    def value_container(self, value: Any) -> Any:
        """What has the parts of a value on all replicas."""
        return value

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """The values of all replicas as one, at `destinations`."""
        contexts.require_cross_replica(self._strategy)
        as_reduce_op(reduce_op)
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence, options: Any = None
    ) -> list:
        """`reduce_to` of several pairs."""
        return [
            self.reduce_to(reduce_op, value, destination)
            for value, destination in value_destination_pairs
        ]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A value at all destinations."""
        contexts.require_cross_replica(self._strategy)
        return tensor

    def update(
        self,
        var: Any,
        fn: Callable,
        args: tuple = (),
        kwargs: dict | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` where the variable is."""
        contexts.require_cross_replica(self._strategy)
        result = _converted(fn)(var, *args, **(kwargs or {}))
        return result if group else nest.map_structure(lambda part: (part,), result)

    def call_for_each_replica(
        self, fn: Callable, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Calls `fn` in each replica."""
        contexts.require_cross_replica(self._strategy)
        replica_id = _graphkiln.constant(
            0, _graphkiln.int32, name="replica_id_in_sync_group"
        )
        replica = contexts.ReplicaContext(self._strategy, replica_id)
        with contexts.Within(self._strategy, replica):
            return fn(*args, **(kwargs or {}))


# The strategy in whose scope a variable was made, by the variable's id.
_owners: dict[int, tuple[weakref.ref, Strategy]] = {}


def _owner(variable: Any) -> Strategy:
    there, strategy = _owners.get(id(variable), (None, None))
    if there is None or there() is not variable:
        return DEFAULT
    return strategy


def _own(variable: Any, strategy: Strategy) -> Any:
    key = id(variable)
    _owners[key] = (weakref.ref(variable, lambda _: _owners.pop(key, None)), strategy)
    return variable


def _converted(fn: Callable) -> Callable:
    """Inside of a function the user's code is converted as the function is."""
    if _graphkiln.executing_eagerly():
        return fn
    return calls.convert_root(fn)


class _Scope:
    """The context manager that `Strategy.scope` gives."""

    def __init__(self, strategy: Strategy) -> None:
        self._within = contexts.Within(strategy, None)
        self._strategy = strategy
        self._creators = _graphkiln.variable_creator_scope(
            lambda next_creator, **kwargs: _own(next_creator(**kwargs), strategy)
        )

    def __enter__(self) -> Strategy:
        there, replica = contexts.current()
        if there is not DEFAULT and there is not self._strategy:
            raise RuntimeError(
                "Mixing different tf.distribute.Strategy objects: "
                f"{there} is not {self._strategy}"
            )
        if there is self._strategy and replica is not None:
            raise RuntimeError(
                "Must not enter the scope of a tf.distribute.Strategy within one of "
                "its replicas."
            )
        self._creators.__enter__()
        return self._within.__enter__()

    def __exit__(self, *error: object) -> None:
        self._within.__exit__(*error)
        self._creators.__exit__(*error)


class Strategy:
    """How a step of a program runs on several devices.

    Args:
      extended: a `tf.distribute.StrategyExtended`.

    >>> strategy = tf.distribute.get_strategy()
    >>> strategy.num_replicas_in_sync
    1
    >>> strategy.run(lambda x: x + 1, (tf.constant(1),)).numpy().item()
    2
    """

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return 1

    @property
    def cluster_resolver(self) -> None:
        """What knows of other machines: nothing."""
        return None

    # Are steps given to workers?
    _should_use_with_coordinator = False

    def scope(self) -> _Scope:
        """A context manager: the code within is for all replicas of this strategy."""
        return _Scope(self)

    def run(
        self,
        fn: Callable,
        args: tuple = (),
        kwargs: dict | None = None,
        options: Any = None,
    ) -> Any:
        """Calls `fn(*args, **kwargs)` in each replica, and gives what it gives."""
        if not isinstance(args, (list, tuple)):
            raise ValueError(
                "positional args must be a list or tuple, got {}".format(type(args))
            )
        with self.scope():
            return self._extended.call_for_each_replica(
                _converted(fn), tuple(args), kwargs
            )

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: Any) -> Any:
        """The values of all replicas as one; with an axis, reduced along it."""
        contexts.require_cross_replica(self)
        op = as_reduce_op(reduce_op)
        if axis is None:
            return value
        reduction = ops.reduce_sum if op is ReduceOp.SUM else _mean
        return nest.map_structure(lambda v: reduction(v, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas behind one another along an axis."""
        contexts.require_cross_replica(self)
        return nest.map_structure(ops.identity, value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """An operation that runs what `value` has of each replica."""
        return _graphkiln.group(value, name=name)

    def unwrap(self, value: Any) -> tuple:
        """`experimental_local_results`."""
        return (value,)

    def experimental_local_results(self, value: Any) -> tuple:
        """What a value is on each replica of this process."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset of whose elements each replica gets its share."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable, options: Any = None
    ) -> Any:
        """The datasets that `dataset_fn` makes of a `tf.distribute.InputContext`."""
        return dataset_fn(InputContext())

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable, options: Any = None
    ) -> Any:
        """`distribute_datasets_from_function`."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable) -> Any:
        """What `value_fn` makes of a `tf.distribute.experimental.ValueContext`."""
        return value_fn(ValueContext())

    def __deepcopy__(self, memo: dict) -> Strategy:
        # TensorFlow's cannot be copied, either: variables know theirs.
        return self


def _extended_on(strategy: Strategy, device: str) -> StrategyExtended:
    extended = StrategyExtended(strategy)
    extended._device = _full_name(device)
    return extended


class OneDeviceStrategy(Strategy):
    """A strategy of one device.

    Args:
      device: its name, "/cpu:0".

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        super().__init__(_extended_on(self, device))


class MirroredStrategy(Strategy):
    """A strategy of several devices of one machine, each with copies of the
    variables. graphkiln runs on one device: there is one replica.

    Args:
      devices: names; the CPU by default.
      cross_device_ops: takes no effect.

    Raises:
      NotImplementedError: for more than one device.

    >>> tf.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: Any = None
    ) -> None:
        if devices is None:
            devices = ["/cpu:0"]
        names = [devices] if isinstance(devices, str) else list(devices)
        if len(names) != 1:
            raise NotImplementedError(
                "tf.distribute.MirroredStrategy of graphkiln has one replica; got "
                f"{len(names)} devices: {names}"
            )
        super().__init__(_extended_on(self, names[0]))


class TPUStrategy(Strategy):
    """A strategy of TPUs, which graphkiln does not run on. The class is there to be
    named; programs derive from it and ask `isinstance`.

    Raises:
      ValueError: there is no TPU.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)
    False
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        raise ValueError(
            "graphkiln runs on no TPU: tf.distribute.TPUStrategy cannot be made."
        )


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy of several machines, which graphkiln does not run on yet. The class
    is there to be asked for by `isinstance`.

    Args:
      cluster_resolver: where the machines are.
      communication_options: accepted for compatibility.

    Raises:
      RuntimeError: always.

    >>> isinstance(tf.distribute.get_strategy(),
    ...            tf.distribute.MultiWorkerMirroredStrategy)
    False
    """

    def __init__(
        self, cluster_resolver: Any = None, communication_options: Any = None
    ) -> None:
        raise RuntimeError(
            "graphkiln runs on one machine: use tf.distribute.MirroredStrategy() or "
            "tf.distribute.get_strategy()."
        )


class _DefaultStrategy(Strategy):
    """The one outside of all scopes."""

    def __init__(self) -> None:
        super().__init__(StrategyExtended(self))

    def scope(self) -> contexts.Within:
        """Nothing changes: code here runs in a replica."""
        return contexts.Within(*contexts.current())


DEFAULT = contexts.chosen["default"] = _DefaultStrategy()
