"""The real Keras on graphkiln, and on TensorFlow: the same numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = str(Path(__file__).with_name("keras_programs.py"))
START = {"tensorflow": [], "graphkiln": ["-m", "graphkiln"]}


def shown(module: str, name: str, folder: Path) -> Any:
    result = subprocess.run(
        [sys.executable, *START[module], PROGRAM, name, str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return json.loads(result.stdout.splitlines()[-1])


def assert_close(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_close(a, b)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=2e-4, abs=1e-5)
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    "name",
    [
        "sequential",
        "several_steps",
        "functional",
        "recurrent",
        "convolutional",
        "own_step",
        "checkpointed",
    ],
)
def test_training(name: str, tmp_path: Path) -> None:
    answers = []
    for module in START:
        folder = tmp_path / module
        folder.mkdir()
        answers.append(shown(module, name, folder))
    assert_close(answers[1], answers[0])


@pytest.mark.parametrize("writer", START)
def test_exports(writer: str, tmp_path: Path) -> None:
    (difference,) = shown(writer, "exported", tmp_path)
    assert difference < 1e-5
    assert_close(*(shown(module, "load", tmp_path) for module in START))
