"""Tables of functions that give in a graph what they give in Python, and the test
of them.

Each function is run eagerly, traced with the shapes known, and traced with as
little known as its arguments allow.
"""

from __future__ import annotations

import functools
import logging

import numpy as np
import pytest

import graphkiln as tf

I = functools.partial(tf.constant, dtype=tf.int32)
F = functools.partial(tf.constant, dtype=tf.float32)


class Table:
    """Functions and the arguments of their calls."""

    def __init__(self):
        self._rows: list = []

    def __call__(self, *calls, shapes=True):
        """Adds a function and the arguments of its calls to the table. With
        `shapes` the static shapes of vectors do not matter to it."""

        def add(f):
            self._rows.extend((f, call, shapes) for call in calls)
            return f

        return add

    def parametrize(self, test):
        """`test` of each call, with the shapes known and unknown."""
        names = [f"{f.__name__}-{i}" for i, (f, _, _) in enumerate(self._rows)]
        test = pytest.mark.parametrize("f, call, shapes", self._rows, ids=names)(test)
        return pytest.mark.parametrize(
            "known", [True, False], ids=["known", "unknown"]
        )(test)


def _run(f, call):
    result = f(*call)
    return tf.nest.map_structure(
        lambda x: np.asarray(x.numpy() if hasattr(x, "numpy") else x), result
    )


def _unknown(argument):
    return tf.TensorSpec(
        [None, *argument.shape[1:]] if argument.shape.rank else [],
        argument.dtype,
    )


def compare(f, call, shapes, known, caplog):
    """The function gives in a graph what it gives without one."""
    if not known and not shapes:
        pytest.skip("it needs to know the shapes")
    expected = _run(f, call)
    signature = None if known else [_unknown(a) for a in call]
    with caplog.at_level(logging.WARNING):
        got = _run(tf.function(f, signature), call)
    assert "could not transform" not in caplog.text
    tf.nest.assert_same_structure(expected, got)
    for e, g in zip(tf.nest.flatten(expected), tf.nest.flatten(got)):
        assert e.tolist() == g.tolist()
