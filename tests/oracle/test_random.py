"""Random numbers are TensorFlow's, bit by bit where no libm comes in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

SEED = [1, 2]

# As published: computed apart from either program.
VECTORS = {
    "uniform": (
        lambda tf: tf.random.stateless_uniform([6], seed=SEED),
        [0.8440604, 0.19204533, 0.9962232, 0.1603874, 0.27199018, 0.649346],
    ),
    "normal": (
        lambda tf: tf.random.stateless_normal([6], seed=SEED),
        [0.5441101, 0.20738031, 0.07356432, 0.04643455, -1.3015898, -0.9538565],
    ),
    "int32": (
        lambda tf: tf.random.stateless_uniform([6], SEED, -5, 100, tf.int32),
        [35, 24, 49, 79, 17, 50],
    ),
    "int64": (
        lambda tf: tf.random.stateless_uniform([3], SEED, -5, 100, tf.int64),
        [4, 28, 27],
    ),
    "float64": (
        lambda tf: tf.random.stateless_uniform([3], SEED, dtype=tf.float64),
        [0.75248375, 0.96978577, 0.17592234],
    ),
    "fold_in": (
        lambda tf: tf.random.fold_in(SEED, 3),
        [1105988140, 3],
    ),
    "split": (
        lambda tf: tf.random.split(SEED, 2),
        [[1105988140, 1738052849], [-335576002, 370444179]],
    ),
    "generator": (
        lambda tf: tf.random.Generator.from_seed(5).uniform([3]),
        [0.567016, 0.2077086, 0.18223882],
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vector(both, name: str):
    make, expected = VECTORS[name]
    for tf in (both.ours, both.theirs):
        np.testing.assert_allclose(make(tf).numpy(), expected, rtol=1e-6)


def eager(tf: Any) -> list[Any]:
    tf.random.set_seed(42)
    out = [tf.random.uniform([5]), tf.random.uniform([5]), tf.random.normal([4])]
    tf.random.set_seed(7)
    out += [tf.random.uniform([3], seed=11) for _ in range(2)]
    return out


def in_function(tf: Any) -> list[Any]:
    tf.random.set_seed(42)

    @tf.function(autograph=False)
    def two() -> Any:
        return tf.random.uniform([3]), tf.random.uniform([3])

    return [two(), two()]


def generator(tf: Any) -> list[Any]:
    g = tf.random.Generator.from_seed(5)
    return [g.uniform([3]), g.normal([2]), g.state]


@pytest.mark.parametrize("program", [eager, in_function, generator])
def test_program(both, program: Any):
    both.agree(program, rtol=2e-6, atol=1e-7)
