"""The Keras programs in examples/ are programs for TensorFlow, with the same results."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHANGED = {
    "import graphkiln as tf": "import tensorflow as tf",
    # TensorFlow's guide calls concrete functions so, TensorFlow 2.21 does not.
    "functions[i % 2](w, x, y)": "functions[i % 2](w, x, y, (first, second)[i % 2])",
}


def last_numbers(folder: Path, program: str, *arguments: str) -> list[float]:
    """Those of the last line that a program prints."""
    done = subprocess.run(
        [sys.executable, str(folder / program), *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ,
            "GK_CHECK_PLANS": "0",
            "KERAS_BACKEND": "tensorflow",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    last = done.stdout.strip().splitlines()[-1]
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", last)]


@pytest.mark.parametrize(
    "program, arguments, within",
    [
        # Points, of 360 digits or 188 pieces; bits; nats; losses.
        ("cnn.py", ("--epochs", "2"), 2.0),
        ("lstm.py", ("--epochs", "1"), 2.0),
        ("transformer.py", ("--epochs", "1"), 0.02),
        ("vae.py", ("--epochs", "2"), 0.1),
        ("two_optimizers.py", ("--steps", "100"), 1e-4),
        ("transfer.py", ("--epochs", "2"), 3.0),
    ],
)
def test_a_program_is_one_for_tensorflow(program, arguments, within, tmp_path):
    pytest.importorskip("tensorflow")
    pytest.importorskip("keras")
    pytest.importorskip("sklearn")
    shutil.copytree(EXAMPLES / "texts", tmp_path / "texts")
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for ours, theirs in CHANGED.items():
            text = text.replace(ours, theirs)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    theirs = last_numbers(tmp_path, program, *arguments)
    assert theirs
    ours = last_numbers(EXAMPLES, program, *arguments)
    assert ours == pytest.approx(theirs, abs=within)
