"""Rows of ragged tensors: means of integers, joined texts, shapes that are
broadcast, choices in a trace, and what bad starts and limits of rows raise."""

from __future__ import annotations

from outcomes import failure


def _both(tf, *functions):
    return [
        failure(run)
        for f in functions
        for run in (f, tf.function(f, autograph=False))
    ]


def program_means_of_integers(tf):
    flat = tf.ragged.constant([[1, 2, 3], [], [4]])
    deep = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
    found = []
    for dtype in (tf.int32, tf.int64, tf.int8, tf.uint8, tf.float64):
        x = tf.cast(flat, dtype)
        found += _both(
            tf,
            lambda: tf.reduce_mean(x), lambda: tf.reduce_mean(x, keepdims=True),
            lambda: tf.reduce_mean(x, [0, 1]), lambda: tf.reduce_mean(x, 0),
        )
    return found, _both(
        tf, lambda: tf.reduce_mean(deep), lambda: tf.reduce_mean(deep, [1, 2]),
        lambda: tf.reduce_mean(tf.ragged.constant([[], []], tf.int32)),
    )


def program_joined_texts(tf):
    flat = tf.ragged.constant([["a", "b"], [], ["c"]])
    deep = tf.ragged.constant([[["a", "b"], ["c"]], [], [["d", "e", "f"]]])
    found = []
    for axis in (None, -1, 0, 1, [0, 1], -2, 2):
        for keepdims in (False, True):
            found += _both(
                tf, lambda: tf.strings.reduce_join(
                    flat, axis, keepdims=keepdims, separator="-"
                ),
            )
    for axis in (None, -1, 0, 1, 2, [1, 2], [0, 1], [0, 2], [0, 1, 2], -3, 3):
        found += _both(
            tf, lambda: tf.strings.reduce_join(deep, axis, separator=", "),
            lambda: tf.strings.reduce_join(deep, axis, keepdims=True),
        )
    return [
        item if item[0] == "ok" else item[0] for item in found
    ]


def program_choices_in_a_trace(tf):
    x = tf.ragged.constant([[1, 2, 3], [], [4]])
    return _both(
        tf, lambda: tf.where(tf.equal(x, x), x, -x),
        lambda: tf.where(x > 2, x, 0), lambda: tf.where(tf.equal(x, 2)),
        lambda: str(tf.where(x > 2, x, x).shape),
    )


def program_shapes_that_are_broadcast(tf):
    x = tf.ragged.constant([[1, 2], [3]])
    operands = [
        x, tf.constant([[1], [2]]), tf.constant(1), tf.constant([[1]]),
        tf.ragged.constant([[5, 6], [7]]),
    ]
    shape = tf.broadcast_dynamic_shape
    return [
        str(shape(tf.shape(a), tf.shape(b)))
        for a, b in [
            *((x, other) for other in operands),
            *((other, x) for other in operands),
        ]
    ] + [
        failure(lambda: str(shape(tf.shape(x), [2, 1]))),
        failure(lambda: str(shape([1], tf.shape(x)))),
        failure(lambda: shape(
            tf.shape(x), tf.shape(tf.ragged.constant([[1], [2, 3]]))
        ))[0],
    ]


def program_bad_starts_and_limits(tf):
    found = []
    for bad in (
        [], [1], [0, 2, 1], [0, 5], [0, -1], [[0]], 0, [0.0, 1.0], ["a"],
        [0, 1, 9], None, [0, 2, 2], [-1, 2],
    ):
        for name in ("from_row_starts", "from_row_limits", "from_row_splits"):
            make = getattr(tf.RaggedTensor, name)
            found.append(failure(make, [1, 2, 3], bad))
            made = failure(make, [1, 2, 3], bad, validate=False)
            found.append(made[0] if made[0] != "ok" else made[1].row_splits)
    return found


def program_a_variable_among_splits(tf):
    v = tf.Variable(1, dtype=tf.int64)
    make = tf.RaggedTensor.from_row_splits
    return _both(
        tf, lambda: make([1, 2], [0, v, 2]),
        lambda: make([1, 2], [0, tf.constant(1, tf.int64), 2]),
        lambda: tf.RaggedTensor.from_row_lengths([1, 2], [v, 1]),
    )
