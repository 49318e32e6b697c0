"""What a profile costs a function of a dozen kernels: its time without and with one.

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


def per_call(x) -> float:
    """Microseconds."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        dozen(x)
    return (time.perf_counter() - begin) / CALLS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    x = tf.eye(6)
    folder = tempfile.mkdtemp()
    plain, profiled = [], []
    for _ in range(rounds):
        plain.append(per_call(x))
        tf.profiler.experimental.start(folder)
        profiled.append(per_call(x))
        tf.profiler.experimental.stop(save=False)
    without, with_one = min(plain), min(profiled)
    print(
        f"without {without:.2f} us, with {with_one:.2f} us: "
        f"{(with_one / without - 1) * 100:.1f} %, "
        f"{(with_one - without) * 1000 / (KERNELS + 1):.0f} ns an event"
    )


if __name__ == "__main__":
    main()
