"""Lists share what loops push to them, unless it is small: nobody sees that."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf

SIZES = [3, 600, 1024, 4096, 5000]  # of lists that copy and of lists that share


@pytest.mark.parametrize("n", SIZES)
def test_variables_change_after_they_were_pushed(n) -> None:
    v = tf.Variable(tf.zeros([n]))

    @tf.function
    def run():
        a = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
        for i in tf.range(5):
            a = a.write(i, v)
            v.assign_add(tf.ones([n]))
            v[0].assign(tf.cast(i, tf.float32) * 10)
        return a.read(3), a.stack()

    third, rows = run()
    wanted = np.arange(5, dtype=np.float32)[:, None] * np.ones(n, np.float32)
    wanted[1:, 0] = np.arange(4) * 10
    np.testing.assert_array_equal(rows, wanted)
    np.testing.assert_array_equal(third, wanted[3])


@pytest.mark.parametrize("n", SIZES)
def test_popped_values_belong_to_whoever_popped_them(n) -> None:
    @tf.function
    def run(x):
        shape = tf.constant([n])
        handle = tf.raw_ops.EmptyTensorList(
            element_shape=shape, max_num_elements=-1, element_dtype=tf.float32
        )
        for _ in tf.range(4):
            x = x + 1
            handle = tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=x)
        kept = handle
        total = tf.zeros([n])
        for _ in tf.range(4):
            handle, last = tf.raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=shape, element_dtype=tf.float32
            )
            total = total * 10 + tf.exp(last * 0) * last
            handle = tf.raw_ops.TensorListPushBack(
                input_handle=handle, tensor=last * 0 - 7
            )
            handle, _ = tf.raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=shape, element_dtype=tf.float32
            )
        rows = tf.raw_ops.TensorListStack(
            input_handle=kept, element_shape=shape, element_dtype=tf.float32
        )
        return total, rows

    total, rows = run(tf.zeros([n]))
    np.testing.assert_array_equal(total, np.full(n, 4321, np.float32))
    np.testing.assert_array_equal(rows, np.arange(1, 5)[:, None] * np.ones(n))


@pytest.mark.parametrize("n", SIZES)
def test_gradients_of_loops(n) -> None:
    x = tf.constant(np.linspace(0.1, 0.9, n), tf.float32)

    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(6):
                y = tf.sin(y) * x
            total = tf.reduce_sum(y)
        return total, tape.gradient(total, x)

    def unrolled(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(6):
                y = tf.sin(y) * x
            total = tf.reduce_sum(y)
        return total, tape.gradient(total, x)

    for _ in range(2):
        for a, b in zip(run(x), unrolled(x), strict=True):
            np.testing.assert_allclose(a, b, 1e-5)
