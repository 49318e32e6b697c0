"""Shapes of ragged tensors, and what is made with them."""

from __future__ import annotations

from outcomes import failure


def _tensors(tf):
    return (
        tf.ragged.constant([[1, 2, 3], [], [4]]),
        tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]]),
        tf.ragged.constant(
            [[[1, 2]], [], [[4, 5], [6, 7]]], ragged_rank=1
        ),
        tf.RaggedTensor.from_uniform_row_length(
            tf.ragged.constant([[1], [2, 3], [], [4]]), 2
        ),
    )


def program_what_a_shape_tells(tf):
    told = []
    for x in _tensors(tf)[:3]:
        shape = tf.shape(x)
        told.append((
            repr(shape), shape.rank, shape.num_row_partitions,
            shape.inner_rank, shape.inner_shape, shape.dtype.name,
            str(shape.static_lengths()),
            str(shape.static_lengths(ragged_lengths=False)),
            [shape.is_uniform(axis) for axis in range(shape.rank)],
            [p.row_splits() for p in shape.row_partitions],
            repr(shape.row_partitions), str(x.shape),
        ))
    return told


def program_parts_of_a_shape(tf):
    parts = []
    for x in _tensors(tf):
        shape = tf.shape(x)
        for index in (*range(-2, 4), 7, "a"):
            try:
                parts.append(shape[index])
            except (ValueError, IndexError, TypeError) as error:
                parts.append((type(error).__name__, str(error)))
        for start, stop in ((None, 2), (0, 1), (0, 0), (1, None), (2, None)):
            try:
                parts.append(repr(shape[start:stop]))
            except ValueError as error:
                parts.append(str(error))
    return parts


def program_types_of_shapes(tf):
    x = _tensors(tf)[0]
    return (
        tf.shape(x).dtype.name,
        tf.shape(x, out_type=tf.int64).dtype.name,
        tf.shape(x, out_type=tf.int64)[0],
        tf.shape(x).with_dtype(tf.int64)[0],
        tf.size(x), tf.rank(x),
        failure(tf.convert_to_tensor, tf.shape(x))[0],
        failure(len, tf.shape(x))[0],
        failure(hash, tf.shape(x))[0],
    )


def program_shapes_compared(tf):
    a, b, c, _ = (tf.shape(x) for x in _tensors(tf))
    again = tf.shape(_tensors(tf)[0])
    other = tf.shape(tf.ragged.constant([[1, 2], [3], [4]]))
    longer = tf.shape(tf.ragged.constant([[1, 2, 3], [], [4], []]))
    return a == again, a != again, a == other, a == longer, a == b, b == c


def program_tensors_of_a_shape(tf):
    made = []
    for x in _tensors(tf)[:3]:
        shape = tf.shape(x)
        made.append([
            value.to_list() for value in (
                tf.broadcast_to(7, shape), tf.ones(shape), tf.zeros(shape),
                tf.zeros(shape, tf.int64), tf.fill(shape, 3),
                tf.reshape(x.flat_values, shape), tf.reshape(x, shape),
            )
        ])
        made.append(failure(tf.reshape, tf.range(3), shape)[0])
    return made


def program_broadcasts_to_a_shape(tf):
    shape = tf.experimental.DynamicRaggedShape.from_lengths([3, (2, 0, 1)])
    column = tf.broadcast_to([[10], [20], [30]], shape)
    return (
        column.to_list(), tf.broadcast_to([5.0], shape).to_list(),
        tf.broadcast_to(["a"], shape).to_list(),
        tf.reshape([1, 2, 3], shape).to_list(),
        failure(tf.broadcast_to, [[1, 2, 3]], shape)[0],
    )


def program_shapes_made_of_parts(tf):
    made = tf.experimental.DynamicRaggedShape
    row = tf.experimental.RowPartition
    partition = row.from_row_lengths([2, 0, 1])
    uniform = row.from_uniform_row_length(2, nvals=6)
    return (
        repr(made.from_lengths([2, (2, 1), 2])),
        repr(made.from_lengths([2, 3])),
        repr(made.from_lengths([2, 2, (1, 2, 0, 1)])),
        repr(made.from_tensor([[1, 2]])),
        repr(made.from_tensor(_tensors(tf)[1])),
        repr(made([partition], [3])), repr(made([partition], [3, 2])),
        repr(made([], [4, 5])), repr(partition), repr(uniform),
        partition.nrows(), partition.nvals(), partition.row_lengths(),
        partition.value_rowids(), partition.row_starts(),
        partition.is_uniform(), uniform.is_uniform(),
        uniform.uniform_row_length(), uniform.nrows(),
        failure(made.from_lengths, [(1, 2), 3])[0],
    )


def program_shapes_in_a_function(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def f(x):
        shape = tf.shape(x)
        known = (shape.rank, shape.static_lengths(), repr(shape))
        return (
            known, shape[0], tf.reshape(x.flat_values * 2, shape),
            tf.broadcast_to(1, shape), tf.ones(shape),
        )

    @tf.function
    def shape_of(x):
        return tf.shape(x)

    @tf.function
    def ones_like(shape):
        return tf.ones(shape)

    x = _tensors(tf)[0]
    known, count, doubled, ones, more = f(x)
    return (
        known, count, doubled.to_list(), ones.to_list(), more.to_list(),
        repr(shape_of(x)), ones_like(tf.shape(x)).to_list(),
    )
