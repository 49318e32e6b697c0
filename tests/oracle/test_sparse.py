"""tf.sparse beside TensorFlow's: values, static shapes, gradients, errors."""

from __future__ import annotations

import types

import numpy as np
import pytest

# a, b: sparse tensors of shape [2, 3]; d: a dense one.
CALLS = """
tf.sparse.add(a, b)
tf.sparse.add(a, b, threshold=1.5)
tf.sparse.add(a, d)
tf.sparse.add(d, a)
tf.sparse.maximum(a, b)
tf.sparse.minimum(a, b)
tf.sparse.reduce_sum(a)
tf.sparse.reduce_sum(a, 0)
tf.sparse.reduce_sum(a, axis=[-1], keepdims=True)
tf.sparse.reduce_sum(a, 1, output_is_sparse=True)
tf.sparse.reduce_max(a)
tf.sparse.reduce_max(a, axis=1, keepdims=True)
tf.sparse.reduce_max(a, 0, output_is_sparse=True)
tf.sparse.softmax(a)
tf.sparse.concat(1, [a, b])
tf.sparse.concat(-2, [a, b, a])
tf.sparse.concat(0, [a])
tf.sparse.concat(1, [a, tf.sparse.slice(b, [0, 0], [1, 3])], True)
tf.sparse.split(a, 2, 1)
tf.sparse.split(sp_input=a, num_split=3, axis=-1)
tf.sparse.slice(a, [0, 1], [2, 5])
tf.sparse.slice(a, [1, 0], [1, 2])
tf.sparse.fill_empty_rows(tf.sparse.slice(a, [0, 0], [2, 1]), 9.0)
tf.sparse.retain(a, [True, False, True])
tf.sparse.reset_shape(a)
tf.sparse.reset_shape(a, [4, 3])
tf.sparse.to_indicator(ids, 6)
tf.sparse.transpose(a)
tf.sparse.transpose(a, [0, 1])
tf.sparse.reshape(a, [3, -1])
tf.sparse.expand_dims(a, 1)
tf.sparse.expand_dims(a)
tf.sparse.eye(2, 3, tf.float64)
tf.sparse.to_dense(a)
tf.sparse.sparse_dense_matmul(a, d, adjoint_b=True)
tf.sparse.sparse_dense_matmul(d, a, adjoint_b=True)
tf.sparse.segment_sum(d, [1, 0, 1], [0, 0, 2])
tf.sparse.segment_mean(d, [1, 0, 1], [0, 0, 1])
tf.sparse.segment_sqrt_n(d, [1, 0, 1], [0, 0, 1], num_segments=4)
tf.sparse.map_values(tf.abs, a)
tf.sparse.map_values(tf.add, a, 5.0)
tf.sparse.map_values(tf.multiply, a, a)
"""

ERRORS = """
tf.sparse.add(d, d)
tf.sparse.add(a, tf.sparse.transpose(a))
tf.sparse.maximum(a, tf.sparse.transpose(a))
tf.sparse.reduce_sum(a, 2)
tf.sparse.concat(1, [a, tf.sparse.transpose(a)])
tf.sparse.concat(5, [a, a])
tf.sparse.concat(0, [])
tf.sparse.split(a, 4, 1)
tf.sparse.split(a, 2, 2)
tf.sparse.slice(a, [0], [1])
tf.sparse.slice(a, [0, 0], [-1, 1])
tf.sparse.retain(a, [True])
tf.sparse.retain(a, [[True, True, True]])
tf.sparse.reset_shape(a, [1, 3])
tf.sparse.reset_shape(a, [4])
tf.sparse.softmax(tf.sparse.from_dense([1.0, 2.0]))
tf.sparse.transpose(a, [0])
tf.sparse.reshape(a, [4, -1])
tf.sparse.segment_sum(d, [0, 5], [0, 1])
tf.sparse.segment_sum(d, [0, 1], [1, 0])
tf.sparse.segment_mean(d, [0, 1], [0, 1], num_segments=1)
tf.sparse.segment_mean(tf.constant([1, 2]), [0], [0])
tf.sparse.map_values(tf.add, d, 1.0)
tf.sparse.map_values(tf.add, a, b)
tf.sparse.fill_empty_rows(a, 'x')
"""

