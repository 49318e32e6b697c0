"""Public functions of tf.math, tf.linalg and tf.nn that combine others."""

import math

import numpy as np

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import raw_ops as ops


_einsum = _graphkiln.composite_function("einsum")


def einsum(equation, *inputs, **kwargs):
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. "
            "Valid arguments: name, optimize."
        )
    return _einsum(equation, inputs, optimize, name=name)


einsum.__doc__ = _einsum.__doc__


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """The norm of vectors or matrices.

    Args:
      ord: "euclidean", "fro", a number or infinity.
      axis: None: all elements; an int: vectors; a pair: matrices.

    >>> tf.norm([3., 4.]).numpy().item()
    5.0
    """
    keepdims = bool(keepdims)
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    allowed = ["euclidean", "fro", 1, 2, math.inf] if is_matrix else None
    if is_matrix and ord not in allowed:
        raise ValueError(f"'ord' must be a supported matrix norm in {allowed}, "
                         f"got {ord}")
    if not is_matrix and not (
        isinstance(ord, (int, float, np.number)) or ord == "euclidean"
    ):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    with tf.name_scope(name or "norm"):
        x = tf.convert_to_tensor(tensor)
        if ord in ("fro", "euclidean") or (ord == 2 and not is_matrix):
            squares = tf.math.real(x * tf.math.conj(x))
            return tf.sqrt(
                tf.reduce_sum(squares, axis, keepdims=keepdims)
            )
        size = tf.abs(x)
        if not is_matrix:
            if ord == 1:
                return tf.reduce_sum(size, axis, keepdims=keepdims)
            if ord == math.inf:
                return tf.reduce_max(size, axis, keepdims=keepdims)
            total = tf.reduce_sum(
                tf.pow(size, ord), axis, keepdims=keepdims
            )
            return tf.pow(total, 1.0 / ord)
        if ord == 2:
            raise ValueError("the spectral norm of matrices needs tf.linalg.svd")
        rows, columns = axis
        if ord == math.inf:
            rows, columns = columns, rows
        total = tf.reduce_max(
            tf.reduce_sum(size, rows, keepdims=True), columns, keepdims=True
        )
        return total if keepdims else tf.squeeze(total, list(axis))


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """`t`, scaled down where its norm over `axes` exceeds `clip_norm`.

    >>> tf.clip_by_norm([3., 4.], 1.).numpy().round(4).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    with tf.name_scope(name or "clip_by_norm"):
        values = tf.convert_to_tensor(t, name="t")
        squares = tf.reduce_sum(values * values, axes, keepdims=True)
        positive = squares > 0
        # Zero gets no gradient of infinity.
        safe = tf.where(positive, squares, tf.ones_like(squares))
        length = tf.where(positive, tf.sqrt(safe), squares)
        limit = tf.cast(clip_norm, values.dtype)
        return values * limit / tf.maximum(length, limit)


def global_norm(t_list, name=None):
    """sqrt(sum of the squares of all elements of all tensors).

    >>> tf.linalg.global_norm([tf.constant([3.]), tf.constant([4.])]).numpy(
    ...     ).item()
    5.0
    """
    if isinstance(t_list, (tf.Tensor, str)):
        raise TypeError("`t_list` should be a sequence of tensors")
    with tf.name_scope(name or "global_norm"):
        squares = [
            tf.reduce_sum(tf.square(_values(t)))
            for t in t_list
            if t is not None
        ]
        if not squares:
            return tf.constant(0.0)
        return tf.sqrt(tf.reduce_sum(tf.stack(squares)))


def _values(t):
    return t.values if hasattr(t, "values") and hasattr(t, "indices") else t


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """The tensors, scaled down if their common norm exceeds `clip_norm`.

    Returns the list (None stays None) and the norm; infinite norms make NaNs.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3., 4.])], 5.)
    >>> clipped[0].numpy().tolist(), norm.numpy().item()
    ([3.0, 4.0], 5.0)
    """
    if isinstance(t_list, (tf.Tensor, str)):
        raise TypeError("`t_list` should be a sequence of tensors")
    t_list = list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with tf.name_scope(name or "clip_by_global_norm"):
        scale = clip_norm * tf.minimum(
            1.0 / use_norm, tf.constant(1.0, use_norm.dtype) / clip_norm
        )
        # inf - inf and NaN spread on purpose.
        scale = scale + (use_norm - use_norm)
        clipped = []
        for t in t_list:
            if t is None:
                clipped.append(None)
            elif hasattr(t, "indices") and hasattr(t, "values"):
                clipped.append(
                    tf.IndexedSlices(
                        t.values * tf.cast(scale, t.values.dtype),
                        t.indices,
                        t.dense_shape,
                    )
                )
            else:
                t = tf.convert_to_tensor(t)
                clipped.append(t * tf.cast(scale, t.dtype))
        return clipped, use_norm


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Sets a random part of the elements to 0 and scales up the others.

    Args:
      rate: the part, in [0, 1).
      noise_shape: of the choice, broadcast to the shape of `x`.

    >>> tf.nn.dropout([1., 2.], 0.).numpy().tolist()
    [1.0, 2.0]
    """
    uniform = lambda shape, dtype: tf.random.uniform(
        shape, seed=seed, dtype=dtype
    )
    return _dropout(x, rate, noise_shape, uniform, name or "dropout")


