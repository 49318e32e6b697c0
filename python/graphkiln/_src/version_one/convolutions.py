"""tf.compat.v1.nn: gradients of convolutions, morphology, pools of the first version
and its ops of quantized images."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops


def _one_of(new: str, value: Any, old: str, old_value: Any) -> Any:
    """What is given under its new or its old name."""
    if value is not None and old_value is not None:
        raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
    return old_value if value is None else value


def _padding(padding: Any) -> dict[str, Any]:
    if not isinstance(padding, (list, tuple)):
        return {"padding": padding}
    flat = [size for pair in padding for size in pair]
    return {"padding": "EXPLICIT", "explicit_paddings": flat}


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006, never changed
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input.

    Args:
      input_sizes: the shape of the input.
      filter: [height, width, input channels, output channels].
      out_backprop: the gradient of the result.
      strides: of the filter, one for each dimension of the input.
      padding: "SAME", "VALID" or pairs of sizes for each dimension.
      use_cudnn_on_gpu: has no effect.
      data_format: "NHWC" or "NCHW".
      dilations: of the filter, one for each dimension of the input.
      name: of the op.
      filters: another name of `filter`.

    >>> tf.compat.v1.nn.conv2d_backprop_input(
    ...     [1, 2, 2, 1], [[[[3.0]]]], tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "SAME"
    ...     ).numpy().ravel().tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    return raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes, filter=_one_of("filters", filters, "filter", filter),
        out_backprop=out_backprop, strides=strides, data_format=data_format,
        use_cudnn_on_gpu=use_cudnn_on_gpu, dilations=dilations, name=name,
        **_padding(padding),
    )


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006, never changed
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its filter.

    Args:
      input: [batch, height, width, channels].
      filter_sizes: the shape of the filter.
      out_backprop: the gradient of the result.
      strides: of the filter, one for each dimension of the input.
      padding: "SAME", "VALID" or pairs of sizes for each dimension.
      use_cudnn_on_gpu: has no effect.
      data_format: "NHWC" or "NCHW".
      dilations: of the filter, one for each dimension of the input.
      name: of the op.

    >>> tf.compat.v1.nn.conv2d_backprop_filter(
    ...     tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], tf.ones([1, 2, 2, 1]),
    ...     [1, 1, 1, 1], "SAME").numpy().item()
    4.0
    """
    return raw_ops.Conv2DBackpropFilter(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop,
        strides=strides, data_format=data_format, use_cudnn_on_gpu=use_cudnn_on_gpu,
        dilations=dilations, name=name, **_padding(padding),
    )


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = [1, 1, 1, 1, 1],  # noqa: B006, never changed
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its filter.

    Args:
      input: [batch, depth, height, width, channels].
      filter_sizes: the shape of the filter.
      out_backprop: the gradient of the result.
      strides: of the filter, one for each dimension of the input.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: of the filter, one for each dimension of the input.
      name: of the op.

    >>> tf.compat.v1.nn.conv3d_backprop_filter(
    ...     tf.ones([1, 2, 2, 2, 1]), [1, 1, 1, 1, 1], tf.ones([1, 2, 2, 2, 1]),
    ...     [1, 1, 1, 1, 1], "SAME").numpy().item()
    8.0
    """
    return raw_ops.Conv3DBackpropFilterV2(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop,
        strides=strides, padding=padding, data_format=data_format,
        dilations=dilations, name=name,
    )


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Each pixel becomes the greatest of those around it, the filter added.

    Args:
      input: [batch, height, width, channels].
      filter: [height, width, channels].
      strides: of the filter, one for each dimension.
      rates: from one pixel to the next, for each dimension.
      padding: "SAME" or "VALID".
      name: of the op.
      filters: another name of `filter`.
      dilations: another name of `rates`.

    >>> tf.compat.v1.nn.dilation2d(
    ...     [[[[1.0], [5.0]]]], [[[0.0], [0.0]]], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ...     ).numpy().item()
    5.0
    """
    return raw_ops.Dilation2D(
        input=input, filter=_one_of("filters", filters, "filter", filter),
        strides=strides, rates=_one_of("dilations", dilations, "rates", rates),
        padding=padding, name=name,
    )


