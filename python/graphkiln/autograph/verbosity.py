"""How much is said about conversions, and whether a failed one is an
error."""

import os

from graphkiln._src.host import logging as _logging


class ConversionError(RuntimeError):
    """In strict mode: a function cannot be converted."""


_level: int | None = None
_strict = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is logged while functions are converted.

    Args:
      level: 0 for warnings only; from 3 on the generated code is logged.
      alsologtostdout: also write it to the standard output.

    >>> tf.autograph.set_verbosity(0)
    """
    global _level, _to_stdout
    _level = int(level)
    _to_stdout = bool(alsologtostdout)


_to_stdout = False


def level() -> int:
    if _level is not None:
        return _level
    try:
        return int(os.environ.get("AUTOGRAPH_VERBOSITY", "0"))
    except ValueError:
        return 0


def log(at_level: int, message: str) -> None:
    """Writes `message` if the verbosity is at least `at_level`."""
    if level() < at_level:
        return
    _logging.get_logger().info("%s", message)
    if _to_stdout:
        print(message)


def set_strict(strict: bool) -> None:
    """In strict mode a function that cannot be converted raises instead of
    running as it is.

    >>> tf.autograph.experimental.set_strict(False)
    """
    global _strict
    _strict = bool(strict)


def is_strict() -> bool:
    return _strict or os.environ.get("AUTOGRAPH_STRICT_CONVERSION", "") == "1"
