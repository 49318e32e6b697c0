"""Long work says how far it is, to people who watch."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, tempfile
import graphkiln as tf

{setup}

@tf.function(autograph=False)
def steps(x):
    for _ in range(300):
        x = x + 1.0
    if fail:
        raise ValueError("no")
    return x

fail = False
steps(tf.zeros([2]))
fail = True
try:
    steps(tf.zeros([3]))
except ValueError:
    pass

class Model(tf.Module):
    def __init__(self):
        self.v = tf.Variable(tf.zeros([600_000]))

with tempfile.TemporaryDirectory() as folder:
    saved = tf.train.Checkpoint(model=Model()).write(folder + "/weights")
    tf.train.Checkpoint(model=Model()).read(saved)
    tf.saved_model.save(Model(), folder + "/model")
    tf.saved_model.load(folder + "/model")
"""


def shown_on_terminal(after: str | None, setup: str = "") -> list[str]:
    """The lines that a terminal gets, each with what was written over it."""
    ours, its = os.openpty()
    environment = dict(os.environ)
    environment.pop("GK_PROGRESS", None)
    if after is not None:
        environment["GK_PROGRESS"] = after
    program = PROGRAM.format(setup=setup)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.DEVNULL, stderr=its, env=environment,
    ) as child:
        os.close(its)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:  # the other end is closed
            pass
        assert child.wait() == 0, text
    os.close(ours)
    return text.decode().splitlines()


def test_a_terminal_is_told():
    text = "\n".join(shown_on_terminal("0"))
    for begin, end in (
        ("Tracing steps: ", "Traced steps: 60"),
        ("Saving ", "Saved "),
        ("Restoring ", "Restored "),
        ("Loading ", "Loaded "),
    ):
        assert begin in text
        assert end in text
    # That of the trace that failed is wiped away.
    assert text.count("Traced steps") == 1
    assert "2.4 of 2.4 MB" in text


@pytest.mark.parametrize("after", [None, "60", "off"])
def test_short_work_says_nothing(after):
    assert shown_on_terminal(after) == []


def test_who_does_not_watch_is_not_told():
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(setup="")],
        capture_output=True, text=True, check=True,
        env={**os.environ, "GK_PROGRESS": "0"},
    )
    assert (child.stdout, child.stderr) == ("", "")


NOTEBOOK = """
class OutStream:
    def __init__(self):
        self.text = ""
    def isatty(self):
        return False
    def write(self, text):
        self.text += text
    def flush(self):
        pass

OutStream.__module__ = "ipykernel.iostream"
kept, sys.stderr = sys.stderr, OutStream()
import atexit
atexit.register(lambda: kept.write(repr("Traced steps" in sys.stderr.text)))
"""


def test_notebooks_show_it():
    assert shown_on_terminal("0", NOTEBOOK) == ["True"]


BROKEN = """
class Broken:
    def isatty(self):
        return True
    def write(self, text):
        raise OSError("gone")
    def flush(self):
        pass

sys.stderr = Broken()
"""


@pytest.mark.parametrize("setup", ["sys.stderr = None", BROKEN])
def test_a_broken_stream_is_nobody(setup):
    assert shown_on_terminal("0", setup) == []
