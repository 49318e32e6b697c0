"""What an eager context is asked for, as far as one process has it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln, config
from graphkiln._src.host.both_modes import eager_mode  # noqa: F401
from graphkiln.compat import v1


def get_config() -> object:
    """A ConfigProto with what the process was set to.

    >>> tf.__internal__.eager_context.get_config().allow_soft_placement
    True
    """
    return v1.ConfigProto(
        allow_soft_placement=config.get_soft_device_placement(),
        inter_op_parallelism_threads=(
            config.threading.get_inter_op_parallelism_threads()
        ),
        intra_op_parallelism_threads=(
            config.threading.get_intra_op_parallelism_threads()
        ),
    )


def get_device_name() -> str:
    """The device of the scope around this code, "" outside of one.

    >>> tf.__internal__.eager_context.get_device_name()
    ''
    """
    return ""


class Executor:
    """Where eager ops run: here, when they are called."""

    def is_async(self) -> bool:
        return False

    def wait(self) -> None:
        """Everything has run."""

    def clear_error(self) -> None:
        """There is none: errors are raised where they are made."""


def get_executor() -> Executor:
    """What runs eager ops.

    >>> tf.__internal__.eager_context.get_executor().is_async()
    False
    """
    return Executor()


def set_soft_device_placement(enabled: bool) -> None:
    """May an op run on another device than it asks for?

    >>> tf.__internal__.eager_context.set_soft_device_placement(True)
    """
    _graphkiln.set_soft_device_placement(enabled)


def get_enclosing_xla_context() -> None:
    """None: nothing is compiled by XLA.

    >>> tf.__internal__.get_enclosing_xla_context()
    """


def is_tfrt_enabled() -> bool:
    """False: there is one runtime.

    >>> tf.__internal__.is_tfrt_enabled()
    False
    """
    return False


def enabled() -> bool:
    """True: programs get TensorFlow 2's behavior.

    >>> tf.__internal__.tf2.enabled()
    True
    """
    return True


def get_name_scope() -> str:
    """The name of the scope around this code, "" outside of one.

    >>> with tf.name_scope("a"):
    ...     tf.__internal__.get_name_scope()
    'a'
    """
    return _graphkiln.get_current_name_scope()


def execute_fn_for_device(
    device_branch_fns: dict, default_fn: Callable, name: str = "execute_fn"
) -> object:
    """What the function of the device gives on which this code runs.

    Args:
      device_branch_fns: by a device's type in capital letters, functions without
        arguments.
      default_fn: the one of all other devices.
      name: accepted for compatibility.

    >>> tf.__internal__.execute_fn_for_device({"GPU": lambda: 1}, lambda: 2)
    2
    """
    return device_branch_fns.get("CPU", default_fn)()


@contextlib.contextmanager
def load_context(load_options: object) -> Iterator[None]:
    """A `with` statement in which `load_options` are those of what is loaded: who
    loads is given them, too.

    >>> with tf.__internal__.load_context(None):
    ...     pass
    """
    yield


class BoolGauge:
    """Values of a program by labels, for those who look at it while it runs.

    >>> gauge = tf.__internal__.monitoring.BoolGauge("/example/set", "Is it?", "of")
    >>> gauge.get_cell("a").set(True)
    >>> gauge.get_cell("a").value(), gauge.get_cell("b").value()
    (True, False)
    """

    class _Cell:
        def __init__(self) -> None:
            self._value = False

        def set(self, value: bool) -> None:
            self._value = bool(value)

        def value(self) -> bool:
            return self._value

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._name = name
        self._labels = labels
        self._cells: dict = {}

    def get_cell(self, *labels: str) -> object:
        """The cell of these values of the labels.

        Raises:
          ValueError: their number is not that of the gauge.
        """
        if len(labels) != len(self._labels):
            raise ValueError(
                f"{self._name} has {len(self._labels)} labels, but got {len(labels)}"
            )
        return self._cells.setdefault(labels, self._Cell())
