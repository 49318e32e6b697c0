"""power(x, 100) on a 10x10 integer matrix: many small ops, eager and traced."""

from __future__ import annotations

import timeit


def make_power(tf):
    def power(x, y):
        result = tf.eye(10, dtype=tf.int32)
        for _ in range(y):
            result = tf.matmul(x, result)
        return result

    x = tf.random.uniform(shape=[10, 10], minval=-1, maxval=2, dtype=tf.int32)
    return power, x


def seconds_of_1000(tf) -> tuple[float, float]:
    """Seconds of 1,000 calls: eager, and as a graph (traced beforehand)."""
    power, x = make_power(tf)
    graph = tf.function(power)
    if (graph(x, 100).numpy() != power(x, 100).numpy()).any():
        raise AssertionError("the graph and eager execution disagree")
    eager = min(timeit.repeat(lambda: power(x, 100), number=100, repeat=3)) * 10
    traced = min(timeit.repeat(lambda: graph(x, 100), number=1000, repeat=3))
    return eager, traced
