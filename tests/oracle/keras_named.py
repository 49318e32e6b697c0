"""What keras_fits.py and keras_layers.py share: programs of Keras by name, their
data, and how they are run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

L = keras.layers
PROGRAMS: dict[str, Callable[[], Any]] = {}
RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((70, 6)).astype("float32")
Y = (X[:, :1] * 2 - X[:, 1:2] + 0.5).astype("float32")
LABELS = (X[:, 0] > 0).astype("int32") + (X[:, 1] > 0.5)
WEIGHTS = RANDOM.uniform(0.2, 2, 70).astype("float32")
SERIES = RANDOM.standard_normal((40, 9, 4)).astype("float32")
MASK = np.arange(9)[None] < RANDOM.integers(1, 10, (40, 1))
TOKENS = RANDOM.integers(0, 20, (40, 8))
IMAGES = RANDOM.random((24, 12, 12, 3)).astype("float32")
TEXTS = ["The quick brown fox.", "jumps over the LAZY dog", "the fox, the dog!", ""]


def program(build: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS[build.__name__] = build
    return build


def variants(**kinds: Any) -> Callable[[Callable[[Any], Any]], None]:
    """A program for each kind."""

    def add(build: Callable[[Any], Any]) -> None:
        for name, kind in kinds.items():
            PROGRAMS[f"{build.__name__}_{name}"] = lambda kind=kind: build(kind)

    return add


def mlp(out: int = 1, **options: Any) -> keras.Model:
    return keras.Sequential(
        [
            L.Input((6,)),
            L.Dense(12, activation="relu", **options),
            L.BatchNormalization(),
            L.Dropout(0.2),
            L.Dense(out),
        ]
    )


def plain(out: int = 1) -> keras.Model:
    return keras.Sequential([L.Input((6,)), L.Dense(8, "tanh"), L.Dense(out)])


def classes(**options: Any) -> keras.Model:
    model = mlp(4)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], **options)
    return model


def fitted(model: keras.Model, *data: Any, **options: Any) -> Any:
    told = {"epochs": 2, "batch_size": 16, "verbose": 0, **options}
    return model.fit(*data, **told).history


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _numbers(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_numbers(v) for v in value]
    if isinstance(value, (int, float, str)):
        return value
    return np.asarray(value).astype("float64").tolist()


def main() -> None:
    """Runs the programs whose names begin with one of the arguments."""
    for name, run in PROGRAMS.items():
        if not name.startswith(tuple(sys.argv[1:] or [""])):
            continue
        keras.utils.clear_session(free_memory=False)
        keras.utils.set_random_seed(7)
        RANDOM.bit_generator.state = np.random.default_rng(5).bit_generator.state
        try:
            told = {"numbers": _numbers(run())}
        except Exception as e:
            told = {"error": f"{type(e).__name__}: {e}"[:400]}
        print(json.dumps({"program": name, **told}), flush=True)
