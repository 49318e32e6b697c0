"""What a program did, in a form that two modules can be compared by.

A program is a function of the module. Its outcome is what it returned, with
tensors as dtype, shape and elements, or the class and text of what it raised,
and everything that was written to the standard streams meanwhile.

The programs are in the modules SUBJECTS of this folder. tests/oracle runs them
on both modules; tests/python runs ours alone and compares with what the
original did, which `python outcomes.py` writes down under recorded/;
`python outcomes.py ragged` does for one of the subjects.
"""

from __future__ import annotations

import ast
import functools
import importlib
import logging
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# Addresses, ids of functions and graphs, temporary paths.
_VARYING = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    # Our errors of ops end with what they were called with.
    (re.compile(r"\n\s*Arguments of \w+: [^\n]*"), ""),
    (re.compile(r"(__\w+?)_\d+\b"), r"\1_N"),
    (re.compile(r'File "[^"]*/'), 'File "'),
    (re.compile(r"\bid=\d+"), "id=N"),
    (re.compile(r"pyfunc_\d+"), "pyfunc_N"),
    (re.compile(r'name="([^"]*)/\d+"'), r'name="\1/N"'),
    (re.compile(r'name="Resource-\d+-at'), 'name="Resource-N-at'),
    (re.compile(r"tensorflow\.python\.[\w.]+\."), "tf."),
    (re.compile(r"\bgraphkiln\.(_(src\.\w+\.)?\w+\.)?"), "tf."),
    (re.compile(r"\btensorflow\."), "tf."),
)


def steady(text: str) -> str:
    """`text` without what differs from run to run."""
    for pattern, replacement in _VARYING:
        text = pattern.sub(replacement, text)
    return text


def plain(value: Any) -> Any:
    """`value` in terms of Python's own types."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        shape = str(value.shape)
        name = getattr(value.dtype, "name", str(value.dtype))
        if isinstance(value, (np.ndarray, np.generic)):
            return ("array", name, shape, _elements(value))
        if hasattr(value, "numpy"):
            return ("tensor", name, shape, _elements(np.asarray(value.numpy())))
        return ("symbol", name, shape)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(item) for item in value]
    if isinstance(value, (int, float, bytes, complex, type(None))):
        return value
    return steady(str(value))


def _elements(array: Any) -> Any:
    if array.dtype.kind == "V" or array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    return repr(array.tolist())


class Streams:
    """Collects what is written to file descriptors 1 and 2."""

    def __enter__(self) -> Streams:
        sys.stdout.flush()
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()
        self._saved = [os.dup(fd) for fd in (1, 2)]
        for fd in (1, 2):
            os.dup2(self._file.fileno(), fd)
        # A test runner may have put its own in their place.
        self._python = sys.stdout, sys.stderr
        sys.stdout = open(1, "w", buffering=1, closefd=False)
        sys.stderr = open(2, "w", buffering=1, closefd=False)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = self._python
        for fd, saved in zip((1, 2), self._saved):
            os.dup2(saved, fd)
            os.close(saved)
        self._file.seek(0)
        self.text = self._file.read().decode(errors="replace")
        self._file.close()


def outcome(program: Callable[[Any], Any], module: Any) -> tuple:
    """("value", what, output) or ("error", class, text, output)."""
    # Warnings of too much tracing have tests of their own.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    with Streams() as streams:
        try:
            result: tuple = ("value", plain(program(module)))
        except Exception as error:  # compared with the other module's
            result = ("error", type(error).__name__, steady(str(error)))
        finally:
            logging.getLogger("tensorflow").setLevel(logging.NOTSET)
    return (*result, steady(streams.text))


def better(result: Any, output: str = "") -> Callable:
    """Where the original does worse: what comes out instead."""

    def mark(program: Callable) -> Callable:
        program.better = ("value", plain(result), output)
        return program

    return mark


def phrase(*texts: str) -> Callable:
    """Of the error's text only these parts must be the same."""

    def mark(program: Callable) -> Callable:
        program.phrases = texts
        return program

    return mark


def failure(function: Callable, *args: Any, **kwargs: Any) -> list:
    """["ok", result] of a call, or the class and text of what it raised."""
    try:
        return ["ok", function(*args, **kwargs)]
    except Exception as error:
        text = str(error)
        if text.startswith("Graph execution error"):
            # Around the message are names of ops of the module's own making.
            message = text.partition("\n\t [[")[0].rpartition("\n\n")[2]
            text = "Graph execution error: " + message
        return [type(error).__name__, text]


def compare(program: Callable, our: tuple, their: tuple) -> None:
    """Fails unless the outcomes of the program are the same."""
    if hasattr(program, "better"):
        assert our == program.better
        return
    phrases = getattr(program, "phrases", None)
    if phrases is None or their[0] == "value":
        assert our == their
        return
    assert our[:2] == their[:2]
    for text in phrases:
        assert text in their[2], f"not what the original says: {their[2]}"
        assert text in our[2], our[2]
    assert our[3:] == their[3:]


SUBJECTS = tuple(sorted(
    path.stem for path in pathlib.Path(__file__).parent.glob("*.py")
    if path.stem != "outcomes"
))


def programs() -> list:
    """All programs, for pytest's parametrize."""
    return [
        value
        for subject in SUBJECTS
        for name, value in vars(importlib.import_module(subject)).items()
        if name.startswith("program_")
    ]


def name_of(program: Callable) -> str:
    """The program's name as the test's id."""
    subject = program.__module__
    return f"{subject}-{program.__name__.removeprefix('program_')}"


def record_path(subject: str) -> pathlib.Path:
    """Where the original's outcomes of a subject's programs are kept."""
    return pathlib.Path(__file__).parent / "recorded" / f"{subject}.txt"


def record(module: Any, subjects: Sequence[str] = SUBJECTS) -> None:
    """Writes down what the programs do on `module`, the original."""
    for subject in subjects:
        outcomes = {
            program.__name__: _to_record(program, module)
            for program in programs()
            if program.__module__ == subject
        }
        lines = (f"{name}: {what!r}\n" for name, what in outcomes.items())
        record_path(subject).write_text("".join(lines))


def _to_record(program: Callable, module: Any) -> tuple:
    what = outcome(program, module)
    if what[0] == "error" and hasattr(program, "phrases"):
        found = [text for text in program.phrases if text in what[2]]
        what = (*what[:2], "\n".join(found), *what[3:])
    return what


def recorded(program: Callable) -> tuple:
    """What the program does on the original, by the record."""
    return _records(program.__module__)[program.__name__]


@functools.lru_cache
def _records(subject: str) -> dict:
    lines = record_path(subject).read_text().splitlines()
    pairs = (line.split(": ", 1) for line in lines)
    return {name: ast.literal_eval(what) for name, what in pairs}


if __name__ == "__main__":
    import tensorflow

    record(tensorflow, sys.argv[1:] or SUBJECTS)
