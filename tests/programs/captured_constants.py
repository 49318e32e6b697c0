"""What a trace knows of small values that it captures."""

from __future__ import annotations

import numpy as np


def _shapes(tf, function, *specs):
    concrete = tf.function(function, autograph=False).get_concrete_function(
        *specs
    )
    shapes = concrete.output_shapes
    if isinstance(shapes, (list, tuple)):
        return [str(shape) for shape in shapes]
    return str(shapes)


def program_shapes_that_follow_from_captures(tf):
    size, wide = tf.constant([2, 3]), tf.constant([2, 3], tf.int64)
    partly, count = tf.constant([-1, 3]), tf.constant(4)
    axis, order = tf.constant(1), tf.constant([1, 0])
    padding, two = tf.constant([[1, 1], [2, 2]]), tf.constant([2])
    vector = tf.TensorSpec([None], tf.float32)
    matrix = tf.TensorSpec([3, None], tf.float32)
    return [
        _shapes(tf, lambda x: tf.reshape(x, size), vector),
        _shapes(tf, lambda x: tf.reshape(x, wide), vector),
        _shapes(tf, lambda x: tf.reshape(x, partly), vector),
        _shapes(tf, lambda x: tf.zeros(size), vector),
        _shapes(tf, lambda x: tf.fill(size, 1.0), vector),
        _shapes(tf, lambda x: tf.zeros([count, 2]), vector),
        _shapes(tf, lambda x: tf.tile(x, two), tf.TensorSpec([3])),
        _shapes(tf, lambda x: tf.broadcast_to(x, size), tf.TensorSpec([3])),
        _shapes(tf, lambda x: tf.range(count), vector),
        _shapes(tf, lambda x: tf.range(count + 1), vector),
        _shapes(tf, lambda x: x[:count], tf.TensorSpec([10])),
        _shapes(tf, lambda x: tf.one_hot([1, 2], count), vector),
        _shapes(tf, lambda x: tf.transpose(x, order), matrix),
        _shapes(tf, lambda x: tf.concat([x, x], axis), matrix),
        _shapes(tf, lambda x: tf.reduce_sum(x, axis), matrix),
        _shapes(tf, lambda x: tf.expand_dims(x, axis), matrix),
        _shapes(tf, lambda x: tf.pad(x, padding), tf.TensorSpec([3, 4])),
        _shapes(tf, lambda x: tf.split(x, 2, axis), tf.TensorSpec([3, 4])),
        _shapes(tf, lambda x: tf.eye(count), vector),
        _shapes(tf, lambda x: tf.linspace(0.0, 1.0, count), vector),
        _shapes(tf, lambda x: tf.repeat(x, count), tf.TensorSpec([3])),
        _shapes(tf, lambda x: tf.random.uniform([count, 2]), vector),
        _shapes(tf, lambda x: tf.math.top_k(x, count)[0], tf.TensorSpec([9])),
        _shapes(tf, lambda x: tf.scatter_nd([[1]], [2.0], two), vector),
    ]


def program_captures_of_parts(tf):
    size = tf.constant([2, 3])
    vector = tf.TensorSpec([None], tf.float32)

    @tf.function
    def called(x):
        return tf.reshape(x, size)

    return [
        _shapes(tf, called, vector),
        _shapes(tf, lambda x: called(x), vector),
        _shapes(
            tf,
            lambda x: tf.cond(
                x[0] > 0.0, lambda: tf.reshape(x, size),
                lambda: tf.zeros(size),
            ),
            vector,
        ),
        _shapes(
            tf,
            lambda x: tf.while_loop(
                lambda i, y: i < 3, lambda i, y: (i + 1, tf.reshape(y, size)),
                [0, tf.zeros(size)],
            )[1],
            vector,
        ),
    ]


def program_captures_and_results(tf):
    size, factor = tf.constant([2, 2]), tf.constant(3.0)
    text = tf.constant("b")
    many = tf.range(129)

    @tf.function
    def f(x):
        return (
            tf.reshape(x, size) * factor, tf.gather(x, many % 4),
            tf.strings.join(["a", text]), factor + 1.0,
        )

    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    return f(x), f(x + 1.0)


def program_captures_stay_what_they_were(tf):
    array = np.array([2, 3])
    size = tf.constant(array)
    array[0] = 9
    return _shapes(
        tf, lambda x: tf.reshape(x, size), tf.TensorSpec([None], tf.float32)
    )


def program_sizes_of_what_is_known(tf):
    v = tf.Variable(tf.zeros([4, 5]))
    vector = tf.TensorSpec([None], tf.float32)
    matrix = tf.TensorSpec([None, 3], tf.float32)
    return [
        _shapes(
            tf, lambda x: tf.reshape(x, [-1, tf.shape(v)[1]]), vector
        ),
        _shapes(
            tf, lambda x: tf.reshape(x, [-1, tf.shape(x)[1] * 2]), matrix
        ),
        _shapes(tf, lambda x: tf.zeros([tf.shape(x)[-1], 2]), matrix),
        _shapes(tf, lambda x: tf.zeros(tf.shape(v)), vector),
    ]
