#!/usr/bin/env python3
"""Times single ops and workloads of one module; benchmarks/ops.py runs it.

usage: op_calls.py MODULE PLAN [--cpu]

Reads names of rows from its input, one a line, and answers each with JSON
lines {"row", "s"} or {"row", "error"}, then {"done": name}. PLAN is the pickle
that ops.py writes: how each op is called, so that this process needs NumPy and
the module alone. --cpu: one thread, and the process's own time.
"""

from __future__ import annotations

import gc
import importlib
import json
import pickle
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import op_sizes
import op_workloads
from op_values import F, File, I, Made, Rising, V

# Seconds that a row is timed for, and the number of batches it is cut into.
BUDGET = {"small": 0.012, "large": 0.06}
BATCHES = 5


clock = time.process_time if "--cpu" in sys.argv else time.perf_counter


def seconds(call: Callable[[], Any], budget: float) -> float:
    """The fastest batch: what others do on the machine only adds to it."""
    start = clock()
    call()
    first = clock() - start
    if first < 0.25:
        start = clock()
        call()
        first = clock() - start
    count = int(budget / BATCHES / max(first, 1e-9))
    batches = BATCHES if count else max(2, min(BATCHES, int(3 * budget / first)))
    count = max(count, 1)
    best = float("inf")
    gc.disable()
    for _ in range(batches):
        start = clock()
        for _ in range(count):
            call()
        best = min(best, (clock() - start) / count)
    gc.enable()
    return best


def numpy_type(name: str) -> np.dtype:
    if name == "string":
        return np.dtype(object)
    return np.dtype(getattr(ml_dtypes, name, name))


class Calls:
    """The plan's calls on `tf`."""

    def __init__(self, tf: Any, plan: dict[str, Any]):
        self.tf, self.plan = tf, plan

    def values(self, shape: Any, dtype: str, domain: Any, rng: Any) -> np.ndarray:
        low, high = domain
        if dtype == "string":
            flat = [b"s%d" % i for i in range(int(np.prod(shape)))]
            return np.array(flat, object).reshape(shape)
        if dtype == "bool":
            return rng.integers(0, 2, shape).astype(bool)
        if "int" in dtype:
            first = max(int(np.ceil(low)), 0 if dtype[0] == "u" else -100)
            last = min(max(int(np.floor(high)), first + 1), 100)
            drawn = rng.integers(first, last + 1, shape)
            return np.where(drawn == 0, last, drawn).astype(numpy_type(dtype))
        drawn = low + (high - low) * rng.uniform(0.03, 0.97, shape)
        if dtype.startswith("complex"):
            drawn = drawn * (1 + 0.5j)
        return np.asarray(drawn).astype(numpy_type(dtype))

    def array(self, value: Any, dtype: str, domain: Any, rng: Any) -> np.ndarray:
        if isinstance(value, F):
            return self.values(value.shape, dtype, domain, rng)
        if isinstance(value, I):
            value = rng.integers(0, value.high, value.shape)
        elif isinstance(value, Rising):
            value = np.sort(rng.integers(0, value.high, value.n))
        elif isinstance(value, Made):
            value = value.make(rng)
        elif isinstance(value, File):
            value = self.plan["files"][value.kind]
        return np.asarray(value).astype(numpy_type(dtype))

    def case(self, op: str, size: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The inputs as arrays (variables in a tuple of one), and attributes."""
        plan = self.plan["ops"][op]
        if size == "small":
            return plan["small"], plan["attrs"]
        given = dict(op_sizes.LARGE.get(op) or plan["large"])
        rng = np.random.default_rng(zlib.crc32(op.encode()))
        inputs = {}
        for name, dtype in plan["dtypes"].items():
            if name not in given:
                inputs[name] = plan["small"][name]
                continue
            value = given.pop(name)
            if isinstance(value, list) and isinstance(dtype, list):
                inputs[name] = [
                    self.array(v, dtype[0], plan["domain"], rng) for v in value
                ]
                continue
            array = self.array(value, dtype, plan["domain"], rng)
            inputs[name] = (array,) if isinstance(value, V) else array
        return inputs, {
            **plan["attrs"],
            **{k: v for k, v in given.items() if k in plan["attr_names"]},
        }

    def tensors(self, inputs: dict[str, Any]) -> dict[str, Any]:
        def tensor(value: Any) -> Any:
            if isinstance(value, list):
                return [tensor(v) for v in value]
            if isinstance(value, tuple):
                self.variables.append(self.tf.Variable(value[0]))
                return self.variables[-1].handle
            return self.tf.constant(value)

        self.variables: list[Any] = []
        return {name: tensor(v) for name, v in inputs.items()}

    def rows(self, op: str) -> Any:
        """Yields (row, what to call, budget)."""
        plan = self.plan["ops"][op]
        raw = getattr(self.tf.raw_ops, op)
        for size in plan["sizes"]:
            inputs, attrs = self.case(op, size)
            names = plan["raw_names"]
            attrs = {names.get(n, n): v for n, v in attrs.items()}
            tensors = {names.get(n, n): t for n, t in self.tensors(inputs).items()}
            # Sizes and axes are constants of a function, the rest its arguments.
            plain = {
                names.get(n, n): v
                for n, v in inputs.items()
                if isinstance(v, np.ndarray)
                and v.size <= 8
                and v.dtype in (np.int32, np.int64)
            }
            if set(plain) >= {n for n in tensors}:
                plain = {}
            moved = {
                n: t
                for n, t in tensors.items()
                if n not in plain and not isinstance(inputs.get(n), tuple)
            }
            fixed = {n: t for n, t in tensors.items() if n not in moved}

            yield f"{op} {size} eager", eager(raw, {**tensors, **attrs}), BUDGET[size]
            graph = self.graph(raw, moved, {**fixed, **attrs}, plain)
            yield f"{op} {size} function", graph, BUDGET[size]

    def graph(
        self,
        raw: Any,
        moved: dict[str, Any],
        fixed: dict[str, Any],
        plain: dict[str, Any],
    ) -> Callable[[], Any]:
        def traced(*arguments: Any) -> Any:
            literal = {n: self.tf.constant(v) for n, v in plain.items()}
            given = dict(zip(moved, arguments, strict=True))
            out = raw(**{**fixed, **literal, **given})
            return None if type(out).__name__ == "Operation" else out

        function = self.tf.function(traced, autograph=False)
        arguments = tuple(moved.values())
        return lambda: function(*arguments)


def eager(raw: Any, given: dict[str, Any]) -> Callable[[], Any]:
    return lambda: raw(**given)


def answer(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def main() -> int:
    module, path = sys.argv[1:3]
    with open(path, "rb") as file:
        plan = pickle.load(file)
    tf = importlib.import_module(module)
    if "--cpu" in sys.argv:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    calls = Calls(tf, plan)
    workloads = op_workloads.workloads(tf, plan)
    answer({"done": ""})
    for line in sys.stdin:
        name, row = line.strip(), line.strip()
        try:
            if name in workloads:
                rows = iter([(name, *workloads[name]())])
            else:
                rows = calls.rows(name)
            for row, call, budget in rows:
                try:
                    answer({"row": row, "s": seconds(call, budget)})
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"
                    answer({"row": row, "error": text[:200]})
        except Exception as error:
            answer({"row": row, "error": f"{type(error).__name__}: {error}"[:200]})
        answer({"done": name})
        rows = call = None
        gc.collect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
