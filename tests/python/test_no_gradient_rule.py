"""Ops of floats without a rule of differentiation say so."""

import pytest

import graphkiln as tf

X = [1.0, 2.0, 2.0]
RULELESS = {
    "Bitcast": lambda x: tf.bitcast(x, tf.float32),
    "GuaranteeConst": lambda x: tf.raw_ops.GuaranteeConst(input=x),
    "Unique": lambda x: tf.unique(x)[0],
    "UniqueWithCounts": lambda x: tf.unique_with_counts(x)[0],
    "UniqueV2": lambda x: tf.raw_ops.UniqueV2(x=x, axis=[0])[0],
    "ListDiff": lambda x: tf.raw_ops.ListDiff(x=x, y=[1.0])[0],
    "Bincount": lambda x: tf.raw_ops.Bincount(
        arr=[0, 1, 1], size=3, weights=x
    ),
    "DenseBincount": lambda x: tf.raw_ops.DenseBincount(
        input=[0, 1, 1], size=3, weights=x
    ),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("op", RULELESS)
def test_lookup_error(op, traced):
    function = RULELESS[op]
    x = tf.constant(X)
    with pytest.raises(
        LookupError, match=f"gradient registry has no entry for: {op}$"
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = (tf.function(function) if traced else function)(x)
        tape.gradient(y, x)


def test_integers_carry_no_gradient():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.bitcast(tf.bitcast(x, tf.int32), tf.float32)
    assert tape.gradient(y, x) is None
