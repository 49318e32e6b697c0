"""Checkpoints in both directions: one writes, both read, and show the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("checkpoint_programs.py")
LIBRARIES = ("tensorflow", "graphkiln")


def run(library: str, what: str, folder: Path) -> str:
    result = subprocess.run(
        [sys.executable, PROGRAM, library, what, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        timeout=300,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


@pytest.mark.parametrize("writer", LIBRARIES)
def test_both_read_what_one_wrote(writer: str, tmp_path: Path) -> None:
    run(writer, "write", tmp_path)
    shown = [run(reader, "show", tmp_path) for reader in LIBRARIES]
    assert shown[0] == shown[1]
    assert len(shown[0].splitlines()) > 40


def test_files_have_the_same_names(tmp_path: Path) -> None:
    names = []
    for library in LIBRARIES:
        folder = tmp_path / library
        folder.mkdir()
        run(library, "write", folder)
        names.append(
            sorted(
                str(path.relative_to(folder)).replace("-of-00002", "-of-0000X")
                for path in folder.rglob("*")
                if not path.name.startswith("again.data")
            )
        )
    assert names[0] == names[1]


LARGE = """
import sys, numpy as np
library, what, path = sys.argv[1:]
tf = __import__(library)
sizes = [3, 1 << 14, 5, (1 << 18) + 1, 7, 3 << 19]
values = [np.arange(n, dtype=np.float32) * 3 + n % 97 for n in sizes]
checkpoint = tf.train.Checkpoint(
    v=[tf.Variable(v if what == "write" else v * 0) for v in values],
    words=tf.Variable(["a", "bc"]),
)
if what == "write":
    checkpoint.write(path)
else:
    checkpoint.read(path).assert_consumed()
    for variable, value in zip(checkpoint.v, values):
        np.testing.assert_array_equal(variable.numpy(), value)
"""


# Those that graphkiln writes have gaps between tensors, so that large ones begin at
# pages.
@pytest.mark.parametrize("reader", LIBRARIES)
@pytest.mark.parametrize("writer", LIBRARIES)
def test_large_tensors(writer: str, reader: str, tmp_path: Path) -> None:
    for library, what in ((writer, "write"), (reader, "read")):
        subprocess.run(
            [sys.executable, "-c", LARGE, library, what, tmp_path / "c"],
            check=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        )
