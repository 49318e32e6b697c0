"""Functions whose arguments had another order or other names in the first
version: the functions of today, called by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from graphkiln._src.types.dispatched import dispatched

# By name: the first version's arguments, in order. "old>new" is called `new`
# today, "-old" is taken and not passed on, "name=text" had that default.
_REDUCED = "input_tensor axis keepdims name reduction_indices>axis keep_dims>keepdims"
_COMPARED = "x y -data summarize message name"
_CHECKED = "x -data summarize message name"
_RANKED = "x rank -data -summarize message name"
_LOGITS = "logits axis name dim>axis"
_POOLED = "value>input ksize strides padding data_format name input"
_CONV = (
    "input filter>filters strides padding -use_cudnn_on_gpu data_format dilations "
    "name filters"
)
_SEGMENTS = "data indices segment_ids name num_segments sparse_gradient"
_SPARSE_REDUCED = "sp_input axis keepdims reduction_axes>axis keep_dims>keepdims"
_LOOKED_UP = "labels logits name"

_ORDERS = {
    **dict.fromkeys(("argmax", "argmin"),
                    "input axis name dimension>axis output_type"),
    **dict.fromkeys(("assert_equal", "assert_greater", "assert_less"), _COMPARED),
    **{
        f"debugging.assert_{n}": _COMPARED
        for n in ("equal", "greater", "greater_equal", "less", "less_equal",
                  "none_equal")
    },
    **{
        f"debugging.assert_{n}": _CHECKED
        for n in ("negative", "non_negative", "non_positive", "positive")
    },
    "assert_rank": _RANKED,
    "debugging.assert_rank": _RANKED,
    "debugging.assert_rank_at_least": _RANKED,
    "debugging.assert_rank_in": "x ranks -data -summarize message name",
    "debugging.assert_near": "x y rtol atol -data summarize message name",
    "debugging.assert_scalar": "tensor name message",
    "debugging.assert_all_finite": "t>x msg>message name x message",
    "boolean_mask": "tensor mask name axis",
    "cond": "pred true_fn false_fn -strict name fn1>true_fn fn2>false_fn",
    "convert_to_tensor": "value dtype name preferred_dtype>dtype_hint dtype_hint",
    "device": "device_name_or_function>device_name",
    "expand_dims": "input axis name dim>axis",
    "gather": "params indices -validate_indices name axis batch_dims",
    "gather_nd": "params indices name batch_dims bad_indices_policy",
    "gradients": (
        "ys xs grad_ys name -colocate_gradients_with_ops gate_gradients "
        "aggregation_method stop_gradients unconnected_gradients"
    ),
    "hessians": (
        "ys xs name -colocate_gradients_with_ops gate_gradients aggregation_method"
    ),
    "image.crop_and_resize": (
        "image boxes box_ind>box_indices crop_size method extrapolation_value name "
        "box_indices"
    ),
    "linalg.norm": "tensor ord axis keepdims name keep_dims>keepdims",
    "norm": "tensor ord axis keepdims name keep_dims>keepdims",
    "math.argmax": "input axis name dimension>axis output_type",
    "math.argmin": "input axis name dimension>axis output_type",
    "math.confusion_matrix": "labels predictions num_classes dtype name weights",
    "math.count_nonzero": (
        "input_tensor>input axis keepdims dtype name reduction_indices>axis "
        "keep_dims>keepdims input"
    ),
    "math.in_top_k": "predictions targets k name",
    "nn.in_top_k": "predictions targets k name",
    "math.log_softmax": _LOGITS,
    "math.softmax": _LOGITS,
    "nn.log_softmax": _LOGITS,
    "nn.softmax": _LOGITS,
    "nn.avg_pool": _POOLED,
    "nn.avg_pool2d": _POOLED,
    "nn.max_pool": _POOLED,
    "nn.conv1d": (
        "value>input filters stride padding -use_cudnn_on_gpu data_format name input "
        "dilations"
    ),
    "nn.conv2d": _CONV,
    "nn.conv3d": (
        "input filter>filters strides padding data_format dilations name filters"
    ),
    "nn.conv2d_transpose": (
        "value>input filter>filters output_shape strides padding data_format name "
        "input filters dilations"
    ),
    "nn.conv3d_transpose": (
        "value>input filter>filters output_shape strides padding data_format name "
        "input filters dilations"
    ),
    "nn.convolution": (
        "input filter>filters padding strides dilation_rate>dilations name "
        "data_format filters dilations"
    ),
    "nn.crelu": "features name axis",
    "nn.depth_to_space": "input block_size name data_format",
    "nn.space_to_depth": "input block_size name data_format",
    "nn.depthwise_conv2d": (
        "input filter strides padding rate>dilations name data_format dilations"
    ),
    "nn.separable_conv2d": (
        "input depthwise_filter pointwise_filter strides padding rate>dilations name "
        "data_format dilations"
    ),
    "nn.pool": (
        "input window_shape pooling_type padding dilation_rate>dilations strides name "
        "data_format dilations"
    ),
    "nn.moments": "x axes shift name keep_dims>keepdims keepdims",
    "nn.weighted_moments": (
        "x axes frequency_weights name keep_dims>keepdims keepdims"
    ),
    "nn.sufficient_statistics": "x axes shift keep_dims>keepdims name keepdims",
    "nn.sigmoid_cross_entropy_with_logits": _LOOKED_UP,
    "nn.sparse_softmax_cross_entropy_with_logits": _LOOKED_UP,
    "nn.weighted_cross_entropy_with_logits": (
        "labels logits pos_weight name targets>labels"
    ),
    "nn.softmax_cross_entropy_with_logits": "labels logits axis name dim>axis",
    "ones_like": "tensor>input dtype name -optimize",
    "zeros_like": "tensor>input dtype name -optimize",
    "pad": "tensor paddings mode name constant_values",
    "random.poisson": "lam shape dtype seed name",
    **dict.fromkeys(
        (f"{space}reduce_{n}" for space in ("", "math.")
         for n in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")),
        _REDUCED,
    ),
    "reverse_sequence": (
        "input seq_lengths seq_axis batch_axis name seq_dim>seq_axis "
        "batch_dim>batch_axis"
    ),
    "shape": "input name out_type",
    "size": "input name out_type",
    "sparse.concat": (
        "axis sp_inputs name expand_nonconcat_dim>expand_nonconcat_dims concat_dim>axis "
        "expand_nonconcat_dims"
    ),
    "sparse.add": "a b threshold thresh>threshold",
    "sparse.reduce_max": _SPARSE_REDUCED,
    "sparse.reduce_sum": _SPARSE_REDUCED,
    "sparse.segment_mean": _SEGMENTS,
    "sparse.segment_sqrt_n": _SEGMENTS,
    "sparse.segment_sum": _SEGMENTS,
    "squeeze": "input axis name squeeze_dims>axis",
    "strings.length": "input name unit",
    "strings.reduce_join": (
        "inputs axis keep_dims>keepdims separator name reduction_indices>axis keepdims"
    ),
    "strings.substr": "input pos len name unit",
    "strings.to_hash_bucket": "string_tensor>input num_buckets name input",
    "strings.to_number": "string_tensor>input out_type name input",
    "test.assert_equal_graph_def": (
        "actual expected -checkpoint_v2 -hash_table_shared_name"
    ),
    "transpose": "a perm name conjugate",
    "tuple": "tensors name control_inputs",
}
# Names that the first version had besides.
_OTHER_NAMES = {
    "arg_max": "math.argmax", "arg_min": "math.argmin",
    "assert_greater_equal": "debugging.assert_greater_equal",
    "assert_less_equal": "debugging.assert_less_equal",
    "assert_near": "debugging.assert_near",
    "assert_negative": "debugging.assert_negative",
    "assert_non_negative": "debugging.assert_non_negative",
    "assert_non_positive": "debugging.assert_non_positive",
    "assert_none_equal": "debugging.assert_none_equal",
    "assert_positive": "debugging.assert_positive",
    "assert_rank_at_least": "debugging.assert_rank_at_least",
    "assert_rank_in": "debugging.assert_rank_in",
    "assert_scalar": "debugging.assert_scalar",
    "confusion_matrix": "math.confusion_matrix",
    "count_nonzero": "math.count_nonzero",
    "depth_to_space": "nn.depth_to_space",
    "space_to_depth": "nn.space_to_depth",
    "manip.gather_nd": "gather_nd",
    "nn.depthwise_conv2d_native": "nn.depthwise_conv2d",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    "random_poisson": "random.poisson",
    "reduce_join": "strings.reduce_join",
    "sparse_add": "sparse.add", "sparse_concat": "sparse.concat",
    "sparse_reduce_max": "sparse.reduce_max",
    "sparse_reduce_sum": "sparse.reduce_sum",
    "sparse_segment_mean": "sparse.segment_mean",
    "sparse_segment_sqrt_n": "sparse.segment_sqrt_n",
    "sparse_segment_sum": "sparse.segment_sum",
    "string_to_hash_bucket": "strings.to_hash_bucket",
    "string_to_number": "strings.to_number",
    "substr": "strings.substr",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
}


def old_order(name: str, found: Callable[[str], object]) -> Callable | None:
    """The function of that name below tf.compat.v1, or None."""
    today = _OTHER_NAMES.get(name, name)
    spec = _ORDERS.get(today)
    if spec is None:
        return None
    target = found(today)
    return None if target is None else _in_old_order(name, target, spec.split())


def _in_old_order(name: str, target: Any, spec: list[str]) -> Callable:
    old = [word.lstrip("-").partition(">")[0] for word in spec]
    new = {
        o: None if word.startswith("-") else word.partition(">")[2] or o
        for o, word in zip(old, spec)
    }

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(old):
            raise TypeError(
                f"{call.__name__}() takes {len(old)} arguments, got {len(args)}"
            )
        given = dict(zip(old, args))
        for key, value in kwargs.items():
            if key in given:
                raise TypeError(
                    f"{call.__name__}() got multiple values for argument '{key}'"
                )
            if key not in new:
                raise TypeError(
                    f"{call.__name__}() got an unexpected keyword argument '{key}'"
                )
            given[key] = value
        passed: dict[str, Any] = {}
        for key, value in given.items():
            today = new[key]
            if today is None or (value is None and key != "default"):
                continue
            if today in passed:
                raise ValueError(f"Cannot specify both '{today}' and '{key}'.")
            passed[today] = value
        return target(**passed)

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = (
        "With the first version's arguments: see the function of that name "
        f"of today.\n\n{inspect.getdoc(target) or ''}"
    )
    call.__signature__ = inspect.Signature([
        inspect.Parameter(
            o, inspect.Parameter.POSITIONAL_OR_KEYWORD,
            **({} if i == 0 and ">" not in spec[0] else {"default": None}),
        )
        for i, o in enumerate(old)
    ])
    return dispatched(call)
