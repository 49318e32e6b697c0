"""Functions whose argument has no known rank: the answer is the eager one."""

import numpy as np
import pytest

import graphkiln as tf

M = np.arange(24, dtype=np.float32).reshape(2, 3, 4)[:, ::-1] % 7
V = np.array([3.0, 1.0, 2.0], np.float32)
ROWS = np.sort(M, -1)
LABELS = np.eye(4, dtype=np.float32)[[[0, 1, 2], [3, 2, 1]]]

CASES = {
    "sort": (lambda x: tf.sort(x), [M]),
    "sort vector": (lambda x: tf.sort(x, direction="DESCENDING"), [V]),
    "sort axis": (lambda x: tf.sort(x, axis=0), [M]),
    "sort negative axis": (lambda x: tf.argsort(x, axis=-2), [M]),
    "softmax": (lambda x: tf.nn.softmax(x), [M]),
    "softmax axis": (lambda x: tf.nn.softmax(x, axis=0), [M]),
    "softmax negative axis": (lambda x: tf.nn.log_softmax(x, axis=-2), [M]),
    "softmax last axis": (lambda x: tf.nn.softmax(x, axis=2), [M]),
    "tensordot number": (lambda a, b: tf.tensordot(a, b, 1), [M, M[0].T]),
    "tensordot two": (lambda a, b: tf.tensordot(a, b, 2), [M, M[0]]),
    "tensordot none": (lambda a, b: tf.tensordot(a, b, 0), [V, V]),
    "tensordot lists": (
        lambda a, b: tf.tensordot(a, b, [[-1, 0], [2, 0]]),
        [M, M],
    ),
    "searchsorted": (lambda a, v: tf.searchsorted(a, v), [ROWS, M]),
    "searchsorted vectors": (
        lambda a, v: tf.searchsorted(a, v, side="right"),
        [np.sort(V), M[0, 0]],
    ),
    "searchsorted empty": (
        lambda a, v: tf.searchsorted(a, v),
        [np.zeros(0, np.float32), V],
    ),
    "cross entropy": (
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits(z, x),
        [LABELS, M],
    ),
    "cross entropy axis": (
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits(z, x, axis=1),
        [LABELS, M],
    ),
    "sparse cross entropy": (
        lambda z, x: tf.nn.sparse_softmax_cross_entropy_with_logits(z, x),
        [np.array([[0, 1, 2], [3, 2, 1]]), M],
    ),
    "gather_nd": (
        lambda x, i: tf.gather_nd(x, i, batch_dims=1),
        [M, np.array([[[0, 1]], [[2, 3]]])],
    ),
    "einsum": (lambda a, b: tf.einsum("bij,bkj->bik", a, b), [M, M]),
    "matrix_transpose": (lambda x: tf.linalg.matrix_transpose(x), [M]),
    "embedding_lookup": (
        lambda w, i: tf.nn.embedding_lookup(w, i, max_norm=1.0),
        [M[0], np.array([0, 2])],
    ),
}


def traced(function, arguments):
    specs = [tf.TensorSpec(None, a.dtype) for a in arguments]
    return tf.function(function, input_signature=specs)


@pytest.mark.parametrize("name", CASES)
def test_value(name):
    function, arguments = CASES[name]
    expected = function(*map(tf.constant, arguments))
    got = traced(function, arguments)(*map(tf.constant, arguments))
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


@pytest.mark.parametrize("name", ["sort axis", "softmax axis", "tensordot lists",
                                  "cross entropy axis"])
def test_gradient(name):
    function, arguments = CASES[name]
    x = tf.constant(arguments[-1])

    def gradient(called):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(called(*map(tf.constant, arguments[:-1]), x) ** 2)
        return tape.gradient(y, x).numpy()

    np.testing.assert_allclose(
        gradient(traced(function, arguments)), gradient(function), rtol=1e-6
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.sort(x, axis=3),
        lambda x: tf.nn.softmax(x, axis=-4),
        lambda x: tf.tensordot(x, x, [[5], [0]]),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x, axis=7),
    ],
)
def test_axis_out_of_range_is_told_at_run_time(function):
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        traced(function, [M])(tf.constant(M))


def test_scalars_are_refused_at_run_time():
    scalar = tf.constant(1.0)
    for function in (tf.sort, tf.nn.softmax, lambda x: tf.searchsorted(x, x)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            traced(function, [scalar.numpy()])(scalar)
