"""Functions of Python's that call methods written in C."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType

from graphkiln import _graphkiln


def function_of_method(method: Callable) -> FunctionType:
    """A function that takes what `method` takes and calls it: where somebody asks
    the method for its `__code__`."""
    signature = inspect.signature(method)
    names = list(signature.parameters)
    taken = [
        name if parameter.default is parameter.empty else f"{name}=None"
        for name, parameter in signature.parameters.items()
    ]
    made: dict[str, FunctionType] = {}
    text = f"def {method.__name__}({', '.join(taken)}):\n"
    text += f"    return method({', '.join(names)})\n"
    exec(text, {"method": method}, made)
    function = made[method.__name__]
    function.__defaults__ = tuple(
        parameter.default
        for parameter in signature.parameters.values()
        if parameter.default is not parameter.empty
    )
    function.__qualname__ = method.__qualname__
    function.__doc__ = method.__doc__
    return function


_graphkiln.provide(function_of_method)
