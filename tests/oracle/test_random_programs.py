"""Random programs on both modules: where TensorFlow runs one, the values,
variables, prints and gradients are its own."""

from __future__ import annotations

import logging
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from fuzz.programs.check import Checker  # noqa: E402
from fuzz.programs.program import program  # noqa: E402
from fuzz.programs.running import TAPES, TRACED, Runner  # noqa: E402

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "500"))
FIRST = int(os.environ.get("RANDOM_PROGRAMS_SEED", "2000000"))
BLOCK = 25


@pytest.fixture(scope="module")
def checker(both):
    # Both modules write to this logger, in other tests, too.
    logger = both.theirs.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    both.theirs.autograph.set_verbosity(0)
    yield Checker(Runner(both.ours), Runner(both.theirs))
    logger.setLevel(level)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BLOCK))
def test_agrees_with_tensorflow(checker, first, caplog):
    compared = 0
    with caplog.at_level(logging.CRITICAL):
        for seed in range(first, min(first + BLOCK, FIRST + COUNT)):
            made = program(seed)
            # Gradients, that cost most, of some.
            modes = (TRACED, TAPES[1]) if seed % 5 == 0 else (TRACED,)
            verdict = checker.check(made, modes)
            assert verdict.mode is None, (
                f"seed {seed}, {verdict.mode.name}: {verdict.said}\n"
                f"{made.source}"
            )
            compared += verdict.compared
    assert compared >= BLOCK // 2
