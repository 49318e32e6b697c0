"""Results of writes to a tf.TensorArray that nobody used: the array written
to does not change, so what was written is lost."""

import os
import sys
import threading

from graphkiln import _graphkiln

_PACKAGE = os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
) + os.sep


def caller(what: str) -> str:
    """"`what` at FILE:LINE" of the innermost frame outside the package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return what
    return f"{what} at {frame.f_code.co_filename}:{frame.f_lineno}"


_pending = threading.local()


def remember(array) -> None:
    """Watches whether `array`, the result of a write in a function that is
    being traced, will be used: `_used` says so, `_line` where it is."""
    writes = getattr(_pending, "writes", None)
    if writes is not None:
        array._line = caller(array._line)
        array._used = False
        writes.append(array)


class Tracing:
    """The writes of one traced function; at its end it is an error if the
    result of one was not used."""

    def __enter__(self) -> "Tracing":
        self._outer = getattr(_pending, "writes", None)
        _pending.writes = []
        return self

    def __exit__(self, kind, value, traceback) -> None:
        writes, _pending.writes = _pending.writes, self._outer
        if kind is None:
            for array in writes:
                if not array._used:
                    raise ValueError(_graphkiln._lost_write(array._line))
