"""tf.config: devices, threads and switches."""

import dataclasses
import os
import threading

import graphkiln as tf

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
    tensor_float_32 = True
    synchronous = True
    log_placement = False
    device_policy = "silent"
    inter_op_threads = 0
    intra_op_threads = 0
    jit = ""
    options: dict = {}


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
        tf._graphkiln.set_num_logical_devices(max(len(logical_devices), 1))
        _State.logical[device] = logical_devices


def _is_initialized() -> bool:
    """Has anything been made that sits on a device? Tensors are numbered: the
    one made here follows the last one made here unless others came between."""
    if not _State.initialized:
        probe = tf.constant(0)._id
        _State.initialized = probe != _State.last_probe + 1
        _State.last_probe = probe
    return _State.initialized


def get_soft_device_placement():
    """Do ops run elsewhere if their device cannot?

    >>> tf.config.get_soft_device_placement()
    True
    """
    return tf._graphkiln.soft_placement()


def set_soft_device_placement(enabled):
    """Whether ops may run elsewhere if their device cannot.

    >>> tf.config.set_soft_device_placement(True)
    """
    tf._graphkiln.set_soft_placement(bool(enabled))


def get_inter_op_parallelism_threads():
    """How many ops run at once; 0: the system chooses.

    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return _State.inter_op_threads


def set_inter_op_parallelism_threads(num_threads):
    """Sets how many ops may run at once.

    >>> tf.config.threading.set_inter_op_parallelism_threads(
    ...     tf.config.threading.get_inter_op_parallelism_threads())
    """
    _State.inter_op_threads = _thread_count(num_threads)


def get_intra_op_parallelism_threads():
    """How many threads one op may use; 0: as many as there are cores.

    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return _State.intra_op_threads


def set_intra_op_parallelism_threads(num_threads):
    """Sets how many threads one op may use.

    >>> tf.config.threading.set_intra_op_parallelism_threads(
    ...     tf.config.threading.get_intra_op_parallelism_threads())
    """
    _State.intra_op_threads = _thread_count(num_threads)
    tf._graphkiln.set_intra_op_threads(
        _State.intra_op_threads or os.cpu_count() or 1
    )


def _thread_count(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"num_threads must be 0 or more, got {number!r}")
    return number


def enable_op_determinism():
    """Makes random ops without any seed an error.

    All other ops give the same results every time as they are.
    """
    tf._graphkiln.set_requires_seeds(True)


def enable_tensor_float_32_execution(enabled):
    """Kept for programs that set it: a CPU computes float32 in full.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    _State.tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled():
    """What `enable_tensor_float_32_execution` was last told.

    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _State.tensor_float_32


def get_synchronous_execution():
    """Do eager ops finish before their call returns?

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return _State.synchronous


def set_synchronous_execution(enable):
    """Eager ops finish before their call returns whatever is set here.

    >>> tf.config.experimental.set_synchronous_execution(True)
    """
    _State.synchronous = bool(enable)


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


def get_device_policy():
    """How inputs on other devices are treated.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return _State.device_policy


def set_device_policy(device_policy):
    """Sets how inputs on other devices are treated; there are none.

    >>> tf.config.experimental.set_device_policy('silent')
    """
    policies = (None, "silent", "silent_for_int32", "warn", "explicit")
    if device_policy not in policies:
        raise ValueError(f"Not a valid device policy: {device_policy!r}")
    _State.device_policy = device_policy or "silent"


def get_jit():
    """Which functions are compiled without being asked to be.

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return _State.jit


def set_jit(enabled):
    """Sets which functions are compiled without being asked to be.

    >>> tf.config.optimizer.set_jit(False)
    """
    if enabled not in (True, False, "", "autoclustering"):
        raise ValueError(f"Unsupported value of `enabled`: {enabled!r}")
    _State.jit = "autoclustering" if enabled else ""


# In the order in which they are told.
_OPTIONS = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
    "arithmetic_optimization", "dependency_optimization", "loop_optimization",
    "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization",
    "implementation_selector", "auto_mixed_precision",
    "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl",
    "use_plugin_optimizers", "disable_meta_optimizer", "min_graph_nodes",
)


def get_experimental_options():
    """The optimizer options that were set, and those that are always told.

    >>> tf.config.optimizer.get_experimental_options()['disable_meta_optimizer']
    False
    """
    options = {
        "disable_model_pruning": False, "disable_meta_optimizer": False,
        **_State.options,
    }
    known = [name for name in _OPTIONS if name in options]
    return {name: options[name] for name in dict.fromkeys([*known, *options])}


def set_experimental_options(options):
    """Turns passes of the optimizer on or off by name.

    `disable_meta_optimizer` leaves all of them out of functions that run for
    the first time from now on.

    >>> tf.config.optimizer.set_experimental_options({})
    """
    _State.options.update(options)
    tf._graphkiln.set_graph_passes(
        not _State.options.get("disable_meta_optimizer", False)
    )


def get_log_device_placement():
    """Is the device of each op written to the log?

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _State.log_placement


def set_log_device_placement(enabled):
    """Whether the device of each op is written to the log.

    Eager ops and calls of functions tell it on stderr as "Executing op Mul in
    device ...", the nodes of a function on stdout as "mul: (Mul): ..." when
    its plan is made. TF_CPP_MIN_LOG_LEVEL=1 silences the log.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _State.log_placement = bool(enabled)
    tf._graphkiln.set_log_placement(_State.log_placement)
