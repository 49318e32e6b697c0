"""What is known of shapes before anything runs, where arguments' are known in part;
the same on TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf


def spec(*shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


CASES = {
    "batched gather_nd": (
        lambda x, i: tf.gather_nd(x, i, batch_dims=1),
        [spec(None, 2), spec(None, 1, dtype=tf.int32)],
        [None],
    ),
    "batched gather_nd of rows": (
        lambda x, i: tf.gather_nd(x, i, batch_dims=1),
        [spec(None, None, 3), spec(None, 4, 1, dtype=tf.int32)],
        [None, 4, 3],
    ),
    "gather_nd of two batches": (
        lambda x, i: tf.gather_nd(x, i, batch_dims=2),
        [spec(2, None, 5, 3), spec(2, None, 7, 1, dtype=tf.int32)],
        [2, None, 7, 3],
    ),
    "tensordot": (
        lambda a, b: tf.tensordot(a, b, [[1], [0]]),
        [spec(4, None, 2), spec(None, 3)],
        [4, 2, 3],
    ),
    "tensordot of axes apart": (
        lambda a, b: tf.tensordot(a, b, [[1, 3], [0, 2]]),
        [spec(4, None, 2, 5, 6), spec(None, 3, 5, None)],
        [4, 2, 6, 3, None],
    ),
    "tensordot to a number": (
        lambda a, b: tf.tensordot(a, b, 1),
        [spec(None), spec(None)],
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_known(name):
    call, specs, shape = CASES[name]
    traced = tf.function(call, input_signature=specs)
    assert traced.get_concrete_function().outputs[0].shape.as_list() == shape


@pytest.mark.parametrize("name", CASES)
def test_values_are_as_eagerly(name):
    call, specs, _ = CASES[name]
    random = np.random.default_rng(0)
    values = []
    for s in specs:
        sizes = [2 if n is None else n for n in s.shape]
        values.append(tf.constant(random.integers(0, 2, sizes), s.dtype))
    traced = tf.function(call, input_signature=specs)
    np.testing.assert_array_equal(traced(*values), call(*values))
