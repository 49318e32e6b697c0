"""Elementwise ops that a plan joins into loops give the bits of the ops alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import graphkiln as tf

UNARY = {
    "neg": lambda x: -x,
    "relu": tf.nn.relu,
    "exp": tf.exp,
    "sigmoid": tf.sigmoid,
    "tanh": tf.tanh,
    "identity": lambda x: x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "sub": lambda x, y: x - y,
    "rsub": lambda x, y: y - x,
}
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e38, -1e38,
    88.9, -88.9, -104.0, 9.02, -9.03, 1e-20,
]


def operand(shape: tuple[int, ...], seed: int) -> tf.Tensor:
    values = np.random.RandomState(seed).normal(0, 3, shape).astype(np.float32)
    flat = values.reshape(-1)
    if flat.size > 1:
        at = np.random.RandomState(seed + 1).permutation(flat.size)[: len(SPECIAL)]
        flat[at] = SPECIAL[: len(at)]
    return tf.constant(values)


def bits(tensor: tf.Tensor) -> np.ndarray:
    values = tensor.numpy()
    return np.where(np.isnan(values), np.float32(np.nan), values).view(np.uint32)


def check(program: Callable, *operands: tf.Tensor) -> None:
    np.testing.assert_array_equal(
        bits(tf.function(program)(*operands)), bits(program(*operands))
    )


@pytest.mark.parametrize("second", BINARY)
@pytest.mark.parametrize("first", BINARY)
def test_pairs_and_what_follows(first: str, second: str) -> None:
    f, g = BINARY[first], BINARY[second]
    x, y, z = (operand((1003,), seed) for seed in (1, 2, 3))
    for unary in UNARY.values():
        check(lambda x, y, z: unary(g(f(x, y), z)), x, y, z)
        check(lambda x, y, z: g(f(unary(x), y), z), x, y, z)


@pytest.mark.parametrize("first", BINARY)
def test_scalars_rows_and_columns(first: str) -> None:
    f = BINARY[first]
    for shapes in (
        [(), (), ()],
        [(7, 33), (), (33,)],
        [(7, 33), (7, 1), ()],
        [(), (7, 33), (1, 33)],
        [(300, 200), (200,), (300, 1)],
    ):
        x, y, z = (operand(shape, seed) for seed, shape in enumerate(shapes))
        for unary in UNARY.values():
            check(lambda x, y, z: unary(f(x, y) + z), x, y, z)
            check(lambda x, y, z: z - f(unary(x), y), x, y, z)


def test_values_that_are_needed_twice_stay() -> None:
    x, y = operand((513,), 5), operand((513,), 6)

    def program(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, ...]:
        product = x * y
        total = product + x
        return product, total, tf.tanh(total), product * product, tf.exp(product)

    for got, want in zip(tf.function(program)(x, y), program(x, y)):
        np.testing.assert_array_equal(bits(got), bits(want))


def test_long_chains_over_many_tiles() -> None:
    def chain(x: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
        for i in range(40):
            x = tf.tanh(x * 1.01 + bias) - tf.sigmoid(x) * (0.1 * i)
        return x

    for size in (1, 255, 256, 257, 1000, 70_001):
        check(chain, operand((size,), size), operand((), 9))
