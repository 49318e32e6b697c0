"""Strides and dilations at the edge of what a machine's code can hold."""

from __future__ import annotations

import pytest

import graphkiln as tf

HUGE = 2**31 - 1
IMAGE = tf.reshape(tf.range(32, dtype=tf.float32), [1, 4, 4, 2])


def conv(filter_size, padding="SAME", **attrs):
    return tf.raw_ops.Conv2D(
        input=IMAGE,
        filter=tf.ones([filter_size, filter_size, 2, 3]),
        padding=padding,
        **{"strides": [1, 1, 1, 1], **attrs},
    )


@pytest.mark.parametrize("dilation", [HUGE, 2**30, 2**28 + 1])
def test_a_dilation_that_no_code_reaches(dilation):
    for dilations in ([1, dilation, 1, 1], [1, 1, dilation, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            conv(2, dilations=dilations)


def test_distances_that_nobody_goes():
    ones = conv(1)
    far = conv(1, dilations=[1, HUGE, HUGE, 1])
    assert bool(tf.reduce_all(ones == far))
    first = conv(2, "VALID", strides=[1, HUGE, HUGE, 1])
    assert first.shape == [1, 1, 1, 3]
    assert float(first[0, 0, 0, 0]) == float(
        tf.reduce_sum(IMAGE[:, :2, :2])
    )
    with tf.GradientTape() as tape:
        tape.watch(IMAGE)
        y = conv(2, "VALID", strides=[1, HUGE, HUGE, 1])
    assert float(tf.reduce_sum(tape.gradient(y, IMAGE))) == 24.0
