"""Functions that are called in graphs which sessions run: each graph has traces of its
own, and so have operations that are colocated with others; counted beside TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


def _counts(tf):
    one, v1 = tf.constant(1), tf.compat.v1

    @tf.function
    def f(x):
        return x + 1

    def calls(x):
        f(x)
        f(x)
        tf.function(lambda x: f(x))(x)
        return f.experimental_get_tracing_count()

    told = [calls(one)]
    for _ in range(2):
        with tf.Graph().as_default():
            told.append(calls(tf.constant(1)))
            with tf.init_scope():
                told.append(calls(tf.constant(2)))
            with tf.name_scope("a"), tf.control_dependencies([tf.constant(3)]):
                told.append(calls(tf.constant(4)))
            with tf.device("/cpu:0"):
                told.append(calls(tf.constant(4)))
            x = tf.constant(5)
            for _ in range(2):
                with v1.colocate_with(x):
                    told.append(calls(x))
            with v1.colocate_with(tf.constant(6)):
                told.append(calls(x))
            told.append(calls(x))
    told.append(calls(one))
    return told


def _captures(tf):
    for n in (1.0, 2.0):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            here = tf.constant(n)

            if n == 1.0:
                captured = {}

                @tf.function
                def f(x):
                    return x * captured["here"]  # noqa: B023

            captured["here"] = here
            y = f(tf.constant(10.0)) + f(tf.constant(20.0))
            yield session.run(y), session.run(y, {here: 7.0})


def _slots(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variables = [tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])]
        slots = {id(v): tf.Variable([0.0, 0.0]) for v in variables}
        extended = tf.distribute.get_strategy().extended
        now = []

        @tf.function
        def change(x, v):
            slot = slots[id(now[-1])]
            slot.assign_add(x)
            v.assign_sub(slot * 0.5)

        steps = []
        for v, x in zip(variables, ([0.1, 0.1], [10.0, 20.0]), strict=True):
            now.append(v)
            with extended.colocate_vars_with(v):
                extended.update(v, lambda v, x: change(x, v), (tf.constant(x),))
            steps.append(tf.compat.v1.get_default_graph().get_operations()[-1])
        classes = [step.colocation_groups() for step in steps]
        session.run(tf.compat.v1.global_variables_initializer())
        for _ in range(2):
            session.run(steps)
        told = session.run([*variables, *slots.values()])
        return classes, change.experimental_get_tracing_count(), told


def test_counts_of_traces():
    assert _counts(graphkiln) == _counts(tensorflow)


def test_captures_of_graphs():
    assert list(_captures(graphkiln)) == list(_captures(tensorflow))


def test_slots_of_colocated_variables():
    ours, theirs = _slots(graphkiln), _slots(tensorflow)
    assert ours[:2] == theirs[:2]
    for a, b in zip(ours[2], theirs[2], strict=True):
        np.testing.assert_allclose(a, b, 1e-6)
