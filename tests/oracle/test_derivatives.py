"""Derivatives of both orders where TensorFlow's are its own: of complex numbers,
whose conjugates it leaves out here and there, and of ops whose second output's
derivative it gives in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(11)


def some(*shape: int, kind: str = "complex64") -> np.ndarray:
    value = RNG.uniform(0.3, 1.5, shape)
    if kind[:7] == "complex":
        value = value + 1j * RNG.uniform(-1, 1, shape)
    return value.astype(kind)


COMPLEX: dict[str, tuple[Callable[..., Any], list[np.ndarray]]] = {
    "sqrt": (lambda tf, x: tf.sqrt(x), [some(5)]),
    "rsqrt": (lambda tf, x: tf.math.rsqrt(x), [some(5, kind="complex128")]),
    "abs": (lambda tf, x: tf.abs(x), [some(2, 3)]),
    "abs of a product": (lambda tf, x, y: tf.abs(x * y), [some(3), some(3)]),
    "multiply_no_nan": (
        lambda tf, x, y: tf.math.multiply_no_nan(x, y), [some(2, 3), some(3)],
    ),
    "xdivy": (lambda tf, x, y: tf.math.xdivy(x, y), [some(3), some(2, 3)]),
    "xlogy": (lambda tf, x, y: tf.math.xlogy(x, y), [some(4), some(4)]),
    "xlog1py": (lambda tf, x, y: tf.math.xlog1py(x, y), [some(4), some(4)]),
    "divide_no_nan": (
        lambda tf, x, y: tf.math.divide_no_nan(x, y), [some(4), some(4)],
    ),
    "tridiagonal_solve": (
        lambda tf, d, b: tf.linalg.tridiagonal_solve(d, b),
        [some(3, 4, kind="complex128"), some(4, 2, kind="complex128")],
    ),
    "lstsq": (lambda tf, a, b: tf.linalg.lstsq(a, b), [some(4, 2), some(4, 3)]),
    "lstsq of few": (
        lambda tf, a, b: tf.linalg.lstsq(a, b, 0.1), [some(2, 4), some(2, 3)],
    ),
}  # fmt: skip


def derivatives(tf: Any, call: Callable[..., Any], arrays: list[np.ndarray]) -> Any:
    """First and second order, of sums with weights of both parts."""

    def weighed(values: list[Any]) -> Any:
        total = tf.constant(0.0, tf.float64)
        for v in values:
            weights = tf.range(1, tf.size(v) + 1)
            w = tf.cast(tf.reshape(weights, tf.shape(v)), tf.float64)
            if v.dtype.is_complex:
                total += tf.reduce_sum(w * tf.cast(tf.math.imag(v), tf.float64)) / 3
                v = tf.math.real(v)
            total += tf.reduce_sum(w * tf.cast(v, tf.float64))
        return total

    tensors = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as inner:
            inner.watch(tensors)
            y = weighed(tf.nest.flatten(call(tf, *tensors)))
        first = inner.gradient(y, tensors)
        total = weighed([g for g in first if g is not None])
    return first, outer.gradient(total, tensors)


def agree(both: Any, call: Callable[..., Any], arrays: list[np.ndarray]) -> None:
    ours, theirs = (derivatives(tf, call, arrays) for tf in (both.ours, both.theirs))
    for order, (a, b) in enumerate(zip(ours, theirs, strict=True), 1):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if y is None or x is None:
                assert y is None or not np.any(y.numpy())
                continue
            np.testing.assert_allclose(
                x, y, rtol=2e-4, atol=2e-4, err_msg=f"order {order}, argument {i}"
            )


@pytest.mark.parametrize("name", COMPLEX)
def test_of_complex_numbers(both, name):
    agree(both, *COMPLEX[name])


def test_of_labels(both):
    logits, labels = some(3, 4, kind="float32"), some(3, 4, kind="float32")

    def call(tf: Any, x: Any, y: Any) -> Any:
        made = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=y)
        return [made.loss, made.backprop]

    agree(both, call, [logits, labels])


@pytest.mark.parametrize("training", [True, False])
def test_of_batch_norm(both, training):
    def call(tf: Any, dy: Any, x: Any, scale: Any, mean: Any, variance: Any) -> Any:
        return tf.raw_ops.FusedBatchNormGradV3(
            y_backprop=dy, x=x, scale=scale, reserve_space_1=mean,
            reserve_space_2=variance, reserve_space_3=variance, epsilon=0.01,
            is_training=training,
        )[:3]  # fmt: skip

    shapes = [(2, 3, 2, 4), (2, 3, 2, 4), (4,), (4,), (4,)]
    agree(both, call, [some(*s, kind="float32") for s in shapes])


@pytest.mark.parametrize("volumes", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_of_maxima(both, volumes, given):
    """Of images, the first of equal maxima has the gradient; of volumes, each that
    equals the maximum that is given. That of the gradient looks at it in both."""
    rank = 5 if volumes else 4
    x = RNG.integers(0, 3, (2, *[4] * (rank - 2), 2)).astype(np.float32)
    x[0, 0, 0, 0] = np.nan
    sizes = [1, *[2] * (rank - 2), 1]
    window = {"ksize": sizes, "strides": sizes, "padding": "VALID"}
    name = "MaxPool3D" if volumes else "MaxPool"

    def call(tf: Any) -> Any:
        raw = tf.raw_ops
        y = getattr(raw, name)(input=x, **window)
        if given:
            y = tf.ones_like(y)
        dy = tf.reshape(tf.range(1.0, tf.cast(tf.size(y), tf.float32) + 1), y.shape)
        dx = tf.reshape(tf.range(1.0, tf.cast(tf.size(x), tf.float32) + 1), x.shape)
        grad = getattr(raw, name + "Grad")(
            orig_input=x, orig_output=y, grad=dy, **window
        )
        second = getattr(raw, name + "GradGrad")(
            orig_input=x, orig_output=y, grad=dx, **window
        )
        return grad, second

    for a, b in zip(call(both.ours), call(both.theirs), strict=True):
        np.testing.assert_array_equal(a, b)