def stateless_dropout(
    x, rate, seed, rng_alg="auto_select", noise_shape=None, name=None
):
    """Dropout whose choice is a function of `seed` alone."""
    uniform = lambda shape, dtype: tf.random.stateless_uniform(
        shape, seed=seed, dtype=dtype, alg=rng_alg
    )
    return _dropout(
        x, rate, noise_shape, uniform, name or "stateless_dropout"
    )


def _dropout(x, rate, noise_shape, uniform, name):
    with tf.name_scope(name):
        x = tf.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "`x.dtype` must be a floating point tensor as `x` will be "
                f"scaled. Received: x.dtype={x.dtype}"
            )
        is_number = isinstance(rate, (int, float))
        if is_number and not 0 <= rate < 1:
            raise ValueError(
                "`rate` must be a scalar tensor or a float in the range [0, "
                f"1). Received: rate={rate}"
            )
        if is_number and rate == 0:
            return x
        if is_number:
            scaled = x * tf.constant(1.0 / (1.0 - rate), x.dtype)
        else:
            rate = tf.cast(rate, x.dtype)
            scaled = x / (1 - rate)
        shape = tf.shape(x) if noise_shape is None else noise_shape
        keep = uniform(shape, x.dtype) >= rate
        return tf.where(keep, scaled, tf.zeros([], x.dtype))


