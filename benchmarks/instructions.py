#!/usr/bin/env python3
"""Counts the instructions that calls take, in one build or in two side by side.

usage: benchmarks/instructions.py [--only=NAME,...] FOLDER [FOLDER]

FOLDER: what PYTHONPATH gets to find a build's package, as build/release/python.
Each case runs under valgrind's callgrind twice, the second time with more calls;
the difference, divided by their number, is what one call takes: start-up and
warm-up are in both. Unlike seconds the counts hardly depend on what else runs,
so they show changes of one in a thousand. Needs valgrind (Debian package).
"""

import os
import re
import subprocess
import sys

# Before the calls, one call, and how many calls are made.
CASES = {
    "eager add": ("x = tf.constant(1.0)", "x + x", 20000),
    "assign": ("v = tf.Variable(1.0); x = tf.constant(2.0)", "v.assign(x)", 20000),
    "cached call": ("f = tf.function(lambda x: x + 1.0); x = tf.constant(1.0)", "f(x)", 20000),
    "cached call of 20 arguments": (
        "f = tf.function(lambda *a: a[0] + a[19]); x = [tf.constant(1.0)] * 20",
        "f(*x)", 20000,
    ),
    "cached call of a structure": (
        "f = tf.function(lambda d: d['a'][0] + d['b']);"
        "x = {'a': (tf.constant(1.0), tf.constant(2.0)), 'b': tf.constant(3.0)}",
        "f(x)", 20000,
    ),
    "cached call with a variable": (
        "v = tf.Variable(1.0); f = tf.function(lambda x: x + v); x = tf.constant(1.0)",
        "f(x)", 20000,
    ),
    "concrete function": (
        "x = tf.constant(1.0); f = tf.function(lambda x: x + 1.0).get_concrete_function(x)",
        "f(x)", 20000,
    ),
    "trace and first call": (
        "x = tf.constant(1.0)", "tf.function(lambda x: x * 2.0 + 1.0)(x)", 200,
    ),
    "retrace": (
        "f = tf.function(lambda x, n: x * 2.0 + n); x = tf.constant(1.0);"
        "tf.get_logger().setLevel('ERROR'); n = iter(range(10**6))",
        "f(x, next(n))", 200,
    ),
    "training step": (
        "w = tf.Variable(tf.ones([8, 8])); x = tf.ones([4, 8])\n"
        "@tf.function\n"
        "def step(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = tf.reduce_mean(tf.nn.relu(x @ w))\n"
        "    w.assign_sub(0.01 * tape.gradient(loss, w))\n"
        "    return loss",
        "step(x)", 2000,
    ),
}
PROGRAM = """
import gc
import graphkiln as tf
{before}
def run(count):
    for _ in range(count):
        {call}
run({warm})
gc.disable()
run({count})
"""


def instructions(folder: str, before: str, call: str, warm: int, count: int) -> int:
    """Of a whole program that makes the call `count` times."""
    program = PROGRAM.format(before=before, call=call, warm=warm, count=count)
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         sys.executable, "-c", program],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": folder, "PYTHONHASHSEED": "0",
             "OPENBLAS_NUM_THREADS": "1"},  # or its threads spin meanwhile
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{call}: {done.stderr[-2000:]}")
    return int(found[1])


def per_call(folder: str, before: str, call: str, count: int) -> float:
    warm = max(10, count // 20)
    few = instructions(folder, before, call, warm, count // 4)
    many = instructions(folder, before, call, warm, count // 4 + count)
    return (many - few) / count


def main() -> None:
    only = [a[7:].split(",") for a in sys.argv[1:] if a.startswith("--only=")]
    folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not 1 <= len(folders) <= 2 or "-h" in folders:
        sys.exit(__doc__)
    for name, case in CASES.items():
        if only and name not in only[0]:
            continue
        counts = [per_call(folder, *case) for folder in folders]
        line = "".join(f"{n:14,.1f}" for n in counts)
        if len(counts) == 2:
            line += f"{counts[1] / counts[0]:10.4f}"
        print(f"{name:34}{line}", flush=True)


if __name__ == "__main__":
    main()
