"""The logger "tensorflow"; tf.compat.v1.logging is the extension's."""

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


_graphkiln.provide(get_logger, warn_first)
