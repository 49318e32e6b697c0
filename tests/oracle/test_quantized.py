"""Ops on quantized numbers on both modules: the same levels, ranges that agree,
the same static shapes and classes of errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from quantized_calls import BAD, CALLS, values  # noqa: E402

# TensorFlow's kernels of a library of Intel's round such a number otherwise than
# its documentation says.
ROUNDED = "tf.quint8, 'MIN_FIRST'"
# It gives a scalar here, and says that it is a vector.
ONE_SLICE = "tf.quantization.quantize(x[:1], [-1.], [1.], tf.quint8, axis=0)"
NORM = "tf.raw_ops.QuantizedInstanceNorm(x=pictures, x_min=-1., x_max=2.)"


def run(tf: Any, text: str) -> list[Any]:
    return tf.nest.flatten(eval(text, values(tf)))


@pytest.mark.parametrize("text", [*CALLS, NORM])
def test_values(both, text: str):
    ours, theirs = (run(tf, text) for tf in (both.ours, both.theirs))
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.dtype.name == expected.dtype.name
        if text != ONE_SLICE:
            assert mine.shape.as_list() == expected.shape.as_list()
        a, b = np.asarray(mine), np.asarray(expected)
        if text == ONE_SLICE:
            np.testing.assert_array_equal(a.ravel(), b.ravel())
        elif mine.dtype.is_floating:
            np.testing.assert_allclose(
                a.astype(np.float32), b.astype(np.float32), rtol=2e-6, atol=1e-6
            )
        # Of a range that is made of sums, or as above.
        elif text == NORM or ROUNDED in text:
            np.testing.assert_allclose(a.astype(int), b.astype(int), atol=1)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("text", BAD)
def test_mistakes_have_the_same_class(both, text: str):
    with pytest.raises(Exception) as theirs:
        run(both.theirs, text)
    with pytest.raises(Exception) as ours:
        run(both.ours, text)
    kinds = [e.type.__name__ for e in (ours, theirs)]
    assert kinds[0] == kinds[1], (ours.value, theirs.value)


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("known", [False, True])
def test_static_shapes(both, text: str, known: bool):
    found = []
    for tf in (both.ours, both.theirs):
        given = values(tf)
        names = [n for n in given if n != "tf"]

        def f(*tensors, tf=tf, names=names):
            return tf.nest.flatten(
                eval(text, {"tf": tf, **dict(zip(names, tensors, strict=True))})
            )

        specs = [
            tf.TensorSpec(
                given[n].shape if known else [None] * given[n].shape.rank,
                given[n].dtype,
            )
            for n in names
        ]
        made = tf.function(f, input_signature=specs, autograph=False)
        outputs = made.get_concrete_function().outputs
        found.append([o.shape.as_list() for o in outputs])
    assert found[0] == found[1]
