"""Operands that few programs have: booleans that are multiplied, empty
tensors that are reshaped, invariants of composite tensors, variables for
functions that something else implements."""

from __future__ import annotations

import numpy as np
from outcomes import failure


def _each(tf, *functions):
    """What each does eagerly, and traced; of errors only the class."""
    found = []
    for f in functions:
        for run in (f, tf.function(f, autograph=False)):
            made = failure(run)
            found.append(made if made[0] == "ok" else made[0])
    return found


def program_products_of_booleans(tf):
    c = tf.constant
    a, b = c([True, False]), c([True, True])
    v = tf.Variable([True])
    return _each(
        tf,
        lambda: a * a, lambda: a * b, lambda: a * True, lambda: True * a,
        lambda: a * 1, lambda: a * 2, lambda: a * 0.0, lambda: a * c([0, 2]),
        lambda: c([1, 2]) * a, lambda: a * np.array([1, 0]), lambda: v * True,
        lambda: [True, False] * a, lambda: a * a[None], lambda: 2 * a,
        lambda: tf.multiply(a, b), lambda: a + b, lambda: a - b,
        lambda: a * None, lambda: a * "x",
    )


def program_shapes_of_empty_tensors(tf):
    z = tf.zeros
    return _each(
        tf,
        lambda: tf.reshape(z([0]), [-1, 0]), lambda: tf.reshape(z([0]), [0, -1]),
        lambda: tf.reshape(z([0, 3]), [-1, 0]),
        lambda: tf.reshape(z([0, 3]), [-1, 3]),
        lambda: tf.reshape(z([0]), [-1, 0, 5]), lambda: tf.reshape(z([0]), [-1]),
        lambda: tf.reshape(z([2]), [-1, 0]), lambda: tf.reshape(z([0]), [-1, -1]),
        lambda: tf.reshape(z([0]), [2, 0, -1]),
        lambda: tf.reshape(z([0, 4]), [4, -1]), lambda: tf.reshape(z([]), [-1, 0]),
        lambda: tf.reshape(z([0]), [0, 0]), lambda: tf.reshape(z([0]), [1, -1]),
        lambda: tf.reshape(z([0]), [-2]), lambda: tf.reshape(z([0]), [3]),
        lambda: tf.reshape(z([2, 0, 3]), [-1, 0]),
    )


def program_invariants_of_ragged_tensors(tf):
    def ragged():
        return tf.ragged.constant([[1, 2], [3]])

    def longer(invariant, axis=0, i=None):
        return lambda: tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], axis)),
            (0, ragged()),
            shape_invariants=(tf.TensorShape([]) if i is None else i, invariant),
        )[1]

    spec = tf.RaggedTensorSpec
    functions = (
        longer(spec([None, None], tf.int32)),
        longer(spec([None, None], tf.int32), 1),
        longer(spec([2, None], tf.int32), 1),
        longer(tf.TensorShape([None, None])),
        longer(spec([None, None], tf.int32), 0, tf.TensorSpec([], tf.int32)),
        longer(spec([2, None], tf.int32)),
        longer(spec([None, None], tf.int64)),
        longer(spec([None, None, None], tf.int32, ragged_rank=2)),
        longer(spec([None, None], tf.int32), 0, tf.TensorSpec([], tf.float32)),
        lambda: tf.while_loop(
            lambda x: x.nrows() < 5, lambda x: [tf.concat([x, x], 0)],
            [ragged()], shape_invariants=[spec([None, None], tf.int32)],
        )[0],
        lambda: tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, {"a": tf.concat([x["a"], x["a"]], 0)}),
            (0, {"a": ragged()}),
            shape_invariants=(
                tf.TensorShape([]), {"a": spec([None, None], tf.int32)},
            ),
        )[1]["a"],
    )
    return _each(tf, *functions)


def program_invariants_of_tensors(tf):
    def longer(invariant):
        return lambda: tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)),
            (0, tf.constant([1, 2])),
            shape_invariants=(tf.TensorShape([]), invariant),
        )[1]

    return _each(
        tf, longer(tf.TensorSpec([None], tf.int32)),
        longer(tf.TensorSpec([None], tf.float32)), longer([None]),
    )


def program_functions_that_something_implements(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function(experimental_implements="product")
    def f(a, b=2.0):
        return a * b

    @tf.function
    def around(x):
        total = 0.0
        for _ in tf.range(3):
            total += tf.reduce_sum(f(v, x))
            v.assign_add([1.0, 1.0])
        return total

    class Model:
        @tf.function(experimental_implements="product")
        def product(self, a):
            return a * 2.0

    def slope():
        with tf.GradientTape() as tape:
            y = f(v, tf.constant(3.0))
        return tape.gradient(y, v)

    three = tf.constant(3.0)
    runs = (
        lambda: f(v, three), lambda: f(v, v), lambda: f(v), lambda: f(v, b=v),
        lambda: f(2.0, 3.0), lambda: f([1.0, 2.0]), lambda: f([v, v]),
        lambda: f(None), lambda: f({"a": 1.0}), lambda: Model().product(v),
        slope, lambda: around(three), lambda: v.assign([5.0, 6.0]),
        lambda: f(v, three),
        lambda: str(
            f.get_concrete_function(v, tf.TensorSpec([]))
            .structured_input_signature
        ),
    )
    found = []
    for run in runs:
        made = failure(run)
        found.append(made if made[0] == "ok" else made[0])
    return found


def program_a_choice_between_one_tensor_and_itself(tf):
    c = tf.constant
    made = []
    for value in (c("a"), c(["a", "b"]), c([[1.5], [2.5]]), c([True, False])):
        for yes in (True, False):
            condition = c(yes)
            both = lambda: tf.where(condition, value, value)
            wide = lambda: tf.where(tf.fill([2, 2], condition), value, value)
            old = lambda: tf.raw_ops.Select(
                condition=condition, t=value, e=value)
            made += [g() for f in (both, wide, old)
                     for g in (f, tf.function(f, autograph=False))]
    return made


def program_sizes_of_both_integer_types(tf):
    long, x = tf.constant(2, tf.int64), tf.range(12.0)
    short = tf.size(x) // 2
    traced = [
        lambda: tf.reshape(x, [long, tf.size(x) // 2]),
        lambda: tf.fill([long, tf.size(x)], 1),
        lambda: tf.broadcast_to(1.0, [long, tf.shape(x)[0]]),
        lambda: tf.tile([[1]], [long, short]),
    ]
    return [failure(tf.function(f, autograph=False)) for f in traced]


def program_orders_of_norms(tf):
    x = tf.constant([3.0, -4.0])
    return _each(
        tf, lambda: tf.norm(x, np.int64(2)), lambda: tf.norm(x, np.float32(1)),
        lambda: tf.norm(x, np.inf), lambda: tf.norm(x, "fro"),
        lambda: tf.norm(x, np.int32(3)),
    )


def program_numbers_for_truth_values(tf):
    return _each(
        tf, lambda: tf.math.logical_xor(1.0, 2.0),
        lambda: tf.math.logical_xor(1, True), lambda: tf.logical_not(0),
        lambda: tf.logical_and(1, 0), lambda: tf.logical_or([1.0], [0.0]),
        lambda: tf.math.logical_xor([True, False], True),
        lambda: tf.reduce_any([1, 0]), lambda: tf.reduce_all(1.0),
        lambda: tf.where([1, 0], 1, 2), lambda: tf.boolean_mask([1, 2], [1, 0]),
    )
