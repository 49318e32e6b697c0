"""Functions that return from within loops over tensors, and have no return
statement behind them."""

from __future__ import annotations

from outcomes import failure, phrase


def _each(tf, f, *arguments):
    """What comes of each argument; of errors the class and last line."""
    found = []
    for argument in arguments:
        made = failure(tf.function(f), argument)
        if made[0] != "ok":
            made = [made[0], made[1].strip().splitlines()[-1]]
        found.append(made)
    return found


def program_while_loops(tf):
    def at_once(n):
        while n > 0:
            return n

    def after_a_change(n):
        while n > 0:
            n -= 1
            return n

    def pairs(n):
        while n > 0:
            return n, n + 1

    def dicts(n):
        while n > 0:
            return {"a": n}

    def lists(n):
        while n > 0:
            return [n]

    def numbers(n):
        while n > 0:
            return 5

    def in_both_branches(n):
        while n > 0:
            if n > 1:
                return n
            else:
                return n + 1

    def of_unknown_shape(n):
        while n > 0:
            return tf.ones([n])

    def with_more_behind(n):
        while n > 0:
            return n
        while n < 0:
            return n

    def in_a_scope(n):
        with tf.name_scope("a"):
            while n > 0:
                return n

    v = tf.Variable(3.0)

    def with_effects(n):
        while n > 0:
            v.assign_add(1.0)
            return v + 0.0

    several, none = tf.constant(3), tf.constant(0)
    return [
        _each(tf, f, several, none)
        for f in (
            at_once, after_a_change, pairs, dicts, lists, numbers,
            in_both_branches, of_unknown_shape, in_a_scope, with_effects,
        )
    ], _each(tf, with_more_behind, several, tf.constant(-3)), v


def program_for_loops(tf):
    def over_range(n):
        for i in tf.range(n):
            return i

    def over_rows(v):
        for x in v:
            return x

    return [
        _each(tf, over_range, tf.constant(3), tf.constant(0)),
        _each(tf, over_rows, tf.constant([1.0, 2.0]), tf.zeros([0])),
    ]


@phrase(
    "a return statement cannot be placed inside this TensorFlow loop; this may "
    "happen if a return statement depends on a static Python condition such as "
    "a hyperparameter"
)
def program_results_of_some_iterations(tf):
    @tf.function
    def f(n):
        while n > 0:
            if n == 2:
                return n
            n -= 1

    f(tf.constant(3))


@phrase("a return statement cannot be placed inside this TensorFlow loop")
def program_results_of_some_iterations_of_a_range(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i == 2:
                return i

    f(tf.constant(3))


@phrase("a return statement cannot be placed inside this TensorFlow loop")
def program_results_of_some_elements(tf):
    @tf.function
    def f(dataset):
        for x in dataset:
            if x > 1:
                return x

    f(tf.data.Dataset.range(3))


@phrase("the else branch must also have a return statement.")
def program_results_of_a_branch(tf):
    @tf.function
    def f(n):
        if n > 0:
            return n

    f(tf.constant(3))
