"""Short runs of the campaigns in fuzz/."""

import os
import pathlib
import subprocess
import sys

import pytest
from child_program import dies_with_parent

FUZZ = pathlib.Path(__file__).parents[2] / "fuzz"

COUNTS = {
    "memory_limits": 6, "exits": 4, "forks": 2, "interrupts": 2, "threads": 2,
}


def run(name: str, count: int, seed: int) -> None:
    # What counts as late is for a machine that does nothing else.
    environment = {**os.environ, "WITHIN": "3"}
    child = subprocess.run(
        [sys.executable, str(FUZZ / f"{name}.py"), "--count", str(count),
         "--seed", str(seed)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment, check=False, **dies_with_parent(),
    )
    assert child.returncode == 0, child.stdout
    assert f"{count} cases, 0 failed, seed {seed}" in child.stdout


@pytest.mark.parametrize("name", COUNTS)
def test_a_short_campaign(name):
    run(name, COUNTS[name], 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_a_campaign(name):
    run(name, 8 * COUNTS[name], 2)
