"""Which gradient tapes and forward accumulators are open on this thread.

What an accumulator computes is seen by the recorders around it and by no
others, whenever it is asked for. `Only` arranges that.
"""

import threading
import weakref
from collections.abc import Callable

from graphkiln import _graphkiln


class _Open(threading.local):
    def __init__(self):
        # (reference to a recorder, id of the graph that it was opened in),
        # innermost last.
        self.stack: list[tuple] = []


_open = _Open()
# Looked up once: opening a tape is a hot path.
_reference, _current_graph = weakref.ref, _graphkiln.current_graph


def here() -> int:
    """The graph being built, as a number; recorders of other graphs see
    nothing of what is made."""
    return id(_graphkiln.current_graph())


def opened(recorder: object) -> None:
    """The recorder's tape records from now on."""
    _open.stack.append((_reference(recorder), id(_current_graph())))


def closed(recorder: object) -> None:
    """The recorder's tape records no more."""
    stack = _open.stack
    if stack and stack[-1][0]() is recorder:
        stack.pop()
        return
    for i in range(len(stack) - 1, -1, -1):
        opened_one = stack[i][0]()
        if opened_one is recorder or opened_one is None:
            del stack[i]
            if opened_one is not None:
                return


def recording_references() -> list[weakref.ref]:
    """The open recorders of the graph being built, outermost first."""
    now = here()
    return [reference for reference, graph in _open.stack if graph == now]


def _tapes(references: list[weakref.ref]) -> list:
    """The tapes of those that are still there and not used up."""
    recorders = [reference() for reference in references]
    return [r._tape for r in recorders if r is not None and r._tape]


class Only:
    """A context in which exactly these recorders record."""

    def __init__(self, references: list[weakref.ref]):
        self._references = references

    def __enter__(self) -> None:
        self._stopped = _tapes(recording_references())
        self._started: list = []
        # Nothing that pauses recording here pauses what is put in place.
        self._clear = _graphkiln.VariableWatcher()
        try:
            for tape in self._stopped:
                tape.pop()
            self._clear.__enter__()
            self._started = _tapes(self._references)
            for tape in self._started:
                tape.push()
        except BaseException:  # interrupted
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        for tape in reversed(self._started):
            tape.pop()
        self._clear.__exit__(*error)
        for tape in self._stopped:
            tape.push()


class WithoutForward:
    """A context in which forward accumulators record nothing."""

    def __enter__(self) -> None:
        self._tapes = _forward_tapes()
        for tape in self._tapes:
            tape.pop()

    def __exit__(self, *error: object) -> None:
        for tape in self._tapes:
            tape.push()


class Watched:
    """A context that notes which trainable variables are read.

    The open recorders go on: a forward accumulator follows what a function
    with a gradient of its own really does, and a tape may have to
    differentiate what its gradient uses of that. With `forget` tapes stand
    still, unless an accumulator is open, and keep nothing alive.
    """

    def __init__(self, forget: bool = False):
        self._forget = forget

    def __enter__(self) -> "Watched":
        go_on = not self._forget or _forward_tapes()
        self._tapes = _tapes(recording_references()) if go_on else []
        self._watcher = _graphkiln.VariableWatcher()
        try:
            _exchange(self._tapes, self._watcher.__enter__)
        except BaseException:  # interrupted
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        _exchange(self._tapes, lambda: self._watcher.__exit__(*error))

    def handles(self) -> list:
        return self._watcher.handles()


class OnlyForward:
    """A context in which only forward accumulators record."""

    def __enter__(self) -> None:
        self._tapes = _forward_tapes()
        self._watcher = _graphkiln.VariableWatcher()
        try:
            _exchange(self._tapes, self._watcher.__enter__)
        except BaseException:  # interrupted
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        _exchange(self._tapes, lambda: self._watcher.__exit__(*error))


def _exchange(tapes: list, change: Callable[[], object]) -> None:
    """Takes the tapes along where `change` changes what records."""
    try:
        for tape in tapes:
            tape.pop()
        change()
    finally:
        for tape in tapes:
            tape.push()


def _forward_tapes() -> list:
    now = here() if _open.stack else 0
    found = []
    for reference, graph in _open.stack:
        recorder = reference()
        if graph == now and getattr(recorder, "records_forward", False):
            found.append(recorder._tape)
    return found
