"""Input signatures: their rules."""

from collections.abc import Sequence

from graphkiln import _graphkiln, nest
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
        for leaf in nest.flatten(input_signature)
        if not isinstance(leaf, TypeSpec)
    ]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec "
            f"objects, got invalid args {wrong} with types "
            f"{[type(leaf) for leaf in wrong]}."
        )


def constraints(
    signature: binding.FunctionSignature, input_signature: Sequence
) -> Constraints:
    """What `input_signature` says of each parameter."""
    specs = list(input_signature)
    result = []
    variables: list = []

    def add(name: str, kind: int, spec: object) -> None:
        type_ = _graphkiln.trace_type(spec, variables)
        result.append((name, kind, type_, spec))

    varargs = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters)
    for p in signature.parameters:
        has_default = p.default is not p.empty
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            if not specs and not has_default:
                raise TypeError(
                    f"input_signature missing type constraint for {p.name}"
                )
            kind = binding.POSITIONAL_ONLY if varargs else int(p.kind)
            add(p.name, kind, specs.pop(0) if specs else p.default)
        elif p.kind is p.VAR_POSITIONAL:
            for i, spec in enumerate(specs):
                add(f"{p.name}_{i}", binding.POSITIONAL_ONLY, spec)
            specs = []
        elif p.kind is p.KEYWORD_ONLY:
            if not has_default:
                raise TypeError(
                    "Since input_signature is defined, keyword-only parameter "
                    f"`{p.name}` must have a default value"
                )
            add(p.name, int(p.kind), specs.pop(0) if specs else p.default)
    if specs:
        raise TypeError(
            f"input_signature contains {len(specs)} extra type constraints."
        )
    return Constraints(
        result,
        [p.name for p in signature.parameters if p.default is not p.empty],
    )


def public_signature(state) -> tuple | None:
    """The `input_signature` attribute."""
    specs = state.options["input_signature"]
    return None if specs is None else tuple(specs)
