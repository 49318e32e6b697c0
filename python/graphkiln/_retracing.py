"""The warning about functions that are traced again and again."""

import logging
import weakref
from collections.abc import Callable

_WINDOW = 10
_THRESHOLD = 5
_MOST_WARNINGS = 2

_detectors: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Detector:
    """Counts calls and tracings of the functions of one place in the code."""

    def __init__(self):
        self._calls = 0
        self._tracings: list[int] = []
        self._warnings = 0

    def called_with_tracing(self, function, python_function: Callable) -> None:
        """Notes one call of `function` that was traced."""
        self._calls += function._take_calls()
        self._tracings.append(self._calls)
        while self._calls - self._tracings[0] > _WINDOW:
            del self._tracings[0]
        if (
            len(self._tracings) < _THRESHOLD
            or self._warnings >= _MOST_WARNINGS
        ):
            return
        self._warnings += 1
        logging.getLogger("tensorflow").warning(
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
            "more details.",
            len(self._tracings), self._calls, python_function,
        )


def detector_for(python_function: Callable) -> Detector:
    """The one of the function's code: functions made anew in a loop share
    it."""
    code = getattr(python_function, "__code__", None)
    if code is None:
        return Detector()
    return _detectors.setdefault(code, Detector())
