"""What TensorFlow's tf_inspect has besides inspect: functions that look below its
decorators."""

from __future__ import annotations

import inspect
from inspect import (  # noqa: F401
    FullArgSpec,
    Signature,
    getsourcefile,
    getsourcelines,
)
from typing import Any, NamedTuple

from graphkiln._src.internal.decorator import TFDecorator


class ArgSpec(NamedTuple):
    """The arguments of a function, those by name alone among them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def _below(obj: Any) -> tuple[FullArgSpec | None, Any]:
    """What a decorator says of the arguments, and what all of them wrap."""
    said = None
    while True:
        outer = obj if isinstance(obj, TFDecorator) else None
        outer = outer or getattr(obj, "_tf_decorator", None)
        if not isinstance(outer, TFDecorator):
            return said, inspect.unwrap(obj)
        said = said or outer.decorator_argspec
        obj = outer.decorated_target


def getfullargspec(obj: object) -> FullArgSpec:
    """The arguments of what decorators wrap, unless one of them says others."""
    said, target = _below(obj)
    return said or inspect.getfullargspec(target)


def getargspec(obj: object) -> FullArgSpec | ArgSpec:
    """The same as an ArgSpec; as it is where a decorator says it."""
    said, target = _below(obj)
    if said is not None:
        return said
    found = inspect.getfullargspec(target)
    defaults = (found.defaults or ()) + tuple((found.kwonlydefaults or {}).values())
    return ArgSpec(
        found.args + found.kwonlyargs, found.varargs, found.varkw, defaults or None
    )
