"""Name scopes, init_scope and device placement."""

from graphkiln import _device_spec
from graphkiln import _graphkiln
from graphkiln._graphkiln import current_scope
from graphkiln._graphkiln import init_scope
from graphkiln._graphkiln import name_scope

__all__ = ["current_scope", "device", "init_scope", "name_scope"]


_HERE = "/job:localhost/replica:0/task:0"


class _Device:
    """Ops of graphs made inside are asked to run on a device; a scope inside
    another adds to what that one says."""

    def __init__(self, spec: _device_spec.DeviceSpec | None):
        self._spec = spec
        self._entered: list = []

    def __enter__(self) -> None:
        graph = _graphkiln.current_graph()
        if graph is None:
            _check_eager(self._spec)
            self._entered.append(None)
            return
        if self._spec is not None and not _can_place(self._spec):
            _note_unmet(graph, self._spec)
        stack = vars(graph).setdefault("_devices", [])
        spec = self._spec or _device_spec.DeviceSpec()
        if stack and self._spec is not None:
            spec = stack[-1].make_merged_spec(spec)
        scope = _graphkiln.DeviceScope(spec.to_string())
        scope.__enter__()
        stack.append(spec)
        self._entered.append((stack, scope))

    def __exit__(self, *exception) -> None:
        entered = self._entered.pop()
        if entered is not None:
            entered[0].pop()
            entered[1].__exit__(None, None, None)


def _check_eager(spec: _device_spec.DeviceSpec | None) -> None:
    """Only this process is there; devices that it lacks are replaced."""
    if spec is None:
        return
    job, replica, task = spec.job, spec.replica, spec.task
    if job not in (None, "localhost") or replica or task:
        from graphkiln import errors

        raise errors.InvalidArgumentError(
            None, None,
            f"/job:{job or 'localhost'}/replica:{replica or 0}/task:{task or 0}"
            "/device:CPU:0 unknown device.",
        )
    if not _can_place(spec):
        from graphkiln import errors

        raise errors.InvalidArgumentError(
            None, None,
            f"Could not satisfy device specification '{_HERE}/device:"
            f"{spec.device_type}:{spec.device_index or 0}'. "
            "enable_soft_placement=0. Supported device types [CPU]. All "
            f"available devices [{', '.join(_available())}].",
        )


def _available() -> list[str]:
    from graphkiln import _config

    return [_HERE + d.name for d in _config.logical_devices()]


def _can_place(spec: _device_spec.DeviceSpec) -> bool:
    """Is the device there, or may another one take its place?"""
    from graphkiln import _config

    if _config.get_soft_device_placement() or spec.device_type is None:
        return True
    return spec.device_type == "CPU" and (
        spec.device_index or 0
    ) < len(_config.logical_devices())


def _note_unmet(graph: _graphkiln.Graph, spec: _device_spec.DeviceSpec) -> None:
    """Bodies of branches and loops tell the functions around them."""
    while graph is not None:
        vars(graph).setdefault("_unmet_device", spec)
        graph = getattr(graph, "outer_graph", None)


def check_devices(
    graph: _graphkiln.FuncGraph, concrete: _graphkiln.ConcreteFunction
) -> None:
    """Refuses a traced function that cannot run: it asks for devices which
    are not there, and soft placement is off."""
    unmet = vars(graph).get("_unmet_device")
    if unmet is None:
        return
    from graphkiln import errors

    raise errors.InvalidArgumentError(
        None, None,
        f"Unable to find any devices for spec {unmet.to_string()} [Op:"
        f"{concrete.name.decode()}]",
    )


def device(device_name: object) -> _Device:
    """A context that asks for a device; everything runs on the CPU.

    Raises ValueError for what is no device's name, RuntimeError for
    functions; entering it when eager raises InvalidArgumentError for another
    process and, with `tf.config.set_soft_device_placement(False)`, for a
    device that is not there. A function that asks for one is not traced then.

    >>> with tf.device("/cpu:0"):
    ...     tf.constant(1).device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    if device_name is None or isinstance(device_name, _device_spec.DeviceSpec):
        return _Device(device_name)
    if not isinstance(device_name, str):
        raise ValueError(
            f"Expecting a string device name. Got {type(device_name)}"
            f"({device_name})"
        )
    return _Device(_device_spec.DeviceSpec.from_string(device_name))
