"""Ragged tensors from and to dense and sparse tensors."""

import graphkiln as tf


def from_tensor(tensor, lengths, padding, ragged_rank, name, splits_dtype):
    """See RaggedTensor.from_tensor."""
    splits_dtype = tf.as_dtype(splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError(
            "Specify argument `lengths` or `padding`, but not both."
        )
    if not isinstance(ragged_rank, int):
        raise TypeError(
            f"Argument `ragged_rank` must be an int. Received {ragged_rank}."
        )
    if ragged_rank <= 0:
        raise ValueError(
            "Argument `ragged_rank` must be greater than 0. Received "
            f"{ragged_rank}."
        )
    with tf.name_scope(name or "RaggedFromTensor"):
        tensor = tf.convert_to_tensor(tensor)
        if tensor.shape.rank is not None and tensor.shape.rank <= ragged_rank:
            raise ValueError(
                "The rank of a RaggedTensor must be greater than 1, i.e., a "
                "list of scalars won't have ragged dimensions. Received "
                f"argument `tensor` with rank {tensor.shape.rank}."
            )
        shape = tf.shape(tensor, out_type=splits_dtype)
        if isinstance(lengths, (list, tuple)) and lengths and not isinstance(
            lengths[0], (int, float)
        ):
            return _from_nested_lengths(tensor, lengths, splits_dtype)
        if lengths is None and padding is None:
            return _from_whole(tensor, shape, ragged_rank)
        if ragged_rank > 1:
            # The outer partitions are uniform; the innermost is cut.
            flat = tf.reshape(
                tensor,
                tf.concat(
                    [
                        tf.reduce_prod(shape[:ragged_rank], keepdims=True),
                        shape[ragged_rank:],
                    ],
                    0,
                ),
            )
            inner = from_tensor(
                flat, lengths, padding, 1, None, splits_dtype
            )
            for axis in reversed(range(1, ragged_rank)):
                inner = tf.RaggedTensor.from_uniform_row_length(
                    inner, tensor.shape[axis] or shape[axis],
                    validate=False,
                )
            return inner
        if lengths is None:
            lengths = _lengths_before(tensor, padding, splits_dtype)
        lengths = tf.cast(tf.convert_to_tensor(lengths), splits_dtype)
        lengths.shape.assert_has_rank(1)
        lengths = tf.clip_by_value(lengths, 0, shape[1])
        columns = tf.range(shape[1], dtype=splits_dtype)
        mask = columns[tf.newaxis] < lengths[:, tf.newaxis]
        values = tf.boolean_mask(tensor, mask)
        return tf.RaggedTensor.from_row_lengths(values, lengths, validate=False)


def _from_nested_lengths(tensor, lengths, splits_dtype):
    result = from_tensor(tensor, lengths[0], None, 1, None, splits_dtype)
    if len(lengths) == 1:
        return result
    inner = _from_nested_lengths(result.values, lengths[1:], splits_dtype)
    return result.with_values(inner)


def _from_whole(tensor, shape, ragged_rank):
    values = tf.reshape(
        tensor,
        tf.concat(
            [
                tf.reduce_prod(shape[: ragged_rank + 1], keepdims=True),
                shape[ragged_rank + 1 :],
            ],
            0,
        ),
    )
    nrows = shape[:ragged_rank]
    for axis in reversed(range(1, ragged_rank + 1)):
        length = tensor.shape[axis]
        values = tf.RaggedTensor.from_uniform_row_length(
            values, shape[axis] if length is None else tf.cast(
                length, shape.dtype
            ),
            nrows=tf.reduce_prod(nrows[:axis]), validate=False,
        )
    static = tensor.shape[0]
    if static is not None:
        values.row_splits.set_shape([static + 1])
    return values


def _lengths_before(tensor, padding, dtype):
    """Where the padding at the end of each row begins."""
    padding = tf.cast(tf.convert_to_tensor(padding), tensor.dtype)
    present = tf.not_equal(tensor, padding)
    inner = list(range(2, tensor.shape.rank))
    if inner:
        present = tf.reduce_any(present, axis=inner)
    columns = tf.shape(present, out_type=dtype)[1]
    places = tf.range(1, columns + 1, dtype=dtype)
    reached = tf.where(present, places[tf.newaxis], tf.zeros([], dtype))
    zeros = tf.zeros_like(reached[:, :1])
    return tf.reduce_max(tf.concat([zeros, reached], 1), axis=1)


def from_sparse(st_input, name, splits_dtype):
    """See RaggedTensor.from_sparse."""
    splits_dtype = tf.as_dtype(splits_dtype)
    if not isinstance(st_input, tf.SparseTensor):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    rank = st_input.shape.rank
    if rank is not None and rank != 2:
        raise ValueError(f"Shape {st_input.shape} must have rank 2")
    with tf.name_scope(name or "RaggedFromSparse"):
        indices = tf.cast(st_input.indices, splits_dtype)
        row, column = indices[:, 0], indices[:, 1]
        nrows = tf.cast(st_input.dense_shape[0], splits_dtype)
        result = tf.RaggedTensor.from_value_rowids(
            st_input.values, row, nrows, validate=False
        )
        starts = tf.gather(result.row_splits, row)
        expected = tf.range(
            tf.shape(row, out_type=splits_dtype)[0], dtype=splits_dtype
        ) - starts
        check = tf.debugging.assert_equal(
            column, expected, "SparseTensor is not right-ragged"
        )
        if check is not None and not tf.executing_eagerly():
            with tf.control_dependencies([check]):
                return result.with_values(tf.identity(result.values))
        return result


def coordinates(ragged) -> tf.Tensor:
    """The place of each flat value in the bounding box, row by row."""
    columns: list = []
    for level in ragged._levels():
        starts, ids = level.row_splits[:-1], level.value_rowids()
        count = tf.shape(ids, out_type=ids.dtype)[0]
        place = tf.range(count, dtype=ids.dtype) - tf.gather(starts, ids)
        columns = [tf.gather(column, ids) for column in columns or [
            tf.range(ragged.nrows(), dtype=ids.dtype)
        ]] + [place]
    return tf.stack(columns, axis=1)


def to_tensor(ragged, default_value, name, shape):
    """See RaggedTensor.to_tensor."""
    with tf.name_scope(name or "RaggedToTensor"):
        values = ragged.flat_values
        if default_value is None:
            default_value = "" if values.dtype == tf.string else 0
            if values.dtype == tf.bool:
                default_value = False
        default_value = tf.convert_to_tensor(default_value, values.dtype)
        where = tf.cast(coordinates(ragged), tf.int64)
        box = tf.cast(ragged.bounding_shape(), tf.int64)
        outer = ragged.ragged_rank + 1
        static = ragged.shape
        if shape is not None:
            static, box = _wanted(ragged, shape, box)
            fits = tf.reduce_all(where < box[:outer], axis=1)
            where = tf.boolean_mask(where, fits)
            values = tf.boolean_mask(values, fits)
        mask = tf.scatter_nd(
            where, tf.ones(tf.shape(where)[:1], tf.int32), box[:outer]
        )
        if values.dtype in (tf.string, tf.bool):
            result = _scattered_by_index(where, values, mask, box, default_value)
        else:
            dense = tf.scatter_nd(where, values, box)
            mask = tf.reshape(
                mask,
                tf.concat(
                    [box[:outer], tf.ones_like(box[outer:])], 0
                ),
            )
            result = tf.where(mask > 0, dense, default_value)
        result.set_shape(static)
        return result


def _scattered_by_index(where, values, mask, box, default_value):
    """For dtypes that cannot be added up: scatters the numbers of the
    values instead, and gathers by them. Number 0 is the default."""
    count = tf.shape(values)[0]
    outer = tf.shape(where)[1]
    index = tf.scatter_nd(
        where, tf.range(1, count + 1, dtype=tf.int32), box[:outer]
    )
    inner = tf.broadcast_to(
        default_value, tf.concat([[1], tf.shape(values)[1:]], 0)
    )
    return tf.gather(tf.concat([inner, values], 0), index)


def _wanted(ragged, shape, box):
    """The static and the dynamic shape of a dense form."""
    if isinstance(shape, tf.Tensor):
        wanted = tf.cast(shape, tf.int64)
        return tf.TensorShape(None), tf.where(wanted < 0, box, wanted)
    static = tf.TensorShape(shape)
    if static.rank is None:
        return ragged.shape, box
    if static.rank != ragged.shape.rank:
        raise tf.errors.InvalidArgumentError(
            None, None,
            f"rt_input.shape and shape={shape} are incompatible: "
            f"rt_input.rank = {ragged.shape.rank} but shape.rank = "
            f"{static.rank}",
        )
    inner = ragged.flat_values.shape[1:]
    if not static[ragged.ragged_rank + 1 :].is_compatible_with(inner):
        raise tf.errors.InvalidArgumentError(
            None, None,
            f"rt_input.shape={ragged.shape} and shape={static} are "
            "incompatible: the inner dimensions differ",
        )
    parts = [
        box[i] if size is None else tf.constant(size, tf.int64)
        for i, size in enumerate(static.as_list())
    ]
    return static.merge_with(
        tf.TensorShape([
            size if size is not None else (
                known if i not in range(1, ragged.ragged_rank + 1) else None
            )
            for i, (size, known) in enumerate(
                zip(static.as_list(), ragged.shape.as_list())
            )
        ])
    ), tf.stack(parts)


def to_sparse(ragged, name):
    """See RaggedTensor.to_sparse."""
    with tf.name_scope(name or "RaggedToSparse"):
        indices = tf.cast(coordinates(ragged), tf.int64)
        values = ragged.flat_values
        rank = values.shape.rank
        for axis in range(1, rank or 1):
            size = tf.shape(values, out_type=tf.int64)[1]
            count = tf.shape(indices)[0]
            places = tf.tile(tf.range(size), [count])
            indices = tf.concat(
                [tf.repeat(indices, size, axis=0), places[:, tf.newaxis]], 1
            )
            values = tf.reshape(
                values, tf.concat([[-1], tf.shape(values)[2:]], 0)
            )
        shape = tf.cast(ragged.bounding_shape(), tf.int64)
        return tf.SparseTensor(indices, values, shape)


def merge_dims(ragged, outer_axis: int, inner_axis: int):
    """See RaggedTensor.merge_dims."""
    rank = ragged.shape.rank
    axes = []
    for axis, what in ((outer_axis, "outer_axis"), (inner_axis, "inner_axis")):
        if axis < 0:
            if rank is None:
                raise ValueError(
                    f"{what}={axis} may only be negative if the rank is known."
                )
            axis += rank
        if axis < 0 or (rank is not None and axis >= rank):
            raise ValueError(f"{what} out of bounds for rank {rank}")
        axes.append(axis)
    outer, inner = axes
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to "
            f"inner_axis ({inner_axis})."
        )
    if outer == inner:
        return ragged
    return _merge(ragged, outer, inner)


def _merge(value, outer: int, inner: int):
    if not isinstance(value, tf.RaggedTensor):
        shape = tf.shape(value)
        return tf.reshape(
            value,
            tf.concat([shape[:outer], [-1], shape[inner + 1 :]], 0),
        )
    if outer > 0:
        below = _merge(value.values, outer - 1, inner - 1)
        return value.with_values(below)
    below = value.values
    return below if inner == 1 else _merge(below, 0, inner - 1)
