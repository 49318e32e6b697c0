#!/usr/bin/env python3
"""Workloads of compare.py: the real Keras on a module.

usage: keras_speed.py MODULE [--only=ROW,ROW] [--cpu]

MODULE is graphkiln or tensorflow; Keras runs on it through its TensorFlow backend, no
file of it changed. Each model and each other row has a process of its own. Rows:
`fit_MODEL_BATCH`: seconds an epoch, the median of some after the first; `first_...`: of
the first, with tracing; `eager_mlp`: of one `model(x)` outside of functions;
`predict_one`, `train_on_batch`: of one call; `import`, `import_mb`: of the module and
Keras, and the largest size of that process; `fits_50_mb`: what 45 fits of one model add
to the process after five. The progress bar is off, but in `fit_bar_...`. --cpu counts
the time of all of the process's threads instead: for busy machines.

Example, on a busy machine:
    compare.py --workloads keras_speed.py --cpu \\
        --peer tensorflow=.venv-oracle/bin/python
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

BATCHES = 32, 256


def clock() -> float:
    return time.process_time() if "--cpu" in sys.argv else time.perf_counter()


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def classes(count: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, count, shape)


# Models: Keras' modules are given, so that the import is not this file's.


def digits(keras):
    """The smallest: 1797 pictures of 8x8."""
    k = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            k.Conv2D(16, 3, activation="relu"),
            k.MaxPooling2D(),
            k.Conv2D(32, 3, activation="relu"),
            k.Flatten(),
            k.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, numbers(1797, 8, 8, 1), classes(10, 1797)


def mnist(keras):
    k = keras.layers
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            k.Conv2D(32, 3, activation="relu"),
            k.MaxPooling2D(),
            k.Conv2D(64, 3, activation="relu"),
            k.MaxPooling2D(),
            k.Flatten(),
            k.Dropout(0.5),
            k.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, numbers(2048, 28, 28, 1), classes(10, 2048)


def lstm(keras):
    k = keras.layers
    model = keras.Sequential(
        [keras.Input((100, 16)), k.LSTM(32), k.Dense(1, activation="sigmoid")]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model, numbers(1024, 100, 16), classes(2, 1024, 1)


def transformer(keras):
    k = keras.layers
    tokens = keras.Input((64,), dtype="int32")
    x = k.Embedding(2000, 64)(tokens)
    x = x + k.Embedding(64, 64)(keras.ops.arange(64))
    for _ in range(4):
        y = k.MultiHeadAttention(4, 16)(x, x)
        x = k.LayerNormalization()(x + k.Dropout(0.1)(y))
        y = k.Dense(64)(k.Dense(128, activation="relu")(x))
        x = k.LayerNormalization()(x + k.Dropout(0.1)(y))
    x = k.GlobalAveragePooling1D()(x)
    model = keras.Model(tokens, k.Dense(2, activation="softmax")(x))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, classes(2000, 512, 64).astype(np.int32), classes(2, 512)


def wide_deep(keras):
    k = keras.layers
    dense = keras.Input((8,), name="numbers")
    ids = keras.Input((6,), dtype="int32", name="ids")
    columns = [ids[:, i] for i in range(6)]
    deep = [k.Embedding(1000, 16)(c) for c in columns]
    wide = [k.Embedding(1000, 1)(c) for c in columns]
    x = k.Concatenate()([dense, *deep])
    x = k.Dense(64, activation="relu")(x)
    x = k.Dense(32, activation="relu")(x)
    logit = k.Add()([k.Dense(1)(x), k.Dense(1)(dense), *wide])
    model = keras.Model([dense, ids], k.Activation("sigmoid")(logit))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    data = {"numbers": numbers(4096, 8), "ids": classes(1000, 4096, 6).astype(np.int32)}
    return model, data, classes(2, 4096, 1)


MODELS = {
    "digits": digits,
    "mnist": mnist,
    "lstm": lstm,
    "transformer": transformer,
    "wide_deep": wide_deep,
}
Rows = Iterator[tuple[str, float]]


def mlp(keras):
    k = keras.layers
    model = keras.Sequential(
        [
            keras.Input((32,)),
            k.Dense(64, activation="relu"),
            k.Dense(64, activation="relu"),
            k.Dense(10),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    return model


def fit(keras, name: str, batch: int, verbose: int = 0) -> Iterator[float]:
    """Seconds of the first epoch, and of one of the others."""
    keras.utils.set_random_seed(0)
    model, x, y = MODELS[name](keras)
    times = []

    class Epochs(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            times.append(clock())

    begin = clock()
    model.fit(x, y, batch, 9, verbose, callbacks=[Epochs()])
    yield times[0] - begin
    yield statistics.median(b - a for a, b in zip(times, times[1:], strict=False))


def fits(keras, name: str, batch: int) -> Rows:
    first, later = fit(keras, name, batch)
    yield f"first_{name}_{batch}", first
    yield f"fit_{name}_{batch}", later


def bar(keras) -> Rows:
    _, later = fit(keras, "digits", 32, 1)
    yield "fit_bar_digits_32", later


def call_seconds(call: Callable[[], object], count: int) -> float:
    """Of one of `count` calls, the median of seven times."""
    for _ in range(5):
        call()
    times = []
    for _ in range(7):
        begin = clock()
        for _ in range(count):
            call()
        times.append((clock() - begin) / count)
    return statistics.median(times)


def eager_mlp(keras) -> Rows:
    import_of = keras.ops.convert_to_tensor
    model, x = mlp(keras), import_of(numbers(8, 32))
    yield "eager_mlp", call_seconds(lambda: model(x), 100)


def predict_one(keras) -> Rows:
    model, x = mlp(keras), numbers(1, 32)
    yield "predict_one", call_seconds(lambda: model.predict(x, verbose=0), 15)


def train_on_batch(keras) -> Rows:
    model, x, y = mlp(keras), numbers(32, 32), classes(10, 32)
    yield "train_on_batch", call_seconds(lambda: model.train_on_batch(x, y), 50)


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def fits_50(keras) -> Rows:
    model, x, y = digits(keras)
    for i in range(50):
        if i == 5:
            before = resident_mb()
        model.fit(x, y, 256, verbose=0)
    yield "fits_50_mb", resident_mb() - before


OTHERS: dict[str, Callable[..., Rows]] = {
    "bar": bar,
    "eager_mlp": eager_mlp,
    "predict_one": predict_one,
    "train_on_batch": train_on_batch,
    "fits_50": fits_50,
}
NAMES = [f"{m}_{b}" for m in MODELS for b in BATCHES] + [*OTHERS, "import"]


def keras_on(module: str):
    """Keras, its backend being `module`."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    tf = importlib.import_module(module)
    if module == "graphkiln":
        tf.as_tensorflow()
    # This folder has no module of that name, nor may it: Keras' is meant.
    return importlib.import_module("keras")


