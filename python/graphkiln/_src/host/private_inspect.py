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

from graphkiln._src.internal.decorator import unwrap


class ArgSpec(NamedTuple):
    """The arguments of a function, those by name alone among them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def _below(obj: Any) -> tuple[FullArgSpec | None, Any]:
    """What a decorator says of the arguments, and what all of TensorFlow's wrap.
    What others wrap counts for nothing: a wrapper may take other arguments."""
    decorators, target = unwrap(obj)
    while (wrapped := getattr(target, "__wrapped__", None)) is not None:
        if not (_is_own(target) or _is_own(wrapped)):
            break
        target = wrapped
    specs = (decorator.decorator_argspec for decorator in decorators)
    return next((spec for spec in specs if spec), None), target


def _is_own(function: object) -> bool:
    """Where TensorFlow has a TFDecorator, functools.wraps may be here."""
    names = getattr(function, "__globals__", {})
    return names.get("__name__", "").startswith("graphkiln.")


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
