"""Programs that tests run end with the test, however that ends."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from child_program import dies_with_parent

import graphkiln

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs prctl"
)

ROOT = pathlib.Path(__file__).parents[2]
RUNS = {
    "a test's": "from child_program import run_child\nrun_child({program!r})",
    "a campaign's": "import campaign\n"
    "campaign.run_case(campaign.Case('busy', {program!r}))",
}


def runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("whose", RUNS)
def test_a_child_ends_when_whoever_started_it_is_killed(whose, tmp_path):
    note = tmp_path / "process"
    program = (
        "import os, pathlib, time\n"
        f"pathlib.Path({str(note)!r}).write_text(f'{{os.getpid()}}\\n')\n"
        "while True: time.sleep(.01)\n"
    )
    package = str(pathlib.Path(graphkiln.__file__).parents[1])
    folders = [package, str(ROOT / "tests" / "python"), str(ROOT / "fuzz")]
    parent = subprocess.Popen(
        [sys.executable, "-c", RUNS[whose].format(program=program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        **dies_with_parent(),
    )
    end = time.monotonic() + 60
    while not (note.exists() and note.read_text().endswith("\n")):
        assert time.monotonic() < end and parent.poll() is None
        time.sleep(0.05)
    child = int(note.read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while runs(child):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            raise AssertionError("it goes on")
        time.sleep(0.05)
