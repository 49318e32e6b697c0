"""Functions that differentiate functions, which TensorFlow's eager.backprop has."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Iterable

from graphkiln import nest
from graphkiln._graphkiln import GradientTape, Variable, convert_to_tensor
from graphkiln._src.ops import identity


def _returned(value: Any, f: Callable) -> Any:
    if value is None:
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to "
            f"return a value from {getattr(f, '__name__', f)}?"
        )
    return value


def implicit_val_and_grad(f: Callable) -> Callable:
    """Gives what `f` does, and [(gradient, variable)] of the variables that it read.

    ValueError where it read none that is trained, or gives None.
    """

    def grad_fn(*args: Any, **kwds: Any) -> tuple[Any, list[tuple[Any, Variable]]]:
        with GradientTape() as tape:
            value = _returned(f(*args, **kwds), f)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being "
                "computed."
            )
        gradients = tape.gradient(value, list(variables))
        return value, list(zip(gradients, variables, strict=True))

    return grad_fn


def implicit_grad(f: Callable) -> Callable:
    """As implicit_val_and_grad, the gradients and variables alone."""

    def grad_fn(*args: Any, **kwds: Any) -> list[tuple[Any, Variable]]:
        return implicit_val_and_grad(f)(*args, **kwds)[1]

    return grad_fn


def _positions(f: Callable, params: Any, args: tuple) -> Iterable[int]:
    """Of the arguments that `params` names, by names or positions; None for all."""
    positions = params if params and all(isinstance(p, int) for p in params) else None
    try:
        names = inspect.getfullargspec(f).args
    except TypeError as error:
        if params is not None and positions is None:
            raise ValueError(
                "Either callable provided is not a function or could not inspect its "
                f"arguments by name: {f}. Original error: {error}"
            ) from error
        return range(len(args)) if params is None else positions or ()
    if params is None:
        own = len(names) - (names[:1] == ["self"])
        return range(own if names else len(args))
    if all(isinstance(p, str) for p in params):
        return [names.index(p) for p in params]
    if positions is None:
        raise ValueError(f"params must be all strings or all integers; got {params}.")
    return positions


def make_vjp(f: Callable, params: Any = None, persistent: bool = True) -> Callable:
    """Gives what `f` does, and a function that gives the gradients with respect to
    `params` for those of the results, which are ones by default."""

    def decorated(*args: Any, **kwds: Any) -> tuple[Any, Callable]:
        if kwds:
            raise ValueError(
                "Functions to be differentiated cannot receive keyword arguments."
            )
        positions = list(_positions(f, params, args))
        values = list(args)
        sources = []
        with GradientTape(persistent=persistent) as tape:
            for i in positions:
                # One that is passed twice counts for each.
                values[i] = identity(convert_to_tensor(values[i]))
                tape.watch(values[i])
                sources.append(values[i])
            result = nest.map_structure(identity, _returned(f(*values), f))

        def vjp(dy: Any = None) -> list[Any]:
            given = None if dy is None else nest.map_structure(convert_to_tensor, dy)
            targets = nest.flatten(result)
            return tape.gradient(
                targets, sources, None if given is None else nest.flatten(given)
            )

        return result, vjp

    return decorated


def val_and_grad_function(f: Callable, params: Any = None) -> Callable:
    """Gives what `f` does, and its gradients with respect to `params`."""

    @functools.wraps(f)
    def decorated(*args: Any, dy: Any = None, **kwds: Any) -> tuple[Any, list[Any]]:
        value, vjp = make_vjp(f, params, persistent=False)(*args, **kwds)
        return value, vjp(dy=dy)

    return decorated


def gradients_function(f: Callable, params: Any = None) -> Callable:
    """As val_and_grad_function, the gradients alone."""

    def decorated(*args: Any, **kwds: Any) -> list[Any]:
        return val_and_grad_function(f, params)(*args, **kwds)[1]

    return decorated
