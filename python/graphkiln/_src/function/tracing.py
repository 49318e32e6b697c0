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
    """What `TraceType.placeholder_value` is given: makes what stands for an
    argument that a spec describes."""

    def __init__(
        self, tensor: Callable[[_graphkiln.TensorSpec], object]
    ):
        self.tensor = tensor


def placeholder_value(type_: object, graph: object, name: str) -> object:
    """What stands for an argument of a type that a user's class gives."""
    return type_.placeholder_value(PlaceholderContext(
        lambda spec: _graphkiln.make_value(
            graph, _graphkiln.trace_type(spec), name
        )
    ))


def shown_argument(type_: object, name: str) -> object:
    """The same with specs in place of tensors."""
    return type_.placeholder_value(PlaceholderContext(
        lambda spec: _graphkiln.TensorSpec(
            spec.shape, spec.dtype, spec.name or name
        )
    ))


_graphkiln.provide(convert_callee, placeholder_value, shown_argument)
