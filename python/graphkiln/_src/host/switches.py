"""What programs may ask of a TensorFlow that runs elsewhere: switches of other
runtimes, and files with code of other builds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.host.logging import get_logger

_strict = False


def enable_strict_mode() -> None:
    """Makes what is deprecated an error.

        tf.experimental.enable_strict_mode()
    """
    global _strict
    _strict = True


def deprecated(name: str, instead: str) -> None:
    """Says once more that something is old; RuntimeError in strict mode."""
    if _strict:
        raise RuntimeError(
            "This behavior has been deprecated, which raises an error in strict "
            "mode."
        )
    get_logger().warning("%s is deprecated; use %s.", name, instead)


@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """A `with` statement whose ops may run later; here they have run when their
    call returns, so that errors come where they are made.

    >>> with tf.experimental.async_scope():
    ...     tf.add(1, 2).numpy().item()
    3
    """
    yield


def async_clear_error() -> None:
    """Forgets the errors of ops that ran later: there are none.

    >>> tf.experimental.async_clear_error()
    """


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A `with` statement that asks for another executor; here is but one.

    Args:
      executor_type: accepted for compatibility.

    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     tf.function(lambda x: x + 1)(tf.constant(1)).numpy().item()
    2
    """
    yield


def enable_mlir_bridge() -> None:
    """Kept for programs that call it: there is no such bridge.

    >>> tf.config.experimental.enable_mlir_bridge()
    """


def disable_mlir_bridge() -> None:
    """Kept for programs that call it: there is no such bridge.

    >>> tf.config.experimental.disable_mlir_bridge()
    """


def disable_dump_debug_info() -> None:
    """Ends what `enable_dump_debug_info` began: nothing.

    >>> tf.debugging.experimental.disable_dump_debug_info()
    """


def _other_build(path: str) -> _graphkiln.UnimplementedError:
    return _graphkiln.UnimplementedError(
        None, None,
        f"{path} holds code for TensorFlow's own runtime, which cannot be loaded "
        "here. Ops of one's own are made of others in a tf.function, or of "
        "Python by tf.py_function.",
    )


def load_library(library_location: str) -> None:
    """Refuses files with ops of TensorFlow's own runtime.

    Args:
      library_location: a file, or a folder of them.

    Raises FileNotFoundError if there is none, else UnimplementedError.
    """
    if not os.path.exists(library_location):
        raise FileNotFoundError(
            2, "The file or folder to load kernel libraries from does not exist.",
            library_location,
        )
    raise _other_build(library_location)


def load_op_library(library_filename: str) -> None:
    """Refuses a file with ops of TensorFlow's own runtime.

    Args:
      library_filename: the file.

    Raises NotFoundError if there is none, else UnimplementedError.
    """
    if not os.path.exists(library_filename):
        raise _graphkiln.NotFoundError(
            None, None,
            f"{library_filename}: cannot open shared object file: No such file or "
            "directory",
        )
    raise _other_build(library_filename)


def register_filesystem_plugin(plugin_location: str) -> None:
    """Refuses a file with a file system for TensorFlow's own runtime.

    Args:
      plugin_location: the file.

    Raises FileNotFoundError if there is none, else UnimplementedError.
    """
    if not os.path.exists(plugin_location):
        raise FileNotFoundError(
            2, "The file to load file system plugin from does not exist.",
            plugin_location,
        )
    raise _other_build(plugin_location)


class ClusterDeviceFilters:
    """Which devices each task of a cluster sees. Kept, as there are no clusters.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 0, ["/job:ps/task:0"])
    """

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(
        self, job_name: str, task_index: int, device_filters: Any
    ) -> None:
        """Sets which devices a task sees.

        Args:
          job_name: of the task.
          task_index: of the task.
          device_filters: names of devices, or the beginnings of them.
        """
        if not all(isinstance(f, str) for f in device_filters):
            raise TypeError(
                "Device filters must be strings, but got "
                f"{[type(f) for f in device_filters]}"
            )
        self._filters.setdefault(job_name, {})[task_index] = list(device_filters)


def _check_device(device: str) -> None:
    spec = _graphkiln.DeviceSpec.from_string(device)
    kind = spec.device_type
    found = [
        d for d in _graphkiln.list_logical_devices(kind)
        if spec.device_index is None
        or d.name.endswith(f":{spec.device_index}")
    ]
    if kind is None or not found:
        raise ValueError(f"No matching devices found for '{device}'")


def get_memory_info(device: str) -> dict[str, int]:
    """How many bytes a device's memory holds, "current" and at most, "peak";
    of CPUs nobody counts them.

    Args:
      device: "CPU:0".

    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    _check_device(device)
    return {"current": 0, "peak": 0}


def get_memory_usage(device: str) -> int:
    """The older form of `get_memory_info`.

    Args:
      device: "CPU:0".

    >>> tf.config.experimental.get_memory_usage("CPU:0")
    0
    """
    deprecated(
        "tf.config.experimental.get_memory_usage",
        "tf.config.experimental.get_memory_info",
    )
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Forgets the peak of `get_memory_info`.

    Args:
      device: "CPU:0".

    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    """
    _check_device(device)
