"""Updates of variables in graphs of the first version: each runs where something
that waits for it runs, and what it gives reads what it wrote."""

from __future__ import annotations

import numpy as np
import pytest


def updates(tf, say):
    v1 = tf.compat.v1
    v = v1.get_variable("v", initializer=2.0, use_resource=True)
    w = tf.Variable(1.0)
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    rows = tf.IndexedSlices([[5.0, 6.0]], [1])
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        made = v.assign_add(1.0)
        say(made.op.type, made is v, made.handle is v.handle, made.name)
        say(s.run(made), s.run(v))
        say(s.run(tf.group(v.assign_add(1.0), [w.assign(7.0)])), s.run([v, w]))
        for change in (w.assign_sub(3.0), w.assign_sub(3.0).op):
            with tf.control_dependencies([change]):
                say(s.run(tf.constant(5)), s.run(w))
        say(s.run(w.assign(10.0) + 1.0), s.run(w))
        say(s.run(w.assign_add(1.0).assign_add(2.0)), s.run(w))
        say(s.run(tf.tuple([w.assign_add(1.0)])), s.run(w))
        say(s.run(tf.stack([w.assign_add(1.0), 3.0])))
        say(s.run(w.assign_add(1.0, read_value=False)), s.run(w))
        say(s.run(w.assign_add(1.0).op), s.run(w))
        say(s.run(w.assign_add(1.0).read_value()), s.run(w.assign_add(1.0).value()))
        say(s.run(tf.cast(w.assign_add(1.0), tf.int32)), s.run(w.assign_add(1.0) * 2))
        say(s.run(tf.group(m[0, 1].assign(9.0))), s.run(m))
        say(s.run(m[0, 0].assign(8.0)), s.run(m))
        for method in ("add", "sub", "max", "min", "mul", "div", "update"):
            scatter = getattr(m, f"scatter_{method}")
            say(method, s.run(tf.group(scatter(rows))), s.run(m), s.run(scatter(rows)))
        for method in ("add", "sub", "update"):
            scatter = getattr(m, f"scatter_nd_{method}")
            say(method, s.run(tf.group(scatter([[0, 1]], [2.0]))), s.run(m))
        say(s.run(m.scatter_update(rows)[1, 0].assign(1.5)), s.run(m))
        say(v == v, v != v, v == w, v != w, v == 1.0)  # noqa: PLR0124


def averages(tf, say):
    v1 = tf.compat.v1
    a = v1.get_variable("a", initializer=2.0, use_resource=True)
    c = v1.get_variable(
        "c", initializer=[1.0, 2.0], use_resource=True, trainable=False
    )
    step = v1.get_variable("n", initializer=1.0, use_resource=True, trainable=False)
    product = c * 3
    for more in ({}, {"zero_debias": True}, {"num_updates": step, "name": "avg"}):
        ema = tf.train.ExponentialMovingAverage(0.5, **more)
        say(ema.average_name(a), ema.average(a))
        op = ema.apply([a, product])
        every = ema.apply()
        say(op.name, every.name, ema.average(a).name, ema.average_name(product))
        say(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
        say(sorted(v.name for v in v1.moving_average_variables()))
        with v1.Session() as s:
            s.run(v1.global_variables_initializer())
            for i in range(4):
                s.run(op)
                s.run([c.assign_add([1.0, 2.0]), a.assign(i + 0.5)])
                say(s.run([ema.average(a), ema.average(product)]))
            s.run(every)
            say(s.run([ema.average(a), ema.average(product)]))


class Said:
    def __init__(self, tf) -> None:
        self.tf, self.all = tf, []

    def __call__(self, *values) -> None:
        as_lists = lambda v: v.tolist() if isinstance(v, np.ndarray) else v  # noqa: E731
        self.all.append([self.tf.nest.map_structure(as_lists, v) for v in values])


@pytest.mark.parametrize("program", [updates, averages])
def test_in_graphs(both, program):
    found = []
    for tf in (both.ours, both.theirs):
        say = Said(tf)
        with tf.Graph().as_default():
            program(tf, say)
        found.append(say.all)
    assert len(found[0]) == len(found[1]) > 10
    for own, theirs in zip(*found, strict=True):
        assert own == theirs


def eager_averages(tf):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3, name="w")
    for more in ({}, {"num_updates": 3}, {"zero_debias": True}, {"name": "E"}):
        ema = tf.train.ExponentialMovingAverage(0.9, **more)
        yield ema.name, ema.average(v), ema.average_name(v)
        yield ema.apply([v]), ema.average(v).numpy().tolist(), ema.average_name(v)
        v.assign_add([3.0, 4.0])
        yield ema.apply([v]), ema.average(v).numpy().tolist(), ema.average(v).trainable
        yield ema.apply(), [k for k in ema.variables_to_restore([v])]
        for wrong in ([w], [tf.constant(1.0)]):
            try:
                ema.apply(wrong)
            except TypeError as error:
                yield str(error)
    ema = tf.train.ExponentialMovingAverage(tf.constant(0.25))

    @tf.function
    def step(x):
        v.assign(x)
        ema.apply([v])
        return ema.average(v)

    for i in range(3):
        yield step([float(i), 2.0]).numpy().tolist()


def test_eager_averages(both):
    own = list(eager_averages(both.ours))
    assert own == list(eager_averages(both.theirs))
