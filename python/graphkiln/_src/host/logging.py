"""The logger "tensorflow" under the names of tf.compat.v1.logging."""

import logging
import sys
import threading

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.CRITICAL


_lock = threading.Lock()
_is_set_up = False


class _Output(logging.StreamHandler):
    """Writes to the standard error stream there is; in an interactive session
    to the standard output."""

    def __init__(self, interactive: bool):
        logging.Handler.__init__(self)
        self._interactive = interactive
        self.setFormatter(logging.Formatter(logging.BASIC_FORMAT))

    @property
    def stream(self):
        return sys.stdout if self._interactive else sys.stderr


def _set_up(logger: logging.Logger) -> None:
    """Gives the logger a handler, once, unless the program has its own."""
    global _is_set_up
    with _lock:
        if _is_set_up:
            return
        _is_set_up = True
        if logging.getLogger().handlers:
            return
        interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)
        if interactive:
            logger.setLevel(logging.INFO)
        logger.addHandler(_Output(interactive))


def get_logger() -> logging.Logger:
    """The logger that this package writes to.

    >>> tf.get_logger().name
    'tensorflow'
    """
    logger = logging.getLogger("tensorflow")
    if not _is_set_up:
        _set_up(logger)
    return logger


_told: dict[str, int] = {}


def warn_first(message: str, *args: object, times: int = 5) -> None:
    """Logs a warning, the same message so many times at most."""
    with _lock:
        count = _told[message] = _told.get(message, 0) + 1
    if count <= times:
        get_logger().warning(message, *args)


def log(level: int, msg: str, *args, **kwargs) -> None:
    """Logs at a level.

    >>> tf.compat.v1.logging.log(tf.compat.v1.logging.DEBUG, 'turn %d', 3)
    """
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: str, *args, **kwargs) -> None:
    """Logs at level DEBUG.

    >>> tf.compat.v1.logging.debug('turn %d', 3)
    """
    get_logger().debug(msg, *args, **kwargs)


def info(msg: str, *args, **kwargs) -> None:
    """Logs at level INFO.

    >>> tf.compat.v1.logging.info('turn %d', 3)
    """
    get_logger().info(msg, *args, **kwargs)


def warning(msg: str, *args, **kwargs) -> None:
    """Logs at level WARN.

    >>> tf.compat.v1.logging.warning('turn %d takes long', 3)
    """
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg: str, *args, **kwargs) -> None:
    """Logs at level ERROR.

    >>> tf.compat.v1.logging.error('turn %d failed', 3)
    """
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: str, *args, **kwargs) -> None:
    """Logs at level FATAL.

    >>> tf.compat.v1.logging.fatal('nothing is left after turn %d', 3)
    """
    get_logger().critical(msg, *args, **kwargs)


def get_verbosity() -> int:
    """The level below which nothing is logged.

    >>> tf.compat.v1.logging.get_verbosity() <= tf.compat.v1.logging.FATAL
    True
    """
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the level below which nothing is logged.

    >>> tf.compat.v1.logging.set_verbosity(
    ...     tf.compat.v1.logging.get_verbosity())
    """
    get_logger().setLevel(v)
