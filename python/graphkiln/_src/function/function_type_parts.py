"""FunctionType as a signature of Python: binding of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from graphkiln._graphkiln import FunctionType, TraceType
from graphkiln._src.function import function_type  # adds parameters


def _method(python_function: Callable) -> Callable:
    setattr(FunctionType, python_function.__name__, python_function)
    return python_function


FunctionType.empty = inspect.Signature.empty


def _signature(self: FunctionType) -> inspect.Signature:
    return inspect.Signature(list(self.parameters.values()))


@_method
def bind(self, *args, **kwargs) -> inspect.BoundArguments:
    """Arguments by parameter. TypeError if they do not fit.

    >>> f = tf.function(lambda x, y=2: x)
    >>> f.function_type.bind(1)
    <BoundArguments (x=1)>
    """
    return _signature(self).bind(*args, **kwargs)


@_method
def bind_partial(self, *args, **kwargs) -> inspect.BoundArguments:
    """The same for some of the arguments."""
    return _signature(self).bind_partial(*args, **kwargs)


@_method
def bind_with_defaults(
    self, args: Sequence, kwargs: Mapping, default_values: Mapping
) -> inspect.BoundArguments:
    """The same with `default_values` for what is not given, each cast to the
    type of its parameter, if that is known."""
    bound = _signature(self).bind(*args, **kwargs)
    bound.apply_defaults()
    for name, parameter in self.parameters.items():
        if bound.arguments.get(name) is parameter.default:
            bound.arguments[name] = default_values[name]
        if parameter.type_constraint is not None:
            bound.arguments[name] = parameter.type_constraint.cast(
                bound.arguments[name]
            )
    return bound


@_method
def replace(
    self, *, parameters: Sequence | None = None,
    return_annotation: TraceType | None = None,
) -> FunctionType:
    """The same with other parameters, or another type of what is returned."""
    if parameters is None:
        parameters = list(self.parameters.values())
    return FunctionType(
        _described(parameters), self._captures,
        self.output if return_annotation is None else return_annotation,
    )


def _described(parameters: Sequence) -> list[tuple]:
    return [
        (p.name, int(p.kind), p.optional, p.type_constraint) for p in parameters
    ]


def from_callable(
    cls: type, obj: Callable, *, follow_wrapped: bool = True
) -> FunctionType:
    """The parameters of a Python callable, of any types.

    >>> make = tf.types.experimental.FunctionType.from_callable
    >>> print(make(lambda x, y=2: x))
    (x, y=<captured_default_value>)
    """
    signature = inspect.signature(obj, follow_wrapped=follow_wrapped)
    return cls([
        (p.name, int(p.kind), p.default is not p.empty, None)
        for p in signature.parameters.values()
    ])


def get_default_values(
    cls: type, obj: Callable, *, follow_wrapped: bool = True
) -> dict:
    """The default values of a Python callable, by parameter."""
    del cls
    signature = inspect.signature(obj, follow_wrapped=follow_wrapped)
    return {
        p.name: p.default
        for p in signature.parameters.values() if p.default is not p.empty
    }


FunctionType.from_callable = classmethod(from_callable)
FunctionType.get_default_values = classmethod(get_default_values)
