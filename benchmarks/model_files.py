#!/usr/bin/env python3
"""Saved models and checkpoints of 400 MB as files: loading, saving, saving beside.

usage: python benchmarks/model_files.py MODULE[=PYTHON] ... [--runs=5] [--only=WHAT]

Each figure is the median of runs in processes of their own, in which the modules take
turns; PYTHON is the interpreter that has the module. The modules have their bytecode,
as installed ones do. What is measured:

load       tf.saved_model.load and the first call, of a model that each module wrote,
           whose files are in the page cache; and how much larger the process was at
           its largest than before, in MB.
small      tf.saved_model.load of a model of 17 KB, and its first call, in ms.
save       tf.saved_model.save of new files and over those of an older model, beside
           copying the file of the variables and syncing the copy (what `cp` and `sync`
           do), new and over an older one, by turns in one process.
async      a run of 400 steps of 50 ms that train 100 MB of variables, without and with
           a checkpoint written by another thread after each 200 steps, by turns in
           one process; and what a step with its beginning costs more.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DATA = "variables/variables.data-00000-of-00001"


def made_in() -> Path:
    """Where the files are made: on the disk of this tree, where nobody commits them."""
    folder = Path(__file__).parents[1] / "build"
    folder.mkdir(exist_ok=True)
    return folder


def seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def model_of(tf):
    model = tf.Module()
    model.w = [tf.Variable(tf.fill([5120, 5120], float(i))) for i in range(4)]
    model.f = tf.function(
        lambda x: tf.reduce_sum(model.w[0][0] * x) + model.w[3][1, 1],
        input_signature=[tf.TensorSpec([], tf.float32)],
    )
    return model


def small_model_of(tf):
    model = tf.Module()
    model.w = tf.Variable(tf.fill([64, 64], 0.5))
    model.b = tf.Variable(tf.zeros([64]))
    model.f = tf.function(
        lambda x: tf.nn.relu(tf.matmul(x, model.w) + model.b),
        input_signature=[tf.TensorSpec([None, 64], tf.float32)],
    )
    return model


def small(tf, folder: str) -> dict[str, float]:
    float(tf.constant(1.0) + 1)
    x = tf.ones([1, 64])
    model = []
    loading = seconds(lambda: model.append(tf.saved_model.load(folder)))
    calling = seconds(lambda: float(model[0].f(x)[0, 0]))
    return {"small load ms": loading * 1e3, "small call ms": calling * 1e3}


def load(tf, folder: str) -> dict[str, float]:
    float(tf.constant(1.0) + 1)  # what the module itself takes at first
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = {}

    def run() -> None:
        model = tf.saved_model.load(folder)
        assert float(model.f(tf.constant(2.0))) == 3.0
        result["load MB"] = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        ) / 1024

    return {"load": seconds(run), **result}


def save(tf, folder: str) -> dict[str, float]:
    model = model_of(tf)
    source, target = f"{folder}/source", f"{folder}/saved"
    tf.saved_model.save(model, source)

    def copy() -> None:
        shutil.copyfile(f"{source}/{DATA}", f"{folder}/copied")
        with open(f"{folder}/copied", "r+b") as file:
            os.fsync(file.fileno())

    result = {}
    for again in ("new", "over"):
        for name, call in (
            ("cp", copy),
            ("save", lambda: tf.saved_model.save(model, target)),
        ):
            os.sync()
            result[f"{name} {again}"] = seconds(call)
    return result


def saving_beside(tf, folder: str) -> dict[str, float]:
    variables = [tf.Variable(tf.zeros([2560, 2560])) for _ in range(4)]
    checkpoint = tf.train.Checkpoint(v=variables)
    options = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)
    gradients = [tf.ones([2560, 2560]) for _ in variables]

    @tf.function
    def train() -> None:
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(1e-3 * gradient)

    def step() -> None:
        """The rest of its time is spent as a device spends it."""
        begin = time.perf_counter()
        train()
        variables[0][0, 0].numpy()
        while time.perf_counter() - begin < 0.05:
            time.sleep(0.0002)

    def run(writes: bool) -> tuple[float, float]:
        worst = 0.0
        begin = time.perf_counter()
        for i in range(400):
            started = time.perf_counter()
            if writes and i % 200 == 100:
                checkpoint.write(f"{folder}/beside", options)
            step()
            worst = max(worst, time.perf_counter() - started)
        took = time.perf_counter() - begin
        checkpoint.sync()
        return took, worst

    run(True)
    without, with_writes, slowest = [], [], []
    for _ in range(3):
        without.append(run(False)[0])
        took, worst = run(True)
        with_writes.append(took)
        slowest.append(worst)
    plain = statistics.median(without)
    return {
        "async %": (statistics.median(with_writes) / plain - 1) * 100,
        "async ms more": (statistics.median(slowest) - plain / 400) * 1e3,
    }


MODELS = {"load": model_of, "small": small_model_of}
WHAT = {"load": load, "small": small, "save": save, "async": saving_beside}


def in_process(python: str, *arguments: str) -> dict[str, float]:
    environment = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [python, __file__, "--child", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return json.loads(done.stdout.splitlines()[-1])


def medians(modules: dict[str, str], what: str, runs: int, paths: list[str]) -> None:
    for path in paths:
        found: dict[tuple[str, str], list[float]] = {}
        for _ in range(runs):
            for module, python in modules.items():
                with tempfile.TemporaryDirectory(dir=made_in()) as folder:
                    run = in_process(python, module, what, path or folder)
                for name, value in run.items():
                    found.setdefault((name, module), []).append(value)
        written = f" (written by {os.path.basename(path)})" if path else ""
        for (name, module), values in sorted(found.items()):
            print(
                f"{name:14} {module:12} {statistics.median(values):8.3f}{written}"
                f"   of {sorted(round(v, 3) for v in values)}",
                flush=True,
            )


def main(arguments: list[str]) -> None:
    if arguments[0] == "--child":
        _, module, what, path = arguments
        tf = importlib.import_module(module)
        if what.startswith("make "):
            tf.saved_model.save(MODELS[what.removeprefix("make ")](tf), path)
            print("{}")
        else:
            print(json.dumps(WHAT[what](tf, path)))
        return
    options = dict(a[2:].split("=", 1) for a in arguments if a.startswith("--"))
    modules = {
        name: python or sys.executable
        for name, _, python in (
            a.partition("=") for a in arguments if not a.startswith("--")
        )
    }
    runs = int(options.get("runs", 5))
    for what in WHAT:
        if options.get("only", what) != what:
            continue
        if what not in MODELS:
            medians(modules, what, 1 if what == "async" else runs, [""])
            continue
        with tempfile.TemporaryDirectory(dir=made_in()) as folder:
            paths = []
            for module, python in modules.items():
                paths.append(f"{folder}/{module}")
                in_process(python, module, f"make {what}", paths[-1])
                in_process(python, module, what, paths[-1])  # for the bytecode
                with open(f"{paths[-1]}/{DATA}", "rb") as file:
                    while file.read(1 << 24):
                        pass
            medians(modules, what, runs, paths)


if __name__ == "__main__":
    main(sys.argv[1:])
