"""What a profile costs functions of a dozen kernels: their time without and with one.

python benchmarks/profiled.py [--rounds 15]
"""

import argparse
import tempfile
import time

import graphkiln as tf

KERNELS = 12
CALLS = 4000


@tf.function
def dozen(x):
    for _ in range(KERNELS):
        x = tf.linalg.matmul(x, x)
    return x


@tf.function
def small_dozen(x):
    for _ in range(KERNELS):
        x = tf.reverse(x, [0])
    return x


def per_call(function, x) -> float:
    """Microseconds."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        function(x)
    return (time.perf_counter() - begin) / CALLS * 1e6


def measure(name: str, function, x, rounds: int) -> None:
    folder = tempfile.mkdtemp()
    plain, profiled = [], []
    for _ in range(rounds):
        plain.append(per_call(function, x))
        tf.profiler.experimental.start(folder)
        profiled.append(per_call(function, x))
        tf.profiler.experimental.stop(save=False)
    without, with_one = min(plain), min(profiled)
    print(
        f"{name}: without {without:.2f} us, with {with_one:.2f} us: "
        f"{(with_one / without - 1) * 100:.1f} %, "
        f"{(with_one - without) * 1000 / (KERNELS + 1):.0f} ns an event"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    measure("reversals of 8", small_dozen, tf.range(8), rounds)
    for size in (6, 32, 128):
        measure(f"products of {size}", dozen, tf.eye(size), rounds)


if __name__ == "__main__":
    main()
