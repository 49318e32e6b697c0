"""Bad calls of every op: a Python exception each, which names the op and the
argument, and the process lives.

Every op's calls run in a child of their own with a limit of time and of
memory. What goes wrong in the child names the call.
"""

from __future__ import annotations

import functools
import os
import pickle
import re
import resource
import select
import signal
import time
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

import graphkiln as tf

import bad_inputs
import cases
import known_gaps

SECONDS = 20
MORE_MEMORY = 4 << 30
FAMILY = (
    tf.errors.OpError,
    TypeError,
    ValueError,
    OverflowError,
    NotImplementedError,
    LookupError,
    MemoryError,
)


# These may fail without a word of the argument: the first two show what they
# are given to look at, the third does not repeat what a file was to hold, the
# end of a range is no error of a call.
UNNAMED = re.compile(
    "(Assert|PrintV2|WriteFile)|.* OutOfRangeError|IdentityN .*in a graph ValueError"
    "|.*Number of outputs is too big"
)


def fails(call: Any) -> tuple[str, str]:
    """The exception's class name and text, "" if none; others than FAMILY's
    go on."""
    try:
        call()
    except FAMILY as error:
        return type(error).__name__, str(error)
    return "", ""


def names(op: str, label: str, error: str, text: str) -> bool:
    """Does an error's text name the argument that was changed, and the op?"""
    argument = re.split(r"[\[ ]", label)[0]
    # As the call has it; some texts have the definition's name.
    argument = f"{argument}|{cases.raw_names(op).get(argument, argument)}"
    text = re.sub(r" \[Op:__inference\w+\]| name: ", " ", text)
    ops = f"{op}|{re.sub('(?<=[a-z0-9])(?=[A-Z])', '_', op).lower()}"
    # Of Python values that are no attribute, TensorFlow names the argument.
    words = [argument] if error == "TypeError" else [ops, argument]
    return all(
        re.search(rf"(?<![A-Za-z0-9_])({word})(?![A-Za-z0-9_])", text)
        for word in words
    )


def in_graph(case: cases.Case, tf: Any) -> None:
    """The call in a function that knows no shapes until it runs."""
    variables: list[Any] = []
    arguments = case.arguments(tf, variables)
    specs = {}
    for name, value in arguments.items():
        if not isinstance(case.inputs[name], (list, cases.Variable)):
            specs[name] = tf.TensorSpec(None, value.dtype)

    def call(given: dict[str, Any]) -> Any:
        return cases.flatten(case.call(tf, {**arguments, **given}))

    function = tf.function(call, autograph=False)
    function.get_concrete_function(specs)({n: arguments[n] for n in specs})


def child(op: str, write: int) -> None:
    def report(*what: Any) -> None:
        data = pickle.dumps(what)
        os.write(write, len(data).to_bytes(4, "little") + data)

    with open("/proc/self/statm", encoding="ascii") as f:
        now = int(f.read().split()[0]) * resource.getpagesize()
    limit = now + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        good = cases.make(op)
        random = "random" in cases.record(op)["traits"] or op == "Timestamp"
        expected = good.run(tf)
        for label, case in bad_inputs.bad_cases(op):
            for where, call in (
                ("", case.run),
                (" in a graph", functools.partial(in_graph, case)),
            ):
                report("call", label + where)
                error, text = fails(functools.partial(call, tf))
                if error and not names(op, label, error, text):
                    if not UNNAMED.match(f"{op} {label}{where} {error}: {text}"):
                        raise AssertionError(f"names no argument: {text}")
            after = good.run(tf)
            if not random:
                for a, b in zip(after, expected, strict=True):
                    cases.assert_close(a, b, 0)
        report("done")
    except BaseException:
        report("error", traceback.format_exc())


def read_reports(read: int, deadline: float) -> Iterator[tuple[Any, ...]]:
    buffer = b""
    while True:
        ready, _, _ = select.select([read], [], [], max(0, deadline - time.time()))
        if not ready:
            yield ("late",)
            return
        data = os.read(read, 1 << 16)
        if not data:
            return
        buffer += data
        while len(buffer) >= 4:
            n = int.from_bytes(buffer[:4], "little")
            if len(buffer) < 4 + n:
                break
            yield pickle.loads(buffer[4 : 4 + n])
            buffer = buffer[4 + n :]


def run_apart(op: str, folder: str) -> None:
    """`folder`: where calls that write files do so."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.chdir(folder)
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            child(op, write)
        finally:
            os._exit(0)
    os.close(write)
    label, done, error = "before the first call", False, ""
    for report in read_reports(read, time.time() + SECONDS):
        if report[0] == "call":
            label = report[1]
        elif report[0] == "done":
            done = True
        elif report[0] == "error":
            error = report[1]
        else:
            os.kill(pid, signal.SIGKILL)
            error = f"still running after {SECONDS} s"
    os.close(read)
    _, status = os.waitpid(pid, 0)
    assert not error, f"{op}, {label}: {error}"
    assert done, f"{op}, {label}: the process died, status {status}"


@pytest.mark.parametrize("op", cases.called_ops())
def test_bad_calls(op: str, tmp_path):
    with known_gaps.gaps(known_gaps.BAD_INPUT, op):
        run_apart(op, str(tmp_path))
