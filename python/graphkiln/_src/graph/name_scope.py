"""Name scopes, init_scope and device placement."""

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import current_scope, init_scope, name_scope

__all__ = ["current_scope", "device", "init_scope", "name_scope"]


def here(tensor: _graphkiln.Tensor) -> _graphkiln.Tensor:
    """The tensor on the device of this scope."""
    if not _graphkiln.is_on_current_device(tensor):
        return raw_ops.Identity(input=tensor)
    return tensor


def device(device_name: object) -> _graphkiln.DeviceScope:
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
    return _graphkiln.DeviceScope(device_name)
