"""Calls of ops on quantized numbers, for the tests here and those that compare
with TensorFlow: texts over `tf` and the values that `values(tf)` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

RANGES = "min_x=-1., max_x=2., min_y=0., max_y=3."
BIAS = "min_input=-1., max_input=2., min_bias=0., max_bias=3., out_type=tf.qint32"
PRODUCT = "min_a=-1., max_a=2., min_b=0., max_b=3."
CONV = "min_input=-1., max_input=2., min_filter=-1., max_filter=1."
POOL = "min_input=-1., max_input=2."
FEATURES = "min_features=-1., max_features=9."
NORM = (
    "t=pictures, t_min=-1., t_max=2., m=two, m_min=0., m_max=1., v=two, v_min=0.,"
    " v_max=2., beta=two, beta_min=-1., beta_max=1., gamma=two, gamma_min=0.,"
    " gamma_max=1., out_type=tf.qint32, variance_epsilon=.01"
)
TO = "requested_output_min=-1., requested_output_max=2."

CALLS = [
    *(
        f"tf.quantization.quantize(x, {low}, {high}, tf.{t}, {mode!r}{more})"
        for t in ("qint8", "quint8", "qint16", "quint16")
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")
        for low, high, more in (
            (-2.0, 2.0, ""), (0.5, 3.0, ""), (0.0, 0.0, ""),
            (-1.0, 0.01, ", ensure_minimum_range=1."),
        )
    ),
    "tf.quantization.quantize(x, -2., 2., tf.qint8, 'SCALED',"
    " round_mode='HALF_TO_EVEN', narrow_range=True)",
    "tf.quantization.quantize(x, [-1., -2., 0.], [1., 2., 4.], tf.qint8,"
    " 'SCALED', axis=1)",
    "tf.quantization.quantize(x, [-1., -2.], [1., 2.], tf.quint8, axis=-2)",
    "tf.quantization.quantize(x[:1], [-1.], [1.], tf.quint8, axis=0)",
    "tf.quantization.quantize(tf.zeros([0, 2]), [], [], tf.quint8, axis=0)",
    "tf.quantization.quantize([1, 2], 0., 2., tf.quint16)",
    *(
        f"tf.quantization.dequantize({v}, -2., 3., {mode!r}{more})"
        for v in ("a", "signed", "wide")
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")
        for more in ("", ", narrow_range=True")
        if (v, mode) != ("wide", "SCALED")  # no kernel there
    ),
    "tf.quantization.dequantize(a, -2., 3., dtype=tf.bfloat16)",
    "tf.quantization.dequantize(a, [-2., -1], [3., 1], axis=0)",
    "tf.quantization.dequantize(a, [-2., -1, 0.], [3., 1, 1.], axis=-1)",
    f"tf.raw_ops.QuantizedAdd(x=a, y=b, {RANGES})",
    f"tf.raw_ops.QuantizedAdd(x=a, y=b[0], {RANGES})",
    f"tf.raw_ops.QuantizedAdd(x=a, y=b[0, 1], {RANGES})",
    f"tf.raw_ops.QuantizedAdd(x=a[1, 0], y=b, {RANGES})",
    f"tf.raw_ops.QuantizedMul(x=a, y=b, {RANGES})",
    f"tf.raw_ops.QuantizedMul(x=a[0], y=b, {RANGES})",
    f"tf.raw_ops.QuantizedMul(x=a, y=b[0, 0], {RANGES})",
    f"tf.raw_ops.QuantizedMul(x=a[:, :0], y=b[:, :0], {RANGES})",
    f"tf.raw_ops.QuantizedBiasAdd(input=a, bias=b[0], {BIAS})",
    f"tf.raw_ops.QuantizedBiasAdd(input=[signed, signed], bias=signed, {BIAS})",
    f"tf.raw_ops.QuantizedMatMul(a=a, b=b, transpose_b=True, {PRODUCT})",
    f"tf.raw_ops.QuantizedMatMul(a=a, b=b, transpose_a=True, {PRODUCT})",
    f"tf.raw_ops.QuantizedRelu(features=a, {FEATURES})",
    f"tf.raw_ops.QuantizedRelu(features=wide, out_type=tf.qint32, {FEATURES})",
    f"tf.raw_ops.QuantizedRelu6(features=a, {FEATURES})",
    f"tf.raw_ops.QuantizedRelu6(features=wide, out_type=tf.qint32, {FEATURES})",
    "tf.raw_ops.QuantizeDownAndShrinkRange(input=wide, input_min=-3.,"
    " input_max=4., out_type=tf.quint8)",
    "tf.raw_ops.QuantizeDownAndShrinkRange(input=wide[1:4], input_min=-3e6,"
    " input_max=4e6, out_type=tf.quint8)",
    "tf.raw_ops.RequantizationRange(input=wide, input_min=-3., input_max=4.)",
    f"tf.raw_ops.Requantize(input=wide, input_min=-3., input_max=4., {TO},"
    " out_type=tf.quint8)",
    f"tf.raw_ops.Requantize(input=wide, input_min=-3., input_max=4., {TO},"
    " out_type=tf.qint8)",
    "tf.raw_ops.QuantizedReshape(tensor=a, shape=[3, -1], input_min=0.,"
    " input_max=1.)",
    "tf.quantization.quantized_concat(1, [a, b], [0., -1.], [1., 5.])",
    "tf.quantization.quantized_concat(0, [wide, wide], [0., -1.], [1., 5.])",
    "tf.quantization.quantized_concat(0, [a[:0], a], [0., 0.], [1., 1.])",
    *(
        f"tf.raw_ops.QuantizedConv2D(input=pictures, filter=window,"
        f" strides=[1, {s}, {s}, 1], padding={p!r}, {CONV})"
        for s in (1, 2, 3) for p in ("SAME", "VALID")
    ),
    "tf.raw_ops.QuantizedConv2D(input=pictures, filter=window, strides=[1, 1, 1, 1],"
    " padding='SAME', min_input=.5, max_input=2., min_filter=-1., max_filter=1.)",
    *(
        f"tf.raw_ops.Quantized{kind}Pool(input={x}, ksize=[1, {k}, {k}, 1],"
        f" strides=[1, 2, 2, 1], padding={p!r}, {POOL})"
        for kind in ("Max", "Avg") for x in ("pictures", "signed_pictures")
        for k in (2, 3) for p in ("SAME", "VALID")
    ),
    *(
        f"tf.raw_ops.QuantizedResizeBilinear(images={x}, size=[{h}, {w}], min=-1.,"
        f" max=2., {how})"
        for x in ("pictures", "wide_pictures", "floats")
        for h, w in ((3, 7), (4, 5), (1, 1), (9, 2))
        for how in ("", "align_corners=True", "half_pixel_centers=True")
    ),
    "tf.raw_ops.QuantizedInstanceNorm(x=pictures, x_min=-1., x_max=2.,"
    " output_range_given=True, given_y_min=-2., given_y_max=2.)",
    f"tf.raw_ops.QuantizedBatchNormWithGlobalNormalization({NORM},"
    " scale_after_normalization=True)",
    f"tf.raw_ops.QuantizedBatchNormWithGlobalNormalization({NORM},"
    " scale_after_normalization=False)",
]
BAD = [
    "tf.quantization.quantize(x, [-1., -2.], [1., 2.], tf.qint8, 'MIN_FIRST',"
    " axis=0)",
    "tf.quantization.quantize(x, [-1., -2.], [1., 2.], tf.qint8, axis=1)",
    "tf.quantization.quantize(x, [-1., -2.], [1., 2.], tf.qint8, axis=2)",
    "tf.quantization.quantize(x, [-1., -2.], [1., 2.], tf.qint8)",
    "tf.quantization.quantize(x, 1., -1., tf.qint8)",
    "tf.quantization.quantize(x, [], [], tf.qint8)",
    "tf.quantization.quantize(x, -1., 1., tf.int8)",
    "tf.quantization.quantize(x, -1., 1., tf.qint8, 'FOO')",
    "tf.quantization.quantize(x, -1., 1., tf.qint8, round_mode='HALF_TO_EVEN')",
    "tf.quantization.quantize(tf.constant(1.), 0., 2., tf.qint8, axis=0)",
    "tf.quantization.quantize(tf.constant(1., tf.float64), 1., 2., tf.quint8)",
    "tf.quantization.dequantize(a, -2., 3., 'MIN_FIRST', dtype=tf.bfloat16)",
    "tf.quantization.dequantize(a, -2., 3., dtype=tf.float16)",
    "tf.quantization.dequantize(a, [-2., -1], [3., 1], 'MIN_FIRST', axis=0)",
    "tf.quantization.dequantize(a, [-2., -1], [3., 1])",
    "tf.quantization.dequantize(a, [-2., -1], [3., 1], axis=2)",
    "tf.quantization.dequantize([1], -2., 3.)",
    f"tf.raw_ops.QuantizedAdd(x=a[0], y=b[0, :2], {RANGES})",
    "tf.raw_ops.QuantizedAdd(x=a, y=b, min_x=3., max_x=2., min_y=0., max_y=3.)",
    "tf.raw_ops.QuantizedAdd(x=a, y=b, min_x=[1., 2.], max_x=2., min_y=0.,"
    " max_y=3.)",
    f"tf.raw_ops.QuantizedAdd(x=signed, y=signed, {RANGES})",
    "tf.raw_ops.QuantizedMul(x=a, y=b, min_x=3., max_x=2., min_y=0., max_y=3.)",
    f"tf.raw_ops.QuantizedBiasAdd(input=a[0], bias=b[0], {BIAS})",
    f"tf.raw_ops.QuantizedBiasAdd(input=a, bias=b, {BIAS})",
    f"tf.raw_ops.QuantizedBiasAdd(input=a, bias=b[0, :2], {BIAS})",
    f"tf.raw_ops.QuantizedMatMul(a=a, b=b, {PRODUCT})",
    f"tf.raw_ops.QuantizedMatMul(a=a[0], b=b, {PRODUCT})",
    "tf.raw_ops.QuantizedRelu(features=a, min_features=[-1., 2.], max_features=9.)",
    f"tf.raw_ops.QuantizedRelu(features=signed, out_type=tf.qint8, {FEATURES})",
    "tf.raw_ops.Requantize(input=wide, input_min=-3., input_max=4.,"
    " requested_output_min=1., requested_output_max=2., out_type=tf.qint8)",
    "tf.raw_ops.Requantize(input=wide, input_min=-3., input_max=4.,"
    " requested_output_min=-2., requested_output_max=-3., out_type=tf.qint8)",
    "tf.raw_ops.QuantizedReshape(tensor=a, shape=[4], input_min=0., input_max=1.)",
    "tf.quantization.quantized_concat(-1, [a, b], [0., -1.], [1., 5.])",
    "tf.quantization.quantized_concat(2, [a, b], [0., -1.], [1., 5.])",
    "tf.quantization.quantized_concat(0, [a, b[:, :2]], [0., -1.], [1., 5.])",
    "tf.quantization.quantized_concat(0, [a], [0.], [1.])",
    "tf.quantization.quantized_concat(0, [a, b], [0.], [1., 2.])",
    "tf.quantization.quantized_concat([0], [a, b], [0., 0.], [1., 2.])",
    "tf.quantization.quantized_concat(0, [a[0, 0], a[0, 0]], [0., 0.], [1., 2.])",
    "tf.raw_ops.QuantizedConv2D(input=pictures, filter=window, strides=[1, 1, 2, 1],"
    f" padding='SAME', {CONV})",
    "tf.raw_ops.QuantizedConv2D(input=pictures, filter=window, strides=[2, 1, 1, 1],"
    f" padding='SAME', {CONV})",
    "tf.raw_ops.QuantizedConv2D(input=pictures, filter=window[:, :, :1],"
    f" strides=[1, 1, 1, 1], padding='SAME', {CONV})",
    "tf.raw_ops.QuantizedConv2D(input=pictures[0], filter=window,"
    f" strides=[1, 1, 1, 1], padding='SAME', {CONV})",
    "tf.raw_ops.QuantizedMaxPool(input=pictures, ksize=[2, 1, 1, 1],"
    f" strides=[1, 2, 2, 1], padding='SAME', {POOL})",
    "tf.raw_ops.QuantizedAvgPool(input=pictures[0], ksize=[1, 2, 2, 1],"
    f" strides=[1, 2, 2, 1], padding='SAME', {POOL})",
    "tf.raw_ops.QuantizedInstanceNorm(x=pictures, x_min=3., x_max=2.)",
    "tf.raw_ops.QuantizedInstanceNorm(x=pictures, x_min=-1., x_max=2.,"
    " output_range_given=True, given_y_min=2., given_y_max=2.)",
    "tf.raw_ops.QuantizedResizeBilinear(images=pictures, size=[0, 2], min=0.,"
    " max=1.)",
    "tf.raw_ops.QuantizedResizeBilinear(images=pictures, size=[3], min=0., max=1.)",
    "tf.raw_ops.QuantizedResizeBilinear(images=pictures[0], size=[3, 3], min=0.,"
    " max=1.)",
    "tf.raw_ops.QuantizedBatchNormWithGlobalNormalization("
    f"{NORM.replace('m=two', 'm=pictures', 1)}, scale_after_normalization=True)",
]


def values(tf: Any) -> dict[str, Any]:
    """What the calls' names stand for."""

    def of(array: Any, dtype: str) -> Any:
        return tf.bitcast(tf.constant(array, dtype), getattr(tf, "q" + dtype))

    rng = np.random.default_rng(3)
    pictures = rng.integers(0, 256, [2, 4, 5, 2])
    return {
        "tf": tf,
        "x": tf.constant([[-3.0, -1.03, 0.0], [0.5, 2.0, 1.26]]),
        "a": of([[1, 2, 200], [3, 128, 255]], "uint8"),
        "b": of([[9, 250, 0], [3, 7, 8]], "uint8"),
        "signed": of([-128, -3, 0, 1, 127], "int8"),
        "wide": of([-(2**31), -5, 0, 7, 2**31 - 1, 2**20, -(2**28)], "int32"),
        "two": of([100, 50], "uint8"),
        "pictures": of(pictures, "uint8"),
        "signed_pictures": of(pictures - 128, "int8"),
        "wide_pictures": of(pictures * 2**23 - 2**30, "int32"),
        "floats": tf.constant(pictures, tf.float32),
        "window": of(rng.integers(0, 256, [2, 3, 2, 3]), "uint8"),
    }
