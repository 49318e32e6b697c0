"""tf.compat.v1.nn: ops of quantized images, each with the range that its numbers
stand for."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops


def quantized_avg_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    name: str | None = None,
) -> Any:
    """The means of windows.

    Args:
      input: [batch, height, width, channels].
      min_input: that its least number stands for.
      max_input: that its greatest number stands for.
      ksize: of windows, one for each dimension.
      strides: of windows, one for each dimension.
      padding: "SAME" or "VALID".
      name: of the op.

    >>> x, low, high = tf.quantization.quantize([[[[0.0], [1.0]]]], 0., 1., tf.quint8)
    >>> tf.compat.v1.nn.quantized_avg_pool(
    ...     x, low, high, [1, 1, 2, 1], [1, 1, 1, 1], "VALID")[0].shape
    TensorShape([1, 1, 1, 1])
    """
    return raw_ops.QuantizedAvgPool(
        input=input, min_input=min_input, max_input=max_input, ksize=ksize,
        strides=strides, padding=padding, name=name,
    )


def quantized_max_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    name: str | None = None,
) -> Any:
    """The greatest values of windows.

    Args:
      input: [batch, height, width, channels].
      min_input: that its least number stands for.
      max_input: that its greatest number stands for.
      ksize: of windows, one for each dimension.
      strides: of windows, one for each dimension.
      padding: "SAME" or "VALID".
      name: of the op.

    >>> x, low, high = tf.quantization.quantize([[[[0.0], [1.0]]]], 0., 1., tf.quint8)
    >>> tf.compat.v1.nn.quantized_max_pool(
    ...     x, low, high, [1, 1, 2, 1], [1, 1, 1, 1], "VALID")[0].numpy().item()
    255
    """
    return raw_ops.QuantizedMaxPool(
        input=input, min_input=min_input, max_input=max_input, ksize=ksize,
        strides=strides, padding=padding, name=name,
    )


def quantized_relu_x(
    features: Any,
    max_value: Any,
    min_features: Any,
    max_features: Any,
    out_type: Any = _graphkiln.quint8,
    name: str | None = None,
) -> Any:
    """Numbers from 0 to `max_value`.

    Args:
      features: quantized numbers.
      max_value: what is greater becomes this.
      min_features: that the least number stands for.
      max_features: that the greatest number stands for.
      out_type: of the result.
      name: of the op.

    >>> x, low, high = tf.quantization.quantize([-1.0, 1.0], -1., 1., tf.quint8)
    >>> tf.compat.v1.nn.quantized_relu_x(x, 1.0, low, high)[0].numpy().tolist()
    [128, 255]
    """
    return raw_ops.QuantizedReluX(
        features=features, max_value=max_value, min_features=min_features,
        max_features=max_features, out_type=out_type, name=name,
    )


def quantized_conv2d(
    input: Any,
    filter: Any,
    min_input: Any,
    max_input: Any,
    min_filter: Any,
    max_filter: Any,
    strides: Any,
    padding: str,
    out_type: Any = _graphkiln.qint32,
    dilations: Any = [1, 1, 1, 1],  # noqa: B006, never changed
    name: str | None = None,
) -> Any:
    """A convolution.

    Args:
      input: [batch, height, width, channels].
      filter: [height, width, input channels, output channels].
      min_input: that the input's least number stands for.
      max_input: that the input's greatest number stands for.
      min_filter: that the filter's least number stands for.
      max_filter: that the filter's greatest number stands for.
      strides: of the filter, one for each dimension.
      padding: "SAME" or "VALID".
      out_type: of the result.
      dilations: of the filter, one for each dimension.
      name: of the op.

    >>> x, low, high = tf.quantization.quantize([[[[0.0], [1.0]]]], 0., 1., tf.quint8)
    >>> tf.compat.v1.nn.quantized_conv2d(
    ...     x, tf.reshape(x[0, 0, 1], [1, 1, 1, 1]), low, high, low, high,
    ...     [1, 1, 1, 1], "VALID")[0].shape
    TensorShape([1, 1, 2, 1])
    """
    return raw_ops.QuantizedConv2D(
        input=input, filter=filter, min_input=min_input, max_input=max_input,
        min_filter=min_filter, max_filter=max_filter, strides=strides,
        padding=padding, out_type=out_type, dilations=dilations, name=name,
    )
