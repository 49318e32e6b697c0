"""What the tables of tests/both_languages say TensorFlow shows, it shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import tensorflow

sys.path.insert(0, str(Path(__file__).parents[1] / "both_languages"))

import table  # noqa: E402


@pytest.mark.parametrize("program", table.all_programs(), ids=lambda p: p.name)
def test_program(program):
    try:
        theirs = table.run_python(program, tensorflow)
    finally:
        # Other tests compare with graphkiln, which has no seed.
        tensorflow.random.set_seed(None)
    assert not table.differences(
        program.name, theirs, program.recorded, table.is_close)
