"""Public functions that are made of no op and can be dispatched by the types of
their arguments, as those of records can."""

import functools
from collections.abc import Callable

from graphkiln import _graphkiln


def dispatched(function: Callable) -> Callable:
    """A public function, in whose place what the program registered for the
    types of its arguments is called."""

    @functools.wraps(function)
    def api(*args, **kwargs):
        result = _graphkiln.dispatch(api, args, kwargs)
        if result is not NotImplemented:
            return result
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError):
            result = _graphkiln.ask_fallbacks(api, args, kwargs)
            if result is NotImplemented:
                raise
            return result

    api._is_dispatched = True
    return api
