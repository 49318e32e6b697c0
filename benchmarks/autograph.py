#!/usr/bin/env python3
"""Workloads of AutoGraph for compare.py: a function of 200 lines with nested
control flow is converted and traced.

usage: autograph.py MODULE [--only=ROW,ROW]

Rows: `autograph_convert_trace_200`, a function that was never seen before;
`autograph_trace_200`, the same function traced once more; and
`autograph_call_200`, a call of it.
"""

from __future__ import annotations

import importlib
import itertools
import json
import linecache
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

BLOCK = """\
    # Part {k}: a loop with branches, a search, a running total.
    total_{k} = tf.zeros([])
    best_{k} = x[0] + {k}.0
    for i in tf.range(n):
        value = x[i % 4] * scale + tf.cast(i, tf.float32)
        if value > best_{k}:
            best_{k} = value
        elif value < 0.0:
            total_{k} -= value
            continue
        else:
            value = value * 0.5
        total_{k} += value
    steps = tf.constant(0)
    while best_{k} > 1.0:
        best_{k} = best_{k} / 2.0
        steps += 1
        if steps > n and total_{k} > 0.0:
            break
    result += total_{k} * tf.cast(steps, tf.float32) + helper(best_{k}, {k})
"""

HEAD = """\
def helper(value, k):
    if value > float(k):
        return value - 1.0
    return value + 1.0


def program(x, n, scale=2.0):
    result = tf.zeros([])
"""
_numbers = itertools.count()


def source() -> str:
    """The text of a function of about 200 lines."""
    return HEAD + "".join(BLOCK.format(k=k) for k in range(10)) + (
        "    return result\n"
    )


def fresh(tf: Any) -> Callable:
    """The function, as code that no cache knows."""
    name = f"<program {next(_numbers)} of the benchmark>"
    text = source()
    lines = text.splitlines(keepends=True)
    linecache.cache[name] = (len(text), None, lines, name)
    scope: dict[str, Any] = {"tf": tf, "__name__": "programs"}
    exec(compile(text, name, "exec"), scope)
    return scope["program"]


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure(tf: Any) -> dict[str, Callable[[], float]]:
    """By row: a function that measures it."""
    arguments = tf.constant([1.0, -2.0, 3.0, 8.0]), tf.constant(5)

    def traced(f: Callable) -> Any:
        made = tf.function(f)
        made.get_concrete_function(*arguments)
        return made

    def convert_and_trace() -> float:
        traced(fresh(tf))
        times = []
        for _ in range(5):
            f = fresh(tf)
            times.append(seconds(lambda: traced(f)))
        return statistics.median(times)

    def trace() -> float:
        f = fresh(tf)
        traced(f)
        return statistics.median(seconds(lambda: traced(f)) for _ in range(5))

    def call() -> float:
        made = traced(fresh(tf))
        made(*arguments)
        return statistics.median(
            seconds(lambda: made(*arguments)) for _ in range(50)
        )

    return {
        "autograph_convert_trace_200": convert_and_trace,
        "autograph_trace_200": trace,
        "autograph_call_200": call,
    }


def main() -> int:
    module = sys.argv[1]
    only = next(
        (a.partition("=")[2].split(",") for a in sys.argv if "--only=" in a),
        None,
    )
    rows = measure(importlib.import_module(module))
    for name, row in rows.items():
        if only is None or name in only:
            print(json.dumps({"name": name, "s": row()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
