"""Random ops in functions that a session's graph calls: each place in the graph has
one stream, whatever is fetched, before and behind derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


def _branches(tf, x):
    def drawn(seed):
        return x * tf.compat.v1.random_uniform([], seed=seed)

    y = tf.cond(x > 0, lambda: drawn(5), lambda: x)
    nested = tf.cond(
        x > 0, lambda: tf.cond(x > 0.5, lambda: drawn(5), lambda: x), lambda: x
    )
    made = {"y": y, "g": tf.gradients(y, x)[0], "h": tf.gradients(y * y, x)[0]}
    return {**made, "n": nested}, "y n y g y h y g n"


def _loops(tf, x):
    def turn(i, a):
        return i + 1, a * tf.compat.v1.random_uniform([], seed=7)

    z = tf.while_loop(lambda i, a: i < 2, turn, [0, x])[1]
    return {"z": z, "g": tf.gradients(z, x)[0]}, "z z g z g z"


def _calls(tf, x):
    f = tf.function(lambda a: a * tf.compat.v1.random_uniform([], seed=9))
    one, two = f(x), f(x)
    chosen = tf.switch_case(
        tf.cast(x, tf.int32), [lambda: x, lambda: f(x), lambda: f(x) + f(x)]
    )
    made = {"a": one, "b": two, "g": tf.gradients(one, x)[0], "c": chosen}
    return made, "a a g a b g a c b c"


@pytest.mark.parametrize("build", [_branches, _loops, _calls])
def test_each_place_has_one_stream(build):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            x = v1.placeholder_with_default(1.0, [])
            made, order = build(tf, x)
            for _ in range(2):
                with v1.Session() as session:
                    yield [session.run(made[name]) for name in order.split()]

    ours, theirs = list(program(graphkiln)), list(program(tensorflow))
    np.testing.assert_allclose(ours, theirs, 1e-5)
