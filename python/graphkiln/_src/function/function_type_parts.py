"""FunctionType as a signature of Python: binding of arguments; and the tensors
that arguments, captures and results are made of."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence

from graphkiln import _graphkiln
from graphkiln._graphkiln import FunctionType, TraceType, TypeSpec
from graphkiln._src.function import function_binding as binding
from graphkiln._src.function.function_type import Parameter

# ---- Trace types ----


def flatten(self: TraceType) -> list[TraceType]:
    """The types of the tensors that a value of this type is made of.

    >>> f = tf.function(lambda x: x[0])
    >>> trace = f.get_concrete_function([tf.TensorSpec([2]), 3])
    >>> trace.function_type.parameters["x"].type_constraint.flatten()
    [TensorSpec(shape=(2,), dtype=tf.float32, name=None)]
    """
    if self.kind in ("tensor", "variable"):
        return [self]
    if self.kind in ("literal", "object"):
        return []
    if self.kind == "custom":
        if isinstance(self.value, TypeSpec):
            specs = _tensor_specs(self.value)
            return [_graphkiln.trace_type(spec) for spec in specs]
        return list(self.value.flatten())
    return [
        leaf
        for _, child in self._sorted_children()
        for leaf in child.flatten()
    ]


def _tensor_specs(spec: TypeSpec) -> list:
    if isinstance(spec, _graphkiln.TensorSpec):
        return [spec]
    parts = spec._component_specs
    parts = parts.values() if isinstance(parts, Mapping) else parts
    if isinstance(parts, TypeSpec):
        parts = [parts]
    return [leaf for part in parts for leaf in _tensor_specs(part)]


def cast(self: TraceType, value: object, casting_context: object = None):
    """`value` as one of this type. TypeError if it cannot be one."""
    del casting_context
    try:
        return self._cast(value)
    except binding.BindingError as error:
        raise TypeError(str(error)) from None


def to_tensors(self: TraceType, value: object) -> list:
    """The tensors of a value of this type. TypeError if it is of another."""
    inputs = self._flatten_inputs(self.cast(value), set())
    return _graphkiln.to_inputs(inputs)


def from_tensors(self: TraceType, tensors: Iterator) -> object:
    """The value of this type that is made of the next tensors."""
    if self.kind in ("tensor", "variable"):
        return next(tensors)
    if self.kind in ("literal", "object"):
        return self.value
    if self.kind == "custom":
        return self.value.from_tensors(tensors)
    parts = [
        child.from_tensors(tensors)
        for _, child in self._sorted_children()
    ]
    return self._assemble(parts)


for _function in (flatten, cast, to_tensors, from_tensors):
    setattr(TraceType, _function.__name__, _function)


# ---- Function types ----


def _method(python_function: Callable) -> Callable:
    setattr(FunctionType, python_function.__name__, python_function)
    return python_function


def _property(python_function: Callable) -> None:
    setattr(FunctionType, python_function.__name__, property(python_function))


FunctionType.empty = inspect.Signature.empty


def _signature(self: FunctionType) -> inspect.Signature:
    return inspect.Signature(list(self.parameters.values()))


@_property
def captures(self) -> collections.OrderedDict:
    """The types of what is captured, by an id of each.

    >>> v = tf.Variable(1.0)
    >>> f = tf.function(lambda: v + 1.0).get_concrete_function()
    >>> list(f.function_type.captures.values())
    [TensorSpec(shape=(), dtype=tf.resource, name=None)]
    """
    return collections.OrderedDict(self._captures)


@_property
def return_annotation(self) -> object:
    """The type of what is returned, or `empty`."""
    return self.empty if self.output is None else self.output


@_property
def flat_inputs(self) -> list[TraceType]:
    """The types of the tensors that the arguments are made of."""
    return [leaf for p in _sorted(self) for leaf in _type(p).flatten()]


@_property
def flat_outputs(self) -> list[TraceType]:
    """The types of the tensors that are returned."""
    return [] if self.output is None else self.output.flatten()


@_property
def flat_captures(self) -> list[TraceType]:
    """The types of the tensors that are captured."""
    return [leaf for _, type_ in self._captures for leaf in type_.flatten()]


def _type(parameter: Parameter) -> TraceType:
    if parameter.type_constraint is None:
        raise ValueError(
            f"The parameter {parameter.name!r} is of no known type: ask the "
            "type of a ConcreteFunction."
        )
    return parameter.type_constraint


def _sorted(self: FunctionType) -> list[Parameter]:
    """In the order of the tensors: keyword-only ones by their names."""
    parameters = list(self.parameters.values())
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    others = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    return others + sorted(named, key=lambda p: p.name)


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
def unpack_inputs(self, bound_parameters: inspect.BoundArguments) -> list:
    """The tensors of bound arguments, as a trace takes them."""
    inputs: list = []
    seen: set = set()
    for p in _sorted(self):
        type_ = _type(p)
        value = type_.cast(bound_parameters.arguments[p.name])
        inputs += type_._flatten_inputs(value, seen)
    return _graphkiln.to_inputs(inputs)


@_method
def pack_output(self, flat_values: Sequence) -> object:
    """What is returned, made of its tensors."""
    if self.output is None:
        raise ValueError("The function's output type is not known.")
    return self.output.from_tensors(iter(flat_values))


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


@_method
def most_specific_common_subtype(
    self, others: Sequence[FunctionType]
) -> FunctionType | None:
    """The type of functions that serve the calls of all; None if there is
    no such."""
    parameters = []
    rows = [list(t.parameters.values()) for t in (self, *others)]
    if len({len(row) for row in rows}) != 1:
        return None
    for first, *rest in zip(*rows):
        if any((p.name, p.kind) != (first.name, first.kind) for p in rest):
            return None
        joined = _joined([p.type_constraint for p in (first, *rest)])
        if joined is None:
            return None
        parameters.append((first.name, int(first.kind), first.optional, joined))
    captured: dict = {}
    for name, type_ in (pair for t in (self, *others) for pair in t._captures):
        captured.setdefault(name, []).append(type_)
    joins = [(name, _joined(types)) for name, types in captured.items()]
    if any(joined is None for _, joined in joins):
        return None
    return FunctionType(parameters, joins)


def _joined(types: Sequence[TraceType | None]) -> TraceType | None:
    if None in types:
        return None
    return types[0].most_specific_common_supertype(list(types[1:]))


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
