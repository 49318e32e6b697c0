"""The programs of tests/programs do the same on both modules."""

from __future__ import annotations

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "programs"))

import outcomes  # noqa: E402


@pytest.fixture(autouse=True)
def no_caching_device(both):
    """What a map_fn that raised leaves behind, and recompute_grad dies of."""
    yield
    both.theirs.compat.v1.get_variable_scope()._caching_device = None


@pytest.mark.parametrize("program", outcomes.programs(), ids=outcomes.name_of)
def test_program(both, program):
    outcomes.compare(
        program,
        outcomes.outcome(program, both.ours),
        outcomes.outcome(program, both.theirs),
    )
