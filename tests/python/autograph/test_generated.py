"""Random programs give, staged, what Python gives eagerly."""

from __future__ import annotations

import os

import pytest

import graphkiln as tf
from generated_programs import Program

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
