"""Whether AutoGraph converts what the library is given to call: what the
function that is traced here, or do_not_convert around it, says."""

import enum
import threading


class Status(enum.Enum):
    """What holds for callables of the user's."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class _State(threading.local):
    status = Status.UNSPECIFIED


_state = _State()


class ConversionStatus:
    """Inside `with` the status is the one given, on this thread."""

    __slots__ = ("_status", "_before")

    def __init__(self, status: Status):
        self._status = status

    def __enter__(self) -> "ConversionStatus":
        self._before = _state.status
        _state.status = self._status
        return self

    def __exit__(self, *error: object) -> None:
        _state.status = self._before


def of_tracing(autograph: bool) -> ConversionStatus:
    """The status inside the function that is traced."""
    return ConversionStatus(Status.ENABLED if autograph else Status.DISABLED)


def is_disabled() -> bool:
    """Are callables to be called as they are?"""
    return _state.status is Status.DISABLED
