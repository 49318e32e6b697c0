"""Convolutions of volumes and running logarithms of sums, with gradients."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphkiln as tf

CASES = [
    # input, filter, strides, padding, dilations
    ((2, 4, 5, 6, 3), (2, 3, 2, 3, 4), 1, "VALID", 1),
    ((2, 4, 5, 6, 3), (2, 3, 2, 3, 4), 1, "SAME", 1),
    ((1, 5, 5, 5, 2), (3, 3, 3, 2, 2), 2, "SAME", 1),
    ((1, 7, 6, 6, 2), (3, 2, 2, 2, 3), [2, 1, 3], "VALID", 1),
    ((1, 6, 6, 6, 1), (2, 2, 2, 1, 2), 1, "VALID", [2, 3, 1]),
    ((1, 6, 6, 6, 1), (3, 2, 2, 1, 2), 1, "SAME", 2),
    ((2, 3, 4, 4, 4), (2, 2, 2, 2, 6), 1, "SAME", 1),  # two groups
]


def convolved(x, f, strides, padding, dilations):
    """By its definition."""
    strides, dilations = (np.broadcast_to(v, 3) for v in (strides, dilations))
    size, taps = x.shape[1:4], f.shape[:3]
    reach = [(t - 1) * d + 1 for t, d in zip(taps, dilations)]
    if padding == "SAME":
        out = [-(-n // s) for n, s in zip(size, strides)]
        pads = [
            max((o - 1) * s + r - n, 0)
            for o, s, r, n in zip(out, strides, reach, size)
        ]
    else:
        out = [(n - r) // s + 1 for n, r, s in zip(size, reach, strides)]
        pads = [0] * 3
    widths = [(0, 0), *((p // 2, p - p // 2) for p in pads), (0, 0)]
    x = np.pad(x, widths)
    groups = x.shape[-1] // f.shape[3]
    y = np.zeros((x.shape[0], *out, f.shape[4]))
    for tap in itertools.product(*map(range, taps)):
        at = tuple(
            slice(t * d, t * d + (o - 1) * s + 1, s)
            for t, d, o, s in zip(tap, dilations, out, strides)
        )
        part = x[(slice(None), *at)]
        for g in range(groups):
            ins = slice(g * f.shape[3], (g + 1) * f.shape[3])
            outs = slice(
                g * f.shape[4] // groups, (g + 1) * f.shape[4] // groups
            )
            y[..., outs] += part[..., ins] @ f[tap][:, outs]
    return y


@pytest.mark.parametrize(
    ("input", "filter", "strides", "padding", "dilations"), CASES
)
def test_conv3d(input, filter, strides, padding, dilations):
    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, input)
    f = random.uniform(-1, 1, filter)
    wanted = convolved(x, f, strides, padding, dilations)
    given = (strides, padding)

    def convolve(x, f):
        return tf.nn.conv3d(x, f, *given, dilations=dilations)

    y = convolve(x, f)
    np.testing.assert_allclose(y, wanted, rtol=1e-9, atol=1e-9)
    traced = tf.function(convolve).get_concrete_function(
        tf.TensorSpec(x.shape, tf.float64), tf.TensorSpec(f.shape, tf.float64)
    )
    assert traced.outputs[0].shape == y.shape
    # It is linear in each argument: <dy, conv(x, f)> by parts.
    dy = random.uniform(-1, 1, y.shape)
    x, f = tf.constant(x), tf.constant(f)
    with tf.GradientTape() as tape:
        tape.watch([x, f])
        total = tf.reduce_sum(convolve(x, f) * dy)
    dx, df = tape.gradient(total, [x, f])
    for i, (value, gradient) in enumerate(((x, dx), (f, df))):
        other = random.uniform(-1, 1, value.shape)
        args = (other, f) if i == 0 else (x, other)
        np.testing.assert_allclose(
            np.sum(other * gradient.numpy()),
            np.sum(dy * convolve(*args).numpy()), rtol=1e-9,
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_conv3d_dtypes(dtype: str):
    x = tf.ones([1, 3, 3, 3, 2], dtype)
    f = tf.ones([2, 2, 2, 2, 1], dtype)
    with tf.GradientTape() as tape:
        tape.watch([x, f])
        y = tf.nn.conv3d(x, f, 1, "VALID")
    assert y.dtype == dtype
    assert np.all(tf.cast(y, tf.float32).numpy() == 16)
    dx, df = tape.gradient(y, [x, f])
    assert tf.cast(dx, tf.float32).numpy().max() == 8
    assert np.all(tf.cast(df, tf.float32).numpy() == 8)


def test_conv3d_second_order():
    x = tf.random.stateless_normal([1, 3, 3, 3, 1], [1, 2], dtype=tf.float64)
    f = tf.random.stateless_normal([2, 2, 2, 1, 2], [1, 3], dtype=tf.float64)
    with tf.GradientTape() as outer:
        outer.watch([x, f])
        with tf.GradientTape() as inner:
            inner.watch([x, f])
            y = tf.reduce_sum(tf.nn.conv3d(x, f, 1, "SAME") ** 2.0)
        dx, df = inner.gradient(y, [x, f])
        total = tf.reduce_sum(dx * dx) + tf.reduce_sum(df * df)
    assert all(g is not None for g in outer.gradient(total, [x, f]))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"filters": tf.ones([2, 2, 2, 3, 1])}, "evenly divisible"),
        ({"filters": tf.ones([9, 2, 2, 2, 1])}, "egative|size"),
        ({"dilations": 0}, "larger than 0|ilation"),
        ({"strides": 0}, "larger than 0|tride"),
    ],
)
def test_conv3d_refuses(options: dict, text: str):
    given = {"filters": tf.ones([2, 2, 2, 2, 1]), "strides": 1} | options
    with pytest.raises(
        (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError,
         ValueError), match=text,
    ):
        tf.nn.conv3d(tf.ones([1, 3, 3, 3, 2]), padding="VALID", **given)


def logsumexp(x, exclusive: bool, reverse: bool):
    x = x[::-1] if reverse else x
    y = [
        np.logaddexp.reduce(x[: i + (not exclusive)]) if i or not exclusive
        else -np.inf
        for i in range(len(x))
    ]
    return np.array(y[::-1] if reverse else y)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_cumulative_logsumexp(exclusive: bool, reverse: bool, dtype: str):
    x = np.array([0.5, -2.0, 300.0, 3.0, 300.5])
    y = tf.math.cumulative_logsumexp(
        tf.constant(x, dtype), exclusive=exclusive, reverse=reverse
    )
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2}.get(dtype, 1e-6)
    np.testing.assert_allclose(
        tf.cast(y, tf.float64), logsumexp(x, exclusive, reverse),
        rtol=tolerance, atol=tolerance,
    )


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp_gradient(exclusive: bool, reverse: bool):
    x = tf.constant([[0.5, -2.0, 1.0], [3.0, 0.0, -1.0]], tf.float64)
    weights = tf.constant([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], tf.float64)

    def total(x):
        y = tf.math.cumulative_logsumexp(
            x, axis=1, exclusive=exclusive, reverse=reverse
        )
        return tf.reduce_sum(
            tf.where(tf.math.is_finite(y), y * weights, tf.zeros_like(y))
        )

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    found = tape.gradient(y, x).numpy()
    for at in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[at] = 1e-6
        wanted = (total(x + step) - total(x - step)) / 2e-6
        np.testing.assert_allclose(found[at], wanted, atol=1e-7)


def test_infinities_of_cumulative_logsumexp():
    inf = float("inf")
    y = tf.math.cumulative_logsumexp([-inf, -inf, 1.0, inf, 2.0])
    assert y.numpy().tolist() == [-inf, -inf, 1.0, inf, inf]
    assert np.isnan(tf.math.cumulative_logsumexp([float("nan"), 1.0])).all()
