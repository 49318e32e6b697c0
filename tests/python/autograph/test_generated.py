"""Random programs give, staged, what Python gives eagerly."""

from __future__ import annotations

import os

import numpy as np
import pytest

import graphkiln as tf
from generated_programs import Program, float_program

# AUTOGRAPH_PROGRAMS asks for more, AUTOGRAPH_SEED for others.
COUNT = int(os.environ.get("AUTOGRAPH_PROGRAMS", "300"))
FIRST = int(os.environ.get("AUTOGRAPH_SEED", "0"))
INPUTS = (
    (0, (1, 2, 3), 1),
    (5, (7, -2, 40), 2),
    (-3, (0, 0, 9), 0),
)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, 20))
def test_value_of_plain_python(first):
    print(f"seeds {first} to {first + 19}")
    for seed in range(first, min(first + 20, FIRST + COUNT)):
        program = Program(seed)
        f = program.function(f"<program {seed}>")
        staged = tf.function(f)
        for x, v, p in INPUTS:
            given = (
                tf.constant(x), tf.constant(v, tf.int32), p
            )
            told = f"seed {seed}, inputs {(x, v, p)}:\n{program.source}"
            want = int(f(*given))
            try:
                got = int(staged(*given))
            except Exception as error:
                raise AssertionError(told) from error
            assert got == want, told


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, 10))
def test_gradient_of_the_eager_tape(first):
    print(f"seeds {first} to {first + 9}")
    for seed in range(first, min(first + 10, FIRST + COUNT)):
        program = float_program(seed)
        f = program.function(f"<float program {seed}>")

        @tf.function
        def staged(x, v):
            with tf.GradientTape() as tape:
                tape.watch([x, v])
                y = f(x, v, 1)
            return y, tape.gradient(y, [x, v], unconnected_gradients="zero")

        outside = tf.function(f)
        for x in (0.7, -1.3):
            x, v = tf.constant(x), tf.constant([0.3, -0.8, 1.1])
            told = f"seed {seed}, x {float(x)}:\n{program.source}"
            with tf.GradientTape() as tape:
                tape.watch([x, v])
                y = f(x, v, 1)
            want = [y, *tape.gradient(y, [x, v], unconnected_gradients="zero")]
            try:
                y, gradients = staged(x, v)
                with tf.GradientTape() as tape:
                    tape.watch([x, v])
                    z = outside(x, v, 1)
                around = [z, *tape.gradient(z, [x, v], unconnected_gradients="zero")]
            except Exception as error:
                raise AssertionError(told) from error
            for got in ([y, *gradients], around):
                for a, b in zip(want, got):
                    assert np.allclose(a, b, 1e-4, 1e-5), told
