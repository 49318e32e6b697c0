"""Name scopes, init_scope and device placement."""

import threading
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import current_scope, init_scope, name_scope
from graphkiln._src.config import device_spec as _device_spec

__all__ = ["current_scope", "device", "init_scope", "name_scope"]


_HERE = "/job:localhost/replica:0/task:0"


class _EagerDevices(threading.local):
    """The specs that eager scopes of a thread have asked for."""

    def __init__(self) -> None:
        self.stack: list[_device_spec.DeviceSpec] = []
        # Scopes entered since the outermost one in which nothing can run.
        self.refusing = 0


_eager = _EagerDevices()


class _Device:
    """Ops made inside run, or are asked to run in a graph, on a device; a
    scope inside another adds to what that one says."""

    def __init__(self, spec: _device_spec.DeviceSpec | None):
        self._spec = spec
        self._entered: list = []

    def __enter__(self) -> None:
        graph = _graphkiln.current_graph()
        if graph is None:
            self._entered.append((None, self._enter_eager()))
        else:
            self._entered.append((graph, enter_graph(graph, self._spec)))

    def _enter_eager(self) -> tuple:
        spec = self._spec or _device_spec.DeviceSpec()
        if _eager.stack and self._spec is not None:
            spec = _eager.stack[-1].make_merged_spec(spec)
        scope = None
        absent = _refusals(spec)
        if absent or _eager.refusing:
            scope = _graphkiln.EagerDeviceScope(*absent)
            _eager.refusing += 1
            scope.enter()
        _eager.stack.append(spec)
        return scope, _graphkiln.set_current_device(_index(spec))

    def __exit__(self, *exception) -> None:
        graph, entered = self._entered.pop()
        if graph is None:
            scope, before = entered
            _eager.stack.pop()
            _graphkiln.set_current_device(before)
            if scope is not None:
                _eager.refusing -= 1
                scope.exit()
        else:
            exit_graph(graph, entered)


def _index(spec: _device_spec.DeviceSpec) -> int:
    """The number of the logical device; another one's place is taken by 0."""
    from graphkiln._src.config import config

    index = spec.device_index or 0
    there = spec.device_type == "CPU" and index < len(config.logical_devices())
    return index if there else 0


def enter_graph(graph: _graphkiln.Graph, spec: object) -> list:
    """What is made in `graph` from now on asks for `spec`: a DeviceSpec, a
    function of the operation, or None for no device at all. Returns what
    `exit_graph` needs."""
    scopes = vars(graph).setdefault("_devices", [])
    scopes.append(spec)
    since = len(scopes)
    while since > 0 and scopes[since - 1] is not None:
        since -= 1
    active = scopes[since:]
    if any(callable(scope) for scope in active):
        graph._push_device(lambda op: _chosen(op, active))
    else:
        merged = _device_spec.DeviceSpec()
        for scope in active:
            merged = merged.make_merged_spec(scope)
        graph._push_device(merged.to_string())
    return scopes


def inherit(part: _graphkiln.FuncGraph) -> None:
    """What is made in a part of the current graph, such as a branch, asks
    for the device that is asked for now."""
    scopes = vars(_graphkiln.current_graph()).get("_devices")
    if scopes:
        vars(part)["_devices"] = list(scopes)
        part._inherit_device()


def here(tensor: _graphkiln.Tensor) -> _graphkiln.Tensor:
    """The tensor on the device of this scope."""
    if not _graphkiln.is_on_current_device(tensor):
        from graphkiln import raw_ops

        return raw_ops.Identity(input=tensor)
    return tensor


def exit_graph(graph: _graphkiln.Graph, scopes: list) -> None:
    """Undoes `enter_graph`."""
    scopes.pop()
    graph._pop_device()


def _chosen(op: _graphkiln.Operation, scopes: list) -> str:
    """The device of an operation: inner scopes first, what they leave open
    is filled in by outer ones; functions see it and have the last word."""
    for scope in reversed(scopes):
        if callable(scope):
            name = scope(op)
            if isinstance(name, _device_spec.DeviceSpec):
                name = name.to_string()
            if not isinstance(name, str):
                raise TypeError(
                    f"Expected binary or unicode string, got {name}"
                )
        else:
            inner = _device_spec.DeviceSpec.from_string(op.device)
            name = scope.make_merged_spec(inner).to_string()
        op._set_device(name)
    return op.device


def _refusals(spec: _device_spec.DeviceSpec) -> tuple[str, ...]:
    """Why ops and values cannot be made on a device; empty if they can.

    Only this process is there; devices that it lacks are replaced if soft
    placement is on."""
    elsewhere = (
        spec.job not in (None, "localhost") or spec.replica or spec.task
    )
    if not elsewhere and _can_place(spec):
        return ()
    name = (
        f"/job:{spec.job or 'localhost'}/replica:{spec.replica or 0}"
        f"/task:{spec.task or 0}/device:{spec.device_type or 'CPU'}:"
        f"{spec.device_index or 0}"
    )
    unmet = (
        f"Could not satisfy device specification '{name}'. "
        f"enable_soft_placement={int(_graphkiln.soft_placement())}. Supported "
        "device types [CPU]. All available devices "
        f"[{', '.join(_available())}]."
    )
    return unmet, f"{name} unknown device." if elsewhere else unmet


def _available() -> list[str]:
    from graphkiln._src.config import config

    return [_HERE + d.name for d in config.logical_devices()]


def _can_place(spec: _device_spec.DeviceSpec) -> bool:
    """Is the device there, or may another one take its place?"""
    from graphkiln._src.config import config

    if _graphkiln.soft_placement() or spec.device_type is None:
        return True
    return spec.device_type == "CPU" and (
        spec.device_index or 0
    ) < len(config.logical_devices())


def device(device_name: object) -> _Device:
    """A context that asks for a device; everything runs on the CPU, or on
    one of the parts that `tf.config.set_logical_device_configuration` made.

    Raises ValueError for what is no device's name, RuntimeError for
    functions. Ops inside raise InvalidArgumentError if they ask for another
    process or, with `tf.config.set_soft_device_placement(False)`, for a device
    that is not there; so do calls of functions with such ops.

    >>> with tf.device("/cpu:0"):
    ...     tf.constant(1).device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    return _Device(device_spec(device_name))


def device_spec(name: object) -> _device_spec.DeviceSpec | None:
    """What a device's name says."""
    if name is None or isinstance(name, _device_spec.DeviceSpec):
        return name
    if type(name).__name__ == "LogicalDevice":
        name = name.name
    if not isinstance(name, str):
        raise ValueError(
            f"Expecting a string device name. Got {type(name)}({name})"
        )
    return _device_spec.DeviceSpec.from_string(name)
