"""Decorators by which packages say that names and arguments of theirs are old.
Who uses them is told once."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Callable, Iterator

from graphkiln import _graphkiln

_silent = False


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Nothing is said meanwhile."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _told(
    function: Callable, finds: Callable, once: bool = True
) -> Callable:
    """`function`, which logs what `finds` finds about its arguments."""
    said: set[str] = set()

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        if not _silent:
            for text in finds(args, kwargs):
                if not once or text not in said:
                    said.add(text)
                    _graphkiln.warning(text)
        return function(*args, **kwargs)

    return call


def _told_when_made(cls: type, text: str, once: bool) -> Callable:
    """An `__init__` for objects of the class, or of one below it."""
    first = cls.__init__
    if first is object.__init__:  # which takes no arguments, as __new__ did

        def first(self: object, *args: object, **kwargs: object) -> None:
            pass

    return _told(first, lambda *_: [text], once)


def deprecated(
    date: str | None,
    instructions: str,
    warn_once: bool = True,
    **unused: object,
) -> Callable:
    """For a function, or a class, that goes away."""

    def decorate(what: object) -> object:
        name = getattr(what, "__qualname__", repr(what))
        text = (
            f"{name} is deprecated and will be removed {_when(date)}: "
            f"{instructions}"
        )
        if isinstance(what, type):
            what.__init__ = _told_when_made(what, text, warn_once)
            return what
        return _told(what, lambda *_: [text], warn_once)

    return decorate


def _given(function: Callable) -> Callable:
    parameters = inspect.signature(function)

    def given(args: tuple, kwargs: dict) -> dict:
        try:
            return dict(parameters.bind(*args, **kwargs).arguments)
        except TypeError:
            return {}  # the call will say what is wrong

    return given


def deprecated_args(
    date: str | None,
    instructions: str,
    *deprecated_arg_names_or_tuples: object,
    **kwargs: object,
) -> Callable:
    """For arguments that go away: names, or (name, the value that is fine)."""
    old = {}
    for entry in deprecated_arg_names_or_tuples:
        pair = entry if isinstance(entry, (tuple, list)) else (entry,)
        old[pair[0]] = list(pair[1:])

    def decorate(function: Callable) -> Callable:
        given = _given(function)

        def finds(args: tuple, kwargs: dict) -> Iterator[str]:
            values = given(args, kwargs)
            for name, fine in old.items():
                if name in values and not any(values[name] is x for x in fine):
                    yield (
                        f"{function.__qualname__}: the argument {name} is "
                        f"deprecated and will be removed {_when(date)}: "
                        f"{instructions}"
                    )

        return _told(function, finds, kwargs.get("warn_once", True))

    return decorate


def deprecated_arg_values(
    date: str | None,
    instructions: str,
    warn_once: bool = True,
    **deprecated_kwargs: object,
) -> Callable:
    """For values of arguments that go away."""

    def decorate(function: Callable) -> Callable:
        given = _given(function)

        def finds(args: tuple, kwargs: dict) -> Iterator[str]:
            values = given(args, kwargs)
            for name, old in deprecated_kwargs.items():
                if name in values and values[name] is old:
                    yield (
                        f"{function.__qualname__}: {name}={old!r} is deprecated "
                        f"and will be removed {_when(date)}: {instructions}"
                    )

        return _told(function, finds, warn_once)

    return decorate


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: object, warn_once: bool = True
) -> object:
    """The old name of something that has a new one."""
    text = f"{deprecated_name} is deprecated. Please use {name} instead."
    if isinstance(func_or_class, type):

        class Old(func_or_class):
            __doc__ = func_or_class.__doc__
            __module__ = func_or_class.__module__
            __init__ = _told_when_made(func_or_class, text, warn_once)

        Old.__name__ = func_or_class.__name__
        Old.__qualname__ = func_or_class.__qualname__
        return Old
    return _told(func_or_class, lambda *_: [text], warn_once)


def deprecated_argument_lookup(
    new_name: str, new_value: object, old_name: str, old_value: object
) -> object:
    """The value of an argument that has an old name too.

    Raises:
      ValueError: both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(
            f"Cannot specify both '{old_name}' and '{new_name}'."
        )
    return old_value


def deprecated_endpoints(*args: str) -> Callable:
    """Decorates a function, some of whose public names are old."""

    def decorator(function: Callable) -> Callable:
        function._tf_deprecated_api_names = args
        return function

    return decorator
