"""What tests ask about the machine and the build."""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln


def is_built_with_cuda() -> bool:
    """Can it use NVIDIA's GPUs? No.

    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_built_with_rocm() -> bool:
    """Can it use AMD's GPUs? No.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Can it use GPUs? No.

    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """Is XLA in it? No: functions are compiled in another way.

    >>> tf.test.is_built_with_xla()
    False
    """
    return False


def is_gpu_available(
    cuda_only: bool = False,
    min_cuda_compute_capability: tuple[int, int] | None = None,
) -> bool:
    """Is there a GPU that ops run on?

    Args:
      cuda_only: counts NVIDIA's only.
      min_cuda_compute_capability: counts those only that can as much.

    >>> tf.test.is_gpu_available()
    False
    """
    return bool(_graphkiln.list_logical_devices("GPU"))


def gpu_device_name() -> str:
    """The name of a GPU that ops run on; "" if there is none.

    >>> tf.test.gpu_device_name()
    ''
    """
    found = _graphkiln.list_logical_devices("GPU")
    return found[0].name if found else ""


def is_cpu_target_available(target: str) -> bool:
    """Can it make code for this kind of CPU ("x86", "aarch64")?

    >>> tf.test.is_cpu_target_available("arm")
    False
    """
    names = {"x86_64": "x86", "amd64": "x86", "arm64": "aarch64"}
    machine = platform.machine().lower()
    return target == names.get(machine, machine)


def sync_devices() -> None:
    """Waits until devices have done what they were asked: here they have.

    >>> tf.test.experimental.sync_devices()
    """


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[[Callable], Callable]:
    """A decorator of tests that are skipped if `pred()` is true when they run.

    >>> class Some(tf.test.TestCase):
    ...     @tf.test.disable_with_predicate(lambda: True, "not here")
    ...     def test_it(self):
    ...         self.fail()
    >>> len(Some("test_it").run().skipped)
    1
    """

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return run

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Gives the class that it decorates.

    Args:
      cls: a class of tests.
      only_as_function: accepted for compatibility.

    >>> @tf.test.with_eager_op_as_function
    ... class Some(tf.test.TestCase):
    ...     pass
    """
    return (lambda given: given) if cls is None else cls
