"""Ops on quantized numbers: graphs with shapes that are not known, mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from quantized_calls import BAD, CALLS, values

import graphkiln as tf


def results(text: str, given: dict) -> list:
    return [np.asarray(t) for t in tf.nest.flatten(eval(text, given))]


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("how", ["known", "partial", "unknown"])
def test_graphs_agree_with_eager_calls(text: str, how: str):
    given = values(tf)
    if how == "unknown" and "axis=-" in text:
        return
    names = [n for n in given if n != "tf"]
    expected = results(text, given)

    def spec(t):
        shape = t.shape if how == "known" else [None] * t.shape.rank
        return tf.TensorSpec(None if how == "unknown" else shape, t.dtype)

    @tf.function(
        input_signature=[spec(given[n]) for n in names], autograph=False
    )
    def f(*tensors):
        return tf.nest.flatten(
            eval(text, {"tf": tf, **dict(zip(names, tensors, strict=True))})
        )

    outputs = f.get_concrete_function().outputs
    found = f(*(given[n] for n in names))
    assert len(outputs) == len(expected)
    for output, mine, right in zip(outputs, found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), right)
        assert output.shape.is_compatible_with(right.shape)


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("traced", [False, True])
def test_mistakes_are_errors(text: str, traced: bool):
    given = values(tf)
    names = [n for n in given if n != "tf"]

    def f(*tensors):
        return tf.nest.flatten(
            eval(text, {"tf": tf, **dict(zip(names, tensors, strict=True))})
        )

    if traced:
        specs = [tf.TensorSpec(None, given[n].dtype) for n in names]
        f = tf.function(f, input_signature=specs, autograph=False)
    with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
        f(*(given[n] for n in names))


def test_the_greatest_level_of_32_bits_is_kept():
    """TensorFlow's overflows there."""
    found = tf.quantization.quantize([5.0], 0.0, 2.0, tf.qint32).output
    assert tf.bitcast(found, tf.int32).numpy().tolist() == [2**31 - 1]


def test_limits_of_any_number():
    given = values(tf)
    found = tf.raw_ops.QuantizedReluX(
        features=given["a"], max_value=3.0, min_features=-1.0, max_features=9.0
    )
    expected = tf.raw_ops.QuantizedRelu(
        features=given["a"], min_features=-1.0, max_features=9.0
    ).activations
    top = tf.quantization.quantize([3.0], -1.0, 9.0, tf.quint8, "MIN_FIRST").output
    np.testing.assert_array_equal(
        np.asarray(found.activations),
        np.minimum(np.asarray(expected), np.asarray(top)[0]),
    )


def test_sums_broadcast_along_any_dimension():
    """TensorFlow's repeats a column as if it were a row."""
    given = values(tf)
    ranges = {"min_x": -1.0, "max_x": 2.0, "min_y": 0.0, "max_y": 3.0}
    column = given["b"][:, :1]
    wide = tf.concat([column] * 3, 1)
    for op in (tf.raw_ops.QuantizedAdd, tf.raw_ops.QuantizedMul):
        np.testing.assert_array_equal(
            np.asarray(op(x=given["a"], y=column, **ranges).z),
            np.asarray(op(x=given["a"], y=wide, **ranges).z),
        )


def test_channels_are_normalized():
    given = values(tf)
    y, low, high = tf.raw_ops.QuantizedInstanceNorm(
        x=given["pictures"], x_min=-1.0, x_max=2.0
    )
    numbers = tf.quantization.dequantize(y, low, high).numpy()
    np.testing.assert_allclose(numbers.mean((1, 2)), 0, atol=0.02)
    np.testing.assert_allclose(numbers.std((1, 2)), 1, atol=0.02)


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_arrays_of_quantized_numbers_are_integers(name: str):
    dtype = getattr(tf, name)
    given = tf.bitcast(tf.constant([1, 2], name[1:]), dtype)
    assert given.numpy().dtype == name[1:]
    assert given.numpy().tolist() == [1, 2]
    fields = np.array([(1,), (2,)], dtype.as_numpy_dtype)
    for back in (tf.constant(fields), tf.constant(given.numpy(), dtype)):
        assert back.dtype == dtype
        np.testing.assert_array_equal(back.numpy(), [1, 2])
    assert tf.as_dtype(dtype.as_numpy_dtype) == dtype


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_levels_are_made_and_cast_as_integers(name: str):
    dtype, integers = getattr(tf, name), getattr(tf, name[1:])
    x = tf.constant([1.7, 100.0, 0.0])
    levels = tf.cast(x, dtype)
    assert levels.dtype == dtype
    assert levels.numpy().tolist() == tf.cast(x, integers).numpy().tolist()
    assert tf.cast(levels, tf.float32).numpy().tolist() == [1, 100, 0]
    assert tf.cast(levels, integers).numpy().tolist() == [1, 100, 0]
    assert tf.cast(levels, tf.bool).numpy().tolist() == [True, True, False]
    assert tf.cast(tf.zeros([0], dtype), tf.int64).shape == [0]
    assert tf.constant([1, 2], dtype).numpy().tolist() == [1, 2]
    call = tf.function(lambda v: tf.cast(v, tf.float32) * 2)
    assert call(levels).numpy().tolist() == [2, 200, 0]
