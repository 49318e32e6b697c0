"""Bad calls of public functions: the call and the arrays it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Call = tuple[str, Callable[..., Any], tuple[Any, ...]]


def f(*shape: int) -> np.ndarray:
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def n(value: int) -> np.ndarray:
    return np.array(value, np.int32)


S = np.array([b"a", b"b"], object)
B = np.array([True, False])
# Not a number of elements that any machine holds.
HUGE = i(2**30, 2**30, 2**30)


def nothing(_: Any) -> None:
    """A check gives an operation, which no function may return."""


def binary(name: str) -> list[Call]:
    def call(tf: Any, x: Any, y: Any) -> Any:
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        return function(x, y)

    return [
        (f"{name} {how}", call, inputs)
        for how, inputs in {
            "shapes": (f(2), f(3)),
            "ranks": (f(2, 3), f(2, 1, 2)),
            "dtypes": (f(2), i(1, 2)),
            "strings": (f(2), S),
            "bools": (B, B),
            "empty": (f(0), f(2)),
        }.items()
    ]


# Functions whose axis is a Python number.
PLAIN_AXIS = ("nn.softmax", "nn.log_softmax", "sort", "argsort")


def on_axis(name: str) -> list[Call]:
    def call(tf: Any, x: Any, axis: Any) -> Any:
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        return function(x, axis)

    def with_plain(axis: Any) -> Callable[..., Any]:
        return lambda tf, x: call(tf, x, axis.tolist())

    calls = []
    for how, (x, axis) in {
        "axis too large": (f(2, 3), n(2)),
        "axis too small": (f(2, 3), n(-3)),
        "of a scalar": (f(), n(0)),
        "axis a float": (f(2, 3), np.array(1.5, np.float32)),
        "axis twice": (f(2, 3), i(1, 1)),
        "axis a matrix": (f(2, 3), i([0, 1])),
        "strings": (S, n(0)),
        "bools": (B, n(0)),
        "no axes": (f(2, 3), np.zeros(0, np.int32)),
    }.items():
        if name in PLAIN_AXIS:
            calls.append((f"{name} {how}", with_plain(axis), (x,)))
        else:
            calls.append((f"{name} {how}", call, (x, axis)))
    return calls


CALLS: list[Call] = [
    *(
        call
        for name in (
            "add", "subtract", "multiply", "divide", "math.floordiv",
            "math.floormod", "pow", "maximum", "minimum", "equal", "less",
            "math.atan2", "math.squared_difference", "math.xlogy",
            "logical_and", "bitwise.bitwise_and", "math.divide_no_nan",
        )
        for call in binary(name)
    ),
    *(
        call
        for name in (
            "reduce_sum", "reduce_mean", "reduce_max", "reduce_prod",
            "reduce_any", "math.reduce_logsumexp", "math.reduce_variance",
            "argmax", "cumsum", "nn.softmax", "nn.log_softmax", "reverse",
            "expand_dims", "sort", "argsort", "math.count_nonzero",
        )
        for call in on_axis(name)
    ),
    # Division by zero and what cannot be computed.
    ("floordiv zero", lambda tf, x, y: x // y, (i(1, 2), i(1, 0))),
    ("floormod zero", lambda tf, x, y: x % y, (i(1, 2), i(1, 0))),
    ("pow negative", lambda tf, x, y: x**y, (i(2, 2), i(1, -1))),
    ("truncatediv zero", lambda tf, x, y: tf.truncatediv(x, y), (i(1), i(0))),
    ("truncatemod zero", lambda tf, x, y: tf.truncatemod(x, y), (i(1), i(0))),
    # matmul
    ("matmul sizes", lambda tf, a, b: tf.matmul(a, b), (f(2, 3), f(2, 3))),
    ("matmul vector", lambda tf, a, b: tf.matmul(a, b), (f(2, 3), f(3))),
    ("matmul scalar", lambda tf, a, b: tf.matmul(a, b), (f(), f(3, 3))),
    ("matmul batches", lambda tf, a, b: tf.matmul(a, b), (f(2, 3, 4), f(3, 4, 2))),
    ("matmul batch sizes", lambda tf, a, b: tf.matmul(a, b), (f(2, 3, 4), f(2, 3, 4))),
    ("matmul dtypes", lambda tf, a, b: tf.matmul(a, b), (f(2, 2), i([1, 2], [3, 4]))),
    ("matmul strings", lambda tf, a: tf.matmul(a, a), (S.reshape(1, 2),)),
    ("matmul bools", lambda tf, a: tf.matmul(a, a), (np.eye(2) > 0,)),
    (
        "matmul transpose and adjoint",
        lambda tf, a: tf.matmul(a, a, transpose_a=True, adjoint_a=True),
        (f(2, 2),),
    ),
    ("matvec sizes", lambda tf, a, b: tf.linalg.matvec(a, b), (f(2, 3), f(2))),
    ("tensordot sizes", lambda tf, a, b: tf.tensordot(a, b, 1), (f(2, 3), f(2, 3))),
    ("tensordot axes", lambda tf, a, b: tf.tensordot(a, b, 3), (f(2, 3), f(3, 2))),
    ("einsum sizes", lambda tf, a, b: tf.einsum("ij,jk->ik", a, b), (f(2, 3), f(2, 3))),
    ("einsum rank", lambda tf, a: tf.einsum("ijk->ik", a), (f(2, 3),)),
    ("einsum output", lambda tf, a: tf.einsum("ij->ijz", a), (f(2, 3),)),
    # shapes
    ("reshape size", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), i(4, 2))),
    ("reshape two -1", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), i(-1, -1))),
    ("reshape negative", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), i(-2, 3))),
    ("reshape indivisible", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), i(-1, 4))),
    ("reshape zero and -1", lambda tf, x, s: tf.reshape(x, s), (f(0, 3), i(-1, 0))),
    ("reshape huge", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), HUGE)),
    ("reshape float", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), f(2))),
    ("reshape matrix", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), i([2], [3]))),
    ("reshape scalar", lambda tf, x, s: tf.reshape(x, s), (f(2, 3), n(6))),
    ("squeeze not 1", lambda tf, x: tf.squeeze(x, [1]), (f(2, 3),)),
    ("squeeze axis", lambda tf, x: tf.squeeze(x, [5]), (f(1, 3),)),
    ("broadcast_to", lambda tf, x, s: tf.broadcast_to(x, s), (f(2, 3), i(3, 2))),
    ("broadcast_to smaller", lambda tf, x, s: tf.broadcast_to(x, s), (f(2, 3), i(3))),
    (
        "broadcast_to negative",
        lambda tf, x, s: tf.broadcast_to(x, s),
        (f(1, 3), i(-2, 3)),
    ),
    ("fill negative", lambda tf, s, v: tf.fill(s, v), (i(2, -1), f())),
    ("fill vector", lambda tf, s, v: tf.fill(s, v), (i(2), f(2))),
    ("fill huge", lambda tf, s, v: tf.fill(s, v), (HUGE, f())),
    ("zeros negative", lambda tf, s: tf.zeros(s), (i(-2),)),
    ("transpose size", lambda tf, x, p: tf.transpose(x, p), (f(2, 3), i(0))),
    ("transpose twice", lambda tf, x, p: tf.transpose(x, p), (f(2, 3), i(0, 0))),
    ("transpose range", lambda tf, x, p: tf.transpose(x, p), (f(2, 3), i(0, 2))),
    ("transpose negative", lambda tf, x, p: tf.transpose(x, p), (f(2, 3), i(0, -3))),
    ("ensure_shape", lambda tf, x: tf.ensure_shape(x, [2, 2]), (f(2, 3),)),
    ("ensure_shape rank", lambda tf, x: tf.ensure_shape(x, [6]), (f(2, 3),)),
    # joining and splitting
    ("concat ranks", lambda tf, a, b: tf.concat([a, b], 0), (f(2, 3), f(3))),
    ("concat sizes", lambda tf, a, b: tf.concat([a, b], 0), (f(2, 3), f(2, 2))),
    ("concat axis", lambda tf, a, b: tf.concat([a, b], 2), (f(2, 3), f(2, 3))),
    ("concat scalars", lambda tf, a, b: tf.concat([a, b], 0), (f(), f())),
    ("concat dtypes", lambda tf, a, b: tf.concat([a, b], 0), (f(2), i(1, 2))),
    ("concat axis vector", lambda tf, a, x: tf.concat([a, a], x), (f(2), i(0, 0))),
    ("concat nothing", lambda tf: tf.concat([], 0), ()),
    ("stack shapes", lambda tf, a, b: tf.stack([a, b]), (f(2), f(3))),
    ("stack axis", lambda tf, a, b: tf.stack([a, b], 3), (f(2), f(2))),
    ("stack dtypes", lambda tf, a, b: tf.stack([a, b]), (f(2), i(1, 2))),
    ("stack nothing", lambda tf: tf.stack([]), ()),
    ("unstack axis", lambda tf, a: tf.unstack(a, axis=2, num=2), (f(2, 3),)),
    ("unstack num", lambda tf, a: tf.unstack(a, num=3), (f(2, 3),)),
    ("unstack scalar", lambda tf, a: tf.unstack(a, num=1), (f(),)),
    ("split uneven", lambda tf, a: tf.split(a, 2), (f(3, 2),)),
    ("split axis", lambda tf, a: tf.split(a, 2, 2), (f(2, 2),)),
    ("split scalar", lambda tf, a: tf.split(a, 2), (f(),)),
    ("split sizes", lambda tf, a: tf.split(a, [1, 1]), (f(3, 2),)),
    ("split negative", lambda tf, a: tf.split(a, [-2, 5]), (f(3, 2),)),
    ("split two -1", lambda tf, a: tf.split(a, [-1, -1]), (f(3, 2),)),
    ("tile length", lambda tf, a, m: tf.tile(a, m), (f(2, 3), i(2))),
    ("tile negative", lambda tf, a, m: tf.tile(a, m), (f(2, 3), i(2, -1))),
    ("tile huge", lambda tf, a, m: tf.tile(a, m), (f(2, 3, 1), HUGE)),
    ("repeat", lambda tf, a, r: tf.repeat(a, r, axis=0), (f(2, 3), i(1, 2, 3))),
    ("repeat negative", lambda tf, a, r: tf.repeat(a, r, axis=0), (f(2, 3), i(-1, 2))),
    ("pad rows", lambda tf, a, p: tf.pad(a, p), (f(2, 3), i([1, 1]))),
    ("pad columns", lambda tf, a, p: tf.pad(a, p), (f(2, 3), i([1], [1]))),
    ("pad vector", lambda tf, a, p: tf.pad(a, p), (f(2, 3), i(1, 1))),
    ("pad negative", lambda tf, a, p: tf.pad(a, p), (f(2, 3), i([-1, 1], [0, 0]))),
    (
        "pad reflect",
        lambda tf, a, p: tf.pad(a, p, "REFLECT"),
        (f(2, 3), i([2, 1], [0, 0])),
    ),
    (
        "pad symmetric",
        lambda tf, a, p: tf.pad(a, p, "SYMMETRIC"),
        (f(2, 3), i([3, 1], [0, 0])),
    ),
    ("pad mode", lambda tf, a, p: tf.pad(a, p, "WRAP"), (f(2, 3), i([1, 1], [0, 0]))),
    # indexing
    ("x[5]", lambda tf, x: x[5], (f(2, 3),)),
    ("x[-3]", lambda tf, x: x[-3], (f(2, 3),)),
    ("x[0, 0, 0]", lambda tf, x: x[0, 0, 0], (f(2, 3),)),
    ("x[::0]", lambda tf, x: x[::0], (f(2, 3),)),
    ("x[..., ...]", lambda tf, x: x[..., ...], (f(2, 3),)),
    ("x['a']", lambda tf, x: x["a"], (f(2, 3),)),
    ("x[1.5]", lambda tf, x: x[1.5], (f(2, 3),)),
    ("x[i]", lambda tf, x, k: x[k], (f(2, 3), n(2))),
    ("x[vector]", lambda tf, x, k: x[k], (f(2, 3), i(0, 1))),
    ("scalar[0]", lambda tf, x: x[0], (f(),)),
    (
        "strided_slice lengths",
        lambda tf, x, b, e: tf.strided_slice(x, b, e),
        (f(2, 3), i(0), i(1, 1)),
    ),
    (
        "slice outside",
        lambda tf, x, b, s: tf.slice(x, b, s),
        (f(2, 3), i(0, 2), i(1, 2)),
    ),
    (
        "slice negative",
        lambda tf, x, b, s: tf.slice(x, b, s),
        (f(2, 3), i(-1, 0), i(1, 1)),
    ),
    ("slice size", lambda tf, x, b, s: tf.slice(x, b, s), (f(2, 3), i(0, 0), i(1, -2))),
    ("slice lengths", lambda tf, x, b, s: tf.slice(x, b, s), (f(2, 3), i(0), i(1))),
    ("gather range", lambda tf, x, k: tf.gather(x, k), (f(2, 3), i(0, 2))),
    ("gather negative", lambda tf, x, k: tf.gather(x, k), (f(2, 3), i(-1))),
    ("gather axis", lambda tf, x, k: tf.gather(x, k, axis=2), (f(2, 3), i(0))),
    ("gather scalar", lambda tf, x, k: tf.gather(x, k), (f(), i(0))),
    ("gather float", lambda tf, x, k: tf.gather(x, k), (f(2), f(1))),
    (
        "gather batch",
        lambda tf, x, k: tf.gather(x, k, batch_dims=1),
        (f(2, 3), i([0], [1], [2])),
    ),
    (
        "gather batch_dims",
        lambda tf, x, k: tf.gather(x, k, batch_dims=2),
        (f(2, 3), i(0)),
    ),
    ("gather_nd range", lambda tf, x, k: tf.gather_nd(x, k), (f(2, 3), i([0, 3]))),
    ("gather_nd depth", lambda tf, x, k: tf.gather_nd(x, k), (f(2, 3), i([0, 1, 1]))),
    ("gather_nd scalar", lambda tf, x, k: tf.gather_nd(x, k), (f(2, 3), n(0))),
    ("boolean_mask", lambda tf, x: tf.boolean_mask(x, [True, False, True]), (f(2, 3),)),
    ("where shapes", lambda tf, c, x, y: tf.where(c, x, y), (B, f(3), f(3))),
    ("where one", lambda tf, c, x: tf.where(c, x), (B, f(2))),
    ("where dtypes", lambda tf, c, x, y: tf.where(c, x, y), (B, f(2), i(1, 2))),
    ("where numbers", lambda tf, c, x: tf.where(c, x, x), (f(2), f(2))),
    ("scatter_nd range", lambda tf, k, u: tf.scatter_nd(k, u, [2]), (i([2]), f(1))),
    ("scatter_nd shapes", lambda tf, k, u: tf.scatter_nd(k, u, [4]), (i([2]), f(2))),
    ("scatter_nd depth", lambda tf, k, u: tf.scatter_nd(k, u, [4]), (i([0, 1]), f(1))),
    (
        "scatter_nd negative shape",
        lambda tf, k, u: tf.scatter_nd(k, u, [-4]),
        (i([0]), f(1)),
    ),
    (
        "scatter update range",
        lambda tf, x, k, u: tf.tensor_scatter_nd_update(x, k, u),
        (f(3), i([3]), f(1)),
    ),
    (
        "scatter update shapes",
        lambda tf, x, k, u: tf.tensor_scatter_nd_update(x, k, u),
        (f(3), i([1]), f(2)),
    ),
    (
        "scatter add depth",
        lambda tf, x, k, u: tf.tensor_scatter_nd_add(x, k, u),
        (f(3), i([1, 1]), f(1)),
    ),
    ("one_hot depth", lambda tf, k: tf.one_hot(k, -1), (i(1),)),
    ("one_hot axis", lambda tf, k: tf.one_hot(k, 2, axis=3), (i(1),)),
    ("one_hot float", lambda tf, k: tf.one_hot(k, 2), (f(1),)),
    ("roll", lambda tf, x, s, a: tf.roll(x, s, a), (f(2, 3), i(1, 1), i(0))),
    ("roll axis", lambda tf, x, s, a: tf.roll(x, s, a), (f(2, 3), n(1), n(2))),
    ("roll scalar", lambda tf, x, s, a: tf.roll(x, s, a), (f(), n(1), n(0))),
    ("roll matrix", lambda tf, x, s, a: tf.roll(x, s, a), (f(2, 3), i([1]), i([0]))),
    ("range zero", lambda tf, a, b, d: tf.range(a, b, d), (n(0), n(3), n(0))),
    ("range wrong way", lambda tf, a, b, d: tf.range(a, b, d), (n(3), n(0), n(1))),
    ("range vector", lambda tf, a: tf.range(a), (i(1, 2),)),
    ("linspace", lambda tf, a, b, k: tf.linspace(a, b, k), (f(), f(), n(0))),
    ("eye", lambda tf, k: tf.eye(k), (n(-1),)),
    ("cast strings", lambda tf, x: tf.cast(x, tf.float32), (S,)),
    ("cast to strings", lambda tf, x: tf.cast(x, tf.string), (f(2),)),
    ("bitcast", lambda tf, x: tf.bitcast(x, tf.float64), (f(3),)),
    ("unique matrix", lambda tf, x: tf.unique(x), (i([1, 2]),)),
    ("top_k", lambda tf, x: tf.math.top_k(x, 4), (f(2, 3),)),
    ("top_k negative", lambda tf, x: tf.math.top_k(x, -1), (f(2, 3),)),
    ("top_k scalar", lambda tf, x: tf.math.top_k(x, 1), (f(),)),
    ("in_top_k", lambda tf, p, t: tf.math.in_top_k(t, p, 2), (f(2, 3), i(0, 1, 2))),
    ("searchsorted", lambda tf, a, v: tf.searchsorted(a, v), (f(2, 3), f(3, 1))),
    (
        "segment_sum order",
        lambda tf, x, k: tf.math.segment_sum(x, k),
        (f(3), i(0, 2, 1)),
    ),
    (
        "segment_sum negative",
        lambda tf, x, k: tf.math.segment_sum(x, k),
        (f(3), i(-1, 0, 1)),
    ),
    ("segment_sum length", lambda tf, x, k: tf.math.segment_sum(x, k), (f(3), i(0, 1))),
    (
        "segment_max matrix",
        lambda tf, x, k: tf.math.segment_max(x, k),
        (f(2, 2), i([0, 1], [2, 3])),
    ),
    (
        "unsorted_segment_sum",
        lambda tf, x, k: tf.math.unsorted_segment_sum(x, k, 2),
        (f(3), i(0, 5, 1)),
    ),
    (
        "unsorted_segment_sum count",
        lambda tf, x, k: tf.math.unsorted_segment_sum(x, k, -2),
        (f(3), i(0, 0, 1)),
    ),
    (
        "unsorted_segment_sum shapes",
        lambda tf, x, k: tf.math.unsorted_segment_sum(x, k, 2),
        (f(3), i(0, 1)),
    ),
    (
        "dynamic_partition",
        lambda tf, x, k: tf.dynamic_partition(x, k, 2),
        (f(3), i(0, 2, 1)),
    ),
    (
        "dynamic_partition shapes",
        lambda tf, x, k: tf.dynamic_partition(x, k, 2),
        (f(3), i(0, 1)),
    ),
    ("dynamic_stitch", lambda tf, x, k: tf.dynamic_stitch([k], [x]), (f(3), i(0, 1))),
    (
        "dynamic_stitch negative",
        lambda tf, x, k: tf.dynamic_stitch([k], [x]),
        (f(2), i(0, -1)),
    ),
    ("bincount negative", lambda tf, x: tf.math.bincount(x), (i(1, -1),)),
    ("clip_by_value", lambda tf, x, a: tf.clip_by_value(x, a, a), (f(2, 3), f(4))),
    ("add_n", lambda tf, a, b: tf.add_n([a, b]), (f(2), f(3))),
    ("add_n nothing", lambda tf: tf.add_n([]), ()),
    ("complex", lambda tf, a, b: tf.complex(a, b), (f(2), f(2).astype(np.float64))),
    ("meshgrid", lambda tf, a: tf.meshgrid(a, a, indexing="zz"), (f(2),)),
    ("space_to_depth", lambda tf, x: tf.nn.space_to_depth(x, 2), (f(1, 3, 3, 1),)),
    ("depth_to_space", lambda tf, x: tf.nn.depth_to_space(x, 2), (f(1, 3, 3, 3),)),
    (
        "space_to_batch",
        lambda tf, x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]),
        (f(1, 3, 3, 1),),
    ),
    (
        "batch_to_space",
        lambda tf, x: tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]),
        (f(3, 2, 2, 1),),
    ),
    (
        "reverse_sequence",
        lambda tf, x, k: tf.reverse_sequence(x, k, seq_axis=1, batch_axis=0),
        (f(2, 3), i(1, 4)),
    ),
    ("matrix_diag_part k", lambda tf, x: tf.linalg.diag_part(x, k=7), (f(2, 3),)),
    ("band_part", lambda tf, x, k: tf.linalg.band_part(x, k, 0), (f(2, 3), n(9))),
    ("set_diag", lambda tf, x, d: tf.linalg.set_diag(x, d), (f(2, 3), f(3))),
    # nn
    ("bias_add", lambda tf, x, b: tf.nn.bias_add(x, b), (f(2, 3), f(2))),
    ("bias_add matrix", lambda tf, x, b: tf.nn.bias_add(x, b), (f(2, 3), f(1, 3))),
    ("bias_add vector", lambda tf, x, b: tf.nn.bias_add(x, b), (f(3), f(3))),
    (
        "conv2d rank",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        (f(4, 4, 1), f(2, 2, 1, 1)),
    ),
    (
        "conv2d filter rank",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        (f(1, 4, 4, 1), f(2, 2, 1)),
    ),
    (
        "conv2d channels",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        (f(1, 4, 4, 3), f(2, 2, 2, 1)),
    ),
    (
        "conv2d window",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "VALID"),
        (f(1, 2, 2, 1), f(3, 3, 1, 1)),
    ),
    (
        "conv2d stride",
        lambda tf, x, k: tf.nn.conv2d(x, k, 0, "SAME"),
        (f(1, 4, 4, 1), f(2, 2, 1, 1)),
    ),
    (
        "conv2d strides",
        lambda tf, x, k: tf.nn.conv2d(x, k, [2, 1, 1, 1], "SAME"),
        (f(1, 4, 4, 1), f(2, 2, 1, 1)),
    ),
    (
        "conv2d padding",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "HALF"),
        (f(1, 4, 4, 1), f(2, 2, 1, 1)),
    ),
    (
        "conv2d dilations",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME", dilations=0),
        (f(1, 4, 4, 1), f(2, 2, 1, 1)),
    ),
    (
        "conv2d ints",
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        (f(1, 4, 4, 1).astype(np.int64), f(2, 2, 1, 1).astype(np.int64)),
    ),
    (
        "depthwise",
        lambda tf, x, k: tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"),
        (f(1, 4, 4, 3), f(2, 2, 2, 1)),
    ),
    (
        "conv2d_transpose",
        lambda tf, x, k: tf.nn.conv2d_transpose(x, k, [1, 9, 9, 1], 2, "SAME"),
        (f(1, 4, 4, 1), f(2, 2, 1, 1)),
    ),
    ("max_pool rank", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"), (f(4, 4),)),
    (
        "max_pool window",
        lambda tf, x: tf.nn.max_pool2d(x, 9, 2, "VALID"),
        (f(1, 4, 4, 1),),
    ),
    (
        "max_pool zero",
        lambda tf, x: tf.nn.max_pool2d(x, 0, 2, "VALID"),
        (f(1, 4, 4, 1),),
    ),
    (
        "max_pool stride",
        lambda tf, x: tf.nn.max_pool2d(x, 2, 0, "VALID"),
        (f(1, 4, 4, 1),),
    ),
    ("avg_pool rank", lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), (f(4, 4),)),
    (
        "avg_pool window",
        lambda tf, x: tf.nn.avg_pool2d(x, 9, 2, "VALID"),
        (f(1, 4, 4, 1),),
    ),
    ("softmax scalar", lambda tf, x: tf.nn.softmax(x), (f(),)),
    ("softmax ints", lambda tf, x: tf.nn.softmax(x), (i(1, 2),)),
    (
        "cross entropy shapes",
        lambda tf, a, b: tf.nn.softmax_cross_entropy_with_logits(a, b),
        (f(2, 3), f(2, 4)),
    ),
    (
        "sparse cross entropy",
        lambda tf, a, b: tf.nn.sparse_softmax_cross_entropy_with_logits(a, b),
        (i(0, 1, 2), f(2, 3)),
    ),
    (
        "sigmoid cross entropy",
        lambda tf, a, b: tf.nn.sigmoid_cross_entropy_with_logits(a, b),
        (f(2), f(3)),
    ),
    ("relu strings", lambda tf, x: tf.nn.relu(x), (S,)),
    ("dropout rate", lambda tf, x: tf.nn.dropout(x, 1.5), (f(2),)),
    (
        "embedding_lookup",
        lambda tf, x, k: tf.nn.embedding_lookup(x, k),
        (f(2, 3), i(2)),
    ),
    ("moments", lambda tf, x: tf.nn.moments(x, [5]), (f(2, 3),)),
    # random
    ("uniform shape", lambda tf, s: tf.random.uniform(s), (i(-1),)),
    (
        "uniform bounds",
        lambda tf, a, b: tf.random.uniform([2], a, b, tf.int32),
        (n(5), n(5)),
    ),
    (
        "stateless seed",
        lambda tf, s: tf.random.stateless_uniform([2], s),
        (i(1, 2, 3),),
    ),
    ("stateless shape", lambda tf, s: tf.random.stateless_normal(s, [1, 2]), (i(-2),)),
    ("categorical", lambda tf, x: tf.random.categorical(x, 2), (f(3),)),
    ("categorical number", lambda tf, x: tf.random.categorical(x, -2), (f(1, 3),)),
    ("shuffle scalar", lambda tf, x: tf.random.shuffle(x), (f(),)),
    # strings
    ("to_number", lambda tf, x: tf.strings.to_number(x), (S,)),
    ("strings.join shapes", lambda tf, x: tf.strings.join([x, ["1", "2", "3"]]), (S,)),
    ("strings.substr", lambda tf, x: tf.strings.substr(x, 5, 1), (S,)),
    # checks
    (
        "assert_equal",
        lambda tf, x, y: nothing(tf.debugging.assert_equal(x, y)),
        (f(2), f(2) + 1),
    ),
    (
        "Assert",
        lambda tf, c: nothing(tf.debugging.Assert(c, ["no"])),
        (np.array(False),),
    ),
    (
        "check_numerics",
        lambda tf, x: tf.debugging.check_numerics(x, "bad"),
        (np.array([1, np.inf], np.float32),),
    ),
    (
        "bool of vector",
        lambda tf, x: tf.constant(1.0) if x else tf.constant(2.0),
        (f(2),),
    ),
]
