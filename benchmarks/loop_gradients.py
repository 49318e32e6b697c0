#!/usr/bin/env python3
"""Workloads of compare.py: gradients of loops.

usage: loop_gradients.py MODULE [--only=ROW,ROW]

Rows: seconds to trace the gradient of a loop and of nests of six loops and
branches; seconds that the gradient of 10,000 steps takes; and the memory at
its peak, over what the process had before, in MB: of 1,000 floats a step
40 MB have to be kept, of 100,000 steps of scalars 0.4 MB.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable


def peak_mb() -> float:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM")


def reset_peak() -> None:
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def gradient(tf, f) -> Callable:
    def gradients(*arguments):
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            y = tf.reduce_sum(f(*arguments))
        found = tape.gradient(y, arguments)
        return found if len(found) > 1 else found[0]

    return gradients


def nest(tf, depth: int, kinds: str) -> Callable:
    """Loops ("w") and branches ("i") within each other."""

    def go(level: int, x):
        if level == 0:
            return x * tf.sin(x)
        if kinds[level % len(kinds)] == "w":
            return tf.while_loop(
                lambda i, a: i < 2,
                lambda i, a: (i + 1, tf.tanh(go(level - 1, a))),
                (tf.constant(0), x),
            )[1]
        return tf.cond(
            tf.reduce_sum(x) > 0.0, lambda: go(level - 1, x), lambda: x * 2.0
        )

    return lambda x: go(depth, x)


def tracing(tf, depth: int, kinds: str, order: int) -> float:
    x = tf.constant([0.5, 0.25])
    times = []
    for _ in range(5):
        f = nest(tf, depth, kinds)
        for _ in range(order):
            f = gradient(tf, f)
        begin = time.perf_counter()
        tf.function(f, autograph=False).get_concrete_function(x)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def steps(tf, floats: int):
    """The gradient of a number of steps over a state of `floats`."""

    def loop(x, w, m):
        return tf.while_loop(
            lambda i, y: i < m, lambda i, y: (i + 1, tf.tanh(y * w + 0.1)),
            (tf.constant(0), x),
        )[1]

    @tf.function(autograph=False)
    def run(x, w, m):
        return gradient(tf, lambda x, w: loop(x, w, m))(x, w)

    shape = [floats] if floats else []
    x, w = tf.fill(shape, 0.5), tf.fill(shape, 0.9)
    run(x, w, tf.constant(3))
    return lambda m: run(x, w, tf.constant(m))[0].numpy()


def memory(tf, floats: int, count: int) -> float:
    run = steps(tf, floats)
    reset_peak()
    before = peak_mb()
    run(count)
    return peak_mb() - before


def seconds(tf, floats: int, count: int) -> float:
    run = steps(tf, floats)
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        run(count)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


ROWS: dict[str, Callable] = {
    "trace_loop_gradient": lambda tf: tracing(tf, 1, "w", 1),
    "trace_nest6_gradient": lambda tf: tracing(tf, 6, "wi", 1),
    "trace_nest6_second_gradient": lambda tf: tracing(tf, 6, "wi", 2),
    "loop10000_gradient_vector_mb": lambda tf: memory(tf, 1000, 10_000),
    "loop100000_gradient_scalar_mb": lambda tf: memory(tf, 0, 100_000),
    "loop10000_gradient_vector": lambda tf: seconds(tf, 1000, 10_000),
    "loop10000_gradient_scalar": lambda tf: seconds(tf, 0, 10_000),
}


def main() -> None:
    tf = importlib.import_module(sys.argv[1])
    only = [a[7:].split(",") for a in sys.argv[2:] if a.startswith("--only=")]
    for name, row in ROWS.items():
        if only and name not in only[0]:
            continue
        try:
            print(json.dumps({"name": name, "s": row(tf)}), flush=True)
        except Exception as error:
            print(json.dumps({"name": name, "error": repr(error)}), flush=True)


if __name__ == "__main__":
    main()
