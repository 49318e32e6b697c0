"""Gradients of variables whose handles went through ops, functions, branches and
loops before they were read."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow

import graphkiln


def _read(tf, handle):
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


def _functions(tf):
    @tf.function
    def launder(handle):
        return tf.identity(handle)

    @tf.function
    def three_times(handle):
        return _read(tf, handle) * 3.0

    def captured(v):
        handle = tf.identity(v.handle)

        @tf.function
        def inner():
            return tf.identity(handle)

        return _read(tf, inner()) * 3.0

    def chosen(v):
        handle = tf.cond(
            tf.reduce_sum(v) > 0,
            lambda: tf.identity(v.handle),
            lambda: tf.identity(v.handle),
        )
        return _read(tf, handle) * 3.0

    def in_loop(v):
        handle = tf.identity(v.handle)
        return tf.while_loop(
            lambda i, _: i < 3,
            lambda i, s: (i + 1, s + _read(tf, handle)),
            (0, tf.zeros([3])),
        )[1]

    def through_loop(v):
        _, s, handle = tf.while_loop(
            lambda i, s, h: i < 3,
            lambda i, s, h: (i + 1, s + _read(tf, h), h),
            (0, tf.zeros([3]), v.handle),
        )
        return s * _read(tf, handle)

    return {
        "identity": lambda v: _read(tf, tf.identity(v.handle)) * 3.0,
        "identities": lambda v: (
            _read(tf, tf.identity(tf.identity(v.handle))) * _read(tf, v.handle)
        ),
        "returned": lambda v: _read(tf, launder(v.handle)) * 3.0,
        "returned twice": lambda v: (
            _read(tf, launder(launder(v.handle))) * _read(tf, launder(v.handle))
        ),
        "argument": lambda v: three_times(tf.identity(v.handle)),
        "captured": captured,
        "chosen": chosen,
        "in a loop": in_loop,
        "through a loop": through_loop,
        "rows": lambda v: tf.raw_ops.ResourceGather(
            resource=tf.identity(v.handle), indices=[0, 0, 2], dtype=tf.float32
        ),
        "rows returned": lambda v: tf.raw_ops.ResourceGather(
            resource=launder(v.handle), indices=[0, 0, 2], dtype=tf.float32
        ),
    }


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", list(_functions(graphkiln)))
def test_the_gradient_is_that_of_the_variable(name, traced):
    found = []
    for tf in (tensorflow, graphkiln):
        v = tf.Variable([1.0, 2.0, 3.0])
        program = _functions(tf)[name]

        def watched(tf=tf, v=v, program=program):
            v.read_value()  # or the tape would not watch it
            return program(v)

        call = tf.function(watched) if traced else watched
        with tf.GradientTape() as tape:
            y = call()
        found.append(tf.convert_to_tensor(tape.gradient(y, v)).numpy())
    np.testing.assert_array_equal(found[1], found[0])


@pytest.mark.parametrize("name", ["captured", "chosen", "identities", "in a loop"])
def test_of_second_order(name):
    found = []
    for tf in (tensorflow, graphkiln):
        v = tf.Variable([1.0, 2.0, 3.0])
        program = _functions(tf)[name]

        @tf.function
        def cubed(tf=tf, v=v, program=program):
            v.read_value()
            return program(v) ** 3

        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = cubed()
            first = inner.gradient(y, v)
        found.append(tf.convert_to_tensor(outer.gradient(first, v)).numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
