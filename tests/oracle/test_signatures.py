"""Generated functions and calls, on graphkiln and on TensorFlow: how many
traces there are, which one serves each call, what they print, and which
error a call gives."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import signature_programs as programs  # noqa: E402

# Another seed can be given; it is part of the name of each test.
SEED = int(os.environ.get("GK_SIGNATURE_SEED", "20260"))
COUNT = 240


@pytest.mark.parametrize("seed", range(SEED, SEED + COUNT))
def test_same_traces(both, seed):
    program = programs.generate(seed)
    theirs = programs.run(both.theirs, program)
    ours = programs.run(both.ours, program)
    for i, (mine, expected) in enumerate(zip(ours, theirs)):
        call = program.calls[i] if i < len(program.calls) else None
        assert programs.agree(mine, expected), (
            f"seed {seed}: f({program.source()}), {program}\n"
            f"call {i}: {call}\nTensorFlow: {expected}\ngraphkiln:  {mine}"
        )
    assert len(ours) == len(theirs), f"seed {seed}: {program}"
