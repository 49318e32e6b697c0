"""Tracing: one call of a Python function becomes a graph."""

import re
from collections.abc import (
    Callable,
    ItemsView,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)

from graphkiln import _argument_mutation
from graphkiln import _composite
from graphkiln import _conversion_status
from graphkiln import _dropped_writes
from graphkiln import _function_binding as binding
from graphkiln import _graphkiln
from graphkiln import _loading
from graphkiln import _python_parts
from graphkiln import _type_spec  # adds methods
from graphkiln import _variable


def convert(function: Callable, features: object) -> Callable:
    """What is traced in place of a function: AutoGraph's conversion."""
    global convert
    convert = _loading.load("graphkiln.autograph.root").convert
    return convert(function, features)


def convert_callee(function: Callable) -> Callable:
    """What the library calls in place of a function that it was given:
    AutoGraph's conversion, unless that is switched off here."""
    if _conversion_status.is_disabled():
        return function
    converted = convert(function, None)

    def call(*args, **kwargs):
        with _conversion_status.of_tracing(True):
            return converted(*args, **kwargs)

    return call


class ParameterValues:
    """Makes what the Python function is called with: placeholders for
    tensors and variables, values for everything else."""

    def __init__(self, graph: _graphkiln.FuncGraph, given: Sequence = ()):
        self._graph = graph
        self._given = given
        self._variables: dict[int, object] = {}
        self.reordered = False

    def order_inputs(self, parameters: list, bound: list) -> None:
        """Puts the placeholders into the order in which calls give tensors."""
        if not self.reordered:
            return
        inputs: list = []
        seen: set = set()
        for (*_, type_), (*_, value) in zip(parameters, bound):
            inputs += type_._flatten_inputs(value, seen)
        self._graph._order_arguments(
            v.handle if isinstance(v, _graphkiln.BaseVariable) else v
            for v in inputs
        )

    def value(self, type_: _graphkiln.TraceType, name: str, path: str):
        """The value of parameter `name`; `path` names the part of it."""
        kind = type_.kind
        if kind == "tensor":
            return self._graph._add_argument(
                _node_name(type_.name or name), type_.dtype, type_.shape,
                type_.name or name,
            )
        if kind in ("literal", "object"):
            return type_.value
        if kind == "variable":
            return self._variable(type_, name, path)
        if kind == "custom":
            return type_.value.placeholder_value(
                PlaceholderContext(self._graph, name)
            )
        children = type_._sorted_children()
        if kind == "dict":
            # Named in the order of the keys, fed in that of flattening.
            keys = [key for key, _ in children]
            self.reordered |= keys != list(type_.keys)
            by_key = {
                key: self.value(child, name, f"{path}_{key}")
                for key, child in zip(type_.keys, type_.children)
            }
            return type_._assemble([by_key[key] for key in keys])
        parts = [
            self.value(child, name, f"{path}_{key}") for key, child in children
        ]
        return type_._assemble(parts)

    def _variable(self, type_, name: str, path: str):
        known = self._variables.get(type_.alias_id)
        if known is None:
            handle = self._graph._add_argument(
                _node_name(name), type_.dtype, type_.shape, path, True
            )
            given = None
            if type_.alias_id < len(self._given):
                given = self._given[type_.alias_id]
            is_variable = isinstance(given, _graphkiln.BaseVariable)
            self._graph._set_argument_variable(
                handle, type_.trainable, given.handle if is_variable else None
            )
            known = _variable_of(handle, type_, name)
            self._variables[type_.alias_id] = known
        return known


class PlaceholderContext:
    """What `TraceType.placeholder_value` is given: makes the arguments of
    the graph for one parameter."""

    def __init__(self, graph: _graphkiln.FuncGraph, name: str):
        self._graph = graph
        self._name = name

    def tensor(self, spec: _graphkiln.TensorSpec) -> _graphkiln.Tensor:
        """A new argument that `spec` describes."""
        name = spec.name or self._name
        return self._graph._add_argument(
            _node_name(name), spec.dtype, spec.shape, name
        )


def _variable_of(handle, type_, name: str) -> _variable.Variable:
    variable = _variable.Variable.__new__(_variable.Variable)
    variable._constraint = None
    variable._synchronization = _variable.VariableSynchronization.AUTO
    variable._aggregation = _variable.VariableAggregation.NONE
    variable._validate_shape = True
    variable._setup(
        handle, type_.dtype, type_.shape, type_.trainable, name + ":0"
    )
    return variable


# The name of arguments that have none.
PLACEHOLDER = "Placeholder"


def _node_name(name: str) -> str:
    """The node of an argument is named like it, if nodes can be."""
    return name if _NODE_NAME.fullmatch(name) else PLACEHOLDER


_NODE_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


