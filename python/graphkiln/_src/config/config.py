"""tf.config: devices. Its switches are the extension's."""

import dataclasses
import threading

from graphkiln import _graphkiln

_lock = threading.RLock()


@dataclasses.dataclass(frozen=True)
class PhysicalDevice:
    """A device of this machine.

    >>> tf.config.list_physical_devices("CPU")[0].device_type
    'CPU'
    """

    name: str
    device_type: str

    def __repr__(self) -> str:
        return (
            f"PhysicalDevice(name={self.name!r}, "
            f"device_type={self.device_type!r})"
        )


@dataclasses.dataclass(frozen=True)
class LogicalDevice:
    """A device that programs run on.

    >>> tf.config.list_logical_devices('CPU')[0].device_type
    'CPU'
    """

    name: str
    device_type: str

    def __repr__(self) -> str:
        return (
            f"LogicalDevice(name={self.name!r}, "
            f"device_type={self.device_type!r})"
        )


@dataclasses.dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """How a physical device is divided.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=64).memory_limit
    64
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL_CPU = LogicalDevice("/device:CPU:0", "CPU")


class _State:
    visible: list = [_CPU]
    logical: dict = {}
    initialized = False
    last_probe = 0


def list_physical_devices(device_type=None):
    """The devices of this machine, or those of a type.

    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type=None):
    """The devices that programs can name.

    >>> len(tf.config.list_logical_devices("CPU"))
    1
    """
    _State.initialized = True
    if device_type not in (None, "CPU") or not _State.visible:
        return []
    return logical_devices()


def logical_devices() -> list[LogicalDevice]:
    """The parts of the CPU; they may change as long as there is nothing."""
    parts = _State.logical.get(_CPU, [None])
    return [
        LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(len(parts))
    ]


def get_visible_devices(device_type=None):
    """The physical devices that programs may use.

    >>> [device.name for device in tf.config.get_visible_devices('CPU')]
    ['/physical_device:CPU:0']
    """
    return [d for d in _State.visible if device_type in (None, d.device_type)]


def set_visible_devices(devices, device_type=None):
    """Chooses the physical devices that programs may use.

    >>> tf.config.set_visible_devices(tf.config.list_physical_devices())
    """
    if isinstance(devices, PhysicalDevice):
        devices = [devices]
    for device in devices:
        if device != _CPU:
            raise ValueError(f"Unrecognized device: {device}")
    if device_type in (None, "CPU"):
        if not devices:
            raise RuntimeError("The CPU cannot be hidden: it runs everything")
        _State.visible = list(devices)


def get_logical_device_configuration(device):
    """How a physical device is divided; None: not at all.

    >>> cpu = tf.config.list_physical_devices('CPU')[0]
    >>> tf.config.get_logical_device_configuration(cpu) is None
    True
    """
    if device != _CPU:
        raise ValueError(f"Unrecognized device: {device}")
    return _State.logical.get(device)


def set_logical_device_configuration(device, logical_devices):
    """Divides a physical device. Parts of the CPU share its memory: what
    `tf.device` changes is where tensors say they are.

    Raises ValueError for limits and priorities, which the CPU has not,
    InvalidArgumentError for more than 256 parts and RuntimeError once there
    are tensors or the devices have been listed.
    """
    if device != _CPU:
        raise ValueError(f"Unrecognized device: {device}")
    for part in logical_devices:
        if part.memory_limit is not None:
            raise ValueError("Setting memory limit on CPU virtual devices is "
                             "currently not supported")
        if part.experimental_priority is not None:
            raise ValueError("Setting experimental_priority on CPU virtual  "
                             "devices is currently not supported")
    logical_devices = list(logical_devices)
    with _lock:
        if _State.logical.get(device) == logical_devices:
            return
        if _is_initialized():
            raise RuntimeError(
                "Virtual devices cannot be modified after being initialized"
            )
        _graphkiln.set_num_logical_devices(max(len(logical_devices), 1))
        _State.logical[device] = logical_devices


def _is_initialized() -> bool:
    """Has anything been made that sits on a device? Tensors are numbered: the
    one made here follows the last one made here unless others came between."""
    if not _State.initialized:
        probe = _graphkiln.constant(0)._id
        _State.initialized = probe != _State.last_probe + 1
        _State.last_probe = probe
    return _State.initialized


def get_memory_growth(device):
    """Memory of the CPU always grows as needed.

    >>> cpu = tf.config.list_physical_devices('CPU')[0]
    >>> tf.config.experimental.get_memory_growth(cpu)
    Traceback (most recent call last):
        ...
    ValueError: Cannot get memory growth on non-GPU and non-Pluggable devices: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')
    """
    raise ValueError("Cannot get memory growth on non-GPU and non-Pluggable "
                     f"devices: {device}")


def set_memory_growth(device, enable):
    """Memory of the CPU always grows as needed."""
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable "
                     f"devices: {device}")


def get_device_details(device):
    """Facts about a device; none are known of the CPU.

    >>> cpu = tf.config.list_physical_devices('CPU')[0]
    >>> tf.config.experimental.get_device_details(cpu)
    {}
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(
            f"device must be a tf.config.PhysicalDevice, but got: {device}"
        )
    return {}
