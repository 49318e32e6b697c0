"""Lists with tensors in them become tensors: in which dtype, with what cast."""

from __future__ import annotations

import numpy as np
from outcomes import failure


def _each(tf, *functions):
    """What each does eagerly, and traced; of that only the class of errors."""
    found = []
    for f in functions:
        traced = failure(tf.function(f, autograph=False))
        found.append(failure(f))
        found.append(traced if traced[0] == "ok" else traced[0])
    return found


def _makers(tf):
    def long(value):
        return tf.constant(value, tf.int64)

    return tf.constant, long


def program_concat_casts_to_the_first_tensor(tf):
    c, long = _makers(tf)
    return _each(
        tf,
        lambda: tf.concat((c([0, 0]), [long(1)]), 0),
        lambda: tf.concat(([long(1)], c([0, 0])), 0),
        lambda: tf.concat(([1, long(1)], c([0, 0])), 0),
        lambda: tf.concat((c([0.0, 0]), [c(1)]), 0),
        lambda: tf.concat((c([0.0, 0]), [c(1), 2.5]), 0),
        lambda: tf.concat(([c(1), 2.5], c([0.0, 0])), 0),
        lambda: tf.concat((c([0, 0]), [c(1.5)]), 0),
        lambda: tf.concat((c([[0, 0]]), [[long(1), 2]]), 0),
        lambda: tf.concat((c([[0, 0]]), [(long(1), 2)]), 0),
        lambda: tf.concat((c([0, 0]), [c(True)]), 0),
        lambda: tf.concat((c(["a"]), [c(1)]), 0),
        lambda: tf.concat((c([0, 0]), [np.int64(5), c(1)]), 0),
        lambda: tf.concat((c([0, 0]), [np.int64(5), long(1)]), 0),
        lambda: tf.concat([c([1, 2]), [long(1)]], axis=long(0)),
    )


def program_concat_casts_variables(tf):
    v = tf.Variable(1, dtype=tf.int64)
    return _each(tf, lambda: tf.concat((tf.constant([0, 0]), [v]), 0))


def program_stack(tf):
    c, long = _makers(tf)
    return _each(
        tf,
        lambda: tf.stack([1, long(1)]), lambda: tf.stack([long(1), 1]),
        lambda: tf.stack([c(1.0), 1]), lambda: tf.stack([1, c(1.0)]),
        lambda: tf.stack([c(1), 1.0]), lambda: tf.stack([1.0, c(1)]),
        lambda: tf.stack([[c(1), 2], [3, 4]]),
        lambda: tf.stack([[long(1), 2], [3, 4]]),
        lambda: tf.stack([[3, 4], [long(1), 2]]),
        lambda: tf.stack([c([3, 4]), [long(1), 2]]),
        lambda: tf.stack([c([3, 4]), [long(1), c(2)]]),
        lambda: tf.stack([np.array([1, 2]), c([1, 2])]),
        lambda: tf.stack([np.int64(1), c(1)]),
        lambda: tf.stack([np.float32(1), c(1)]),
        lambda: tf.stack([c(1, tf.float64), np.float32(1)]),
        lambda: tf.stack([True, c(1)]), lambda: tf.stack([c("a"), "b"]),
        lambda: tf.stack([1, 2.5]), lambda: tf.stack([]),
        lambda: tf.stack([[[0, 0]], [[1, long(1)]]]),
    )


def program_stack_along_another_axis(tf):
    c, long = _makers(tf)
    found = []
    for values in (
        [[0, 0], [1, long(1)]], [[1, c(3)], [1, long(1)]],
        [[1, c(3)], [c(1.5), 2.5]], [1, 2.5], [c([1, 2]), [long(1), c(2)]],
    ):
        found.append(failure(tf.stack, values, -1))
    return found


