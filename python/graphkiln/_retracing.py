"""The warning about functions that are traced again and again."""

import collections
import threading
import weakref
from collections.abc import Callable

from graphkiln import _explanation
from graphkiln import _graphkiln
from graphkiln import _logging

_WINDOW = 10
_THRESHOLD = 5
_MOST_WARNINGS = 2
_MOST_EXPLAINED = 3

_detectors: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Detector:
    """Counts calls and tracings of the functions of one place in the code.

    Only calls that went well count, and none that is part of a trace.
    """

    def __init__(self):
        self.counter = _graphkiln.call_counter()
        self.num_functions = 0
        # Finalisers run under it, too, and may call functions.
        self._lock = threading.RLock()
        # Of the tracings in the window: each with the calls up to the next.
        self._calls: collections.deque[int] = collections.deque()
        self._total = 0
        self._warnings = 0

    def called_with_tracing(self, function) -> None:
        """Notes that a call of `function` was traced, and warns."""
        with self._lock:
            cached = _graphkiln.take_calls(self.counter)
            if cached:
                if not self._calls:
                    self._calls.append(0)
                self._calls[-1] += cached
                self._total += cached
            self._calls.append(1)
            self._total += 1
            while self._total - self._calls[0] > _WINDOW:
                self._total -= self._calls.popleft()
            tracings, calls = len(self._calls), self._total
            if tracings < _THRESHOLD or self._warnings >= _MOST_WARNINGS:
                return
            self._warnings += 1
        _logging.get_logger().warning(
            "%d out of the last %d calls to %s triggered tf.function "
            "retracing. Tracing is expensive and the excessive number of "
            "tracings could be due to (1) creating @tf.function repeatedly "
            "in a loop, (2) passing tensors with different shapes, (3) "
            "passing Python objects instead of tensors. For (1), please "
            "define your @tf.function outside of the loop. For (2), "
            "@tf.function has reduce_retracing=True option that can avoid "
            "unnecessary retracing. For (3), please refer to "
            "https://www.tensorflow.org/guide/function#controlling_retracing "
            "and https://www.tensorflow.org/api_docs/python/tf/function for  "
            "more details.\n%s",
            tracings, calls, function._state.python_function,
            _explanation.explain(function).text(_MOST_EXPLAINED),
        )


def _place(python_function: Callable) -> object:
    """What functions that are counted together have in common."""
    while hasattr(python_function, "__wrapped__"):
        python_function = python_function.__wrapped__
    python_function = getattr(python_function, "__func__", python_function)
    return getattr(python_function, "__code__", python_function)


def detector_for(python_function: Callable) -> Detector:
    """The one of the function's code: functions made anew in a loop share
    it."""
    place = _place(python_function)
    try:
        known = _detectors.get(place)
        # Of two threads that come here at once, both get the same.
        return known or _detectors.setdefault(place, Detector())
    except TypeError:  # no weak references, or no hash
        return Detector()
