"""stop_gradients of tf.gradients where TensorFlow cannot be asked."""

from __future__ import annotations

import numpy as np

import graphkiln as tf


def _graph(body):
    return [
        None if g is None else np.asarray(g)
        for g in tf.function(body, autograph=False)(tf.constant(2.0))
    ]


def test_one_result_of_a_call():
    def body(x):
        call = tf.function(lambda x: (x * x, tf.sin(x)), autograph=False)
        y, z = call(x)
        return tf.gradients(y * z * x, [x, y], stop_gradients=[y])

    to_x, to_y = _graph(body)
    y, z = 4.0, np.sin(2.0)
    assert np.isclose(to_x, y * z + y * np.cos(2.0) * 2.0)
    assert np.isclose(to_y, z * 2.0)


def test_a_variable_is_a_constant():
    v = tf.Variable(3.0)

    def body(x):
        y = v * v * x
        return tf.gradients(y * x, [v, x], stop_gradients=[v])

    to_v, to_x = _graph(body)
    assert np.isclose(to_v, 2 * 3.0 * 4.0)
    assert np.isclose(to_x, 2 * 9.0 * 2.0)


def test_unconnected_behind_a_stop():
    def body(x):
        y = x * x
        none = tf.gradients(y * y, x, stop_gradients=[y])
        assert none == [None]
        return tf.gradients(
            y * y, [x], stop_gradients=[y], unconnected_gradients="zero"
        )

    assert _graph(body) == [0.0]


def test_nothing_behind_a_stop_is_differentiated():
    """What only a stopped way leads to needs no gradient."""

    def body(x):
        y = tf.bitcast(tf.bitcast(x, tf.int32), tf.float32)
        return tf.gradients(y * x, [x, y], stop_gradients=[y])

    assert [float(g) for g in _graph(body)] == [2.0, 2.0]


def test_a_captured_tensor():
    c = tf.constant(5.0)

    def body(x):
        def inside(a):
            return tf.gradients(a * c * x, [a, c, x], stop_gradients=[x])

        return tf.function(inside, autograph=False)(x * 3.0)

    to_a, to_c, to_x = _graph(body)
    assert (to_a, to_c, to_x) == (10.0, 12.0, 30.0)
