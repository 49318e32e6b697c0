"""A short run of the campaign of random raw op calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from child_program import dies_with_parent

PROGRAM = Path(__file__).parents[2] / "fuzz" / "raw_ops.py"


def test_random_raw_op_calls() -> None:
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), "--count", "2000", "--seed", "20261122",
         "--seconds", "120"],
        capture_output=True,
        text=True,
        check=False,
        **dies_with_parent(),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
