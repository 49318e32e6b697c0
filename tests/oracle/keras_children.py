"""Runs programs of Keras on graphkiln and on TensorFlow, each in a process of its
own, and compares what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

START = {"tensorflow": [], "graphkiln": ["-m", "graphkiln"]}


def answers(module: str, program: str, *arguments: str) -> list[Any]:
    """The lines of JSON that a program beside this file prints on a module."""
    path = str(Path(__file__).with_name(program))
    result = subprocess.run(
        [sys.executable, *START[module], path, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ,
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return [json.loads(line) for line in result.stdout.splitlines()]


def assert_close(ours: Any, theirs: Any, rel: float = 2e-4) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_close(a, b, rel)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_close(ours[key], theirs[key], rel)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=rel, abs=1e-5, nan_ok=True)
    else:
        assert ours == theirs
