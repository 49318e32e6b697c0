"""Products of a batch with one matrix: one product of all rows, gradients too."""

import numpy as np
import pytest

import graphkiln as tf

RNG = np.random.default_rng(0)


def numbers(*shape, dtype=np.float64):
    real = RNG.normal(size=shape)
    if np.issubdtype(dtype, np.complexfloating):
        real = real + 1j * RNG.normal(size=shape)
    return real.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("shape", [(6, 5, 4), (2, 3, 5, 4), (70, 40, 4), (0, 5, 4)])
@pytest.mark.parametrize("ones", [0, 1])
def test_values_and_gradients(dtype, adjoint, shape, ones):
    x = numbers(*shape, dtype=dtype)
    w = numbers(*[1] * ones, *((7, 4) if adjoint else (4, 7)), dtype=dtype)
    matrix = w.reshape(w.shape[-2:])
    matrix = matrix.conj().T if adjoint else matrix
    dy = numbers(*shape[:-1], 7, dtype=dtype)

    def run(x, w, dy):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.matmul(x, w, adjoint_b=adjoint)
        return y, *tape.gradient(y, [x, w], dy)

    arguments = [tf.constant(a) for a in (x, w, dy)]
    eager = run(*arguments)
    for got in (eager, tf.function(run)(*arguments)):
        y, dx, dw = (t.numpy() for t in got)
        tolerance = 1e-4 if dtype == np.float32 else 1e-11
        np.testing.assert_allclose(y, x @ matrix, tolerance, tolerance)
        np.testing.assert_allclose(dx, dy @ matrix.conj().T, tolerance, tolerance)
        expected = x.reshape(-1, 4).conj().T @ dy.reshape(-1, 7)
        expected = expected.conj().T if adjoint else expected
        assert dw.shape == w.shape
        np.testing.assert_allclose(dw, expected.reshape(w.shape), tolerance, tolerance)


@pytest.mark.parametrize(
    "spec", [(None, 5, 4), (None, None, 4), (None, None, None), None]
)
def test_shapes_that_are_not_known(spec):
    w = tf.constant(numbers(4, 7))

    @tf.function(input_signature=[tf.TensorSpec(spec, tf.float64)])
    def gradient(x):
        return tf.gradients(tf.matmul(x, w), w)[0]

    x = numbers(6, 5, 4)
    expected = np.einsum("bmi,bmj->ij", x, np.ones((6, 5, 7)))
    np.testing.assert_allclose(gradient(tf.constant(x)), expected, 1e-12)


def test_gradients_of_gradients():
    x, w = tf.constant(numbers(3, 5, 4)), tf.constant(numbers(4, 7))
    with tf.GradientTape() as outer:
        outer.watch([x, w])
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.matmul(x, w) ** 2)
        inner = tf.reduce_sum(tape.gradient(y, w) ** 2)
    dx, dw = outer.gradient(inner, [x, w])
    g = 2 * np.einsum("bmi,bmj->ij", x, x @ w)
    a = np.einsum("bmi,bmj->ij", x, x)
    np.testing.assert_allclose(dw, 4 * a @ g, 1e-10)
    np.testing.assert_allclose(
        dx, 4 * (x @ (w @ g.T) + x @ (g @ np.transpose(w))), 1e-10
    )


def test_one_product_for_the_whole_batch():
    w = tf.constant(numbers(4, 7))

    @tf.function
    def gradient(x):
        return tf.gradients(tf.matmul(x, w), w)[0]

    graph = gradient.get_concrete_function(tf.TensorSpec([6, 5, 4], tf.float64)).graph
    kinds = [op.type for op in graph.get_operations()]
    assert kinds.count("BatchMatMulV2") == 1
    assert kinds.count("MatMul") == 1
    assert "Sum" not in kinds
