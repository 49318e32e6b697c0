"""Which Functions are counted together for the warning about functions that
are traced again and again."""

import weakref
from collections.abc import Callable

from graphkiln import _graphkiln

_detectors: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _place(python_function: Callable) -> object:
    """What functions that are counted together have in common."""
    while hasattr(python_function, "__wrapped__"):
        python_function = python_function.__wrapped__
    python_function = getattr(python_function, "__func__", python_function)
    return getattr(python_function, "__code__", python_function)


def _new_detector(place: object) -> object:
    file = getattr(place, "co_filename", None)
    return _graphkiln.retracing_detector(
        "" if file is None else f'File "{file}", line {place.co_firstlineno}'
    )


def detector_for(python_function: Callable) -> object:
    """The one of the function's code: functions made anew in a loop share
    it."""
    place = _place(python_function)
    try:
        known = _detectors.get(place)
        # Of two threads that come here at once, both get the same.
        return known or _detectors.setdefault(place, _new_detector(place))
    except TypeError:  # no weak references, or no hash
        return _new_detector(place)