# Their gradients are none, or none of TensorFlow's.
NO_GRADIENT = (
    "maximum", "minimum", "reduce_max", "concat", "split", "to_indicator", "eye",
    "output_is_sparse", "reset_shape", "map_values(tf.abs",
)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def operands(tf: types.ModuleType) -> dict[str, object]:
    return {
        "tf": tf,
        "a": tf.SparseTensor([[0, 1], [0, 2], [1, 0]], [1.5, -2.0, 4.0], [2, 3]),
        "b": tf.SparseTensor([[0, 1], [1, 2]], [-1.0, 3.0], [2, 3]),
        "d": tf.constant([[0.5, 1.0, -1.0], [2.0, 3.0, 4.0]]),
        "ids": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 5, 0], [2, 2]),
    }


def parts(tf: types.ModuleType, value: object) -> list[object]:
    return tf.nest.flatten(value, expand_composites=True)


@pytest.mark.parametrize("call", lines(CALLS))
def test_values(both, call):
    both.agree(lambda tf: parts(tf, eval(call, operands(tf))), rtol=1e-6)


@pytest.mark.parametrize("call", lines(CALLS))
def test_values_of_functions_of_unknown_shapes(both, call):
    shapes = {}

    def run(tf):
        given = operands(tf)
        del given["tf"]

        @tf.function(
            autograph=False,
            input_signature=[
                tf.SparseTensorSpec([None, None], x.dtype)
                if isinstance(x, tf.SparseTensor)
                else tf.TensorSpec(None, x.dtype)
                for x in given.values()
            ],
        )
        def f(*args):
            made = eval(call, {"tf": tf, **dict(zip(given, args, strict=True))})
            shapes[tf] = [
                x.shape.as_list() if x.shape.rank is not None else None
                for x in tf.nest.flatten(made)
            ]
            return made

        return parts(tf, f(*given.values()))

    both.agree(run, rtol=1e-6)
    assert shapes[both.ours] == shapes[both.theirs]


@pytest.mark.parametrize(
    "call", [c for c in lines(CALLS) if not any(n in c for n in NO_GRADIENT)]
)
@pytest.mark.parametrize("order", [1, 2])
def test_gradients(both, call, order):
    def gradient(tf):
        given = operands(tf)
        x, d = given["a"].values, given["d"]
        with tf.GradientTape() as outer:
            outer.watch([x, d])
            with tf.GradientTape() as tape:
                tape.watch([x, d])
                given["a"] = given["a"].with_values(x)
                made = [
                    tf.reduce_sum(tf.sin(p) * tf.sin(p))
                    for p in parts(tf, eval(call, given))
                    if p.dtype == tf.float32
                ]
            first = tape.gradient(made, [x, d])
        first = [tf.convert_to_tensor(g) for g in first if g is not None]
        if order == 1:
            return first
        second = outer.gradient(first, [x, d])
        return [tf.convert_to_tensor(g) for g in second if g is not None]

    try:
        known = gradient(both.theirs)
    except (LookupError, NotImplementedError):
        known = None
    if not known:
        pytest.skip("TensorFlow has no such gradient")
    both.agree(gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors(both, call):
    both.agree_on_error(lambda tf: eval(call, operands(tf)))


def test_gradient_of_picked_rows_as_slices(both):
    def gradient(tf):
        x = tf.constant(np.arange(12.0).reshape(4, 3))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sparse.segment_mean(x, [3, 1, 3], [0, 0, 1], sparse_gradient=True)
        slices = tape.gradient(y, x)
        assert isinstance(slices, tf.IndexedSlices)
        return slices.indices, slices.values, slices.dense_shape

    both.agree(gradient)