def linspace(start, stop, num, name=None, axis=0):
    """`num` numbers from `start` to `stop` at equal distances.

    >>> tf.linspace(0., 1., 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    with tf.name_scope(name or "linspace"):
        start = tf.convert_to_tensor(start, name="start")
        stop = tf.convert_to_tensor(stop, name="stop", dtype=start.dtype)
        if not start.dtype.is_floating:
            start, stop = tf.cast(start, tf.float64), tf.cast(stop, tf.float64)
        shape = tf.broadcast_dynamic_shape(tf.shape(start), tf.shape(stop))
        start = tf.broadcast_to(start, shape)
        stop = tf.broadcast_to(stop, shape)
        count = tf.convert_to_tensor(num, dtype_hint=tf.int32)
        if count.dtype != tf.int64:
            count = tf.cast(count, tf.int32)
        steps = tf.range(count)
        last = tf.maximum(count - 1, 1)
        rank = start.shape.rank
        if rank is None:
            rank = tf.rank(start)
            axis = axis if axis >= 0 else rank + 1 + axis
            form = tf.where(tf.equal(tf.range(rank + 1), axis), -1, 1)
        else:
            axis = axis if axis >= 0 else rank + 1 + axis
            form = [1] * (rank + 1)
            form[axis] = -1
        start = tf.expand_dims(start, axis)
        stop = tf.expand_dims(stop, axis)
        steps = tf.reshape(steps, form)
        delta = (stop - start) / tf.cast(last, start.dtype)
        inner = start + delta * tf.cast(steps, start.dtype)
        # The end is met exactly.
        return tf.where(tf.equal(steps, last), stop, inner)


def meshgrid(*args, **kwargs):
    """Grids [y, x, ...] (or [x, y, ...] for indexing "ij") of vectors.

    >>> x, y = tf.meshgrid([1, 2], [3, 4])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2], [1, 2]], [[3, 3], [4, 4]])
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(
            f"'{next(iter(kwargs))}' is an invalid keyword argument for this "
            "function"
        )
    if indexing not in ("xy", "ij"):
        raise ValueError(
            "Argument `indexing` parameter must be either 'xy' or 'ij', got "
            f"'{indexing}'"
        )
    with tf.name_scope(name):
        vectors = [tf.reshape(x, [-1]) for x in args]
        n = len(vectors)
        order = list(range(n))
        if indexing == "xy" and n > 1:
            order[:2] = [1, 0]
        sizes = [tf.size(v) for v in vectors]
        shape = tf.stack([sizes[i] for i in order]) if n else []
        grids = []
        for i, vector in enumerate(vectors):
            form = [1] * n
            form[order.index(i)] = -1
            grids.append(tf.broadcast_to(tf.reshape(vector, form), shape))
        return grids


def sequence_mask(lengths, maxlen=None, dtype=tf.bool, name=None):
    """True for the first `lengths` places of rows of `maxlen`.

    >>> tf.sequence_mask([1, 2]).numpy().tolist()
    [[True, False], [True, True]]
    """
    with tf.name_scope(name or "SequenceMask"):
        lengths = tf.convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = tf.maximum(
                tf.reduce_max(lengths), tf.zeros([], lengths.dtype)
            )
        else:
            maxlen = tf.convert_to_tensor(maxlen, dtype_hint=lengths.dtype)
            if maxlen.dtype == tf.int64:
                lengths = tf.cast(lengths, tf.int64)
            else:
                maxlen = tf.cast(maxlen, lengths.dtype)
        row = tf.range(maxlen, dtype=lengths.dtype)
        mask = row < tf.expand_dims(lengths, -1)
        return tf.cast(mask, dtype)


def repeat(input, repeats, axis=None, name=None):
    """Repeats each element (or slice along an axis) `repeats` times.

    >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
    [1, 1, 2]
    """
    with tf.name_scope(name or "Repeat"):
        x = tf.convert_to_tensor(input)
        if axis is None:
            x = tf.reshape(x, [-1])
            axis = 0
        rank = x.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(
                f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
            )
        axis = axis if axis >= 0 else rank + axis
        repeats = tf.convert_to_tensor(repeats)
        if repeats.dtype != tf.int64:
            repeats = tf.cast(repeats, tf.int32)
        repeats.shape.with_rank_at_most(1)
        if x.shape.rank is not None and repeats.shape.rank == 1:
            size = repeats.shape[0]
            if size != 1:
                x.shape[axis:axis + 1].assert_is_compatible_with([size])
        if repeats.shape.num_elements() == 1:
            return _repeat_all(x, tf.reshape(repeats, []), axis)
        size = tf.shape(x)[axis]
        counts = tf.broadcast_to(tf.reshape(repeats, [-1]), [size])
        ends = tf.cumsum(counts)
        total = tf.reduce_sum(counts)
        places = tf.searchsorted(ends, tf.range(total), side="right")
        return tf.gather(x, places, axis=axis)