def rows(module: str, name: str) -> Rows:
    begin = clock()
    keras = keras_on(module)
    if name == "import":
        yield "import", clock() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        yield "import_mb", peak / 1024
    elif name in OTHERS:
        yield from OTHERS[name](keras)
    else:
        model, _, batch = name.rpartition("_")
        yield from fits(keras, model, int(batch))


def main() -> None:
    module = next((a for a in sys.argv[1:] if a[0] != "-"), "graphkiln")
    options = [a for a in sys.argv[1:] if a != module]
    only, row = NAMES, ""
    for option in options:
        key, _, value = option.partition("=")
        if key == "--only":
            only = value.split(",")
        elif key == "--row":
            row = value
        elif key != "--cpu":
            sys.exit(__doc__)
    if row:
        for name, seconds in rows(module, row):
            print("\n" + json.dumps({"name": name, "s": seconds}), flush=True)
        return
    given = [module, *(o for o in options if o == "--cpu")]
    for name in only:
        done = subprocess.run(
            [sys.executable, __file__, f"--row={name}", *given],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"ends {done.returncode}"]
            print(json.dumps({"name": name, "error": lines[-1]}), flush=True)
        else:
            told = (t for t in done.stdout.splitlines() if t.startswith('{"name"'))
            print(*told, sep="\n", flush=True)


if __name__ == "__main__":
    main()
