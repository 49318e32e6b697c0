"""Gradients of nested control flow: their values, and what tracing them costs,
counted in functions made."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import graphkiln as tf

DEPTHS = range(1, 7)
# Innermost last: a While, an If or a call.
KINDS = ("w", "i", "wi", "iw", "wif")


def _made() -> int:
    """How many functions this process has made: their names are numbered."""
    mark = tf.function(lambda: tf.constant(0.0), autograph=False)
    name = mark.get_concrete_function().name.decode()
    return int(name.rsplit("_", 1)[1])


def _nest(kinds: str, depth: int):
    """A nest of `depth` levels that works on tensors, traced or not."""

    def go(level: int, x):
        if level == 0:
            return x * tf.sin(x)
        kind = kinds[level % len(kinds)]
        if kind == "i":
            return tf.cond(
                tf.reduce_sum(x) > 0.1,
                lambda: go(level - 1, x) + x,
                lambda: x * 2.0,
            )
        if kind == "f":
            inner = lambda y: go(level - 1, y) * y
            if tf.executing_eagerly():
                return inner(x)
            return tf.function(inner, autograph=False)(x)

        def body(i, a, b):
            a = go(level - 1, a * b)
            return i + 1, tf.tanh(a), b * tf.reduce_mean(a)

        return tf.while_loop(
            lambda i, a, b: i < 2, body, (tf.constant(0), x, x)
        )[1]

    return lambda x: go(depth, x)


def _gradient(f, persistent: bool = False):
    def gradient(x):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x))
        return tape.gradient(y, x)

    return gradient


def _counts(kinds: str, order: int, inside: bool) -> list[int]:
    x = tf.constant([0.5, 0.25])
    counts = []
    for depth in DEPTHS:
        f = _nest(kinds, depth)
        if not inside:
            f = tf.function(f, autograph=False)
            f.get_concrete_function(x)
        for _ in range(order):
            f = _gradient(f)
        before = _made()
        if inside:
            tf.function(f, autograph=False).get_concrete_function(x)
        else:
            f(x)
        counts.append(_made() - before)
    return counts


@pytest.mark.parametrize("inside", (True, False))
@pytest.mark.parametrize("order", (1, 2))
@pytest.mark.parametrize("kinds", KINDS)
def test_functions_made_grow_with_the_depth(kinds, order, inside):
    counts = _counts(kinds, order, inside)
    # A level of one kind costs what it did further out; mixed kinds come
    # round every few levels.
    round_of = len(kinds)
    steps = [b - a for a, b in zip(counts, counts[round_of:])]
    assert max(steps) <= 1.25 * min(steps) + 4, counts


@pytest.mark.parametrize("persistent", (True, False))
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kinds", KINDS)
def test_gradients_of_the_eager_tape(kinds, depth, persistent):
    x = tf.constant([0.5, 0.25])
    f = _nest(kinds, depth)
    first = _gradient(f, persistent)
    second = _gradient(first, persistent)
    wanted = (first(x), second(x))
    staged = tf.function(f, autograph=False)
    outside = _gradient(staged, persistent)
    got = (
        tf.function(first, autograph=False)(x),
        tf.function(second, autograph=False)(x),
    )
    around = (outside(x), _gradient(outside, persistent)(x))
    for want, a, b in zip(wanted, got, around):
        np.testing.assert_allclose(a, want, 1e-4, 1e-5)
        np.testing.assert_allclose(b, want, 1e-4, 1e-5)


def test_third_order_through_lists_of_conditions():
    """Lists of what has no gradient, as of conditions, have none."""
    x = tf.constant([0.5, 0.25])
    f = _nest("wi", 4)
    want = _gradient(_gradient(_gradient(f)))(x)
    staged = tf.function(f, autograph=False)
    got = _gradient(_gradient(_gradient(staged)))(x)
    np.testing.assert_allclose(got, want, 1e-3, 1e-4)


def test_a_loop_is_made_differentiable_once():
    """What was made for one gradient of a function serves the next."""
    nest = _nest("wi", 4)

    def f(x, z):
        return nest(x) + z

    f = tf.function(f, autograph=False)
    x, z = tf.constant([0.5, 0.25]), tf.constant([1.0, 2.0])
    f(x, z)
    counts = []
    for watched in ([x], [x, z]):
        before = _made()
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            for t in watched:
                tape.watch(t)
            y = f(x, z)
        tape.gradient(y, watched)
        counts.append(_made() - before)
    # Another variant of f, but the same of all that is in it.
    assert counts[1] < counts[0] / 3, counts


@pytest.mark.parametrize("kinds", ("w", "i"))
def test_threads_make_one(kinds):
    x = tf.constant([0.5, 0.25])
    alone, together = (
        tf.function(_nest(kinds, 3), autograph=False) for _ in range(2)
    )
    alone(x), together(x)
    before = _made()
    want = _gradient(alone)(x)
    expected = _made() - before

    ready = threading.Barrier(8)
    got = []

    def work():
        ready.wait()
        got.append(_gradient(together)(x))

    before = _made()
    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert _made() - before == expected
    assert len(got) == 8
    for g in got:
        np.testing.assert_allclose(g, want)


@pytest.mark.parametrize("kinds", ("w", "i", "wi"))
def test_variants_die_with_the_function(kinds):
    class Told:
        def __call__(self, dy):
            return dy * 2.0

    def make():
        told = Told()

        @tf.custom_gradient
        def doubled(x):
            return x * 1.0, told

        nest = _nest(kinds, 2)
        f = tf.function(lambda x: nest(doubled(x)), autograph=False)
        inner = _nest(kinds, 1)
        g = tf.function(
            lambda x: tf.while_loop(
                lambda a: tf.reduce_sum(a) < 2.0,
                lambda a: (inner(doubled(a)) + 1.0,),
                (x,),
            )[0],
            autograph=False,
        )
        _gradient(_gradient(f))(tf.constant([0.5, 0.25]))
        _gradient(_gradient(g))(tf.constant([0.5, 0.25]))
        return weakref.ref(told)

    told = make()
    gc.collect()
    assert told() is None


def _keeps(x, y, flag):
    """A loop whose first state is not what the gradient comes from."""

    def body(i, a, b):
        a, b = tf.cond(
            flag, lambda: (b, b), lambda: (b, tf.math.cumprod(tf.tanh(y))))
        return i + 1, a, b

    return tf.while_loop(
        lambda i, *_: i < 3, body, (0, x * 2.0, x))[2]


def _carries(x, y, flag):
    """A loop that differentiates by what nothing else depends on."""
    one, two = tf.constant([1.0, 2.0]), tf.constant(2.0)

    def body(i, a, b, c):
        def slope():
            with tf.GradientTape() as tape:
                z = one + 0.0
                tape.watch(z)
                q = tf.sin(x) + tf.reduce_sum(z * z)
            return a, tf.maximum(two, two), tape.gradient(q, z)

        a, b, c = tf.cond(
            flag, slope, lambda: (two + 3.0, a * tf.tanh(two), c))
        return i + 1, a, b, c

    a = tf.while_loop(
        lambda i, *_: i < 3, body,
        (0, tf.constant(0.5), tf.constant(0.25), y))[1]
    return tf.sin(a) + tf.reduce_sum(x * x) * 0.1


@pytest.mark.parametrize("flag", (True, False))
@pytest.mark.parametrize("passes", (True, False))
@pytest.mark.parametrize("by", ("x", "y", "both"))
@pytest.mark.parametrize("loop", (_keeps, _carries))
def test_gradients_that_arrive_at_some_results(loop, by, passes, flag):
    """Zeros stand for those that do not: they take what all gradients
    together do without."""
    x, y = tf.constant([0.5, 0.25]), tf.constant([0.75, 0.125])
    sources = {"x": [0], "y": [1], "both": [0, 1]}[by]

    def gradients(x, y, flag):
        watched = [(x, y)[i] for i in sources]
        with tf.GradientTape() as outer:
            outer.watch(watched)
            with tf.GradientTape() as inner:
                inner.watch(watched)
                z = tf.reduce_sum(tf.sin(loop(x, y, flag)))
            first = inner.gradient(
                z, watched, unconnected_gradients="zero")
            t = tf.add_n([tf.reduce_sum(tf.sin(g)) for g in first])
        return first + outer.gradient(
            t, watched, unconnected_gradients="zero")

    want = gradients(x, y, tf.constant(flag))
    tf._graphkiln.set_graph_passes(passes)
    try:
        got = tf.function(gradients, autograph=False)(x, y, tf.constant(flag))
    finally:
        tf._graphkiln.set_graph_passes(True)
    for a, b in zip(want, got, strict=True):
        np.testing.assert_allclose(a, b, 1e-5, 1e-6)