def _repeat_all(x, count, axis: int):
    """Each slice along an axis `count` times; the shape is known while
    tracing if those of `x` and the count are."""
    shape = tf.shape(x, out_type=count.dtype)
    before, size, behind = shape[:axis], shape[axis:axis + 1], shape[axis + 1:]
    count = tf.reshape(count, [1])
    ones = tf.ones([axis + 1], count.dtype)
    tiled = tf.tile(tf.expand_dims(x, axis + 1),
                    tf.concat([ones, count, tf.ones_like(behind)], 0))
    made = tf.reshape(tiled, tf.concat([before, size * count, behind], 0))
    if not tf.executing_eagerly() and x.shape.rank is not None:
        dims = x.shape.as_list()
        known = tf.get_static_value(count)
        if dims[axis] is not None:
            dims[axis] = None if known is None else dims[axis] * int(known[0])
        made.set_shape(dims)
    return made


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape of the broadcast of two shapes, as a tensor.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    ragged = tf.experimental.DynamicRaggedShape
    if isinstance(shape_x, ragged) or isinstance(shape_y, ragged):
        x, y = (tf.zeros(shape, tf.bool) for shape in (shape_x, shape_y))
        return ragged.from_tensor(tf.logical_or(x, y), tf.int64)
    shape_x = tf.convert_to_tensor(shape_x, dtype_hint=tf.int32)
    shape_y = tf.convert_to_tensor(shape_y, dtype=shape_x.dtype)
    return ops.BroadcastArgs(s0=shape_x, s1=shape_y)


def broadcast_static_shape(shape_x, shape_y):
    """The shape of the broadcast of two TensorShapes.

    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    a, b = tf.TensorShape(shape_x), tf.TensorShape(shape_y)
    if a.rank is None or b.rank is None:
        return tf.TensorShape(None)
    rank = max(a.rank, b.rank)
    a = [1] * (rank - a.rank) + a.as_list()
    b = [1] * (rank - b.rank) + b.as_list()
    out = []
    for x, y in zip(a, b):
        if x == 1 or x == y:
            out.append(y)
        elif y == 1:
            out.append(x)
        elif x is None or y is None:
            out.append(x if y is None else y)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting: "
                f"{shape_x} and {shape_y}."
            )
    return tf.TensorShape(out)


def trace(x, name=None):
    """The sum of the main diagonal of each matrix.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    with tf.name_scope(name or "Trace"):
        return tf.reduce_sum(diag_part(x), [-1])


def diag(
    diagonal,
    name="diag",
    k=0,
    num_rows=-1,
    num_cols=-1,
    padding_value=0,
    align="RIGHT_LEFT",
):
    """Matrices with the given diagonals.

    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    diagonal = tf.convert_to_tensor(diagonal)
    return ops.MatrixDiagV3(
        diagonal=diagonal,
        k=k,
        num_rows=num_rows,
        num_cols=num_cols,
        padding_value=tf.cast(padding_value, diagonal.dtype),
        align=align,
        name=name,
    )


def diag_part(
    input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"
):
    """The diagonals of matrices.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    input = tf.convert_to_tensor(input)
    return ops.MatrixDiagPartV3(
        input=input,
        k=k,
        padding_value=tf.cast(padding_value, input.dtype),
        align=align,
        name=name,
    )


def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with their diagonals replaced."""
    return ops.MatrixSetDiagV3(
        input=input, diagonal=diagonal, k=k, align=align, name=name
    )


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Swaps the last two dimensions.

    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = tf.convert_to_tensor(a)
    rank = a.shape.rank
    if rank is None:
        axes = tf.range(tf.rank(a))
        swapped = tf.reverse(axes[-2:], [0])
        perm = tf.concat([axes[:-2], swapped], 0)
        return tf.transpose(a, perm, conjugate=conjugate, name=name)
    if rank < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2. Received "
            f"`a` = {a} with shape: {a.shape}"
        )
    perm = [*range(rank - 2), rank - 1, rank - 2]
    return tf.transpose(a, perm, conjugate=conjugate, name=name)


def adjoint(matrix, name=None):
    """The conjugate transpose of the last two dimensions."""
    return matrix_transpose(matrix, name or "adjoint", conjugate=True)
