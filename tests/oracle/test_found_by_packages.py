"""What tests of packages found (tests/packages), against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow

import graphkiln


def _sparse(tf):
    return tf.SparseTensor([[0, 0], [1, 1]], [0.5, -1.0], [2, 2])


def _scaled(tf, x):
    @tf.custom_gradient
    def scaled(x):
        return x, lambda dy: 3.0 * dy

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return y, tape.gradient(y, x)


COLUMN = [[1.0], [2.0]]
CALLS = {
    "tensor by sparse": lambda tf: (tf.constant(COLUMN) * _sparse(tf)).values,
    "variable by sparse": lambda tf: (tf.Variable(COLUMN) * _sparse(tf)).values,
    "sparse by tensor": lambda tf: (_sparse(tf) * tf.constant(COLUMN)).values,
    "number by sparse": lambda tf: 2.0 * _sparse(tf),
    "tensor less sparse": lambda tf: tf.constant(COLUMN) - _sparse(tf),
    "own gradient of a variable": lambda tf: _scaled(tf, tf.Variable([1.0])),
    "own gradient of a tensor": lambda tf: _scaled(tf, tf.constant([1.0])),
    "setdiff1d": lambda tf: tuple(tf.compat.v1.setdiff1d([3, 1, 2], [1])),
    **{
        f"sequence_mask of {dtype}, {most!r}": (
            lambda tf, dtype=dtype, most=most: tf.sequence_mask(
                tf.constant([2, 0, 3], dtype), most
            )
        )
        for dtype in ("uint8", "int8", "int16", "int32", "int64")
        for most in (5, np.int64(4), 300)
    },
    # TensorFlow has no maximum of smaller integers.
    "sequence_mask of int64": lambda tf: tf.sequence_mask([2, 0, 3]),
}


def _outcome(tf, call):
    try:
        result = call(tf)
    except Exception as error:
        return type(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    return [(p.dtype.name, p.shape.as_list(), p.numpy().tolist()) for p in parts]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("traced", [False, True])
def test_as_tensorflow(name, traced):
    found = []
    for tf in (tensorflow, graphkiln):
        call = CALLS[name]
        if traced and "variable" not in name:
            call = lambda tf, call=call: tf.function(lambda: call(tf))()  # noqa: E731
        found.append(_outcome(tf, call))
    assert found[1] == found[0]
