"""Decorated functions that say what they wrap."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable


class TFDecorator:
    """What a decorator did: its name, the function that it wraps, and what it says
    of itself; it is found as `_tf_decorator` of the decorated function."""

    def __init__(
        self,
        decorator_name: str,
        target: Callable,
        decorator_doc: str = "",
        decorator_argspec: object = None,
    ) -> None:
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        functools.update_wrapper(self, target, updated=())

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self._decorated_target(*args, **kwargs)

    def __get__(self, instance: object, owner: type) -> Callable:
        return self._decorated_target.__get__(instance, owner)

    @property
    def decorated_target(self) -> Callable:
        """The function that is wrapped."""
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, target: Callable) -> None:
        self._decorated_target = target

    @property
    def decorator_name(self) -> str:
        return self._decorator_name

    @property
    def decorator_doc(self) -> str:
        return self._decorator_doc

    @property
    def decorator_argspec(self) -> object:
        return self._decorator_argspec


def make_decorator(
    target: Callable,
    decorator_func: Callable,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: object = None,
) -> Callable:
    """`decorator_func`, which wraps `target`, with the name, the document and the
    signature of that.

    Args:
      target: what is wrapped.
      decorator_func: the wrapper. It is changed and given back.
      decorator_name: of the decorator; by default that of the function that calls
        this one.
      decorator_doc: of the decorator.
      decorator_argspec: an `inspect.FullArgSpec` or a signature that the wrapper has
        in place of the target's.

    >>> def twice(function):
    ...     return tf.__internal__.decorator.make_decorator(
    ...         function, lambda x: 2 * function(x)
    ...     )
    >>> @twice
    ... def add_one(x):
    ...     return x + 1
    >>> add_one(3), add_one.__name__
    (8, 'add_one')
    """
    if decorator_name is None:
        decorator_name = inspect.currentframe().f_back.f_code.co_name
    made = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = made
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    if hasattr(target, "__dict__"):
        for name, value in target.__dict__.items():
            if name not in decorator_func.__dict__:
                decorator_func.__dict__[name] = value
    decorator_func.__wrapped__ = target
    if isinstance(decorator_argspec, inspect.Signature):
        decorator_func.__signature__ = decorator_argspec
    elif decorator_argspec is not None:
        decorator_func.__signature__ = _signature_of(decorator_argspec)
    elif callable(target):
        try:
            signature = inspect.signature(target)
        except (TypeError, ValueError):
            return decorator_func  # of what is written in C
        owner = _owner_of(target)
        if owner is not None and "self" in signature.parameters:
            signature = inspect.Signature(list(signature.parameters.values())[1:])
            decorator_func.__self__ = owner
        decorator_func.__signature__ = signature
    return decorator_func


def _owner_of(target: Callable) -> object:
    """The object that a decorated method is bound to, or None."""
    for decorator in unwrap(target)[0]:
        if inspect.ismethod(decorator.decorated_target):
            return decorator.decorated_target.__self__
    return None


def _signature_of(spec: object) -> inspect.Signature:
    kinds = inspect.Parameter
    defaults = list(spec.defaults or ())
    first = len(spec.args) - len(defaults)
    empty = inspect.Parameter.empty
    parameters = [
        kinds(
            name,
            kinds.POSITIONAL_OR_KEYWORD,
            default=defaults[i - first] if i >= first else empty,
        )
        for i, name in enumerate(spec.args)
    ]
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    named = getattr(spec, "kwonlydefaults", None) or {}
    parameters += [
        kinds(name, kinds.KEYWORD_ONLY, default=named.get(name, empty))
        for name in getattr(spec, "kwonlyargs", None) or ()
    ]
    keywords = getattr(spec, "varkw", None)
    if keywords:
        parameters.append(kinds(keywords, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def unwrap(maybe_tf_decorator: Callable) -> tuple[list, Callable]:
    """What decorators did to a function, the outermost first, and the function.

    >>> tf.__internal__.decorator.unwrap(abs)
    ([], <built-in function abs>)
    """
    decorators: list = []
    current = maybe_tf_decorator
    while True:
        if isinstance(current, TFDecorator):
            decorators.append(current)
        else:
            made = getattr(current, "_tf_decorator", None)
            if not isinstance(made, TFDecorator):
                if not getattr(current, "_is_dispatched", False):
                    return decorators, current
                made = TFDecorator("add_dispatch_support", current.__wrapped__)
            decorators.append(made)
        current = decorators[-1].decorated_target


def rewrap(
    decorator_func: Callable, previous_target: Callable, new_target: Callable
) -> Callable | None:
    """Puts another function in the place of the one that decorators wrap: the new
    function where there is no decorator, else None."""
    inner: TFDecorator | None = None
    outer: object = None
    current = decorator_func
    while current is not previous_target:
        made = getattr(current, "_tf_decorator", None)
        if not isinstance(made, TFDecorator):
            break
        inner, outer = made, current
        current = made.decorated_target
    if inner is None:
        return new_target
    inner.decorated_target = new_target
    outer.__wrapped__ = new_target
    return None
