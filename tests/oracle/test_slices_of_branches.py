"""IndexedSlices that branches give with rows in int32 and in int64."""

from __future__ import annotations

import numpy as np


def slices(tf, dtype, n=1):
    return tf.IndexedSlices(
        tf.ones([n, 2]), tf.cast(tf.range(n), dtype), tf.constant([5, 2])
    )


def answers(tf):
    @tf.function
    def one(p):
        return tf.cond(p, lambda: slices(tf, "int64", 2), lambda: slices(tf, "int32"))

    @tf.function
    def nested(p):
        return tf.cond(
            p,
            lambda: {"a": slices(tf, "int32", 2), "b": 1},
            lambda: {"a": slices(tf, "int64"), "b": 2},
        )["a"]

    @tf.function
    def case(i):
        kinds = ("int32", "int64", "int32")
        return tf.switch_case(
            i, [lambda k=k, n=n: slices(tf, k, n + 1) for n, k in enumerate(kinds)]
        )

    asked = [(one, True), (one, False), (nested, True), (nested, False)]
    for function, given in [*asked, *((case, i) for i in range(3))]:
        got = function(tf.constant(given))
        yield got.indices.dtype.name, got.indices.numpy().tolist()
        yield np.asarray(tf.convert_to_tensor(got)).tolist()


def test_rows_are_named_alike(both):
    assert list(answers(both.ours)) == list(answers(both.theirs))
