"""tf.compat.v1.device: functions that choose devices for operations of graphs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import DeviceSpec, Operation
from graphkiln._src.host.logging import get_logger
from graphkiln._src.training.cluster import ClusterSpec

# What parameter servers hold.
_PS_OPS = frozenset(
    """
    AutoReloadVariable BoostedTreesEnsembleResourceHandleOp
    BoostedTreesQuantileStreamResourceHandleOp DecisionTreeResource
    MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable
    MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2
    ResourceConditionalAccumulator VarHandleOp Variable VariableV2
    """.split()
)


def device(device_name_or_function: Any) -> Any:
    """A context that asks for a device.

    Args:
      device_name_or_function: a device's name, None for no device, or, in graphs,
        a function that takes each new operation and gives its device's name.

    Raises RuntimeError for functions outside of graphs.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.device(lambda op: "/device:CPU:1"):
    ...         print(tf.constant(1).device)
    /device:CPU:1
    """
    if not callable(device_name_or_function):
        return _graphkiln.device(device_name_or_function)
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "tf.device does not support functions when eager execution is enabled."
        )
    return _graphkiln.get_default_graph().device(device_name_or_function)


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Collection[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """A function for `tf.compat.v1.device` that puts variables on parameter servers,
    one after the other, and the rest on workers; None without servers.

    Args:
      ps_tasks: how many servers there are, unless `cluster` tells.
      ps_device: the device of their job.
      worker_device: the device of the workers' job.
      merge_devices: whether what is asked for already is completed; else it stays.
      cluster: a ClusterSpec or what makes one.
      ps_ops: types of operations for servers; variables and tables unless given.
      ps_strategy: gives the number of the server of such an operation; they take
        turns unless given.

    Raises TypeError if `ps_strategy` cannot be called.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.device(tf.compat.v1.train.replica_device_setter(2)):
    ...         print([tf.Variable(n).device for n in range(3)])
    ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0']
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        ps_tasks = len(jobs.get(DeviceSpec.from_string(ps_device).job, ()))
    if ps_tasks == 0:
        return None
    if not merge_devices:
        get_logger().warning(
            "DEPRECATION: It is recommended to set merge_devices=true in "
            "replica_device_setter"
        )
    if ps_strategy is None:
        turns = itertools.cycle(range(ps_tasks))

        def ps_strategy(_: Operation) -> int:
            return next(turns)

    if not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    held = _PS_OPS if ps_ops is None else ps_ops

    def choose(op: Operation) -> str:
        if not merge_devices and op.device:
            return op.device
        wanted = DeviceSpec.from_string(op.device or "")
        if not ps_device or op.type not in held:
            worker = DeviceSpec.from_string(worker_device or "")
            return worker.make_merged_spec(wanted).to_string()
        server = DeviceSpec.from_string(ps_device)
        if server.job and wanted.job in (None, server.job):
            server = server.replace(task=ps_strategy(op))
        return server.make_merged_spec(wanted).to_string()

    return choose
