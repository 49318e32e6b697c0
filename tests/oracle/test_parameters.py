"""Public functions, classes and their members take the parameters that
TensorFlow's take: the same names in the same order, given by place or by name."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from public_names import found, public_members, public_names  # noqa: E402

PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

# What differs, and why; with a dot at the end, all names that begin so.
OTHERWISE = {
    "errors.": "classes of errors take their code as well",
    "initializers.": "TensorFlow's are Keras' there",
    "function": "ours has max_traces and on_baked_change as well",
    "nn.silu": "ours takes a name as well",
    "nn.swish": "ours takes a name as well",
    "tensor_scatter_nd_update": "ours takes bad_indices_policy as its op does",
    "experimental.RowPartition": "made by its factories",
    "experimental.Optional": "made by its factories; an interface in TensorFlow",
    "data.experimental.Optional": "made by its factories",
    "data.Iterator": "an interface in TensorFlow",
    "Variable": "TensorFlow's metaclass hides its parameters",
    "lookup.StaticHashTable": "TensorFlow's metaclass hides its parameters",
    "lookup.StaticVocabularyTable": "TensorFlow's metaclass hides its parameters",
    "lookup.experimental.DenseHashTable": "TensorFlow's metaclass hides its parameters",
    "lookup.experimental.MutableHashTable":
        "TensorFlow's metaclass hides its parameters",
    "TensorArraySpec.is_compatible_with": "as all specs' here: spec_or_value",
    "types.experimental.FunctionType": "made by its class methods",
}


def _public() -> Iterator[tuple[str, Any]]:
    for name, value in public_names():
        if callable(value):
            yield name, value
            for member in public_members(value):
                if callable(method := getattr(value, member, None)):
                    yield f"{name}.{member}", method


def _parameters(function: Any) -> tuple[list[str], set[str], set[str]]:
    """The names given by place or name, by place alone, and by name alone."""
    listed = [
        p for p in inspect.signature(function).parameters.values() if p.name != "self"
    ]
    return (
        [p.name for p in listed if p.kind in PLACE],
        {p.name for p in listed if p.kind is inspect.Parameter.POSITIONAL_ONLY},
        {p.name for p in listed if p.kind is inspect.Parameter.KEYWORD_ONLY},
    )


NAMES = dict(_public())


@pytest.mark.parametrize("name", sorted(NAMES))
def test_parameters(both, name):
    theirs = found(both.theirs, name)
    if theirs is None or any(
        name == rule or name.startswith(rule) and rule.endswith(".")
        for rule in OTHERWISE
    ):
        pytest.skip("not the same function")
    try:
        expected, by_place, by_name = _parameters(theirs)
    except (TypeError, ValueError):
        pytest.skip("TensorFlow's has no signature that Python can read")
    ours, our_by_place, our_by_name = _parameters(NAMES[name])
    assert ours == expected
    assert our_by_name == by_name
    assert our_by_place <= by_place, "not to be given by name"
