"""Which public functions can be dispatched by the types of their arguments."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType

import graphkiln as gk
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from public_names import found, public_names  # noqa: E402

# What differs, and why; all functions of records are dispatched here, besides.
OTHERWISE = {
    "convert_to_tensor": "what makes tensors asks nobody else here",
    "linalg.experimental.conjugate_gradient": "takes operators, whose methods users "
    "override",
}


def _dispatches(module: ModuleType, function: object) -> bool:
    class Given:
        pass

    try:
        parameter = next(iter(inspect.signature(function).parameters))
        module.experimental.dispatch_for_api(function, {parameter: Given})
    except (ValueError, TypeError, StopIteration):
        return False
    return True


NAMES = sorted({
    name for name, value in public_names()
    if callable(value) and not inspect.isclass(value)
})


def test_there_are_many():
    assert sum(_dispatches(gk, found(gk, name)) for name in NAMES) > 350
    assert _dispatches(gk, gk.case) and not _dispatches(gk, gk.print)


@pytest.mark.parametrize("name", NAMES)
def test_functions_dispatch_where_tensorflows_do(both, name):
    theirs = found(both.theirs, name)
    if not callable(theirs) or inspect.isclass(theirs) or name in OTHERWISE:
        pytest.skip("not the same function")
    ours = found(gk, name)
    of_a_record = hasattr(ours, "_maps")
    assert _dispatches(gk, ours) == (of_a_record or _dispatches(both.theirs, theirs))
