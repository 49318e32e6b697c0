"""Input signatures: their rules, and the casting of arguments to them."""

from collections.abc import Mapping, Sequence

from graphkiln import _composite
from graphkiln import _function_binding as binding
from graphkiln import _graphkiln
from graphkiln import _tracing
from graphkiln import errors
from graphkiln._graphkiln import TensorSpec, TraceType, TypeSpec


class Constraints:
    """The type of each parameter of a Function with an input signature."""

    def __init__(
        self,
        parameters: list[tuple[str, int, TraceType, object]],
        with_default: Sequence[str] = (),
    ):
        self.parameters = parameters  # name, kind, type, the spec or default
        self.by_name = {name: type_ for name, _, type_, _ in parameters}
        self.kinds = {name: kind for name, kind, *_ in parameters}
        self.function_type = _graphkiln.FunctionType(
            [(name, kind, False, type_) for name, kind, type_, _ in parameters]
        )
        # As errors show it.
        self.shown_type = _graphkiln.FunctionType(
            [
                (name, kind, name in with_default, type_)
                for name, kind, type_, _ in parameters
            ]
        )


def check_signature(input_signature: object) -> None:
    """Refuses what no function can have as its input signature."""
    if not isinstance(input_signature, (tuple, list)):
        raise TypeError(
            "input_signature must be either a tuple or a list, got "
            f"{type(input_signature)}."
        )
    wrong = [
        leaf
        for leaf in _leaves(input_signature)
        if not isinstance(leaf, TypeSpec)
    ]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec "
            f"objects, got invalid args {wrong} with types "
            f"{[type(leaf) for leaf in wrong]}."
        )


def _leaves(structure: object) -> list:
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in _leaves(item)]
    if isinstance(structure, Mapping):
        return [leaf for item in structure.values() for leaf in _leaves(item)]
    if hasattr(type(structure), "__attrs_attrs__"):
        names = [a.name for a in type(structure).__attrs_attrs__]
        return _leaves([getattr(structure, name) for name in names])
    if hasattr(type(structure), "__tf_flatten__"):
        return _leaves(list(structure.__tf_flatten__()[1]))
    return [structure]


def constraints(
    signature: binding.FunctionSignature, input_signature: Sequence
) -> Constraints:
    """What `input_signature` says of each parameter."""
    specs = list(input_signature)
    result = []
    variables: list = []
    varargs = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters)
    for p in signature.parameters:
        has_default = p.default is not p.empty
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            kind = binding.POSITIONAL_ONLY if varargs else int(p.kind)
            if specs:
                spec = specs.pop(0)
            elif has_default:
                spec = p.default
            else:
                raise TypeError(
                    f"input_signature missing type constraint for {p.name}"
                )
            result.append(
                (p.name, kind, _type(spec, variables), spec)
            )
        elif p.kind is p.VAR_POSITIONAL:
            for i, spec in enumerate(specs):
                name = f"{p.name}_{i}"
                result.append(
                    (
                        name, binding.POSITIONAL_ONLY,
                        _type(spec, variables), spec,
                    )
                )
            specs = []
        elif p.kind is p.KEYWORD_ONLY:
            if not has_default:
                raise TypeError(
                    "Since input_signature is defined, keyword-only parameter "
                    f"`{p.name}` must have a default value"
                )
            spec = specs.pop(0) if specs else p.default
            result.append(
                (p.name, binding.KEYWORD_ONLY, _type(spec, variables), spec)
            )
    if specs:
        raise TypeError(
            f"input_signature contains {len(specs)} extra type constraints."
        )
    return Constraints(
        result,
        [p.name for p in signature.parameters if p.default is not p.empty],
    )


def _type(spec: object, variables: list) -> TraceType:
    return _graphkiln.trace_type(spec, variables)


def public_signature(state) -> tuple | None:
    """The `input_signature` attribute."""
    specs = state.options["input_signature"]
    return None if specs is None else tuple(specs)


def ask(state, args: Sequence, kwargs: Mapping, make):
    """A call cast to the input signature: make(bound, type, remember,
    variables)."""
    constraints_ = state.constraints
    try:
        for name in kwargs:
            if constraints_.kinds.get(name) == binding.POSITIONAL_ONLY:
                raise binding.BindingError(
                    f"got an unexpected keyword argument {name!r}"
                )
        bound = state.signature.bind(args, kwargs)
        names = [name for name, _, _ in bound]
        expected = [name for name, *_ in constraints_.parameters]
        if names != expected:
            extra = [n for n in names if n not in expected]
            if extra and bound[names.index(extra[0])][1] == 3:
                raise binding.BindingError(
                    f"got an unexpected keyword argument {extra[0]!r}"
                )
            if extra:
                raise binding.BindingError("too many positional arguments")
            missing = [n for n in expected if n not in names]
            raise binding.BindingError(
                f"missing a required argument: {missing[0]!r}"
            )
        variables: list = []
        same = True
        cast_values = []
        for name, kind, value in bound:
            type_ = constraints_.by_name[name]
            cast_values.append((name, kind, cast(value, type_)))
            same = same and _is_of(value, type_, variables)
    except binding.BindingError as e:
        raise binding.binding_error(
            e, args, kwargs, constraints_.shown_type
        ) from None
    return make(
        cast_values, constraints_.function_type, same,
        _tracing.variables_of(constraints_.function_type, cast_values),
    )


