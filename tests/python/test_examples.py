"""The Keras programs in examples/ learn something in a few steps."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MISSING = [
    name for name in ("keras", "sklearn") if importlib.util.find_spec(name) is None
]

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} not installed"),
    pytest.mark.slow,
]


def printed(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / program), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "GK_CHECK_PLANS": "0",  # other tests prove plans; here it would take minutes
            "KERAS_BACKEND": "tensorflow",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def numbers(pattern: str, text: str) -> list[float]:
    found = re.search(pattern, text)
    assert found, (pattern, text[-2000:])
    return [float(number) for number in found.groups()]


def test_cnn():
    text = printed("cnn.py", "--epochs", "3")
    (accuracy,) = numbers(r"never saw: ([\d.]+)%", text)
    assert accuracy > 80
    assert re.search(r"saved in [\d,]+ bytes", text)


def test_lstm():
    (accuracy,) = numbers(r"never saw: ([\d.]+)%", printed("lstm.py", "--epochs", "2"))
    assert accuracy > 65  # half of the pieces are of each author


def test_transformer():
    text = printed("transformer.py", "--epochs", "1")
    learnt, by_counting = numbers(
        r"never saw: ([\d.]+) \(by how common letters are: ([\d.]+)\)", text
    )
    assert learnt < by_counting - 0.1
    assert len(text.partition("it writes:\n")[2]) > 240


def test_vae():
    after, before = numbers(
        r"never saw: ([\d.]+) \(untrained: ([\d.]+)\)",
        printed("vae.py", "--epochs", "4"),
    )
    assert after < before - 10


def test_two_optimizers():
    text = printed("two_optimizers.py", "--steps", "200")
    last, first = numbers(r"after 200 steps: ([\d.]+) \(first: ([\d.]+)\)", text)
    assert first == 16.0
    assert last < 10.0
    assert "only supports singleton tf.Variables created on the first call" in text
    assert "one function, 2 traces, the same losses" in text


def test_transfer():
    text = printed("transfer.py", "--epochs", "5")
    percents = [
        numbers(rf"even or odd, {name}: ([\d.]+)%", text)[0]
        for name in ("from_keras_file", "from_saved_model", "alone")
    ]
    assert percents[0] > percents[2] + 2
    assert percents[1] > percents[2] + 2
    assert text.count("2 weights trained, features moved by 0)") == 2
