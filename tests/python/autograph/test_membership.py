"""`item in container` in converted code."""

import math

import pytest

import graphkiln as tf


def results(body, *args):
    """What the body gave while it was traced, and what it came to."""
    traced = []

    @tf.function
    def f(*args):
        traced.append(body(*args))
        return traced[-1]

    return traced, f(*[tf.constant(a) for a in args])


@pytest.mark.parametrize("value", [1.0, math.nan])
def test_the_same_tensor_is_in_a_list(value):
    def body(x, y):
        return x in [y, x], x not in (x, y), x in [y]

    ((there, absent, _),), values = results(body, value, 2.0)
    # As in Python: its value, which may be NaN, does not matter.
    assert there is True and absent is False
    assert [bool(v) for v in values] == [True, False, False]


def test_others_are_compared_when_the_graph_runs():
    def body(x, y):
        return x in [y], x in [1, 2], 1 in tf.stack([x, y]), x in []

    (made,), values = results(body, 3, 3)
    assert [tf.is_tensor(m) for m in made] == [True, True, True, False]
    assert [bool(v) for v in values] == [True, False, False, False]


def test_with_the_equality_of_version_one():
    def body(x, y):
        return x in [y], x in [y, x], x not in [y]

    tf.compat.v1.disable_tensor_equality()
    try:
        (made,), _ = results(body, 3, 3)
    finally:
        tf.compat.v1.enable_tensor_equality()
    assert made == (False, True, True)
