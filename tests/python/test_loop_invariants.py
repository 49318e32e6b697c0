"""What a loop computes once is the same in every turn.

Each program runs eagerly and as a graph, with its gradient; conftest.py has
every plan prove its lifetimes meanwhile.
"""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf

N = 6


def vector(seed=0):
    return tf.constant(np.random.default_rng(seed).normal(size=N), tf.float32)


def matrix(seed=0, rows=N, columns=N):
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    return tf.constant(values, tf.float32)


# Functions of the state whose temporaries lie in the arena.
STEPS = {
    "softmax": tf.nn.softmax,
    "log_softmax": tf.nn.log_softmax,
    "sort": lambda y: tf.sort(y) * 0.5,
    "argsort": lambda y: tf.gather(y, tf.argsort(y)) * 0.5,
    "top_k": lambda y: tf.math.top_k(y, k=N).values * 0.5,
    "concat": lambda y: tf.concat([y[N // 2 :], y[: N // 2]], 0) * 0.7,
    "stack": lambda y: tf.reduce_sum(tf.stack([y, y * 0.5]), 0) * 0.5,
    "pad": lambda y: tf.pad(y, [[1, 2]])[2 : N + 2] * 0.9,
    "reverse": lambda y: tf.reverse(tf.cumsum(y), [0]) * 0.3,
    "transpose": lambda y: tf.reshape(tf.transpose(tf.reshape(y, [2, 3])), [N]),
    "outer": lambda y: tf.linalg.matvec(y[:, None] * y[None, :], y) * 0.1,
    "sqrt of a sum": lambda y: y / tf.sqrt(tf.reduce_sum(y * y) + 1.0),
    "exp of a sum": lambda y: y * tf.exp(-tf.reduce_mean(tf.abs(y))),
    "tile": lambda y: tf.reduce_mean(tf.reshape(tf.tile(y, [3]), [3, N]), 0) * 0.9,
    "where": lambda y: tf.where(tf.sort(y) > 0.0, y, -0.5 * y),
    "one_hot": lambda y: tf.one_hot(tf.argmax(y), N) * 0.25 + y,
    "stateless random": lambda y: y + tf.random.stateless_normal([N], [1, 2]),
}


def with_break(step):
    def program(y, tol):
        i = 0
        for i in tf.range(5):
            y = step(y) + y
            if tol > 20.0:
                break
        return i, y

    return program


def with_reduced_break(step):
    def program(y, tol):
        turns = 0
        for _ in tf.range(6):
            y = step(y) + y * 0.5
            turns += 1
            if tf.reduce_sum(tf.sqrt(tf.abs(y))) > tf.exp(tf.reduce_max(tol)):
                break
        return turns, y

    return program


def with_continue(step):
    def program(y, tol):
        for i in tf.range(5):
            if tol < tf.cast(i, tf.float32):
                continue
            y = step(y) + y
        return y

    return program


def with_invariant(step):
    """The same function of a state that changes and of one that does not."""

    def program(y, x):
        for _ in tf.range(4):
            y = step(y)
            with tf.control_dependencies([y]):
                fixed = step(x)
            y = y + fixed
        return y

    return program


def with_nested_loops(step):
    def program(y, x):
        for _ in tf.range(3):
            inner = y
            for _ in tf.range(2):
                inner = step(inner) + step(x)
            fixed = x
            for _ in tf.range(3):
                fixed = step(fixed)
            y = inner * 0.5 + fixed
        return y

    return program


def outcome(f, *args):
    return [np.asarray(t) for t in tf.nest.flatten(f(*args))]


def check(program, *args, gradient=True, rtol=0.0):
    want = outcome(program, *args)
    traced = tf.function(program)
    unknown = tf.function(
        program,
        input_signature=[
            tf.TensorSpec([None] * a.shape.rank, a.dtype) for a in args
        ],
    )
    # Twice for shapes that are not declared: the second has a plan for them.
    for f in (traced, traced, unknown, unknown):
        for have, expected in zip(outcome(f, *args), want, strict=True):
            np.testing.assert_allclose(have, expected, rtol=rtol, atol=rtol)
    if not gradient:
        return

    def slope(f):
        def g(*args):
            with tf.GradientTape() as tape:
                tape.watch(args)
                y = tf.nest.flatten(f(*args))[-1]
            slopes = tape.gradient(y, args, unconnected_gradients="zero")
            return [tf.convert_to_tensor(slope) for slope in slopes]

        return g

    want = outcome(slope(program), *args)
    for f in (slope(traced), tf.function(slope(program))):
        for have, expected in zip(outcome(f, *args), want, strict=True):
            np.testing.assert_allclose(have, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("tol", [5.0, 25.0])
def test_break_on_an_argument(step, tol):
    check(with_break(step), vector(), tf.constant(tol), rtol=2e-6)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_break_on_a_reduction(step):
    check(with_reduced_break(step), vector(1), vector(2), rtol=2e-6)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_continue(step):
    check(with_continue(step), vector(3), tf.constant(2.5), rtol=2e-6)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_invariants_after_changing_values(step):
    check(with_invariant(step), vector(4), vector(5), rtol=2e-6)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_nested_loops(step):
    check(with_nested_loops(step), vector(6), vector(7), rtol=2e-6)


def test_counts_of_turns():
    """i = 4 where nothing breaks, 0 where the first turn does."""

    @tf.function
    def h(y, tol):
        for i in tf.range(5):
            y = tf.nn.softmax(y) + y
            if tol > 20.0:
                break
        return i

    y = tf.constant([1.0, 2.0, 3.0])
    assert int(h(y, tf.constant(5.0))) == 4
    assert int(h(y, tf.constant(30.0))) == 0
    assert int(h(y, tf.constant(5.0))) == 4


def test_attention():
    def attention(x, wq, wk, wv):
        for _ in tf.range(4):
            q, k, v = x @ wq, x @ wk, x @ wv
            scores = tf.nn.softmax(q @ tf.transpose(k) / tf.sqrt(6.0))
            gate = tf.nn.softmax(wq @ tf.transpose(wk))
            x = scores @ v @ gate + x
            x = x / tf.sqrt(tf.reduce_mean(x * x, 1, keepdims=True) + 1e-3)
        return x

    args = matrix(1, 4), matrix(2), matrix(3), matrix(4)
    check(attention, *args, rtol=1e-5)


def test_random_numbers_are_drawn_in_every_turn():
    def program(y, tol):
        for _ in tf.range(4):
            y = y + tf.random.uniform([N], seed=3) + tf.nn.softmax(y)
            if tf.reduce_sum(tol) > 1e6:
                break
        return y

    tf.random.set_seed(7)
    first = outcome(tf.function(program), vector(), vector())
    tf.random.set_seed(7)
    second = outcome(tf.function(program), vector(), vector())
    np.testing.assert_array_equal(first, second)

    def one_by_one(y):
        @tf.function
        def draw():
            return tf.random.uniform([N], seed=3)

        for _ in range(4):
            y = y + draw() + tf.nn.softmax(y)
        return y

    tf.random.set_seed(7)
    np.testing.assert_allclose(outcome(one_by_one, vector()), first, rtol=1e-5)


@pytest.mark.parametrize("dtype", [tf.int32, tf.float64, tf.bool, tf.complex64])
def test_other_types(dtype):
    def program(y, x):
        for _ in tf.range(4):
            y = tf.concat([y[2:], y[:2]], 0)
            with tf.control_dependencies([y]):
                fixed = tf.concat([x[1:], x[:1]], 0)
            y = tf.where(tf.cast(y, tf.bool), fixed, y)
        return y

    y = tf.cast(tf.constant([1, 0, 3, 0, 5, 6]), dtype)
    x = tf.cast(tf.constant([0, 2, 0, 4, 0, 1]), dtype)
    check(program, y, x, gradient=False)


def test_values_of_a_byte_each_and_of_odd_sizes():
    def program(y, x):
        total = tf.constant(0)
        for _ in tf.range(4):
            y = tf.reverse(y, [0])
            mask = tf.sort(tf.cast(y > 0.0, tf.int32)) > 0
            with tf.control_dependencies([mask]):
                fixed = tf.reverse(tf.math.logical_or(x > 0.0, x < -1.0), [0])
            both = tf.math.logical_and(mask, fixed)
            total += tf.reduce_sum(tf.cast(both, tf.int32))
            y = tf.where(both, y * 0.5, y)
        return total, y

    check(program, vector(8), vector(9), rtol=2e-6)


def test_large_invariants():
    def program(y, x):
        for _ in tf.range(3):
            y = tf.matmul(tf.nn.softmax(y), y)
            with tf.control_dependencies([y]):
                fixed = tf.sort(tf.matmul(x, x), axis=0)
            y = y + fixed * 0.01
        return y

    check(program, matrix(1, 70, 70), matrix(2, 70, 70), rtol=1e-4)


def test_while_loop_and_scalars():
    def program(n, x):
        def body(i, s):
            y = tf.sqrt(x + 1.0) * tf.exp(tf.reduce_max(x))
            z = tf.cast(i, tf.float32) * tf.reduce_sum(y)
            return i + 1, s + z / tf.sqrt(z * z + 1.0)

        return tf.while_loop(lambda i, s: i < n, body, (0, tf.constant(0.0)))

    check(program, tf.constant(7), tf.constant(1.5), gradient=False, rtol=2e-6)
    check(program, tf.constant(0), tf.constant(1.5), gradient=False, rtol=2e-6)
