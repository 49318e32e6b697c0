"""Functions that make variables and are called in a graph that a session runs: their
initial values are computed there, the same on both modules."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow

import graphkiln


def run(tf, program):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fetches = program(tf)
        session.run(tf.compat.v1.global_variables_initializer())
        return [session.run(one) for one in fetches]  # in this order


def both(program):
    ours, theirs = (run(tf, program) for tf in (graphkiln, tensorflow))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    return ours


def _scaled(initial):
    """A function that makes a variable in its first call, and what it gives."""

    def program(tf):
        state = []

        @tf.function
        def f(x):
            if not state:
                state.append(tf.Variable(initial(tf)))
            state[0].assign_add(tf.ones_like(state[0]))
            return state[0] * x

        return [f(tf.constant(3.0)), f(tf.constant(5.0))]

    return program


@pytest.mark.parametrize(
    "initial",
    [
        lambda tf: 2.0,
        lambda tf: tf.sqrt(tf.constant(2.0) * 2.0) + 4.0,
        lambda tf: lambda: tf.constant([1.0, 2.0]),
        lambda tf: tf.random.stateless_uniform([2], [1, 2]),
        lambda tf: tf.zeros([2, 3]) + 1.0,
    ],
)
def test_computed_values(initial):
    both(_scaled(initial))


def test_values_of_the_graph_around_and_branches():
    """Which TensorFlow refuses or cannot run."""

    def program(tf):
        around, state = tf.constant([1.0, 2.0]) * 2.0, []

        @tf.function
        def inner():
            if not state:
                least = tf.cond(around[0] > 0.0, lambda: 1.0, lambda: 7.0)
                state.append(tf.Variable(around + least))
            return state[0] * 10.0

        @tf.function
        def outer():
            return inner() + around

        return [outer()]

    assert run(graphkiln, program)[0].tolist() == [32.0, 54.0]


def test_layers():
    def program(tf):
        class Dense(tf.Module):
            w = None

            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(tf.zeros([x.shape[-1], 2]) + 1.0)
                    self.b = tf.Variable(tf.ones([2]))
                return x @ self.w + self.b

        layer = Dense()
        y = layer(tf.ones([3, 4]))
        return [y, *tf.gradients(y, [layer.w, layer.b])]

    both(program)


@pytest.mark.parametrize("tf", [graphkiln, tensorflow])
def test_what_only_a_call_knows_is_refused(tf):
    state = []

    @tf.function
    def f(x):
        if not state:
            state.append(tf.Variable(2.0 * x))
        return state[0] * x

    with (
        tf.Graph().as_default(),
        pytest.raises(Exception, match="transitively.* mul .* x") as error,
    ):
        f(tf.constant(3.0))
    assert type(error.value).__name__ == "UnliftableError"
