"""Name scopes, init_scope and device placement."""

import re

from graphkiln._graphkiln import DeviceScope
from graphkiln._graphkiln import current_scope
from graphkiln._graphkiln import init_scope
from graphkiln._graphkiln import name_scope

__all__ = ["current_scope", "device", "init_scope", "name_scope"]

_DEVICE = re.compile(
    r"(/?(job:\w+|replica:\d+|task:\d+|(device:)?(cpu|gpu|tpu|xla_\w+)(:\d+|:\*)?))*",
    re.IGNORECASE,
)


def device(device_name: object) -> DeviceScope:
    """A context that asks for a device; everything runs on the CPU."""
    if callable(device_name):
        raise RuntimeError(
            "tf.device does not support functions when eager execution is "
            "enabled."
        )
    name = "" if device_name is None else str(device_name)
    if not _DEVICE.fullmatch(name):
        raise ValueError(f"Unknown attribute in device name: {name!r}.")
    return DeviceScope(name)
