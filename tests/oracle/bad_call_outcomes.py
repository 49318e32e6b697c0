"""What a module answers to bad calls; run as a program by test_bad_calls.

    python bad_call_outcomes.py MODULE raw|public PART PARTS < skipped > outcomes

The calls run in forked children, many in each: a call that kills or hangs
its child is reported as such, and a new child goes on with the next. The
parent imports the module but calls nothing in it, so that a child has a
runtime of its own. Standard input has pickled {(name, label)} to leave out,
standard output gets pickled {(name, label, mode): Outcome}.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "ops"))
sys.path.insert(0, str(Path(__file__).parent))

import bad_inputs  # noqa: E402
import bad_public_calls  # noqa: E402
import cases  # noqa: E402
from limited_child import limit_this_process  # noqa: E402

FIRST_SECONDS = 20.0
SECONDS = {"tensorflow": 2.0, "graphkiln": 20.0}
MORE_MEMORY = 6 << 30

WHOLE = os.environ.get("GK_FULL", "1") == "1"


@dataclass(frozen=True)
class Outcome:
    error: str  # the exception's class; "" if there is none, "died"
    text: str = ""
    # A variable does not hold any more what it did before the failed call.
    changed: bool = False


Task = tuple[str, str, str]
Run = Callable[[str], Outcome]


def said(error: Exception) -> str:
    """What an exception says, without where."""
    lines = [line for line in str(error).split("\n") if line.strip()]
    lines = [
        line
        for line in lines
        if not line.lstrip().startswith(
            ("[[{{node", "[[", "Registered", "Arguments of ")
        )
    ]
    if lines and lines[0].startswith("Graph execution error"):
        lines = lines[-1:]
    elif lines and lines[0].startswith("in user code"):
        lines = [lines[-1].split(": ", 1)[-1]]
    text = lines[0] if lines else ""
    if text.startswith("{{function_node"):
        text = text.split("}} ", 1)[-1]
    return text.split(" for '{{node")[0].split(" [Op:")[0].strip()


def attempt(call: Callable[[list[Any]], Any], before: list[np.ndarray]) -> Outcome:
    variables: list[Any] = []
    try:
        call(variables)
    except Exception as error:
        changed = any(
            not np.array_equal(np.asarray(v.numpy()), value)
            for v, value in zip(variables, before, strict=False)
        )
        return Outcome(type(error).__name__, said(error), changed)
    return Outcome("")


def run_case(tf: Any, case: cases.Case, mode: str) -> Outcome:
    def eager(variables: list[Any]) -> None:
        cases.flatten(case.call(tf, case.arguments(tf, variables)))

    def graph(variables: list[Any]) -> None:
        arguments = case.arguments(tf, variables)
        given = {
            n: v
            for n, v in arguments.items()
            if not isinstance(case.inputs[n], cases.Variable)
        }

        def spec(value: Any) -> Any:
            if isinstance(value, list):
                return [spec(v) for v in value]
            return tf.TensorSpec(None, value.dtype)

        def call(values: dict[str, Any]) -> Any:
            return cases.flatten(case.call(tf, {**arguments, **values}))

        function = tf.function(call, autograph=False)
        specs = {n: spec(v) for n, v in given.items()}
        function.get_concrete_function(specs)(given)

    before = [v.value for v in case.inputs.values() if isinstance(v, cases.Variable)]
    return attempt(eager if mode == "eager" else graph, before)


def raw_runner(tf: Any) -> Run:
    tables: dict[str, dict[str, cases.Case]] = {}

    def run(task: Task) -> Outcome:
        op, label, mode = task
        if op not in tables:
            tables.clear()
            tables[op] = dict(bad_inputs.bad_cases(op))
        return run_case(tf, tables[op][label], mode)

    return run


def public_runner(tf: Any) -> Run:
    calls = {name: (call, inputs) for name, call, inputs in bad_public_calls.CALLS}

    def run(task: Task) -> Outcome:
        name, _, mode = task
        call, inputs = calls[name]

        def eager(_: list[Any]) -> None:
            call(tf, *[tf.constant(x) for x in inputs])

        def graph(_: list[Any]) -> None:
            given = [tf.constant(x) for x in inputs]
            function = tf.function(
                lambda *args: call(tf, *args),
                input_signature=[tf.TensorSpec(None, x.dtype) for x in given],
                autograph=False,
            )
            function(*given)

        return attempt(eager if mode == "eager" else graph, [])

    return run


def tasks(kind: str, part: int, parts: int) -> list[Task]:
    if kind == "public":
        names = [(name, "") for name, _, _ in bad_public_calls.CALLS][part::parts]
    else:
        # Every fourth op, if a sample is asked for (scripts/test without --full).
        sample = 1 if WHOLE else 4
        ops = cases.called_ops()[::sample][part::parts]
        names = [(op, label) for op in ops for label, _ in bad_inputs.bad_cases(op)]
    return [(op, label, mode) for op, label in names for mode in ("eager", "graph")]


def child(run: Run, todo: list[Task], limit: float, write: int) -> None:
    limit_this_process(MORE_MEMORY)
    seconds = FIRST_SECONDS  # with the start of the runtime
    for task in todo:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # ends the child
        data = pickle.dumps(run(task))
        seconds = limit
        os.write(write, len(data).to_bytes(4, "little") + data)


def received(file: BinaryIO) -> Any:
    head = file.read(4)
    if len(head) < 4:
        return None
    return pickle.loads(file.read(int.from_bytes(head, "little")))


def run_all(run: Run, todo: list[Task], limit: float) -> dict[Task, Outcome]:
    outcomes: dict[Task, Outcome] = {}
    done = 0
    while done < len(todo):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                child(run, todo[done:], limit, write)
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as file:
            while (outcome := received(file)) is not None:
                outcomes[todo[done]] = outcome
                done += 1
        os.waitpid(pid, 0)
        if done < len(todo):
            outcomes[todo[done]] = Outcome("died")
            done += 1
    return outcomes


def main() -> None:
    module, kind, part, parts = sys.argv[1:5]
    skipped = pickle.load(sys.stdin.buffer)
    tf = importlib.import_module(module)
    todo = [t for t in tasks(kind, int(part), int(parts)) if t[:2] not in skipped]
    run = raw_runner(tf) if kind == "raw" else public_runner(tf)
    # Some calls write files.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        outcomes = run_all(run, todo, SECONDS[module])
        os.chdir("/")
    plain = {k: (o.error, o.text, o.changed) for k, o in outcomes.items()}
    pickle.dump(plain, sys.stdout.buffer)


if __name__ == "__main__":
    main()
