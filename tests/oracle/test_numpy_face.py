"""tf.experimental.numpy in all modes of promotion: the expressions of
numpy_face_calls on both modules; values, dtypes, whether these yield, static
shapes, gradients, classes of errors."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numpy_face_differences import DIFFERENCES, SLIPS

PROGRAM = Path(__file__).with_name("numpy_face_program.py")
MODES = ("as it is", "legacy", "all", "safe", "legacy prefer_float32")


def _is_near(a: object, b: object, tolerance: float) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(
            _is_near(x, y, tolerance) for x, y in zip(a, b, strict=True)
        )
    if isinstance(a, float) and isinstance(b, float):
        if math.isfinite(a) and math.isfinite(b):
            return abs(a - b) <= tolerance * max(1.0, abs(b))
        return a == b or (math.isnan(a) and math.isnan(b))
    return a == b


_TOLERANCES = {"bfloat16": 2e-2, "float16": 2e-3, "float64": 1e-7, "complex128": 1e-7}


def _agree(ours: object, theirs: object) -> bool:
    refused = [isinstance(one, dict) for one in (ours, theirs)]
    if any(refused):
        return all(refused) and ours["error"] == theirs["error"]
    shown = json.dumps(theirs)
    tolerance = max(
        [t for name, t in _TOLERANCES.items() if name in shown] or [2e-6]
    )
    return _is_near(ours, theirs, tolerance)


def _is_expected(expression: str, mode: str, theirs: object) -> bool:
    """Is it one of the differences that we know of?"""
    text = theirs.get("text", "") if isinstance(theirs, dict) else ""
    if any(re.search(pattern, text) for pattern in SLIPS):
        return True
    return any(
        re.search(pattern, expression) and mode in modes
        for pattern, modes, _ in DIFFERENCES
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_expressions_agree(both, mode):
    package = Path(both.ours.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, str(PROGRAM), *_arguments(mode)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(package), "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert run.returncode == 0, run.stderr[-3000:]
    lines = [line for line in run.stdout.splitlines() if line.startswith("[")]
    assert len(lines) > 4000
    wrong = []
    for line in lines:
        expression, ours, theirs = json.loads(line)
        if not _agree(ours, theirs) and not _is_expected(expression, mode, theirs):
            wrong.append(f"{expression}\n    ours   {ours}\n    theirs {theirs}")
    assert wrong == [], "\n".join(wrong)


def _arguments(mode: str) -> list[str]:
    return [mode] if mode == "as it is" else mode.split()
