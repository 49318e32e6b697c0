"""Random numbers are TensorFlow's, bit by bit where no libm comes in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphkiln

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


def many_ops(tf: Any) -> list[Any]:
    tf.random.set_seed(11)

    @tf.function(autograph=False)
    def f():
        return (
            tf.random.uniform([3]), tf.random.normal([3]),
            tf.random.truncated_normal([3]), tf.random.uniform([2], seed=5),
            tf.random.uniform([3], 0, 100, tf.int32),
            tf.random.shuffle(tf.range(6)),
            tf.random.normal([2], seed=5), tf.random.uniform([], seed=5),
        )

    return [f(), f(), f()]


def two_functions(tf: Any) -> list[Any]:
    tf.random.set_seed(3)
    f = tf.function(lambda: tf.random.uniform([2]), autograph=False)
    g = tf.function(lambda: tf.random.uniform([2]), autograph=False)
    return [f(), g(), f(), g()]


def two_traces(tf: Any) -> list[Any]:
    tf.random.set_seed(3)
    f = tf.function(
        lambda n: tf.random.uniform([2]) + float(n), autograph=False
    )
    return [f(1), f(2), f(1), f(2), f(1)]


def nested_calls(tf: Any) -> list[Any]:
    tf.random.set_seed(8)
    inner = tf.function(lambda: tf.random.normal([2]), autograph=False)

    @tf.function(autograph=False)
    def outer():
        return inner(), tf.random.normal([2]), inner()

    return [outer(), outer(), inner(), inner()]


def op_seeds_only(tf: Any) -> list[Any]:
    @tf.function(autograph=False)
    def f():
        return tf.random.uniform([2], seed=1), tf.random.uniform([2], seed=1)

    return [f(), f()]


def seed_again(tf: Any) -> list[Any]:
    tf.random.set_seed(21)
    f = tf.function(lambda: tf.random.uniform([2]), autograph=False)
    first = [f(), f()]
    tf.random.set_seed(21)
    return [*first, f(), f(), tf.random.uniform([2])]


def seed_inside(tf: Any) -> list[Any]:
    tf.random.set_seed(1)

    @tf.function(autograph=False)
    def f():
        a = tf.random.uniform([2])
        tf.random.set_seed(5)
        return a, tf.random.uniform([2])

    return [f(), f(), tf.random.uniform([2])]


def mixed_with_eager(tf: Any) -> list[Any]:
    tf.random.set_seed(9)
    f = tf.function(lambda: tf.random.uniform([2]), autograph=False)
    return [tf.random.uniform([2]), f(), tf.random.uniform([2]), f()]


def shapes_change(tf: Any) -> list[Any]:
    tf.random.set_seed(2)

    @tf.function(
        autograph=False, input_signature=[tf.TensorSpec([1], tf.int32)]
    )
    def f(shape):
        return tf.random.uniform(shape), tf.random.normal(shape)

    return [f(tf.constant([n])) for n in (1, 5, 2, 0, 300, 3)]


def concrete_twice(tf: Any) -> list[Any]:
    tf.random.set_seed(4)
    f = tf.function(lambda: tf.random.uniform([2]), autograph=False)
    c = f.get_concrete_function()
    return [c(), f(), c()]


def under_a_tape(tf: Any) -> list[Any]:
    tf.random.set_seed(6)
    v = tf.Variable(2.0)
    f = tf.function(lambda: v * tf.random.uniform([2]), autograph=False)
    out = [f()]
    with tf.GradientTape() as tape:
        y = f()
    return [*out, y, tape.gradient(y, v), f()]


def dropout(tf: Any) -> list[Any]:
    tf.random.set_seed(7)
    f = tf.function(
        lambda x: tf.nn.dropout(x, 0.5), autograph=False
    )
    return [f(tf.ones([8])), f(tf.ones([8])), f(tf.ones([4]))]


def generator_in_function(tf: Any) -> list[Any]:
    g = tf.random.Generator.from_seed(12)

    @tf.function(autograph=False)
    def f():
        return g.normal([2]), g.uniform([3], 0, 9, tf.int32), g.make_seeds(2)

    return [f(), f(), g.state, g.uniform([2])]


def split_generators(tf: Any) -> list[Any]:
    a, b = tf.random.Generator.from_seed(1).split(2)
    return [a.normal([2]), b.normal([2]), a.state, b.key]


def stateless_in_function(tf: Any) -> list[Any]:
    @tf.function(autograph=False)
    def f(seed):
        return (
            tf.random.stateless_uniform([3], seed),
            tf.random.stateless_normal([3], seed),
            tf.random.stateless_truncated_normal([3], seed),
            tf.random.stateless_uniform([3], seed, 0, 50, tf.int32),
            tf.random.split(seed), tf.random.fold_in(seed, 4),
            tf.random.experimental.stateless_shuffle(tf.range(5), seed),
        )

    return [f(tf.constant([1, 2])), f(tf.constant([3, 4]))]


def loop_of_variables(tf: Any) -> list[Any]:
    tf.random.set_seed(10)
    v = tf.Variable(tf.zeros([2]))

    @tf.function(autograph=False)
    def f():
        v.assign_add(tf.random.normal([2]))
        return v.read_value()

    return [f() for _ in range(4)]


def seed_in_init_scope(tf: Any) -> list[Any]:
    tf.random.set_seed(1)

    @tf.function(autograph=False)
    def f():
        with tf.init_scope():
            e = tf.random.uniform([2])
        return e, tf.random.uniform([2])

    return [f(), f()]


PROGRAMS = [
    eager, in_function, generator, many_ops, two_functions, two_traces,
    nested_calls, op_seeds_only, seed_again, seed_inside, mixed_with_eager,
    shapes_change, concrete_twice, under_a_tape, dropout,
    generator_in_function, split_generators, stateless_in_function,
    loop_of_variables, seed_in_init_scope,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(both, program: Any):
    both.agree(program, rtol=2e-6, atol=1e-7)


def test_gradients_of_gamma_draws(both):
    def program(tf):
        alpha = tf.Variable([0.5, 2.0, 9.0])
        tf.random.set_seed(1)
        found = []
        with tf.GradientTape(persistent=True) as tape:
            found.append(tf.random.stateless_gamma([4, 3], SEED, alpha=alpha, beta=2.0))
            found.append(tf.random.gamma([2, 5], alpha, seed=3))
            found.append(
                tf.raw_ops.StatelessRandomGammaV2(
                    shape=[2, 3], seed=SEED, alpha=alpha
                )
            )
        return [tape.gradient(draw, alpha) for draw in found]

    both.agree(program, rtol=2e-5)


# TensorFlow's own digits end where a density is small or a parameter large.
def test_derivatives_of_gamma_samples(both):
    draw = np.random.default_rng(5)
    alpha = np.exp(draw.uniform(-1, 5, 500))
    sample = np.maximum(draw.gamma(alpha), 1e-4)

    def program(tf):
        bad = [0.0, -1.0, 1.0, float("nan"), 1.0], [1.0, 1.0, 0.0, 1.0, -1.0]
        return [
            tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample),
            tf.raw_ops.RandomGammaGrad(alpha=[[0.3], [3.0]], sample=[5.0, 0.5]),
            tf.raw_ops.RandomGammaGrad(
                alpha=np.array([0.3, 3.0]), sample=np.array([50.0, 300.0])
            ),
            tf.raw_ops.RandomGammaGrad(alpha=bad[0], sample=bad[1]),
        ]

    both.agree(program, rtol=1e-5)


def test_samples_of_large_parameters():
    """x = a + (z^2 - 1)/3 + ..., so that where x = a, x grows by 1 + 1/6a."""
    for alpha in (1e3, 1e4, 1e5, 2e6):
        ours = graphkiln.raw_ops.RandomGammaGrad(
            alpha=np.float64(alpha), sample=np.float64(alpha)
        )
        assert abs(float(ours) - 1 - 1 / (6 * alpha)) < 1 / alpha**2
