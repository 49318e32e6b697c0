"""Lists of tensors, by their raw ops, in functions and under tapes."""

from __future__ import annotations

from outcomes import failure


def _function(tf, body, *arguments):
    return tf.function(body, autograph=False)(*arguments)


def _empty(tf, shape, limit=-1):
    return tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant(shape, tf.int32),
        max_num_elements=limit,
        element_dtype=tf.float32,
    )


def _reserve(tf, shape, n):
    return tf.raw_ops.TensorListReserve(
        element_shape=tf.constant(shape, tf.int32),
        num_elements=n,
        element_dtype=tf.float32,
    )


def _push(tf, handle, x):
    return tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=x)


def _pop(tf, handle, shape=-1):
    return tf.raw_ops.TensorListPopBack(
        input_handle=handle, element_shape=shape, element_dtype=tf.float32
    )


def _stack(tf, handle, shape=-1, n=-1):
    return tf.raw_ops.TensorListStack(
        input_handle=handle,
        element_shape=shape,
        element_dtype=tf.float32,
        num_elements=n,
    )


def _get(tf, handle, i, shape=-1):
    return tf.raw_ops.TensorListGetItem(
        input_handle=handle, index=i, element_shape=shape,
        element_dtype=tf.float32,
    )


def _set(tf, handle, i, x, **options):
    return tf.raw_ops.TensorListSetItem(
        input_handle=handle, index=i, item=x, **options
    )


def program_ends(tf):
    x = tf.constant([1.0, 2.0])
    one = _push(tf, _empty(tf, [2]), x)
    two = _push(tf, one, x * 2.0)
    less, last = _pop(tf, two)
    return [
        _stack(tf, two),
        last,
        tf.raw_ops.TensorListLength(input_handle=less),
        tf.raw_ops.TensorListLength(input_handle=one),
        tf.raw_ops.TensorListElementShape(
            input_handle=two, shape_type=tf.int64
        ),
    ]


def program_ends_that_fail(tf):
    x = tf.constant([1.0, 2.0])
    full = _push(tf, _empty(tf, [2], 1), x)
    return [
        failure(_pop, tf, _empty(tf, [2])),
        failure(_push, tf, full, x)[0],
        failure(_push, tf, _empty(tf, [3]), x)[0],
        failure(_stack, tf, _empty(tf, -1)),
        failure(_stack, tf, full, -1, 3),
    ]


def program_items(tf):
    handle = _reserve(tf, [2], 3)
    handle = _set(tf, handle, 1, tf.constant([1.0, 2.0]))
    grown = _set(
        tf, handle, 4, tf.constant([3.0, 4.0]),
        resize_if_index_out_of_bounds=True,
    )
    return [_stack(tf, handle), _stack(tf, grown), _get(tf, grown, 0)]


def program_items_that_fail(tf):
    handle = _reserve(tf, [2], 2)
    x = tf.constant([1.0, 2.0])
    return [
        failure(_get, tf, handle, 5),
        failure(_get, tf, handle, -1),
        failure(_set, tf, handle, 5, x),
        failure(_get, tf, _reserve(tf, -1, 2), 0),
        failure(_set, tf, handle, 0, tf.constant([1.0]))[0],
        failure(_set, tf, handle, 0, tf.constant([1, 2])),
    ]


def program_wholes(tf):
    x = tf.reshape(tf.range(6.0), [3, 2])
    rows = tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=[2])
    picked = tf.raw_ops.TensorListGather(
        input_handle=rows, indices=[2, 0], element_shape=[2],
        element_dtype=tf.float32,
    )
    scattered = tf.raw_ops.TensorListScatterV2(
        tensor=x, indices=[3, 0, 1], element_shape=[2], num_elements=5
    )
    pieces = tf.raw_ops.TensorListSplit(
        tensor=x, element_shape=[-1, 2], lengths=tf.constant([1, 2], tf.int64)
    )
    joined, lengths = tf.raw_ops.TensorListConcatV2(
        input_handle=pieces, element_shape=[-1, 2],
        leading_dims=tf.constant([], tf.int64), element_dtype=tf.float32,
    )
    both = tf.raw_ops.TensorListConcatLists(
        input_a=rows, input_b=rows, element_dtype=tf.float32
    )
    longer = tf.raw_ops.TensorListResize(input_handle=rows, size=4)
    return [
        _stack(tf, rows), picked, _stack(tf, scattered), joined, lengths,
        _stack(tf, both), _stack(tf, longer),
    ]


def program_wholes_that_fail(tf):
    x = tf.reshape(tf.range(6.0), [3, 2])
    rows = tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=[2])
    return [
        failure(
            tf.raw_ops.TensorListGather, input_handle=rows, indices=[3],
            element_shape=[2], element_dtype=tf.float32,
        )[0],
        failure(
            tf.raw_ops.TensorListFromTensor, tensor=tf.constant(1.0),
            element_shape=[2],
        )[0],
        failure(
            tf.raw_ops.TensorListSplit, tensor=x, element_shape=[-1, 2],
            lengths=tf.constant([1, 1], tf.int64),
        )[0],
        failure(
            tf.raw_ops.TensorListScatterV2, tensor=x, indices=[-1, 0, 1],
            element_shape=[2], num_elements=5,
        )[0],
    ]


def program_gradients(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def body(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows = tf.raw_ops.TensorListFromTensor(
                tensor=x, element_shape=[2]
            )
            rows = _set(tf, rows, 1, _get(tf, rows, 0, [2]) ** 2.0)
            rows = _push(tf, rows, _get(tf, rows, 2, [2]) * 3.0)
            rows, last = _pop(tf, rows, [2])
            y = tf.reduce_sum(_stack(tf, rows, [2])) + tf.reduce_sum(last)
        return tape.gradient(y, x)

    return _function(tf, body, x), body(x)


def program_written_in_a_loop(tf):
    def body(n):
        return _stack(
            tf,
            tf.while_loop(
                lambda i, h: i < n,
                lambda i, h: (i + 1, _push(tf, h, tf.cast(i, tf.float32))),
                [0, _empty(tf, [])],
            )[1],
        )

    return _function(tf, body, tf.constant(5))
