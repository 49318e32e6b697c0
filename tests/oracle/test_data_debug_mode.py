"""tf.data.experimental.enable_debug_mode: functions of elements run as Python. It
stays for ever, so programs have processes of their own, one for each package."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import os, sys, threading
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import importlib
tf = importlib.import_module(sys.argv[1])
D = tf.data.Dataset
seen = []

def listed(dataset):
    found, iterator = [], iter(dataset)
    while len(found) < 30:
        try:
            element = next(iterator)
        except StopIteration:
            break
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
            continue
        if isinstance(element, tf.RaggedTensor):
            found.append(element.to_list())
        else:
            found.append(tf.nest.map_structure(lambda x: x.numpy().tolist(), element))
    return found

def show(what):
    print(">", what)

@tf.function
def inside():
    tf.data.experimental.enable_debug_mode()

try:
    inside()
except ValueError as error:
    show(str(error).splitlines()[-1].strip())
tf.data.experimental.enable_debug_mode()
"""
PROGRAMS = {
    "python": """
        def f(x):
            seen.append((tf.executing_eagerly(), threading.current_thread().name))
            if tf.executing_eagerly():
                return x + int(x.numpy())
            return x

        d = D.range(3).map(f)
        show([e for e, _ in seen])
        show(listed(d))
        show([e for e, _ in seen])
    """,
    "spec": """
        d = D.range(4).batch(2).map(lambda x: {"a": x, "b": (x, tf.zeros([3]))})
        show(d.element_spec)
        show(listed(d))
    """,
    "two arguments": """
        d = D.zip((D.range(3), D.range(3, 6)))
        show(listed(d.map(lambda a, b: a * b)))
        show(listed(d.filter(lambda a, b: a.numpy() > 0 if tf.executing_eagerly()
                             else a > 0)))
    """,
    "composite": """
        d = D.range(3).map(lambda x: tf.RaggedTensor.from_row_lengths(
            tf.range(x + 1), [x, 1]))
        show(listed(d))
    """,
    "datasets": """
        show(listed(D.range(4).flat_map(lambda x: D.range(x))))
        show(listed(D.range(4).interleave(
            lambda x: D.range(x), cycle_length=2, num_parallel_calls=2)))
    """,
    "windows": """
        show(listed(D.range(5).window(2).flat_map(lambda w: w.batch(2))))
        show(listed(D.range(6).group_by_window(
            lambda x: x % 2, lambda key, group: group.batch(3), 3)))
    """,
    "state": """
        show(listed(D.range(5).scan(np.int64(0), lambda s, x: (s + x, s * x))))
        show(D.range(5).reduce(np.int64(1), lambda s, x: s + x).numpy())
    """,
    "errors": """
        def f(x):
            if tf.executing_eagerly() and x.numpy() == 1:
                raise ValueError("one")
            return x

        show(listed(D.range(3).map(f)))
    """,
    "in order": """
        order = []

        def note(x):
            if tf.executing_eagerly():
                order.append(int(x.numpy()))
            return x

        d = D.range(6).map(note, num_parallel_calls=4, deterministic=False)
        d = d.prefetch(4).batch(2, num_parallel_calls=2)
        options = tf.data.Options()
        options.experimental_optimization.map_parallelization = True
        options.experimental_optimization.inject_prefetch = False
        iterator = iter(d.with_options(options))
        show(next(iterator).numpy().tolist())
        show(order)
        show(listed(iterator))
        show(order)
    """,
}


def shown(package: str, program: str) -> list[str]:
    text = PROGRAM + textwrap.dedent(program)
    run = subprocess.run(
        [sys.executable, "-c", text, package],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env=os.environ,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return [line for line in run.stdout.splitlines() if line.startswith(">")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_run_as_python(name: str):
    ours = shown("graphkiln", PROGRAMS[name])
    theirs = shown("tensorflow", PROGRAMS[name])
    assert len(theirs) > 1
    assert ours == theirs
