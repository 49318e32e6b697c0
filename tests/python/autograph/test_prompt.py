"""Functions that are typed at Python's prompt."""

from __future__ import annotations

import os
import pathlib
import pty
import select
import subprocess
import sys
import time

import pytest

import graphkiln as tf

pytest.importorskip("readline")

SESSION = """\
import graphkiln as tf
def halve(x):
    while x > 1.0:
        x = x / 2.0
    return x

print("first:", tf.function(halve)(tf.constant(24.0)).numpy())
@tf.function
def sign(x):
    if x > 0:
        return 1
    else:
        return -1

print("second:", sign(tf.constant(-3)).numpy())
f = tf.function(lambda x: 1 if x > 0 else 0)
print("third:", f(tf.constant(2)).numpy())
def halve(x):
    while x > 4.0:
        x = x / 2.0
    return x

print("fourth:", tf.function(halve)(tf.constant(24.0)).numpy())
"""


def typed(session: str) -> str:
    """What a prompt on a terminal shows."""
    terminal, other = pty.openpty()
    package = str(pathlib.Path(tf.__file__).parents[1])
    environment = {
        **os.environ, "PYTHONPATH": package, "TERM": "dumb",
        "PYTHONHISTORY": os.devnull, "HOME": "/nonexistent",
    }
    child = subprocess.Popen(
        [sys.executable, "-q", "-i"], stdin=other, stdout=other, stderr=other,
        env=environment, start_new_session=True,
    )
    os.close(other)
    shown = b""
    end = time.monotonic() + 60
    pending = [line + "\n" for line in session.split("\n")] + ["exit()\n"]
    try:
        while time.monotonic() < end:
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if ready:
                try:
                    chunk = os.read(terminal, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                shown += chunk
            if pending and shown.rstrip(b" ").endswith((b">>>", b"...")):
                os.write(terminal, pending.pop(0).encode())
                shown += b" "
                time.sleep(0.01)
    finally:
        child.kill()
        child.wait()
        os.close(terminal)
    return shown.decode(errors="replace")


def test_functions_typed_at_the_prompt_are_converted():
    shown = typed(SESSION)
    assert "first: 0.75" in shown, shown
    assert "second: -1" in shown, shown
    assert "third: 1" in shown, shown
    assert "fourth: 3.0" in shown, shown
    assert "could not" not in shown, shown


def test_what_keeps_no_source_says_so():
    program = (
        "import graphkiln as tf\n"
        "f = tf.function(lambda x: x if x > 0 else -x)\n"
        "f(tf.constant(1))"
    )
    package = str(pathlib.Path(tf.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True, text=True,
    )
    assert "`python -c` keep none; use a file" in done.stderr
