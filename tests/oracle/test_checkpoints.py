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
