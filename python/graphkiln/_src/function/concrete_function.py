"""ConcreteFunction: its structured and flat call, and what it tells."""

import inspect
from collections.abc import Callable, Mapping, Sequence

from graphkiln import _graphkiln
from graphkiln._graphkiln import ConcreteFunction
from graphkiln._src.function import (
    external_captures,  # adds what changes captures
    function_type_parts,  # adds binding to types
)
from graphkiln._src.function import function_binding as binding


def call_structured(
    f: ConcreteFunction, args: Sequence, kwargs: Mapping[str, object]
) -> object:
    """A call that is not just the trace's tensors: first bound like a call of
    the Python function, then as a list of tensors."""
    try:
        inputs = _structured_inputs(f, args, kwargs)
    except binding.BindingError as reason:
        try:
            inputs = _flat_inputs(f, args, kwargs)
        except binding.BindingError as flat:
            error = binding.binding_error(
                reason, args, kwargs, f.function_type
            )
            raise TypeError(
                f"{error}\nFallback to flat signature also failed due to: "
                f"{flat}"
            ) from None
    return f._run(inputs)


def _structured_inputs(f, args: Sequence, kwargs: Mapping) -> list:
    kwargs = binding.sanitized(kwargs)
    parameters = _graphkiln.traced_type(f)._parameters
    positional = [p for p in parameters if p[1] != binding.KEYWORD_ONLY]
    if len(args) > len(positional):
        raise binding.BindingError("too many positional arguments")
    values: dict[str, object] = {}
    for (name, *_), value in zip(positional, args):
        values[name] = value
    by_name = {
        name for name, kind, *_ in parameters if kind != binding.POSITIONAL_ONLY
    }
    unexpected = []
    for name, value in kwargs.items():
        if name in values and name in by_name:
            raise binding.BindingError(
                f"multiple values for argument {name!r}"
            )
        if name in by_name:
            values[name] = value
        else:
            unexpected.append(name)
    for name, *_ in parameters:
        if name not in values:
            raise binding.BindingError(f"missing a required argument: {name!r}")
    if unexpected:
        raise binding.BindingError(
            f"got an unexpected keyword argument {unexpected[0]!r}"
        )
    inputs: list = []
    seen: set = set()
    for name, _, _, type_ in parameters:
        value = type_._cast(values[name])
        inputs += type_._flatten_inputs(value, seen)
    return _graphkiln.to_inputs(inputs)


def _flat_names(f) -> list[str]:
    """The names of the tensors of a call, made unique as names of nodes
    are."""
    names: list[str] = []
    for t in f.graph.inputs[: f._num_arguments]:
        name = unique = t.op.get_attr("_user_specified_name").decode()
        count = 0
        while unique in names:
            count += 1
            unique = f"{name}_{count}"
        names.append(unique)
    return names


def _flat_inputs(f, args: Sequence, kwargs: Mapping) -> list:
    names = _flat_names(f)
    short = f._short_name()
    shown = f"{short}({', '.join(names)})"
    if len(args) > len(names):
        raise binding.BindingError(
            f"{shown} takes {len(names)} positional arguments, got "
            f"{len(args)}."
        )
    given = names[: len(args)]
    missing = [n for n in names if n not in given and n not in kwargs]
    if missing:
        raise binding.BindingError(
            f"{shown} missing required arguments: {', '.join(missing)}."
        )
    for name in kwargs:
        if name in given:
            raise binding.BindingError(f"{shown} got two values for {name!r}.")
    unexpected = [name for name in kwargs if name not in names]
    if unexpected:
        raise binding.BindingError(
            f"{shown} got unexpected keyword arguments: "
            f"{', '.join(unexpected)}."
        )
    values = {**dict(zip(names, args)), **kwargs}
    inputs = []
    for i, name in enumerate(names):
        value = values[name]
        if not isinstance(value, (_graphkiln.Tensor, _graphkiln.BaseVariable)):
            raise binding.BindingError(
                f"{shown}: expected argument #{i}(zero-based) to be a Tensor; "
                f"got {type(value).__name__} ({value})."
            )
        inputs.append(value)
    return _graphkiln.to_inputs(inputs)


def _method(python_function: Callable) -> Callable:
    setattr(ConcreteFunction, python_function.__name__, python_function)
    return python_function


def _property(python_function: Callable) -> None:
    setattr(
        ConcreteFunction, python_function.__name__, property(python_function)
    )


@_property
def function_type(self):
    """Parameters, captures and output with their types."""
    if "_function_type" not in vars(self):
        captures = [
            (id(outer), _graphkiln.trace_type(inner))
            for outer, inner in self.graph.captures
            if outer is not None
        ]
        for key, (type_, *_) in vars(self.graph).get("_deferred", {}).items():
            captures.append((key, type_))
        self._function_type = _graphkiln.FunctionType(
            _graphkiln.traced_type(self)._parameters, captures,
            _graphkiln.trace_type(self._output_specs()),
        )
    return self._function_type


@_method
def _output_specs(self):
    specs = [
        _graphkiln.TensorSpec(t.shape, t.dtype) for t in self.outputs
    ]
    return _graphkiln.pack_outputs(self, specs, "spec")


@_property
def _arg_keywords(self) -> list[str]:
    """The names by which the tensors can be given."""
    return _flat_names(self)


@_property
def output_shapes(self):
    """Shapes in the structure of what the function returns."""
    unknown = _graphkiln.TensorShape(None)
    return _graphkiln.pack_outputs(
        self, [t.shape for t in self.outputs], "parts", unknown
    )


@_property
def output_dtypes(self):
    """Data types in the structure of what the function returns."""
    return _graphkiln.pack_outputs(
        self, [t.dtype for t in self.outputs], "parts"
    )


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


@_property
def __signature__(self) -> inspect.Signature:
    """Of calls: by the parameters, or by the names of the tensors."""
    return inspect.Signature([
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ])


@_method
def _short_name(self) -> str:
    name = self.name.decode()
    if name.startswith("__inference_"):
        name = name[len("__inference_"):].rpartition("_")[0]
    return name


@_method
def pretty_printed_signature(self, verbose: bool = True) -> str:
    """The parameters and what is returned."""
    if not verbose:
        return str(self.function_type)
    return self.function_type._long_text()


@_method
def __copy__(self):
    # Traces never change, so a copy is as good as the trace itself.
    return self


@_method
def __str__(self) -> str:
    return f"ConcreteFunction {self.pretty_printed_signature(verbose=True)}"


@_method
def __repr__(self) -> str:
    return (
        "<ConcreteFunction "
        f"{self.pretty_printed_signature(verbose=False)} at 0x{id(self):X}>"
    )
