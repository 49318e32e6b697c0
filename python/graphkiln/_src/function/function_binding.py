"""The signatures of Python functions, to which the extension binds calls, and
the error of those that do not fit."""

import inspect
from collections.abc import Callable, Mapping, Sequence

from graphkiln._graphkiln import BindingError, FunctionType, sanitized
from graphkiln._src.function import (
    function_type as _function_type,
)  # adds parameters

__all__ = [
    "BindingError", "FunctionSignature", "binding_error", "call_arguments",
    "refusal", "sanitized",
]

POSITIONAL_ONLY = 0
KEYWORD_ONLY = 3

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


def refusal(
    function, reason: object, args: tuple, kwargs: dict
) -> TypeError:
    """The one error of calls that do not fit; None as the reason stands for
    what the signature has to say."""
    state = function._state
    if reason is None:
        try:
            state.signature.signature.bind(*args, **sanitized(kwargs))
        except TypeError as error:
            reason = error
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
