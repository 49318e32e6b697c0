"""The logger "tensorflow", and of tf.compat.v1.logging what depends on the caller;
the rest is the extension's."""

import logging
import sys
import threading

from graphkiln import _graphkiln

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


# --- Of tf.compat.v1.logging.

_logged_at: dict[tuple[str, int], int] = {}


def vlog(level: int, msg: str, *args: object, **kwargs: object) -> None:
    """Logs at a level.

    Args:
      level: a number, such as tf.compat.v1.logging.INFO.
      msg: the text, with places for `args`.

    >>> tf.compat.v1.logging.vlog(tf.compat.v1.logging.DEBUG, "turn %d", 3)
    """
    get_logger().log(level, msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: object, *args: object) -> None:
    """Logs at a level, if a condition holds.

    Args:
      level: a number, such as tf.compat.v1.logging.INFO.
      msg: the text, with places for `args`.
      condition: whether it is logged.

    >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.ERROR, "lost", False)
    """
    if condition:
        vlog(level, msg, *args)


def _count_here() -> int:
    """How often the line that called the caller did so before."""
    frame = sys._getframe(2)
    place = frame.f_code.co_filename, frame.f_lineno
    with _lock:
        before = _logged_at.get(place, 0)
        _logged_at[place] = before + 1
    return before


def log_every_n(level: int, msg: str, n: int, *args: object) -> None:
    """Logs at a level, the first call of this line and each n-th after it.

    Args:
      level: a number, such as tf.compat.v1.logging.INFO.
      msg: the text, with places for `args`.
      n: of so many calls one is logged.

    >>> for turn in range(9):
    ...     tf.compat.v1.logging.log_every_n(
    ...         tf.compat.v1.logging.DEBUG, "turn %d", 4, turn)
    """
    log_if(level, msg, _count_here() % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: object) -> None:
    """Logs at a level, the first n calls of this line.

    Args:
      level: a number, such as tf.compat.v1.logging.INFO.
      msg: the text, with places for `args`.
      n: so many calls are logged.

    >>> for turn in range(9):
    ...     tf.compat.v1.logging.log_first_n(
    ...         tf.compat.v1.logging.DEBUG, "turn %d", 2, turn)
    """
    log_if(level, msg, _count_here() < n, *args)


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802
    """Logs at level ERROR.

    Args:
      msg: the text.

    >>> tf.compat.v1.logging.TaskLevelStatusMessage("worker 3 is back")
    """
    get_logger().error(msg)


def flush() -> None:
    """Always raises NotImplementedError, as TensorFlow's does: each message is
    written at once.

    >>> try:
    ...     tf.compat.v1.logging.flush()
    ... except NotImplementedError:
    ...     print("nothing to do")
    nothing to do
    """
    raise NotImplementedError()


_graphkiln.provide(get_logger, warn_first)
