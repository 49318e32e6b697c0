"""Which public functions can be dispatched by the types of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import graphkiln as gk
import pytest

# What differs, and why.
_OF_A_RECORD = "all functions of records are dispatched here"
OTHERWISE = {
    "einsum": _OF_A_RECORD,
    "linalg.einsum": _OF_A_RECORD,
    "meshgrid": _OF_A_RECORD,
    "guarantee_const": _OF_A_RECORD,
    "convert_to_tensor": "what makes tensors asks nobody else here",
}


def _functions(module: ModuleType, space: str, seen: set[int]) -> Iterator[str]:
    for key in dir(module):
        if key.startswith("_") or key in ("raw_ops", "compat"):
            continue
        value = getattr(module, key)
        if inspect.ismodule(value):
            if value.__name__.startswith("graphkiln") and id(value) not in seen:
                seen.add(id(value))
                yield from _functions(value, f"{space}{key}.", seen)
        elif callable(value) and not inspect.isclass(value):
            yield space + key


def _found(module: ModuleType, name: str) -> object:
    for part in name.split("."):
        module = getattr(module, part, None)
    return module


def _dispatches(module: ModuleType, function: object) -> bool:
    class Given:
        pass

    try:
        parameter = next(iter(inspect.signature(function).parameters))
        module.experimental.dispatch_for_api(function, {parameter: Given})
    except (ValueError, TypeError, StopIteration):
        return False
    return True


NAMES = sorted(set(_functions(gk, "", set())))


def test_there_are_many():
    assert sum(_dispatches(gk, _found(gk, name)) for name in NAMES) > 350
    assert _dispatches(gk, gk.case) and not _dispatches(gk, gk.print)


@pytest.mark.parametrize("name", NAMES)
def test_functions_dispatch_where_tensorflows_do(both, name):
    theirs = _found(both.theirs, name)
    if not callable(theirs) or inspect.isclass(theirs) or name in OTHERWISE:
        pytest.skip("not the same function")
    ours = _found(gk, name)
    assert _dispatches(gk, ours) == _dispatches(both.theirs, theirs)
