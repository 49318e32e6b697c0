"""Reductions over axes of one element, or none: they take their input's memory over
where nobody else looks at it."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf

OPS = {
    "sum": tf.reduce_sum,
    "mean": tf.reduce_mean,
    "prod": tf.reduce_prod,
    "max": tf.reduce_max,
    "min": tf.reduce_min,
}
VALUES = np.array([[[-0.0]], [[np.inf]], [[3.5]], [[np.nan]]], np.float32)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [[], [1], [-1, 1]], ids=str)
@pytest.mark.parametrize("op", OPS)
def test_elements_stay_as_they_are(op, axis, keepdims) -> None:
    shape = VALUES.sum(tuple(axis), keepdims=keepdims).shape if axis else VALUES.shape

    def reduce(x):
        return OPS[op](x, tf.constant(axis, tf.int32), keepdims)

    x = tf.constant(VALUES)
    spec = tf.TensorSpec(None, tf.float32)
    for run in (reduce, tf.function(reduce, input_signature=[spec])):
        y = run(x)
        assert y.shape == shape
        assert y.numpy().tobytes() == VALUES.tobytes()
        assert x.numpy().tobytes() == VALUES.tobytes()


@pytest.mark.parametrize("op", OPS)
def test_what_is_needed_again_stays(op) -> None:
    def body(x, axes):
        once = x * 2
        dies = OPS[op](once + 1, axes) + 1
        twice = x * 3
        other = OPS[op](twice, axes) + tf.reduce_sum(twice)
        given = tf.exp(OPS[op](x, axes))
        return dies, other, given, twice, x

    run = tf.function(
        body,
        input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)],
    )
    x = np.arange(1, 7, dtype=np.float32).reshape(6, 1) / 4
    for axes in ([], [1], []):
        flat = x.reshape(-1) if axes else x
        wanted = flat * 2 + 2, flat * 3 + x.sum() * 3, np.exp(flat), x * 3, x
        got = run(tf.constant(x), tf.constant(axes, tf.int32))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, 1e-6)


def test_variables_are_not_written_to() -> None:
    v = tf.Variable(np.ones((4, 1), np.float32))

    @tf.function
    def run(axes):
        y = tf.reduce_sum(v, axes)
        v.assign_add(tf.ones((4, 1)))
        z = tf.reduce_sum(v, axes) * 10
        return y, z, y + 0

    for k in range(1, 4):
        y, z, again = run(tf.constant([1]))
        np.testing.assert_array_equal(y, np.full(4, k))
        np.testing.assert_array_equal(again, y)
        np.testing.assert_array_equal(z, np.full(4, k + 1) * 10)
        np.testing.assert_array_equal(v, np.full((4, 1), k + 1))


def test_types_without_a_sum_are_refused() -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.NotFoundError)):
        tf.raw_ops.Sum(input=tf.constant([True]), axis=tf.constant([], tf.int32))
