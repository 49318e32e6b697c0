"""Latency of one small call of a model: traced in Python, loaded in Python, and
loaded in C++ and C by api_benchmark, which this runs; and what several threads get
done that call one model.

usage: PYTHONPATH=build/release/python python benchmarks/saved_models.py \
           [build/release/api_benchmark]
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import graphkiln as tf


def weights(*shape: int) -> tf.Variable:
    values = np.random.RandomState(len(shape)).randn(*shape) * 0.1
    return tf.Variable(values.astype(np.float32))


class Add(tf.Module):
    shape = (1,)

    def __init__(self) -> None:
        super().__init__()
        self.b = weights(1)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return x + self.b


class Mlp(tf.Module):
    shape = (1, 32)

    def __init__(self) -> None:
        super().__init__()
        self.ws = [weights(32, 64), weights(64, 64), weights(64, 10)]
        self.bs = [weights(64), weights(64), weights(10)]

    def call(self, x: tf.Tensor) -> tf.Tensor:
        for w, b in zip(self.ws, self.bs, strict=True):
            x = tf.nn.relu(x @ w + b)
        return tf.nn.softmax(x)


class Cnn(tf.Module):
    shape = (1, 16, 16, 3)

    def __init__(self) -> None:
        super().__init__()
        self.k1, self.k2, self.w = (
            weights(3, 3, 3, 8),
            weights(3, 3, 8, 16),
            weights(256, 10),
        )

    def call(self, x: tf.Tensor) -> tf.Tensor:
        x = tf.nn.relu(tf.nn.conv2d(x, self.k1, 2, "SAME"))
        x = tf.nn.relu(tf.nn.conv2d(x, self.k2, 2, "SAME"))
        return tf.reshape(x, [1, 256]) @ self.w


class Transformer(tf.Module):
    shape = (1, 8, 32)

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = weights(32, 96), weights(32, 32)
        self.up, self.down = weights(32, 64), weights(64, 32)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        h = tf.reshape(tf.reshape(x, [8, 32]) @ self.qkv, [8, 3, 4, 8])
        q, k, v = tf.unstack(tf.transpose(h, [1, 2, 0, 3]))
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 8**-0.5)
        mixed = tf.reshape(tf.transpose(scores @ v, [1, 0, 2]), [8, 32])
        y = tf.reshape(x, [8, 32]) + mixed @ self.out
        y += tf.nn.gelu(y @ self.up) @ self.down
        return tf.reshape(y, [1, 8, 32])


def nanoseconds(call) -> float:
    """The best of some rounds."""
    call()
    best, n = float("inf"), 2000
    for _ in range(15):
        start = time.perf_counter_ns()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter_ns() - start) / n)
    return best


def main(program: str) -> None:
    folder = tempfile.mkdtemp()
    python = {}
    for cls in (Add, Mlp, Cnn, Transformer):
        name = cls.__name__.lower()
        model = cls()
        model.f = tf.function(
            model.call, input_signature=[tf.TensorSpec(cls.shape, name="x")]
        )
        tf.saved_model.save(model, f"{folder}/{name}")
        x = tf.constant(np.full(cls.shape, 0.5, np.float32))
        loaded = tf.saved_model.load(f"{folder}/{name}")
        python[name] = (
            nanoseconds(lambda m=model, x=x: m.f(x)),
            nanoseconds(lambda m=loaded, x=x: m.f(x)),
        )
    text = subprocess.run(
        [
            program,
            "--benchmark_format=csv",
            "--benchmark_repetitions=5",
            "--benchmark_min_time=0.1",
        ],
        env={**os.environ, "GK_MODELS": folder},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    times: dict[str, float] = {}
    rates: dict[str, float] = {}  # of threads: calls a second of all together
    for line in text.splitlines():
        fields = line.split(",")
        name = fields[0].strip('"')
        if not name.startswith("BM_") or name.endswith(("_mean", "_median", "_cv")):
            continue
        if "/threads:" in name:
            rates[name] = max(rates.get(name, 0.0), float(fields[6] or 0))
        elif name.count("_") == 1:
            times[name] = min(times.get(name, float("inf")), float(fields[3]))
    print("ns a call: traced in Python, loaded in Python, C++, C, the plan alone")
    for name, (traced, loaded) in python.items():
        cpp, c, plan = (times[f"BM_{kind}/{name}"] for kind in ("Cpp", "C", "Plan"))
        print(
            f"{name:12} {traced:8.0f} {loaded:8.0f} {cpp:8.0f} {c:8.0f} {plan:8.0f}"
            f"   C++ above the plan: {cpp - plan:.0f}"
        )
    print("calls a second of one signature in C++: 1, 2 and 8 threads")
    for name in python:
        one, two, eight = (
            rates[f"BM_Threads/{name}/real_time/threads:{n}"] for n in (1, 2, 8)
        )
        print(f"{name:12} {one:10.0f} {two / one:6.2f}x {eight / one:6.2f}x")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build/release/api_benchmark")