class Outputs:
    """Collects what a traced function returns."""

    def __init__(self, function: Callable, graph: _graphkiln.FuncGraph):
        self._function = function
        self._graph = graph
        self.tensors: list = []

    def structure(self, value: object) -> object:
        """`value` with a number in place of each tensor."""
        if value is None:
            return None
        if isinstance(value, _graphkiln.Tensor):
            return self._add(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            cls = type(value)
            parts = tuple(self.structure(item) for item in value)
            return _composite.Rebuild(lambda items: cls(*items), parts)
        if isinstance(value, tuple):
            return tuple(self.structure(item) for item in value)
        if isinstance(value, list):
            return [self.structure(item) for item in value]
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, (range, KeysView, ValuesView, ItemsView)):
            return [self.structure(item) for item in value]
        if hasattr(type(value), "__attrs_attrs__"):
            cls = type(value)
            names = [a.name for a in cls.__attrs_attrs__]
            parts = tuple(self.structure(getattr(value, n)) for n in names)
            return _composite.Rebuild(lambda items: cls(*items), parts)
        if _composite.is_composite(value):
            cls = type(value)
            metadata, parts = _composite.flatten(value)
            is_spec = isinstance(metadata, _graphkiln.TypeSpec)
            return _composite.Rebuild(
                lambda items: _composite.unflatten(cls, metadata, items),
                self.structure(parts),
                metadata if is_spec else None,
            )
        try:
            if callable(value) or isinstance(value, _graphkiln.DType):
                raise TypeError
            return self._add(_graphkiln.convert_to_tensor(value))
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.function, Python functions must "
                "return zero or more Tensors or ExtensionTypes or None "
                f"values; in compilation of {self._function}, found return "
                f"value of type {type(value).__name__}, which is not a Tensor "
                "or ExtensionType."
            ) from None

    def _add(self, tensor) -> int:
        try:
            returned = self._graph._mark_returned(tensor)
        except ValueError as error:
            if "is out of scope" not in str(error):
                raise
            raise type(error)(
                f"{error}\nIt is returned by {self._function}. A tensor leaves "
                "a loop's or branch's body through a local variable only, one "
                "that is assigned there and also before the loop or in the "
                "other branch: return that."
            ) from None
        self.tensors.append(returned)
        return len(self.tensors) - 1

    def _mapping(self, value: Mapping) -> object:
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        by_key = {key: self.structure(value[key]) for key in keys}
        ordered = {key: by_key[key] for key in value}
        if type(value) is dict:
            return ordered
        cls = type(value)
        if hasattr(value, "default_factory"):
            factory = value.default_factory
            return _composite.Rebuild(lambda d: cls(factory, d), ordered)
        return _composite.Rebuild(cls, ordered)


def _refuse_captures(
    graph: _graphkiln.FuncGraph, name: str, implements: object
) -> None:
    """What stands for the function elsewhere gets its arguments alone."""
    captures = graph.captures
    resource = any(x.dtype == _graphkiln.resource for x in graph.inputs)
    if captures or resource:
        raise AssertionError(
            f'Function {name} has "_implements={implements}" attribute and '
            "thus can not depend on any tensors outside of its signature or "
            "modify variables. \n\nNote: variables are always captured and "
            "cause function re-tracing for every variable called.\n"
            f"  inputs: {list(graph.inputs)}\n"
            f"  captures: {[outside for outside, _ in captures]}\n\n"
            "To pass a variable to such function use  use "
            "variable.read_value()."
        )


def trace(
    function: Callable,
    name: str,
    function_type: _graphkiln.FunctionType,
    attributes: Mapping[str, object],
    variable_creator: Callable | None,
    autograph: bool = False,
    features: object = None,
    variables: Sequence = (),
) -> _graphkiln.ConcreteFunction:
    """Calls `function` with placeholders of the given types, converted by
    AutoGraph if `autograph`. `variables`: those of the call, by alias."""
    graph = _graphkiln.FuncGraph(name)
    graph.seed  # That of now, whatever is set later.
    if attributes.get("_disable_acd"):
        graph._order_effects(False)
    _graphkiln.begin_trace(graph)
    try:
        graph._enter_trace()
        make = ParameterValues(graph, variables)
        bound = [
            (name, kind, make.value(type_, name, name))
            for name, kind, _, type_ in function_type._parameters
        ]
        make.order_inputs(function_type._parameters, bound)
        args, kwargs = binding.call_arguments(bound)
        snapshot = _argument_mutation.Snapshot(function_type, bound)
        with _dropped_writes.Tracing():
            with _variable.variable_creator_scope(variable_creator):
                with _conversion_status.of_tracing(autograph):
                    traced = (
                        convert(function, features) if autograph else function
                    )
                    result = traced(*args, **kwargs)
            snapshot.check(function)
            outputs = Outputs(function, graph)
            structure = outputs.structure(result)
    finally:
        graph._exit()
        _python_parts.release_bodies(graph)
    if "_implements" in attributes:
        _refuse_captures(graph, name, attributes["_implements"])
    concrete = graph._finish(outputs.tensors, structure, dict(attributes))
    concrete.graph = graph
    graph._traced_type = function_type
    graph._structure = structure
    _python_parts.keep(graph)
    concrete._traced_type = function_type
    concrete._flat_arguments = all(
        type_.kind == "tensor" for *_, type_ in function_type._parameters
    )
    return concrete
