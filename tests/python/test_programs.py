"""The programs of tests/programs do what the original was seen to do."""

import pathlib
import sys

import pytest

import graphkiln

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "programs"))

import outcomes  # noqa: E402


@pytest.mark.parametrize("program", outcomes.programs(), ids=outcomes.name_of)
def test_program(program):
    outcomes.compare(
        program,
        outcomes.outcome(program, graphkiln),
        outcomes.recorded(program),
    )
