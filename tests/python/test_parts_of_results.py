"""Large results whose readers work on parts of them: the bits of eager calls."""

import numpy as np
import pytest

import graphkiln as tf

RNG = np.random.default_rng(0)


def numbers(*shape):
    return tf.constant(RNG.normal(size=shape).astype(np.float32))


def pool_gradient(x, dy):
    y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    return tf.raw_ops.MaxPoolGrad(
        orig_input=x,
        orig_output=y,
        grad=dy,
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="VALID",
    )


# Each gives a megabyte and more, and runs in parts.
KERNELS = {
    "pictures": (
        lambda x, f: tf.nn.conv2d(x, f, 1, "SAME"),
        (9, 64, 64, 3),
        (3, 3, 3, 8),
    ),
    "few pictures": (
        lambda x, f: tf.nn.conv2d(x, f, 1, "VALID"),
        (1, 130, 200, 3),
        (3, 3, 3, 12),
    ),
    "minimal filtering": (
        lambda x, f: tf.nn.conv2d(x, f, 1, "SAME"),
        (5, 64, 64, 16),
        (3, 3, 16, 16),
    ),
    "volumes": (
        lambda x, f: tf.nn.conv3d(x, f, [1] * 5, "SAME"),
        (5, 16, 32, 32, 3),
        (3, 3, 3, 3, 4),
    ),
    "back to pictures": (
        lambda x, f: tf.nn.conv2d_transpose(x, f, [6, 64, 64, 12], 2),
        (6, 32, 32, 8),
        (3, 3, 12, 8),
    ),
    "channels first": (
        lambda x, f: tf.nn.conv2d(x, f, 1, "SAME", "NCHW"),
        (9, 3, 64, 64),
        (3, 3, 3, 8),
    ),
    "maxima": (pool_gradient, (9, 64, 64, 8), (9, 32, 32, 8)),
    "maxima at the edge": (pool_gradient, (9, 65, 63, 8), (9, 32, 31, 8)),
    "product": (tf.matmul, (5000, 40), (40, 64)),
    "wide product": (tf.matmul, (70, 40), (40, 5000)),
    "product of a transpose": (
        lambda a, b: tf.matmul(a, b, transpose_a=True),
        (40, 5000),
        (40, 64),
    ),
    "products": (tf.matmul, (30, 100, 40), (30, 40, 100)),
    "products with one": (tf.matmul, (30, 200, 40), (40, 64)),
    "heads": (
        lambda a, b: tf.einsum("btnh,bsnh->bnts", a, b),
        (20, 64, 4, 16),
        (20, 64, 4, 16),
    ),
    "heads beside each other": (
        lambda a, b: tf.einsum("bnts,bsnh->btnh", a, b),
        (80, 4, 64, 64),
        (80, 64, 4, 16),
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_bits_are_those_of_eager_calls(name):
    kernel, *shapes = KERNELS[name]
    a, b = (numbers(*shape) for shape in shapes)
    channel = numbers(kernel(a, b).shape[-1])

    def run(a, b):
        made = kernel(tf.nn.softmax(a), b)  # in memory that is used again
        two = tf.nn.relu(made + channel), made * 2.0
        return tf.nn.softmax(two[0]), tf.reduce_max(two[1], axis=-1)

    expected = run(a, b)
    function = tf.function(run)
    for _ in range(3):
        for got, want in zip(function(a, b), expected, strict=True):
            assert got.numpy().tobytes() == want.numpy().tobytes()


@pytest.mark.parametrize("shape", [(9, 64, 64, 3), (3, 128, 128, 3)])
def test_gradients_of_a_network(shape):
    x, f = numbers(*shape), tf.Variable(numbers(3, 3, 3, 8))
    bias = tf.Variable(numbers(8))

    def run():
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.nn.conv2d(x, f, 1, "SAME") + bias)
            y = tf.nn.max_pool2d(y, 2, 2, "VALID")
            loss = tf.reduce_sum(tf.tanh(y))
        return loss, *tape.gradient(loss, [f, bias])

    expected = run()
    function = tf.function(run)
    for _ in range(2):
        for got, want in zip(function(), expected, strict=True):
            np.testing.assert_allclose(got, want, 1e-4, 1e-3)


def test_values_that_are_not_finite():
    """Where a convolution by minimal filtering is done again."""
    x = RNG.normal(size=(5, 64, 64, 16)).astype(np.float32)
    x[1, 5, 6, 7] = np.inf
    x[3, 0, 0, 0] = np.nan
    x, f = tf.constant(x), numbers(3, 3, 16, 16)

    def run(x):
        return tf.reduce_max(tf.nn.relu(tf.nn.conv2d(x * 1.0, f, 1, "SAME")), 3)

    assert tf.function(run)(x).numpy().tobytes() == run(x).numpy().tobytes()
