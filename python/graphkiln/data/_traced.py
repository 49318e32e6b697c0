"""The functions that datasets call: traced once, converted by AutoGraph."""

import re
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import elements
from graphkiln._src.function import tracing

# The modules that call what the user gave.
_CALLERS = (
    __name__,
    "graphkiln._src.function.tracing",
    "graphkiln.autograph.root",
)

_ATTRIBUTES = {"_tf_data_function": True}


class Traced:
    """A function of an element.

    Attributes:
      function: the tf.types.experimental.ConcreteFunction of its components.
      output_spec: the structure of what it returns.
    """

    def __init__(
        self,
        function: Callable,
        transformation: str,
        spec: object,
        convert: bool = True,
        adjust: Callable = lambda result: result,
    ):
        """Args:
        function: called with the element; with its parts, if it is a tuple.
        transformation: "Dataset.map()", for names and messages.
        spec: of the element.
        convert: whether AutoGraph converts the function.
        adjust: what becomes of its result, in the same graph.
        """
        if not callable(function):
            raise ValueError(
                "Argument `func` must be a callable. Received "
                f"func={function} (of type {type(function)})"
            )

        def body(components: list) -> list:
            value = elements.from_tensors(spec, components)
            arguments = value if type(value) is tuple else (value,)
            called = tracing.convert_callee(function) if convert else function
            try:
                result = called(*arguments)
            except TypeError as error:
                _show_own_name(error, function)
                raise
            result = adjust(result)
            if isinstance(result, list):
                result = tuple(result)
            try:
                result = elements.map(_as_value, result)
                self.output_spec = elements.spec_of(result)
                return elements.to_tensors(self.output_spec, result)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    "Unsupported return value from function passed to "
                    f"{transformation}: {result}."
                ) from error

        self.function = of_components(
            _name(transformation, function), elements.flat_specs(spec), body
        )


def of_components(
    name: str, specs: list, body: Callable
) -> _graphkiln.ConcreteFunction:
    """`body`, which takes and returns a list of components, traced."""
    graph = _graphkiln.FuncGraph(name)
    _graphkiln.keep_body(graph)
    graph._enter_elements()
    try:
        given = [
            graph._add_argument(f"args_{i}", s.dtype, s.shape, f"args_{i}")
            for i, s in enumerate(specs)
        ]
        results = [graph._mark_returned(t) for t in body(given)]
    finally:
        graph._exit()
    _graphkiln.release_bodies(graph)
    function = _graphkiln.finish_graph(graph, results, dict(_ATTRIBUTES))
    function.graph = graph
    _graphkiln.keep_parts(graph)
    return function


def _show_own_name(error: TypeError, function: Callable) -> None:
    """An error of the call itself speaks of the user's function, not of the
    one generated from it."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    if last.tb_frame.f_globals.get("__name__") not in _CALLERS:
        return
    name = getattr(function, "__qualname__", type(function).__qualname__)
    error.args = tuple(
        re.sub(r"^\S*\btf__\w+\(\)", lambda _: f"{name}()", text)
        if isinstance(text, str) else text
        for text in error.args
    )


def _as_value(leaf: object) -> object:
    if isinstance(leaf, _graphkiln.BaseVariable):
        return _graphkiln.convert_to_tensor(leaf)
    cls = type(leaf)
    if leaf is None or hasattr(cls, "_type_spec") or (
        hasattr(cls, "__tf_flatten__")
    ):
        return leaf
    return _graphkiln.convert_to_tensor(leaf)


def _name(transformation: str, function: Callable) -> str:
    """"Dataset_map_lambda"."""
    name = getattr(function, "__name__", None) or type(function).__name__
    text = transformation.replace(".", "_").replace("()", "") + "_" + name
    return re.sub(r"[^A-Za-z0-9_]", "", text)


_graphkiln.provide(Traced, of_components)
