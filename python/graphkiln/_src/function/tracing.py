"""What tracing asks of Python: the conversion of what the library is given to
call, and values of types that users define."""

from collections.abc import Callable

from graphkiln import _graphkiln, _loading


def convert_callee(function: Callable) -> Callable:
    """What the library calls in place of a function that it was given:
    AutoGraph's conversion, unless that is switched off here."""
    if _graphkiln.conversion_is_disabled():
        return function
    root = _loading.load("graphkiln.autograph.root")
    converted = root.convert(function, None)

    def call(*args, **kwargs):
        with _graphkiln.ConversionStatus(True):
            return converted(*args, **kwargs)

    return call


class PlaceholderContext:
    """What `TraceType.placeholder_value` is given: makes the arguments of
    the graph for one parameter."""

    def __init__(self, graph: _graphkiln.FuncGraph, name: str):
        self._graph = graph
        self._name = name

    def tensor(self, spec: _graphkiln.TensorSpec) -> _graphkiln.Tensor:
        """A new argument that `spec` describes."""
        return _graphkiln.make_value(
            self._graph, _graphkiln.trace_type(spec), self._name
        )


def placeholder_value(type_: object, graph: object, name: str) -> object:
    """What stands for an argument of a type that a user's class gives."""
    return type_.placeholder_value(PlaceholderContext(graph, name))


class _SpecContext:
    """Puts specs in place of placeholders."""

    def __init__(self, name: str):
        self._name = name

    def tensor(self, spec: _graphkiln.TensorSpec) -> _graphkiln.TensorSpec:
        return _graphkiln.TensorSpec(
            spec.shape, spec.dtype, spec.name or self._name
        )


def shown_argument(type_: object, name: str) -> object:
    """What stands for an argument of a type that a user's class gives."""
    return type_.placeholder_value(_SpecContext(name))


_graphkiln.provide(placeholder_value, shown_argument)
