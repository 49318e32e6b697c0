#!/usr/bin/env python3
"""Workloads of compare.py: checkpoints of 400 MB, and of many small variables.

usage: checkpoints.py MODULE [--only=ROW,ROW]

Each row runs in a process of its own, files are in the page cache. Rows: what
the first restore and the first reading of all arrays take in a process, and
the second ones; what writing a new checkpoint takes, and writing over an old
one; writing and restoring 2,000 variables of 4 KB; the same bytes copied by
`cp`, and by `cp` and `sync`; a step of training a perceptron without
checkpoints and while one is always being written by another thread.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

LARGE = (10, 10_000_000)  # variables and floats of each
SMALL = (2_000, 1_000)


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    kept = call()
    seconds = time.perf_counter() - begin
    del kept
    return seconds


def checkpoint_of(tf, sizes: tuple[int, int]):
    count, floats = sizes
    variables = {
        f"v{i}": tf.Variable(tf.fill([floats], float(i)), name=f"v{i}")
        for i in range(count)
    }
    return tf.train.Checkpoint(**variables)


def all_arrays(tf, path: str) -> list:
    reader = tf.train.load_checkpoint(path)
    return [reader.get_tensor(n) for n in reader.get_variable_to_shape_map()]


def restore(tf, path: str, sizes: tuple[int, int], again: bool) -> float:
    checkpoint = checkpoint_of(tf, sizes)
    if again:
        checkpoint.read(path)
    return timed(lambda: checkpoint.read(path))


def load(tf, path: str, again: bool) -> float:
    if again:
        all_arrays(tf, path)
    return timed(lambda: all_arrays(tf, path))


def write(tf, folder: str, sizes: tuple[int, int], again: bool) -> float:
    checkpoint = checkpoint_of(tf, sizes)
    path = f"{folder}/written"
    if again:
        checkpoint.write(path)
    os.sync()
    return timed(lambda: checkpoint.write(path))


def copy(path: str, folder: str, sync: bool) -> float:
    source, target = f"{path}.data-00000-of-00001", f"{folder}/copied"
    os.sync()

    def run() -> None:
        subprocess.run(["cp", source, target], check=True)
        if sync:
            subprocess.run(["sync", target], check=True)

    return timed(run)


def step(tf, folder: str, saves: bool) -> float:
    """Of training 2048x2048 layers, 50 MB of variables."""
    layers = [
        tf.Variable(tf.random.normal([2048, 2048], stddev=0.02)) for _ in range(3)
    ]
    x = tf.random.normal([128, 2048])

    @tf.function
    def train():
        with tf.GradientTape() as tape:
            y = x
            for w in layers:
                y = tf.nn.relu(y @ w)
            loss = tf.reduce_mean(y)
        for w, g in zip(layers, tape.gradient(loss, layers), strict=True):
            w.assign_sub(0.01 * g)
        return loss

    checkpoint = tf.train.Checkpoint(**{f"w{i}": w for i, w in enumerate(layers)})
    options = tf.train.CheckpointOptions(enable_async=True)

    def steps() -> float:
        begin = time.perf_counter()
        for i in range(100):
            if saves and i == 0:
                checkpoint.write(f"{folder}/async", options)
            train().numpy()
        return (time.perf_counter() - begin) / 100

    steps()
    os.sync()
    seconds = statistics.median(steps() for _ in range(5))
    checkpoint.sync()
    return seconds


ROWS: dict[str, Callable] = {
    "restore_first": lambda tf, path, d: restore(tf, path, LARGE, False),
    "restore_again": lambda tf, path, d: restore(tf, path, LARGE, True),
    "load_first": lambda tf, path, d: load(tf, path, False),
    "load_again": lambda tf, path, d: load(tf, path, True),
    "restore_small": lambda tf, path, d: restore(tf, path, SMALL, False),
    "write_new": lambda tf, path, d: write(tf, d, LARGE, False),
    "write_over": lambda tf, path, d: write(tf, d, LARGE, True),
    "write_small": lambda tf, path, d: write(tf, d, SMALL, False),
    "cp": lambda tf, path, d: copy(path, d, False),
    "cp_and_sync": lambda tf, path, d: copy(path, d, True),
    "step": lambda tf, path, d: step(tf, d, False),
    "step_and_write": lambda tf, path, d: step(tf, d, True),
}


def main() -> None:
    module = sys.argv[1]
    options = dict(o.lstrip("-").split("=", 1) for o in sys.argv[2:])
    if "row" in options:
        tf = importlib.import_module(module)
        with tempfile.TemporaryDirectory(dir=options["folder"]) as folder:
            name, path = options["row"], options["path"]
            seconds = ROWS[name](tf, path, folder)
        print(json.dumps({"name": name, "s": seconds}), flush=True)
        return
    if "make" in options:
        tf = importlib.import_module(module)
        checkpoint_of(tf, LARGE).write(options["make"] + "/large")
        checkpoint_of(tf, SMALL).write(options["make"] + "/small")
        return
    only = options.get("only")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, module]
        subprocess.run([*command, f"--make={folder}"], check=True)
        for name in ROWS:
            if only and name not in only.split(","):
                continue
            path = Path(folder) / ("small" if "small" in name else "large")
            subprocess.run(
                [*command, f"--row={name}", f"--folder={folder}", f"--path={path}"],
                check=True,
            )


if __name__ == "__main__":
    main()
