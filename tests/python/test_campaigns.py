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
    "killed_writers": 6, "damaged_checkpoints": 2,
    "killed_data_writers": 6, "damaged_records": 1,
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


CAMPAIGN = """
import sys
sys.path.insert(0, {fuzz!r})
from campaign import Case, main

def cases(choose):
    while True:
        yield Case("quick", "print(1)", patience=60)
        yield Case("waits", '''
import os, time
def waits_for_ever():
    time.sleep(1000)
if {forks}: os.fork()
waits_for_ever()
''', patience={patience})

sys.exit(main(__doc__, 9, cases))
"""


def run_own(path: pathlib.Path, arguments: list, patience: float,
            forks: bool = False) -> subprocess.CompletedProcess:
    program = path / "own.py"
    program.write_text(CAMPAIGN.format(
        fuzz=str(FUZZ), patience=patience, forks=forks))
    return subprocess.run(
        [sys.executable, str(program), "--seed", "1", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=60, **dies_with_parent(),
    )


def test_a_campaign_ends_when_its_time_does(tmp_path):
    child = run_own(tmp_path, ["--seconds", "3"], 1000)
    assert child.returncode == 0, child.stdout
    assert "waits: ended with the campaign" in child.stdout
    assert "in waits_for_ever" in child.stdout
    assert "1 cases, 0 failed" in child.stdout


@pytest.mark.parametrize("forks", [False, True])
def test_a_campaign_shows_where_a_child_hangs(tmp_path, forks):
    child = run_own(
        tmp_path, ["--count", "1", "--only", "waits"], 2, forks)
    assert child.returncode == 1, child.stdout
    assert "--- waits: hang" in child.stdout
    assert "in waits_for_ever" in child.stdout


def test_a_campaign_without_cases_says_so(tmp_path):
    child = run_own(tmp_path, ["--only", "something else"], 1)
    assert child.returncode == 2
    assert "no case has that in its name" in child.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_a_campaign(name):
    run(name, 4 * COUNTS[name], 2)
