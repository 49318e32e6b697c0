"""Binding of calls to the signature of a Python function.

What `inspect.Signature` does, with names, kinds and order made canonical, so
that equal calls look equal.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence

from graphkiln._graphkiln import BindingError, FunctionType
from graphkiln._src.function import function_type as _function_type  # adds parameters

POSITIONAL_ONLY = 0
POSITIONAL_OR_KEYWORD = 1
VAR_POSITIONAL = 2
KEYWORD_ONLY = 3
VAR_KEYWORD = 4

# (name, kind, value)
Bound = list[tuple[str, int, object]]


def _signature_of(function: Callable) -> inspect.Signature:
    try:
        return inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        # Functions written in C that do not tell.
        return inspect.Signature(
            [
                inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
            ]
        )


class FunctionSignature:
    """The parameters of a Python function, without `self` if it is bound."""

    def __init__(self, function: Callable, skip_first: bool = False):
        signature = _signature_of(function)
        parameters = list(signature.parameters.values())
        if skip_first and parameters:
            first = parameters[0]
            if first.kind not in (first.VAR_POSITIONAL, first.VAR_KEYWORD):
                parameters = parameters[1:]
        self.signature = signature.replace(
            parameters=parameters, return_annotation=signature.empty
        )
        self.parameters = parameters
        kinds = {p.kind for p in parameters}
        self._has_varargs = inspect.Parameter.VAR_POSITIONAL in kinds

    @property
    def function_type(self) -> FunctionType:
        """Names, kinds and which parameters have defaults."""
        return FunctionType(
            [(*facts, None) for *facts, _ in self.described()]
        )

    def described(self) -> list[tuple[str, int, bool, object]]:
        """(name, kind, has it a default?, default) of each parameter."""
        return [
            (p.name, int(p.kind), p.default is not p.empty, p.default)
            for p in self.parameters
        ]

    def takes_self(self, num_specs: int) -> bool:
        """Is it a method, seen from the number of types given for the other
        parameters?"""
        positional = [
            p
            for p in self.parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        if not positional or positional[0].name != "self":
            return False
        varargs = len(positional) < len(self.parameters) and self._has_varargs
        return varargs or num_specs < len(positional)

    def bind(self, args: Sequence, kwargs: Mapping[str, object]) -> Bound:
        """All parameters with their values, defaults filled in."""
        kwargs = sanitized(kwargs)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise BindingError(str(e)) from None
        bound.apply_defaults()
        result: Bound = []
        for p in self.parameters:
            value = bound.arguments[p.name]
            if p.kind is p.VAR_POSITIONAL:
                result += [
                    (f"{p.name}_{i}", POSITIONAL_ONLY, item)
                    for i, item in enumerate(value)
                ]
            elif p.kind is p.VAR_KEYWORD:
                result += [
                    (name, KEYWORD_ONLY, value[name]) for name in sorted(value)
                ]
            elif p.kind is p.POSITIONAL_OR_KEYWORD and self._has_varargs:
                result.append((p.name, POSITIONAL_ONLY, value))
            else:
                result.append((p.name, int(p.kind), value))
        return result


def sanitized(kwargs: Mapping[str, object]) -> Mapping[str, object]:
    """`kwargs` by names that a parameter can have.

    Raises ValueError if two names become one.
    """
    if all(name.isidentifier() for name in kwargs):
        return kwargs
    result = {_identifier(name): value for name, value in kwargs.items()}
    if len(result) < len(kwargs):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function "
            f"input parameters. Original: {sorted(kwargs)}, Sanitized: "
            f"{sorted(result)}"
        )
    return result


def _identifier(name: str) -> str:
    name = re.sub(r"[^a-zA-Z0-9_]", "_", name)
    return "arg_" + name if name[:1].isdigit() else name


def bind(function, args: tuple, kwargs: dict) -> Bound | Exception:
    """Binds a call of a Function that the core does not bind. If it does not
    fit, the error that says why."""
    try:
        return function._state.signature.bind(args, kwargs)
    except BindingError as reason:
        return refusal(function, reason, args, kwargs)
    except ValueError as error:  # two names become one
        return error.with_traceback(None)


def refusal(
    function, reason: object, args: tuple, kwargs: dict
) -> TypeError:
    """The one error of calls that do not fit."""
    state = function._state
    return binding_error(
        reason, args, kwargs,
        state.signature.function_type if state.constraints is None
        else state.constraints.shown_type,
    )


def binding_error(
    reason: object, args: Sequence, kwargs: Mapping, signature: object
) -> TypeError:
    """The one error of calls that do not fit."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{reason}`. Received "
        f"args: {tuple(args)} and kwargs: {dict(kwargs)} for signature: "
        f"{signature}."
    )


def call_arguments(
    bound: Bound,
) -> tuple[list[object], dict[str, object]]:
    """Bound parameters as the arguments of a call."""
    args = [value for _, kind, value in bound if kind != KEYWORD_ONLY]
    kwargs = {
        name: value for name, kind, value in bound if kind == KEYWORD_ONLY
    }
    return args, kwargs
