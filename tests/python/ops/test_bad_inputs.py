"""Bad calls of every op: a Python exception each, and the process lives.

Every op's calls run in a child of their own with a limit of time and of
memory. What goes wrong in the child names the call.
"""

from __future__ import annotations

import copy
import os
import pickle
import resource
import select
import signal
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import graphkiln as tf

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
HUGE = (-1, -7, 2**31 - 1, -(2**31), 2**62, -(2**63))


def bad_values(value: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "scalar", value.reshape(-1)[:1].reshape(()) if value.size else value
    yield "deeper", value[None]
    yield "rank 6", value.reshape((1,) * (6 - value.ndim) + value.shape)
    yield "flat", value.reshape(-1)
    yield "longer", np.resize(value, [d + 1 for d in value.shape] or [2])
    yield "empty", np.resize(value, [0] * value.ndim or [0])
    yield "no rows", value[:0] if value.ndim else value[None][:0]
    yield "other dtype", np.resize(np.array(True), value.shape)
    yield "strings", np.full(value.shape, b"x", object)
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype)
        for n in HUGE:
            if limits.min <= n <= limits.max:
                yield f"all {n}", np.full_like(value, n)
                if value.size > 1:
                    one = value.copy()
                    one.reshape(-1)[-1] = n
                    yield f"last {n}", one
    elif value.dtype.kind == "f":
        yield "nan", np.full_like(value, np.nan)
        yield "inf", np.full_like(value, -np.inf)


def bad_attrs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from ((str(n), n) for n in (0, -1, 2**31, 2**62))
    elif isinstance(value, list) and value:
        yield "[]", []
        for n in (0, -1, 2**31, 2**62):
            yield f"all {n}", [n] * len(value)
        yield "longer", [*value, 1]
    elif isinstance(value, str):
        yield "nonsense", "nonsense"
    yield "None", None


def bad_cases(op: str) -> Iterator[tuple[str, cases.Case]]:
    base = cases.make(op)
    for name, value in base.inputs.items():
        parts = value if isinstance(value, list) else [value]
        for i, part in enumerate(parts):
            array = part.value if isinstance(part, cases.Variable) else part
            for how, bad in bad_values(array):
                if isinstance(part, cases.Variable):
                    bad = cases.Variable(bad)
                changed = copy.copy(base)
                new = [*parts[:i], bad, *parts[i + 1 :]]
                changed.inputs = {
                    **base.inputs,
                    name: new if isinstance(value, list) else bad,
                }
                yield f"{name}[{i}] {how}", changed
        if isinstance(value, list):
            changed = copy.copy(base)
            changed.inputs = {**base.inputs, name: []}
            yield f"{name} no tensors", changed
    attrs = {
        a["name"]: a["default"]
        for a in cases.record(op)["attrs"]
        if a.get("has_default") and a["type"] in ("int", "list(int)")
    }
    for name, value in {**attrs, **base.attrs}.items():
        for how, bad in bad_attrs(value):
            changed = copy.copy(base)
            changed.attrs = {**base.attrs, name: bad}
            yield f"{name} = {how}", changed


def fails(call: Any) -> str:
    """The exception's class name, "" if none; others than FAMILY's go on."""
    try:
        call()
    except FAMILY as error:
        return type(error).__name__
    return ""


def in_graph(case: cases.Case) -> None:
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
        for label, case in bad_cases(op):
            report("call", label)
            fails(lambda case=case: case.run(tf))
            report("call", f"{label} (in a graph)")
            fails(lambda case=case: in_graph(case))
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


def run_apart(op: str) -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
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
def test_bad_calls(op: str):
    with known_gaps.gaps(known_gaps.BAD_INPUT, op):
        run_apart(op)
