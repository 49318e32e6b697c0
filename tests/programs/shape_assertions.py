"""tf.debugging.assert_shapes, eager and traced."""

from __future__ import annotations

import numpy as np
from outcomes import failure


def _sample(tf):
    return tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def program_shapes_eager(tf):
    check = tf.debugging.assert_shapes
    x, y = tf.ones([2, 3]), tf.ones([3, 5])
    return [
        failure(check, [(x, ("N", "D")), (y, ("D", 5))]),
        failure(check, [(x, ("N", "D")), (y, ("N", 5))]),
        failure(check, {}.items()),
        failure(check, [(x, (2,))]),
        failure(check, [(x, ("N", 4))]),
        failure(check, [(x, ("N", 4))], message="m"),
        failure(check, [(x, ("N", "N"))]),
        failure(check, [(x, "ND"), (y, "DK")]),
        failure(check, [(x, ("*", 3)), (y, (..., 4))]),
        failure(check, [(x, (None, "."))]),
        failure(check, [(tf.constant(1), ())]),
        failure(check, [(tf.constant(1), 1)]),
        failure(check, [(tf.ones([3]), 3), (tf.ones([4]), "K")]),
        failure(check, [(x, ("*", "a", "b", "c"))]),
    ]


def program_shapes_other_arguments(tf):
    check = tf.debugging.assert_shapes
    x = tf.ones([2, 3])
    return [
        failure(check, [(x, tf.TensorShape([2, 3]))]),
        failure(check, [(x, tf.TensorShape([2, 4]))]),
        failure(check, [([1, 2], ("N",)), (np.ones(3), ("N",))]),
        failure(check, [(x, ("N", 3)), (x, ("M", 3))]),
        failure(check, [(x, ("N", 4))], data=[x], summarize=1),
        failure(check, [(x, (2.0, 3))]),
        failure(check, 3)[:1],
        failure(check, [(x, ("N", "D"), 3)])[:1],
    ]


def _shape_checked(tf, spec, shapes, value, **kwargs):
    @tf.function(autograph=False, input_signature=[spec])
    def f(x):
        tf.debugging.assert_shapes([(x, shapes)], **kwargs)
        return tf.reduce_sum(x)

    return failure(f, value)


def program_shapes_unknown(tf):
    x = _sample(tf)
    f = tf.float32
    some = tf.TensorSpec([None, None], f)
    unknown = tf.TensorSpec(None, f)
    return [
        _shape_checked(tf, some, ("N", 3), x),
        _shape_checked(tf, some, ("N", 4), x),
        _shape_checked(tf, some, ("N", 4), x, message="m"),
        _shape_checked(tf, some, ("N", "N"), x),
        _shape_checked(tf, some, (2,), x),
        _shape_checked(tf, unknown, ("N", 3), x),
        _shape_checked(tf, unknown, ("N", 4), x),
        _shape_checked(tf, unknown, ("N", 4, 1), x),
        _shape_checked(tf, unknown, ("*", 4), x),
        _shape_checked(tf, unknown, ("*", 3), x),
    ]
