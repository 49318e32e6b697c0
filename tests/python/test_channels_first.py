"""Images and volumes whose channels come before their places are convolved and
pooled as if they were turned around."""

from __future__ import annotations

import graphkiln as tf
import numpy as np
import pytest

RNG = np.random.default_rng(3)
IMAGES = RNG.normal(size=(2, 4, 7, 6)).astype(np.float32)
VOLUMES = RNG.normal(size=(2, 3, 5, 6, 4)).astype(np.float32)


def turned(x, first: bool):
    rank = len(x.shape)
    last = [0, *range(2, rank), 1]
    return tf.transpose(x, [0, rank - 1, *range(1, rank - 1)] if first else last)


def filters(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape).astype(np.float32)


CALLS = {
    "conv2d": (IMAGES, "NCHW", "NHWC", lambda x, f: tf.nn.conv2d(
        x, filters(3, 2, 4, 5), 2, "SAME", data_format=f)),
    "groups": (IMAGES, "NCHW", "NHWC", lambda x, f: tf.nn.conv2d(
        x, filters(3, 2, 2, 6), 1, "VALID", data_format=f)),
    "depthwise": (IMAGES, "NCHW", "NHWC", lambda x, f: tf.nn.depthwise_conv2d(
        x, filters(3, 2, 4, 2), [1] * 4, "SAME", data_format=f)),
    "max_pool2d": (IMAGES, "NCHW", "NHWC", lambda x, f: tf.nn.max_pool2d(
        x, 2, 2, "SAME", data_format=f)),
    "avg_pool2d": (IMAGES, "NCHW", "NHWC", lambda x, f: tf.nn.avg_pool2d(
        x, 2, 2, "VALID", data_format=f)),
    "conv3d": (VOLUMES, "NCDHW", "NDHWC", lambda x, f: tf.nn.conv3d(
        x, filters(2, 3, 2, 3, 4), [1] * 5, "SAME", data_format=f)),
    "max_pool3d": (VOLUMES, "NCDHW", "NDHWC", lambda x, f: tf.nn.max_pool3d(
        x, 2, 2, "VALID", data_format=f)),
    "avg_pool3d": (VOLUMES, "NCDHW", "NDHWC", lambda x, f: tf.nn.avg_pool3d(
        x, 2, 2, "SAME", data_format=f)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_turned_around(name: str):
    images, first, last, call = CALLS[name]
    x = tf.constant(images)
    y = turned(x, False)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b = call(x, first), call(y, last)
        sum_a, sum_b = tf.reduce_sum(a**2), tf.reduce_sum(b**2)
    assert a.shape == turned(b, True).shape
    np.testing.assert_allclose(a, turned(b, True), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        tape.gradient(sum_a, x), turned(tape.gradient(sum_b, y), True),
        rtol=1e-4, atol=1e-4,
    )  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_traced(name: str):
    images, first, _, call = CALLS[name]
    spec = tf.TensorSpec([None] * images.ndim, tf.float32)
    traced = tf.function(lambda x: call(x, first), input_signature=[spec])
    np.testing.assert_allclose(traced(images), call(tf.constant(images), first))


def test_each_of_equal_maxima_of_a_volume_has_the_gradient():
    x = tf.zeros([1, 2, 2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool3d(x, 2, 2, "VALID")
    assert np.all(tape.gradient(y, x).numpy() == 1)
