"""Tracing: one call of a Python function becomes a graph."""

from collections.abc import Callable, Mapping, Sequence

from graphkiln import _graphkiln, _loading

_KEYWORD_ONLY = 3  # its number among inspect's kinds


def convert(function: Callable, features: object) -> Callable:
    """What is traced in place of a function: AutoGraph's conversion."""
    global convert
    convert = _loading.load("graphkiln.autograph.root").convert
    return convert(function, features)


def convert_callee(function: Callable) -> Callable:
    """What the library calls in place of a function that it was given:
    AutoGraph's conversion, unless that is switched off here."""
    if _graphkiln.conversion_is_disabled():
        return function
    converted = convert(function, None)

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


def trace(
    function: Callable,
    name: str,
    function_type: _graphkiln.FunctionType,
    attributes: Mapping[str, object],
    autograph: bool = False,
    features: object = None,
    variables: Sequence = (),
) -> _graphkiln.ConcreteFunction:
    """Calls `function` with placeholders of the given types, converted by
    AutoGraph if `autograph`. `variables`: those of the call, by alias."""
    graph = _graphkiln.FuncGraph(name)
    _graphkiln.begin_trace(graph, attributes.get("_disable_acd", False))
    try:
        graph._enter_trace()
        bound = _graphkiln.make_arguments(graph, function_type, variables)
        args = [value for _, kind, value in bound if kind != _KEYWORD_ONLY]
        kwargs = {
            name: value for name, kind, value in bound if kind == _KEYWORD_ONLY
        }
        snapshot = _graphkiln.snapshot_arguments(function_type, bound)
        with _graphkiln._WritesOfTrace():
            with _graphkiln.ConversionStatus(autograph):
                traced = (
                    convert(function, features) if autograph else function
                )
                result = traced(*args, **kwargs)
            _graphkiln.check_arguments(snapshot, function)
            outputs = _graphkiln.returned_tensors(graph, function, result)
    finally:
        graph._exit()
        _graphkiln.release_bodies(graph)
    if "_implements" in attributes:
        _graphkiln.check_stands_alone(graph, name, attributes["_implements"])
    concrete = _graphkiln.finish_graph(
        graph, outputs, dict(attributes)
    )
    concrete.graph = graph
    _graphkiln.keep_parts(graph)
    return concrete


_graphkiln.provide(placeholder_value, shown_argument)
