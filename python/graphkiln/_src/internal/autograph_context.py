"""Functions that AutoGraph converts because their caller was converted."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._src.internal import decorator
from graphkiln.autograph import operators


class Status(enum.Enum):
    """Is code converted?"""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """Says whether the code that runs now was converted.

    >>> tf.__internal__.autograph.control_status_ctx().status.name
    'UNSPECIFIED'
    """

    def __init__(self, status: Status, options: object = None) -> None:
        self.status = status
        self.options = options


def control_status_ctx() -> ControlStatusCtx:
    """Whether the code that runs now was converted: `status` is ENABLED in a function
    that is traced with AutoGraph, DISABLED in one without, else UNSPECIFIED.

    >>> tf.__internal__.autograph.control_status_ctx().status.name
    'UNSPECIFIED'
    """
    if not _graphkiln.get_default_graph().building_function:
        return ControlStatusCtx(Status.UNSPECIFIED)
    is_off = _graphkiln.conversion_is_disabled()
    return ControlStatusCtx(Status.DISABLED if is_off else Status.ENABLED)


def tf_convert(
    f: Callable,
    ctx: ControlStatusCtx,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Callable:
    """A function that does what `f` does, converted by AutoGraph if its caller is.

    Args:
      f: a Python function or method.
      ctx: of the caller: `control_status_ctx()`.
      convert_by_default: is it converted where `ctx` says nothing?
      user_requested: accepted for compatibility.

    >>> context = tf.__internal__.autograph.control_status_ctx()
    >>> absolute = tf.__internal__.autograph.tf_convert(
    ...     lambda x: x if x > 0 else -x, context
    ... )
    >>> tf.function(absolute)(tf.constant(-2)).numpy().item()
    2
    """
    if hasattr(f, "__ag_compiled"):
        return f
    _, function = decorator.unwrap(f)
    converts = ctx.status is Status.ENABLED or (
        ctx.status is Status.UNSPECIFIED and convert_by_default
    )
    if not converts:

        @functools.wraps(f)
        def wrapper(*args: object, **kwargs: object) -> object:
            with _graphkiln.ConversionStatus(False):
                return f(*args, **kwargs)

    else:

        @functools.wraps(f)
        def wrapper(*args: object, **kwargs: object) -> object:
            if _graphkiln.executing_eagerly():
                return f(*args, **kwargs)
            with _graphkiln.ConversionStatus(True):
                return operators.converted_call(function, args, kwargs)

    if inspect.isfunction(f) or inspect.ismethod(f):
        wrapper.__wrapped__ = f
        wrapper = decorator.make_decorator(f, wrapper, "tf_convert")
    wrapper.__ag_compiled = True
    return wrapper
