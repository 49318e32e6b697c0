"""Ragged operands whose rows differ: which values do."""

from __future__ import annotations

from outcomes import failure


def _sums(tf):
    r = tf.ragged.constant
    x = r([[1, 2], [3]])
    return [
        lambda: x + r([[1], [2, 3]]),
        lambda: x + r([[1, 2], [3], [4]]),
        lambda: x * [[1, 2]],
        lambda: x + tf.constant([[1, 2], [3, 4]]),
        lambda: x - tf.constant([1, 2, 3]),
        lambda: r([[1] * 100, [3]]) + r([[1], [2] * 100]),
        lambda: r([[1]] * 20) + r([[1, 2]] * 20),
        lambda: r([[[1, 2]], [[3]]]) + r([[[1]], [[3]]]),
        lambda: x + tf.constant([[1], [2]]),
        lambda: x + tf.constant([[1]]),
        lambda: x + 1,
    ]


def program_eager(tf):
    r = tf.ragged.constant
    equal = failure(lambda: r([[1, 2], [3]]) == r([[1], [2, 3]]))
    return [equal, *(failure(f) for f in _sums(tf))]


def program_traced(tf):
    return [
        failure(tf.function(f, autograph=False))[0] for f in _sums(tf)[2:]
    ]


def program_unknown_rows(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    f = tf.function(lambda x, y: x + y, input_signature=[spec, spec])
    r = tf.ragged.constant
    return [
        failure(f, r([[1, 2], [3]]), r([[1], [2, 3]]))[0],
        failure(f, r([[1, 2], [3]]), r([[1], [2], [3]]))[0],
        failure(f, r([[1, 2], [3]]), r([[3, 4], [5]])),
    ]