def program_lists_convert(tf):
    c, long = _makers(tf)
    makers = (
        lambda: [long(1), 2], lambda: [2, long(1)],
        lambda: [[c(1), 2], [3, long(4)]],
        lambda: [c(1.0), 2], lambda: [c(1), 2.0], lambda: [[c(1.0), 2], [3, 4]],
        lambda: [c([1, 2]), [3, 4]], lambda: [[3, 4], c([1, 2], tf.int64)],
        lambda: [c([1, 2]), np.array([3, 4])], lambda: (c(1), 2),
        lambda: [[[c(1)]], [[2]]], lambda: [c(1), True], lambda: [c(True), 1],
        lambda: [c(1), 3000000000], lambda: [long(1), 3000000000],
        lambda: [c(1), 1j], lambda: [c(1.0), 1j], lambda: [c(1, tf.int8), 300],
        lambda: [c("a"), "b"], lambda: [c("a"), 1], lambda: [c(1), "a"],
        lambda: [c(1), None], lambda: [],
        lambda: [c(1.5, tf.float16), 2], lambda: [c(1.5, tf.bfloat16), 2.5],
        lambda: [c(1), np.float32(2)], lambda: [long(1), np.int32(2)],
        lambda: [c(1), long(1)],
    )
    wishes = (
        {}, {"dtype": tf.int64}, {"dtype": tf.float32},
        {"dtype_hint": tf.int64}, {"dtype_hint": tf.float32},
    )
    return _each(
        tf,
        *(
            lambda make=make, wish=wish: tf.convert_to_tensor(make(), **wish)
            for make in makers for wish in wishes
        ),
    )


def program_variables_in_lists(tf):
    v, w = tf.Variable(1), tf.Variable(1.0, dtype=tf.float64)
    return _each(
        tf,
        lambda: tf.convert_to_tensor([v, 2], tf.float32),
        lambda: tf.convert_to_tensor([v, 2], dtype_hint=tf.int64),
        lambda: tf.convert_to_tensor([[v], [2]]), lambda: tf.stack([w, 1]),
        lambda: tf.concat([tf.constant([1.0]), [w]], 0),
    )


def program_operands(tf):
    c, long = _makers(tf)
    x = c([1, 2])
    return _each(
        tf,
        lambda: x + [long(1), 2], lambda: x + [c(1), 2], lambda: [c(1), 2] + x,
        lambda: c([1.0, 2.0]) * [c(1), 2],
        lambda: tf.add([c(1), 2], [long(1), 2]),
        lambda: tf.maximum([c(1), long(2)], x),
        lambda: tf.reduce_sum([c(1), long(2)]),
        lambda: tf.where([c(True), False], [c(1), 2], [long(3), 4]),
        lambda: tf.where([True, False], c([1, 2]), [long(3), 4]),
        lambda: tf.gather([c(1.0), 2], [long(0), 1]),
        lambda: tf.matmul([[c(1.0), 2]], [[3], [c(4.0)]]),
        lambda: x == [long(1), 2],
        lambda: tf.slice(x, [c(0)], [long(1)]),
        lambda: tf.stack([x, [long(1), c(2)]], axis=1),
        lambda: tf.TensorArray(tf.int32, 1).write(0, [long(1), c(2)]).stack(),
        lambda: tf.tensor_scatter_nd_update(x, [[c(1)]], [long(2)]),
        lambda: tf.boolean_mask(x, [c(True), False]),
        lambda: tf.reduce_max([x, [long(3), 4]]),
        lambda: tf.raw_ops.ConcatV2(values=[x, [long(1)]], axis=0),
    )


def program_assignments(tf):
    c, long = _makers(tf)
    v = tf.Variable([1, 2])
    return [
        failure(v.assign, [c(1), long(2)])[0], failure(v.assign, [c(1.0), 2])[0],
        failure(v.assign_add, [long(1), long(2)])[0], v,
    ]


def program_gradients_go_through(tf):
    x = tf.Variable(2.0)

    @tf.function
    def f(y):
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = tf.concat([tf.constant([1.0], tf.float64), [x, y]], 0)
            loss = tf.reduce_sum(z * z)
        return tape.gradient(loss, [x, y])

    return f(tf.constant(3.0))


def program_nodes(tf):
    @tf.function(autograph=False)
    def f(a, b):
        tf.stack([1, 2])
        tf.stack([a, 1.0])
        tf.convert_to_tensor([a, 1.0])
        tf.convert_to_tensor([[a, 2.0], [1.0, b]])
        tf.stack([[a, 2.0], [1.0, b]])
        tf.convert_to_tensor([[a, 2.0], [1.0, b]], name="foo")
        tf.stack([[a, b], [1.0, 2.0]], name="bar")
        tf.convert_to_tensor([a, 1.0], tf.float64)
        tf.concat([[a, 2.0], [1.0, b]], 0)
        tf.convert_to_tensor([[1.0, 2.0], [1.0, b]])
        tf.stack([1, 2], name="q")
        tf.add([a, 1.0], 2.0)
        a + [b, 1.0]
        tf.add([b, 1.0], a)
        return a

    scalar = tf.TensorSpec([])
    return [
        (op.name, op.type, [x.name for x in op.inputs])
        for op in f.get_concrete_function(scalar, scalar).graph.get_operations()
    ]