def erosion2d(
    value: Any,
    kernel: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Each pixel becomes the least of those around it, the kernel subtracted.

    Args:
      value: [batch, height, width, channels].
      kernel: [height, width, channels].
      strides: of the kernel, one for each dimension.
      rates: from one pixel to the next, for each dimension.
      padding: "SAME" or "VALID".
      name: of the op.

    >>> tf.compat.v1.nn.erosion2d(
    ...     [[[[1.0], [5.0]]]], [[[0.0], [0.0]]], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ...     ).numpy().item()
    1.0
    """
    with _graphkiln.name_scope(name or "erosion2d") as scope:
        return ops.negative(raw_ops.Dilation2D(
            input=ops.negative(value), filter=ops.reverse(kernel, [0, 1]),
            strides=strides, rates=rates, padding=padding, name=scope,
        ))


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The greatest values of regions whose sizes are drawn, so that the whole
    shrinks by a fraction.

    Args:
      value: [batch, height, width, channels].
      pooling_ratio: by which each dimension shrinks; 1.0 for batch and channels.
      pseudo_random: are sizes drawn one by another?
      overlapping: have regions a row in common?
      deterministic: are the sizes those of the first run?
      seed: of the draws.
      seed2: of the draws.
      name: of the op.

    Returns:
      The result, and where rows and columns begin.

    >>> tf.compat.v1.nn.fractional_max_pool(
    ...     tf.ones([1, 4, 4, 1]), [1.0, 1.5, 1.5, 1.0]).output.shape
    TensorShape([1, 2, 2, 1])
    """
    if _graphkiln._is_op_determinism_enabled() and not (
        seed and seed2 and deterministic
    ):
        raise ValueError(
            'tf.compat.v1.nn.fractional_max_pool requires "seed" and "seed2" to be '
            'non-zero and "deterministic" to be true when op determinism is enabled. '
            f"Got: seed={seed}, seed2={seed2}, deterministic={deterministic}"
        )
    return raw_ops.FractionalMaxPool(
        value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
        name=name,
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The means of regions whose sizes are drawn, so that the whole shrinks by a
    fraction.

    Args:
      value: [batch, height, width, channels].
      pooling_ratio: by which each dimension shrinks; 1.0 for batch and channels.
      pseudo_random: are sizes drawn one by another?
      overlapping: have regions a row in common?
      deterministic: are the sizes those of the first run?
      seed: of the draws.
      seed2: of the draws.
      name: of the op.

    Returns:
      The result, and where rows and columns begin.

    >>> tf.compat.v1.nn.fractional_avg_pool(
    ...     tf.ones([1, 4, 4, 1]), [1.0, 1.5, 1.5, 1.0]).output.shape
    TensorShape([1, 2, 2, 1])
    """
    return raw_ops.FractionalAvgPool(
        value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
        name=name,
    )


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The greatest values of windows and where they are.

    Args:
      input: [batch, height, width, channels].
      ksize: of windows, one for each dimension.
      strides: of windows, one for each dimension.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax: the older name of `output_dtype`.
      name: of the op.
      output_dtype: of the places; int64 unless given.
      include_batch_in_index: do places count over the batch?

    Raises:
      ValueError: for another data format.

    >>> tf.compat.v1.nn.max_pool_with_argmax(
    ...     [[[[1.0], [5.0]]]], [1, 1, 2, 1], [1, 1, 2, 1], "VALID"
    ...     ).argmax.numpy().item()
    1
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    kind = _one_of("output_dtype", output_dtype, "Targmax", Targmax)
    return raw_ops.MaxPoolWithArgmax(
        input=input, ksize=ksize, strides=strides, padding=padding,
        Targmax=_graphkiln.int64 if kind is None else kind,
        include_batch_in_index=include_batch_in_index, name=name,
    )


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """`tf.nn.batch_normalization` by the names that its arguments had.

    Args:
      t: [batch, height, width, channels].
      m: the means of channels.
      v: the variances of channels.
      beta: added to the result.
      gamma: by which it is multiplied, if so.
      variance_epsilon: added to variances.
      scale_after_normalization: is it multiplied by `gamma`?
      name: of the ops.
      input: another name of `t`.
      mean: another name of `m`.
      variance: another name of `v`.

    >>> tf.compat.v1.nn.batch_norm_with_global_normalization(
    ...     [[[[3.0]]]], [1.0], [4.0], [0.5], [9.0], 0.0, False).numpy().item()
    1.5
    """
    return ops.nn.batch_normalization(
        _one_of("input", input, "t", t), _one_of("mean", mean, "m", m),
        _one_of("variance", variance, "v", v), beta,
        gamma if scale_after_normalization else None, variance_epsilon, name,
    )
