"""Forward mode through random programs gives the eager tape's gradient in
the same direction."""

from __future__ import annotations

import os

import numpy as np
import pytest

import graphkiln as tf
from generated_programs import float_program

COUNT = int(os.environ.get("AUTOGRAPH_FORWARD_PROGRAMS", "40"))
FIRST = int(os.environ.get("AUTOGRAPH_SEED", "0"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_product_is_the_gradient_in_a_direction(seed):
    program = float_program(seed)
    f = program.function(f"<forward program {seed}>")
    staged = tf.function(f)
    directions = tf.constant(0.5), tf.constant([1.0, -2.0, 0.25])

    @tf.function
    def inside(x, v):
        with tf.autodiff.ForwardAccumulator((x, v), directions) as acc:
            y = f(x, v, 1)
        return acc.jvp(y, unconnected_gradients="zero")

    for x in (0.7, -1.3):
        x, v = tf.constant(x), tf.constant([0.3, -0.8, 1.1])
        told = f"seed {seed}, x {float(x)}:\n{program.source}"
        with tf.GradientTape() as tape:
            tape.watch([x, v])
            y = f(x, v, 1)
        gradients = tape.gradient(y, [x, v], unconnected_gradients="zero")
        want = sum(
            float(tf.reduce_sum(g * d)) for g, d in zip(gradients, directions)
        )
        found = [inside(x, v)]
        for function in (f, staged):
            with tf.autodiff.ForwardAccumulator((x, v), directions) as acc:
                y = function(x, v, 1)
            found.append(acc.jvp(y, unconnected_gradients="zero"))
        for got in found:
            assert np.allclose(want, float(got), 1e-4, 1e-5), told
