"""Input signatures: their rules."""

from collections.abc import Mapping, Sequence

from graphkiln import _graphkiln
from graphkiln._graphkiln import TraceType, TypeSpec
from graphkiln._src.function import function_binding as binding


class Constraints:
    """The type of each parameter of a Function with an input signature."""

    def __init__(
        self,
        parameters: list[tuple[str, int, TraceType, object]],
        with_default: Sequence[str] = (),
    ):
        self.parameters = parameters  # name, kind, type, the spec or default
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