def _is_of(value: object, type_: TraceType, variables: list) -> bool:
    """Does `value` need no cast?"""
    try:
        return _graphkiln.trace_type(value, variables).is_subtype_of(type_)
    except TypeError:
        return False  # only a cast makes it an argument


def ask_signature(state, make):
    """The input signature itself as a call."""
    parameters = state.constraints.parameters
    bound = [(name, kind, spec) for name, kind, _, spec in parameters]
    return make(bound, state.constraints.function_type, False, [])


def cast(value: object, type_: TraceType) -> object:
    """`value` as one of type `type_`; BindingError if it is none."""
    kind = type_.kind
    if kind == "tensor":
        return _cast_tensor(value, type_)
    if kind in ("list", "tuple"):
        cls = list if kind == "list" else tuple
        if not isinstance(value, cls):
            raise binding.BindingError(
                f"Can not cast {value!r} to {kind} type."
            )
        if len(value) != len(type_.children):
            raise binding.BindingError(
                f"Can not cast {value!r} of length {len(value)} to {type_} of "
                f"length {len(type_.children)}."
            )
        return cls(cast(v, t) for v, t in zip(value, type_.children))
    if kind == "dict":
        if not isinstance(value, Mapping):
            raise binding.BindingError(
                f"Can not cast {value!r} to a Dict type."
            )
        if set(value) != set(type_.keys):
            raise binding.BindingError(
                f"{value!r} has different keys with the TraceType {type_}."
            )
        items = dict(zip(type_.keys, type_.children))
        return {key: cast(value[key], items[key]) for key in value}
    if kind == "named_tuple":
        if getattr(value, "_fields", None) != type_.value._fields:
            raise binding.BindingError(
                f"Cannot cast {value!r} to type {type_.value}."
            )
        return type_.value(
            *(cast(v, t) for v, t in zip(value, type_.children))
        )
    if kind == "attrs":
        if not isinstance(value, type_.value):
            raise binding.BindingError(f"Can not cast {value!r} to {type_}.")
        return _tracing.assemble(type_, _cast_parts(value, type_))
    if kind == "composite":
        return _cast_flattened(value, type_)
    if kind == "custom":
        try:
            return type_.value.cast(value, None)
        except (AssertionError, TypeError, ValueError) as e:
            raise binding.BindingError(str(e)) from None
    own = _graphkiln.trace_type(value, [])
    if not own.is_subtype_of(type_):
        raise binding.BindingError(f"Can not cast {value!r} to {type_}")
    return value


def _cast_parts(value: object, type_: TraceType) -> list:
    parts = _tracing.components(type_, value)
    if len(parts) != len(type_.children):
        raise binding.BindingError(
            f"Can not cast {value!r} with {len(parts)} components to {type_}."
        )
    return [cast(v, t) for v, t in zip(parts, type_.children)]


def _cast_flattened(value: object, type_: TraceType) -> object:
    """A value of a class with `__tf_flatten__`."""
    cls, metadata = type_.value
    if not isinstance(value, cls):
        raise binding.BindingError(f"[{value!r}] is not of type {cls}.")
    own, _ = _composite.flatten(value)
    if own != metadata:
        raise binding.BindingError(
            f"Metadata mismatch: [{metadata}] != [{own}]."
        )
    return _tracing.assemble(type_, _cast_parts(value, type_))


def _cast_tensor(value: object, type_: TraceType) -> object:
    if isinstance(value, TensorSpec):
        own = _graphkiln.trace_type(value)
        if not own.is_subtype_of(type_):
            raise binding.BindingError(f"Can not cast {own} to {type_}")
        return value
    if isinstance(value, _graphkiln.Tensor):
        tensor = value
    else:
        try:
            tensor = _graphkiln.convert_to_tensor(value, dtype=type_.dtype)
        except (TypeError, ValueError, errors.OpError) as e:
            raise binding.BindingError(str(e)) from None
    if tensor.dtype != type_.dtype or not type_.shape.is_compatible_with(
        tensor.shape
    ):
        own = TensorSpec(tensor.shape, tensor.dtype, type_.name)
        raise binding.BindingError(f"Can not cast {own!r} to {type_}")
    return tensor


def to_tensors(values: Sequence) -> list:
    """Arguments as the inputs of a trace: variables by their handles."""
    return [
        value
        if isinstance(value, _graphkiln.Tensor)
        else value.handle
        if isinstance(value, _graphkiln.BaseVariable)
        else _graphkiln.convert_to_tensor(value)
        for value in values
    ]
