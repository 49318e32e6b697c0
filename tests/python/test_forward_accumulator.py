"""Forward mode where it goes beyond what the original does, and Jacobians in
graphs."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import graphkiln as tf


def test_a_tangent_has_the_shape_of_its_primal():
    with pytest.raises(ValueError, match=r"shape \(\) must have .* got \(2,\)"):
        tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.ones([2]))


def test_closing_what_is_not_open():
    acc = tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0))
    with pytest.raises(ValueError, match="not recording"):
        acc._pop()


def test_open_and_close_by_hand():
    x = tf.constant(2.0)
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    acc._push()
    y = x * x
    acc._pop()
    assert float(acc.jvp(y)) == 4.0
    assert acc.jvp(y * x) is None


def test_several_directions_at_once():
    x = tf.constant([1.0, 2.0])
    acc = tf.autodiff.ForwardAccumulator._batch_accumulator(x, tf.eye(2))
    with acc:
        y = x * x * tf.reduce_sum(x)
        z = tf.constant([1.0])
    assert acc.jvp(y).numpy().tolist() == [[7.0, 4.0], [1.0, 16.0]]
    assert acc.jvp(z) is None
    zeros = acc.jvp(z, unconnected_gradients="zero")
    assert zeros.numpy().tolist() == [[0.0], [0.0]]
    with pytest.raises(ValueError, match="one known length"):
        tf.autodiff.ForwardAccumulator._batch_accumulator(
            [x, x], [tf.ones([2, 2]), tf.ones([3, 2])]
        )


def test_through_recomputation():
    x, v = tf.constant(2.0), tf.Variable(3.0)
    cube = tf.recompute_grad(lambda x: x * x * v)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = cube(x)
        product = acc.jvp(y)
    assert float(product) == 12.0
    assert [float(g) for g in tape.gradient(product, [x, v])] == [6.0, 4.0]


def test_hessian_vector_product_in_a_function():
    @tf.function
    def product(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.constant(0.0)
                for row in x:
                    if row > 0.0:
                        y += row * row * row
            gradient = tape.gradient(y, x)
        return acc.jvp(gradient)

    x = tf.constant([1.0, -1.0, 2.0])
    v = tf.constant([1.0, 1.0, 2.0])
    assert product(x, v).numpy().tolist() == [6.0, 0.0, 24.0]


def test_a_product_asked_for_in_another_graph():
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x

    @tf.function
    def ask(z):
        return acc.jvp(y) + z

    assert float(ask(1.0)) == 5.0
    assert float(acc.jvp(y)) == 4.0


def test_a_tape_used_up_meanwhile_does_not_matter():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = x * x
    assert float(tape.gradient(y, x)) == 4.0
    del tape
    gc.collect()
    assert float(acc.jvp(y)) == 4.0


def test_what_is_dropped_while_open_leaves_nothing():
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    tape._push()
    reference = weakref.ref(tape)
    del tape
    gc.collect()
    assert reference() is None
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x
    assert float(acc.jvp(y)) == 4.0


@pytest.mark.parametrize("shape", [None, [None], [20]])
@pytest.mark.parametrize("use_pfor", [True, False])
def test_jacobian_of_many_rows_in_a_graph(shape, use_pfor):
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32)])
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * tf.reduce_sum(x)
            matrix = tape.jacobian(y, x, experimental_use_pfor=use_pfor)
        return matrix, outer.gradient(matrix, x)

    x = np.linspace(-1.0, 1.0, 20, dtype=np.float32)
    matrix, second = f(tf.constant(x))
    expected = np.diag(2 * x * x.sum()) + (x * x)[:, None]
    np.testing.assert_allclose(matrix.numpy(), expected, atol=1e-5)
    # The matrix sums to 2 s^2 + 20 q with s the sum of x, q that of squares.
    np.testing.assert_allclose(
        second.numpy(), 4 * x.sum() + 40 * x, atol=1e-4
    )
    ops = f.get_concrete_function().graph.get_operations()
    assert any(op.type.endswith("While") for op in ops)


def test_batch_jacobian_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.concat([x * tf.reduce_sum(x, 1, keepdims=True), x], 1)
        nothing = tape.batch_jacobian(
            tf.stop_gradient(y), x, unconnected_gradients="zero"
        )
        return tape.batch_jacobian(y, x), nothing

    found, nothing = f(tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]))
    assert found.shape == nothing.shape == (3, 4, 2)
    assert found[0].numpy().tolist() == [
        [4.0, 1.0], [2.0, 5.0], [1.0, 0.0], [0.0, 1.0],
    ]
    assert not nothing.numpy().any()


def test_batch_jacobian_takes_a_pass_for_each_element():
    """Not one for each element of each example."""
    calls = []

    @tf.custom_gradient
    def square(x):
        def gradient(upstream):
            calls.append(upstream)
            return 2.0 * x * upstream

        return x * x, gradient

    x = tf.ones([50, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    assert tape.batch_jacobian(y, x).shape == (50, 2, 2)
    assert len(calls) == 2


def test_inside_a_function_traced_under_an_accumulator():
    """What the function captures has its tangent; what it is given has none,
    as TensorFlow has it."""
    x, w = tf.constant(2.0), tf.Variable(3.0)
    seen = {}
    with tf.autodiff.ForwardAccumulator(
        (x, w), (tf.constant(1.0), tf.constant(10.0))
    ) as acc:
        @tf.function
        def f(t):
            y = x * x * w
            seen["argument"] = acc.jvp(t), acc.jvp(t * 2.0)
            seen["primal"] = acc.jvp(x)
            return y, acc.jvp(y), acc.jvp(
                t, unconnected_gradients=tf.UnconnectedGradients.ZERO
            )

        y, inside, nothing = f(x)
        outside = acc.jvp(y)
        second = acc.jvp(inside)
    assert seen["argument"] == (None, None)
    assert float(seen["primal"]) == 1.0
    # 2 x w dx + x^2 dw
    assert float(inside) == float(outside) == 52.0
    assert float(nothing) == 0.0
    # 2 w dx^2 + 4 x dx dw
    assert float(second) == 86.0


def test_inside_nested_functions_and_loops():
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        @tf.function
        def inner(u):
            return acc.jvp(u * x * x)

        @tf.function
        def f(t):
            total = 0.0
            for _ in tf.range(3):
                total += acc.jvp(x * x)
            return inner(t), total

        product, total = f(tf.constant(5.0))
    assert float(product) == 20.0
    assert float(total) == 12.0


def test_batches_of_directions_inside_a_function():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator._batch_accumulator(
        x, tf.constant([[1.0, 0.0], [0.0, 1.0]])
    ) as acc:
        products = tf.function(lambda: acc.jvp(x * x))()
    assert products.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


@tf.custom_gradient
def sine_of_another_library(x):
    return np.sin(x.numpy()), lambda dy: dy * tf.cos(x)


def test_results_computed_elsewhere_have_the_gradient_that_was_given():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as acc:
            y = sine_of_another_library(x)
        first = acc.jvp(y)
    np.testing.assert_allclose(first, np.cos([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(outer.jvp(first), -np.sin([1.0, 2.0]), rtol=1e-6)


def test_the_reverse_of_results_computed_elsewhere():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as acc:
            y = sine_of_another_library(x)
        first = acc.jvp(y)
    np.testing.assert_allclose(tape.gradient(first, x), -np.sin([1.0, 2.0]), rtol=1e-6)
