"""Runs a program in a Python process of its own."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap

import graphkiln


def dies_with_parent() -> dict[str, object]:
    """For subprocess: the child ends when whoever started it is killed."""
    if not sys.platform.startswith("linux"):
        return {}
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def in_child() -> None:
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    return {"preexec_fn": in_child}


def run_child(
    program: str, *arguments: str, patience: float = 120
) -> subprocess.CompletedProcess:
    """What became of it; subprocess.TimeoutExpired if it does not end."""
    package = str(pathlib.Path(graphkiln.__file__).parents[1])
    paths = [package, os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
    }
    with tempfile.TemporaryDirectory() as folder:
        # A file: AutoGraph reads the source.
        path = pathlib.Path(folder) / "program.py"
        path.write_text(textwrap.dedent(program))
        return subprocess.run(
            [sys.executable, str(path), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=patience, env=environment, check=False,
            **dies_with_parent(),
        )


def check_child(program: str, *arguments: str, patience: float = 120) -> str:
    """What it prints; it must end well."""
    child = run_child(program, *arguments, patience=patience)
    assert child.returncode == 0, (child.returncode, child.stdout)
    return child.stdout
