"""What is told of a shape, or refused, while a function is traced: alike for what
TensorFlow's kernels, not its shape functions, look at, and the other way around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

IMAGES = np.ones((1, 4, 4, 2), np.float32)
VOLUMES = np.ones((1, 4, 4, 4, 2), np.float32)
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
POOL3D = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
PLAIN = {"strides": [1, 1, 1, 1], "padding": "VALID"}


def gradient_of_gradient(tf: Any, strides: int) -> Any:
    return tf.raw_ops.MaxPoolGradGrad(
        orig_input=IMAGES, orig_output=IMAGES[:, :2, :2], grad=IMAGES,
        ksize=[1, 2, 2, 1], strides=[1, strides, strides, 1], padding="VALID",
    )  # fmt: skip


CALLS = {
    "AvgPool, channels first": lambda tf, x: tf.raw_ops.AvgPool(
        value=IMAGES, data_format="NCHW", **POOL),
    "MaxPool, channels first": lambda tf, x: tf.raw_ops.MaxPool(
        input=IMAGES, data_format="NCHW", **POOL),
    "AvgPool3D, channels first": lambda tf, x: tf.raw_ops.AvgPool3D(
        input=VOLUMES, data_format="NCDHW", **POOL3D),
    "MaxPool3D, channels first": lambda tf, x: tf.raw_ops.MaxPool3D(
        input=VOLUMES, data_format="NCDHW", **POOL3D),
    "MaxPoolGradGrad": lambda tf, x: gradient_of_gradient(tf, 2),
    "MaxPoolGradGrad of others": lambda tf, x: gradient_of_gradient(tf, 1),
    "MaxPoolGradGradWithArgmax of others": lambda tf, x:
        tf.raw_ops.MaxPoolGradGradWithArgmax(
            input=IMAGES, grad=IMAGES, argmax=np.zeros((1, 4, 4, 2), np.int64),
            **POOL),
    "MaxPoolV2 of vectors": lambda tf, x: tf.raw_ops.MaxPoolV2(
        input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME",
        data_format="NCHW_VECT_C"),
    "BiasAddGrad, channels first": lambda tf, x: tf.raw_ops.BiasAddGrad(
        out_backprop=np.ones((2, 3), np.float32), data_format="NCHW"),
    "Conv of groups": lambda tf, x: tf.raw_ops.Conv(
        input=IMAGES, filter=np.ones((2, 2, 1, 3), np.float32), groups=2, **PLAIN),
    "Conv of other groups": lambda tf, x: tf.raw_ops.Conv(
        input=IMAGES, filter=np.ones((2, 2, 1, 4), np.float32), **PLAIN),
    "Conv3D of groups": lambda tf, x: tf.raw_ops.Conv3D(
        input=VOLUMES, filter=np.ones((2, 2, 2, 1, 3), np.float32),
        strides=[1, 1, 1, 1, 1], padding="VALID"),
    "Conv2DBackpropInput": lambda tf, x: tf.raw_ops.Conv2DBackpropInput(
        input_sizes=[1, 4, 4, 2], filter=np.ones((2, 2, 2, 3), np.float32),
        out_backprop=np.ones((1, 3, 3, 4), np.float32), **PLAIN),
    "ExtractGlimpse": lambda tf, x: tf.raw_ops.ExtractGlimpse(
        input=x, size=[2, 2], offsets=[[0.0, 0.0]], uniform_noise=True, noise="zero"),
    "GatherV2": lambda tf, x: tf.raw_ops.GatherV2(
        params=IMAGES, indices=[[0, 1]], axis=0, batch_dims=1),
    "gather of other rows": lambda tf, x: tf.gather(
        IMAGES[0], tf.zeros([3, 2], tf.int32), axis=1, batch_dims=1),
    "ReverseSequence": lambda tf, x: tf.raw_ops.ReverseSequence(
        input=IMAGES, seq_lengths=[1, 1, 1, 1], seq_dim=1, batch_dim=1),
    "BatchToSpace": lambda tf, x: tf.raw_ops.BatchToSpace(
        input=x, crops=[[0, 0], [0, 0]], block_size=2),
    "SpaceToBatch": lambda tf, x: tf.raw_ops.SpaceToBatch(
        input=x, paddings=[[0, 0], [0, 0]], block_size=2),
    "DepthToSpace of vectors": lambda tf, x: tf.raw_ops.DepthToSpace(
        input=x, block_size=2, data_format="NCHW_VECT_C"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_of_a_function(both, name):
    def answer(tf: Any) -> Any:
        found = []

        def call(x: Any) -> Any:
            found.append(CALLS[name](tf, x).shape)
            return tf.constant(0)

        try:
            tf.function(call).get_concrete_function(tf.TensorSpec(None, tf.float32))
        except Exception as error:
            return type(error).__name__
        return None if found[0].rank is None else found[0].as_list()

    assert answer(both.ours) == answer(both.theirs)


def test_state_of_a_generator(both):
    def read(tf: Any) -> Any:
        state = tf.Variable(tf.range(3, dtype=tf.int64))
        value = tf.raw_ops.RngReadAndSkip(
            resource=state.handle, alg=1, delta=tf.constant(7, tf.uint64)
        )
        return value, state.read_value()

    both.agree(read)


def test_no_entries(both):
    both.agree_on_error(lambda tf: tf.gather_nd(tf.zeros([4, 0]), [[1]]))
    both.agree_on_error(
        lambda tf: tf.raw_ops.ResourceGatherNd(
            resource=tf.Variable(tf.zeros([4, 0])).handle,
            indices=[[1]],
            dtype=tf.float32,
        )
    )


def test_a_scalar_is_not_quantized(both):
    both.agree_on_error(
        lambda tf: tf.raw_ops.QuantizeAndDequantizeV3(
            input=1.0, input_min=0.0, input_max=2.0, num_bits=8
        )
    )


def test_order_of_what_is_wrong_with_boxes(both):
    both.agree_on_error(
        lambda tf: tf.raw_ops.CropAndResizeGradBoxes(
            grads=tf.zeros([2, 2, 2, 1]), image=tf.zeros([1, 4, 4, 1]),
            boxes=[[0.0, 0.0, 1.0, 1.0]], box_ind=[3],
        )  # fmt: skip
    )


@pytest.mark.parametrize("name", ["Igamma", "Igammac", "IgammaGradA"])
def test_gamma_functions_at_their_ends(both, name):
    a = np.array([0.0, -1.0, np.inf, -np.inf, np.nan, 3.0])[:, None]
    x = np.array([0.0, np.inf, 2.0, -1.0])
    both.agree(lambda tf: getattr(tf.raw_ops, name)(a=a, x=x), rtol=1e-12)


def test_samples_of_gamma_at_their_ends(both):
    a = np.array([0.0, -1.0, np.inf, -np.inf, np.nan, 3.0])[:, None]
    x = np.array([0.0, np.inf, 2.0, -1.0])
    both.agree(lambda tf: tf.raw_ops.RandomGammaGrad(alpha=a, sample=x), rtol=1e-12)
