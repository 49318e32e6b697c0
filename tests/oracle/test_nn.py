"""Functions of tf.nn: the same call on both modules, eagerly and traced with
unknown sizes; values, dtypes, static shapes, gradients, classes of errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

# Variables of the expressions: their letter and shape, "x[2,8,8,3]".
CONVOLUTIONS = """
tf.nn.convolution(x[2,8,8,3], y[2,3,3,4])
tf.nn.convolution(x[2,9,9,3], y[2,2,3,4], strides=2, padding='SAME')
tf.nn.convolution(x[2,9,9,3], y[2,2,3,4], strides=[2, 3])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], padding='SAME', dilations=[2, 3])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], dilations=[1, 2, 2, 1])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], padding=[[0,0],[1,2],[3,0],[0,0]], dilations=2)
tf.nn.convolution(x[2,9,3], y[3,3,4], strides=2)
tf.nn.convolution(x[2,9,3], y[3,3,4], padding='SAME', dilations=[2])
tf.nn.convolution(x[2,5,6,7,3], y[3,2,1,3,4], padding='SAME', strides=2, data_format='NDHWC')
tf.nn.convolution(x[2,5,6,7,3], y[2,2,2,3,4], dilations=2)
tf.nn.convolution(x[2,3,8,8,3], y[2,2,3,4])
tf.nn.convolution(x[2,3,8,3], y[2,3,4], padding='SAME')
tf.nn.conv1d(x[2,3,8,3], y[2,3,4], 2, 'SAME')
tf.nn.conv2d(x[2,3,4,8,8,3], y[2,2,3,4], 2, 'SAME')
tf.nn.conv3d(x[2,3,4,5,6,3], y[2,2,2,3,4], [1,1,1,1,1], 'VALID')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 2, 'VALID')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 3, 'SAME')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 1, 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,8,8,4], y[2,3,3,4], [2, 8, 8, 3], 2, 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,6,4,4], y[2,3,3,4], [2, 8, 8, 3], 2, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 7, 7, 3], 1, 'VALID')
tf.nn.conv1d_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2)
tf.nn.conv1d_transpose(x[2,4,4], y[3,3,4], [2, 6, 3], [1], 'VALID')
tf.nn.conv3d_transpose(x[2,2,2,3,4], y[2,2,2,3,4], [2, 4, 4, 6, 3], 2)
tf.nn.conv_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2)
tf.nn.conv_transpose(x[2,4,4,4], y[2,2,3,4], [2, 8, 8, 3], [2, 2])
tf.nn.conv_transpose(x[2,4,4,4], y[2,2,3,4], tf.constant([2, 8, 8, 3]), 2)
tf.nn.conv_transpose(x[2,2,2,3,4], y[2,2,2,3,4], [2, 4, 4, 6, 3], 2)
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,1,1,1], 'SAME')
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,2,2,1], 'VALID')
tf.nn.separable_conv2d(x[2,8,8,3], y[2,3,3,2], z[1,1,6,5], [1,1,1,1], 'SAME', dilations=[2,2])
tf.nn.separable_conv2d(x[2,8,8,3], y[2,3,3,2], z[1,1,6,5], [1,1,1,1], [[0,0],[1,0],[2,1],[0,0]])
tf.nn.depthwise_conv2d(x[2,8,8,3], y[2,2,3,2], [1,1,1,1], [[0,0],[1,1],[1,1],[0,0]], dilations=[2,2])
tf.nn.depthwise_conv2d_backprop_input([2,8,8,3], y[2,2,3,2], x[2,7,7,6], [1,1,1,1], 'VALID')
tf.nn.depthwise_conv2d_backprop_filter(x[2,8,8,3], [2,2,3,2], y[2,4,4,6], [1,2,2,1], 'SAME')
tf.nn.pool(x[2,8,8,3], [2, 3], 'MAX')
tf.nn.pool(x[2,8,8,3], [2, 3], 'AVG', strides=[2, 2], padding='SAME')
tf.nn.pool(x[2,8,8,3], [2, 3], 'MAX', dilations=[3, 2])
tf.nn.pool(x[2,8,8,3], [2, 3], 'AVG', dilations=[3, 2])
tf.nn.pool(x[2,8,3], [3], 'AVG', padding='SAME', strides=[2])
tf.nn.pool(x[2,8,3], [3], 'MAX', dilations=[2])
tf.nn.pool(x[2,4,5,6,3], [2,2,2], 'MAX', strides=[1,2,1])
tf.nn.pool(x[2,4,5,6,3], [2,2,2], 'AVG', dilations=[1,2,2])
tf.nn.max_pool_with_argmax(x[2,8,8,3], 2, 2, 'SAME')
tf.nn.max_pool_with_argmax(x[2,8,8,3], [2, 3], 1, 'VALID', include_batch_in_index=True)
tf.required_space_to_batch_paddings([5, 7], [2, 3])
tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 1], [0, 2]])
tf.required_space_to_batch_paddings(tf.shape(x[5,7]), [2, 3])
"""
# Values alone: TensorFlow has no gradient here, or no sizes that are unknown.
ONLY_VALUES = """
tf.nn.max_pool_with_argmax(x[2,8,8,3], [2, 3], 1, 'VALID', output_dtype=tf.int32)
tf.nn.depthwise_conv2d(x[2,8,8,3], y[2,2,3,2], [1,2,2,1], 'SAME', dilations=[2,2])
tf.nn.depthwise_conv2d(x[2,9,8,3], y[3,2,3,2], [1,2,2,1], 'VALID', dilations=[2,3])
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,2,2,1], 'SAME', dilations=[2,2])
"""
ERRORS = """
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], padding=[[0,0],[1,1],[1,1],[0,0]])
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], strides=2, dilations=2)
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], strides=[1,2,3])
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], dilations=0)
tf.nn.convolution(x[2,8,8,3], y[3,4])
tf.nn.convolution(x[2,8,8,3], y[2,2,5,4])
tf.nn.pool(x[2,8,8,3], [2, 2], 'MAX', padding='SAME', dilations=[2, 3])
tf.nn.pool(x[2,8,8,3], [2, 2], 'AVG', strides=[3, 3])
tf.nn.pool(x[2,8,8,3], [2, 2], 'SUM')
tf.nn.pool(x[2,8,8,3], [2], 'MAX')
tf.nn.pool(x[2,8,8,3], [2, 2], 'MAX', strides=[1])
tf.nn.pool(x[2,8,8,3], [], 'MAX')
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[2,1,6,5], [1,1,1,1], 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 9, 9, 3], 2, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 8, 8, 3], 0, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 8, 8, 3], 2, 'FULL')
tf.nn.atrous_conv2d_transpose(x[2,6,6,5], y[2,2,3,4], [2, 8, 8, 3], 2, 'VALID')
tf.nn.conv_transpose(x[2,4,4], y[2,3,4], [2, 4], 2)
tf.nn.conv1d_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2, data_format='XX')
tf.nn.max_pool_with_argmax(x[2,8,8,3], 2, 2, 'SAME', data_format='NCHW')
"""


class Call:
    """An expression over named arrays, as a function of tensors."""

    def __init__(self, text: str):
        self.arrays: dict[str, np.ndarray] = {}

        def variable(found: re.Match[str]) -> str:
            name, dims = found.groups()
            shape = [int(d) for d in dims.split(",") if d]
            rng = np.random.default_rng(len(self.arrays) + 7)
            low = -1.0 if name in "xyz" else 0.1
            self.arrays[name] = rng.uniform(low, 1, shape).astype(np.float32)
            return name

        code = re.sub(r"\b([xyzuvw])\[([\d,]*)\]", variable, text)
        self.code = compile(code, text, "eval")

    def run(self, tf: Any, *tensors: Any) -> list[Any]:
        names = {"tf": tf, "np": np, **dict(zip(self.arrays, tensors, strict=True))}
        out = tf.nest.flatten(eval(self.code, names), expand_composites=True)
        return [tf.convert_to_tensor(t) for t in out if t is not None]

    def tensors(self, tf: Any) -> list[Any]:
        return [tf.constant(a) for a in self.arrays.values()]


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line[0] != "#"]


def same(ours: Any, theirs: Any, rtol: float = 2e-5) -> None:
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.dtype.name == expected.dtype.name
        mine, expected = np.asarray(mine), np.asarray(expected)
        assert mine.shape == expected.shape
        if expected.dtype.kind in "biuOS":
            np.testing.assert_array_equal(mine, expected)
            continue
        np.testing.assert_allclose(
            mine.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=rtol
        )


VALUES = [*lines(CONVOLUTIONS)]


@pytest.mark.parametrize("text", [*VALUES, *lines(ONLY_VALUES)])
def test_values(both: Any, text: str) -> None:
    call = Call(text)
    same(*(call.run(tf, *call.tensors(tf)) for tf in (both.ours, both.theirs)))


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("known", [False, True])
def test_traced(both: Any, text: str, known: bool) -> None:
    call = Call(text)

    def trace(tf: Any) -> tuple[list[Any], list[Any]]:
        shapes: list[Any] = []
        specs = [
            tf.TensorSpec(a.shape if known else [None] * a.ndim, a.dtype)
            for a in call.arrays.values()
        ]

        @tf.function(input_signature=specs, autograph=False)
        def traced(*tensors: Any) -> Any:
            out = call.run(tf, *tensors)
            shapes.extend(t.shape.as_list() if t.shape.rank is not None else None for t in out)
            return out

        return shapes, traced(*call.tensors(tf))

    try:
        their_shapes, theirs = trace(both.theirs)
    except ValueError:
        # TensorFlow needs sizes where ours do without.
        assert not known and ("SAME" in text or "[[" in text)
        trace(both.ours)
        return
    our_shapes, ours = trace(both.ours)
    same(ours, theirs)
    for mine, expected in zip(our_shapes, their_shapes, strict=True):
        if expected is None:
            continue
        assert mine is not None
        for m, e in zip(mine, expected, strict=True):
            assert e is None or m == e, (our_shapes, their_shapes)


@pytest.mark.parametrize("text", [t for t in VALUES if Call(t).arrays])
def test_gradients(both: Any, text: str) -> None:
    call = Call(text)

    def gradients(tf: Any) -> list[Any]:
        tensors = call.tensors(tf)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            out = [t for t in call.run(tf, *tensors) if t.dtype.is_floating]
            total = tf.add_n([tf.reduce_sum(tf.sin(t)) for t in out] or [tf.constant(0.0)])
        return [
            tf.convert_to_tensor(g) if g is not None else tf.constant(-1.0)
            for g in tape.gradient(total, tensors)
        ]

    same(gradients(both.ours), gradients(both.theirs), 1e-4)


@pytest.mark.parametrize("text", lines(ERRORS))
def test_errors(both: Any, text: str) -> None:
    call = Call(text)
    both.agree_on_error(lambda tf: call.run(tf, *call.tensors(tf)))
