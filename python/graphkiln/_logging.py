"""The logger "tensorflow" under the names of tf.compat.v1.logging."""

import logging

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.CRITICAL


def get_logger() -> logging.Logger:
    """The logger that this package writes to.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")


def log(level: int, msg: str, *args, **kwargs) -> None:
    """Logs at a level."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: str, *args, **kwargs) -> None:
    """Logs at level DEBUG."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg: str, *args, **kwargs) -> None:
    """Logs at level INFO."""
    get_logger().info(msg, *args, **kwargs)


def warning(msg: str, *args, **kwargs) -> None:
    """Logs at level WARN."""
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg: str, *args, **kwargs) -> None:
    """Logs at level ERROR."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: str, *args, **kwargs) -> None:
    """Logs at level FATAL."""
    get_logger().critical(msg, *args, **kwargs)


def get_verbosity() -> int:
    """The level below which nothing is logged."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the level below which nothing is logged."""
    get_logger().setLevel(v)
