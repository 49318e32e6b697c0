"""Handlers of calls with arguments that functions of this package do not take."""

from __future__ import annotations

import types
from collections.abc import Callable

from graphkiln import _graphkiln, nest
from graphkiln._src.types.dispatched import dispatched


class OpDispatcher:
    """A handler of calls of one function that raised TypeError or ValueError.

    Subclasses override `handle`.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> class OfCelsius(tf.__internal__.dispatch.OpDispatcher):
    ...     def handle(self, args, kwargs):
    ...         if not hasattr(args[0], "degrees"):
    ...             return self.NOT_SUPPORTED
    ...         return type(args[0])(abs(args[0].degrees))
    >>> OfCelsius().register(tf.abs)
    >>> tf.abs(Celsius(-3)).degrees
    3
    """

    NOT_SUPPORTED = object()

    def handle(self, args: tuple, kwargs: dict) -> object:
        """The result of the call, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable) -> None:
        """Handles calls of `op` from now on.

        Raises:
          AssertionError: `op` is no function that can be dispatched.
        """

        def handle(args: tuple, kwargs: dict) -> object:
            result = self.handle(args, kwargs)
            return NotImplemented if result is self.NOT_SUPPORTED else result

        # Class methods of what the core makes raise TypeError for other types.
        is_method = isinstance(op, types.BuiltinMethodType) and op.__self__ is not None
        if not _graphkiln.add_fallback(op, handle) and not is_method:
            raise AssertionError(f"Dispatching not enabled for {op!r}")


class GlobalOpDispatcher:
    """A handler of calls of any function that raised TypeError or ValueError.

    Subclasses override `handle`.

    >>> issubclass(
    ...     tf.__internal__.dispatch.GlobalOpDispatcher,
    ...     tf.__internal__.dispatch.OpDispatcher,
    ... )
    False
    """

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Callable, args: tuple, kwargs: dict) -> object:
        """The result of `op(*args, **kwargs)`, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Handles calls of all functions from now on."""

        def handle(op: Callable, args: tuple, kwargs: dict) -> object:
            result = self.handle(op, args, kwargs)
            return NotImplemented if result is self.NOT_SUPPORTED else result

        _graphkiln.add_fallback(None, handle)


class _OfTypes(OpDispatcher):
    """Calls a function where an argument, or what is in one, is of some types."""

    def __init__(self, override: Callable, types: tuple) -> None:
        self._override = override
        self._types = types

    def handle(self, args: tuple, kwargs: dict) -> object:
        given = nest.flatten([list(args), list(kwargs.values())])
        if any(isinstance(value, self._types) for value in given):
            return self._override(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op: Callable, *types: type) -> Callable:
    """Decorates what is called in the place of `op` where that has failed and an
    argument is of one of the types."""

    def decorator(override: Callable) -> Callable:
        _OfTypes(override, types).register(op)
        return override

    return decorator


def add_dispatch_support(
    target: Callable | None = None, iterable_parameters: list | None = None
) -> Callable:
    """Decorates a function for whose argument types others can be registered.

    Args:
      target: the function; None where this is called with keywords alone.
      iterable_parameters: names of parameters that any iterable can be given for;
        lists are made of these.

    >>> @tf.__internal__.dispatch.add_dispatch_support
    ... def negated(x):
    ...     return -x
    >>> negated(2)
    -2
    """
    if target is None:
        return lambda function: add_dispatch_support(function, iterable_parameters)
    return dispatched(target)
