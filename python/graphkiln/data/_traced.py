"""How datasets call the user's functions: converted by AutoGraph, and errors
speak of the user's own."""

import re
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._src.function import tracing

# The modules that call what the user gave.
_CALLERS = (
    __name__,
    "graphkiln._src.function.tracing",
    "graphkiln.autograph.root",
)


def call_converted(function: Callable, arguments: tuple) -> object:
    """What AutoGraph's conversion of `function` gives for these."""
    called = tracing.convert_callee(function)
    try:
        return called(*arguments)
    except TypeError as error:
        _show_own_name(error, function)
        raise


def _show_own_name(error: TypeError, function: Callable) -> None:
    """An error of the call itself speaks of the user's function, not of the
    one generated from it."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    if last.tb_frame.f_globals.get("__name__") not in _CALLERS:
        return
    name = getattr(function, "__qualname__", type(function).__qualname__)
    error.args = tuple(
        re.sub(r"^\S*\btf__\w+\(\)", lambda _: f"{name}()", text)
        if isinstance(text, str) else text
        for text in error.args
    )


_graphkiln.provide(call_converted)
