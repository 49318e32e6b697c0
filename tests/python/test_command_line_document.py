"""The commands in docs/guide/command_line.md run and print what they say."""

import os
import re
import subprocess
import sys

import pytest
from test_command_line import PROGRAM

PAGE = PROGRAM.parents[2] / "docs" / "guide" / "command_line.md"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
MODEL = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def steps():
    """(command, what it prints), in order."""
    found = []
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def pattern(expected):
    """A line "..." stands for any lines, one in a line for any text."""
    parts = []
    for line in expected.splitlines():
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            spaces = re.escape(line).replace(r"\.\.\.", ".*")
            parts.append(re.sub(r"(?:\\ )+", r"\\s+", spaces) + r"\s*\n")
    return re.compile("".join(parts) + r"\Z")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the page's model is, and a program that is called as on the page."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "model.py").write_text(MODEL.search(PAGE.read_text())[1])
    subprocess.run([sys.executable, "model.py"], cwd=folder, check=True)
    programs = folder / "programs"
    programs.mkdir()
    script = programs / "graphkiln"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM}" "$@"\n')
    script.chmod(0o755)
    return folder


def test_the_page(folder):
    path = f"{folder / 'programs'}:{os.environ['PATH']}"
    commands = steps()
    assert len(commands) > 20
    for command, expected in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        printed = done.stdout.decode()
        assert done.returncode == 0, (command, printed)
        assert pattern(expected).match(printed), (command, printed)
