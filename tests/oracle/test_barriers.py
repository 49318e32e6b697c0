"""Barriers in graphs of version 1 beside TensorFlow's."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest


class Program:
    """A graph with a barrier of two components, and a session of it."""

    def __init__(self, tf, shared_name="", shapes=((2,), ())):
        self.tf, self.r = tf, tf.raw_ops
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.handle = self.r.Barrier(
                component_types=[tf.float32, tf.string],
                shapes=[tf.TensorShape(s) for s in shapes], shared_name=shared_name,
            )
        self.session = tf.compat.v1.Session(graph=self.graph)

    def run(self, make):
        with self.graph.as_default():
            made = make()
        return self.session.run(made)

    def insert(self, component, keys, values):
        values = np.array(values, [np.float32, object][component])
        self.run(lambda: self.r.BarrierInsertMany(
            handle=self.handle, keys=keys, values=self.tf.constant(values),
            component_index=component,
        ))

    def take(self, n, **options):
        made = self.run(lambda: tuple(self.tf.nest.flatten(list(
            self.r.BarrierTakeMany(
                handle=self.handle, num_elements=n,
                component_types=[self.tf.float32, self.tf.string], **options,
            )
        ))))
        return [x.tolist() for x in made]

    def sizes(self):
        return [
            int(self.run(lambda op=op: op(handle=self.handle)))
            for op in (self.r.BarrierReadySize, self.r.BarrierIncompleteSize)
        ]

    def close(self, cancel=False):
        self.run(lambda: self.r.BarrierClose(
            handle=self.handle, cancel_pending_enqueues=cancel
        ))


def filled(tf, **options):
    p = Program(tf, **options)
    p.insert(0, ["a", "b"], [[1, 2], [3, 4]])
    p.insert(1, ["c", "b"], ["x", "y"])
    return p


def outcome(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", ["", "shared"])
def test_tuples_become_whole(both, name):
    def run(tf):
        p = filled(tf, shared_name=name and name + tf.__name__)
        told = [p.sizes(), p.take(1), p.sizes()]
        p.insert(0, ["c", "d"], [[5, 6], [7, 8]])
        p.insert(1, ["d", "a"], ["z", "w"])
        return [*told, p.sizes(), p.take(3), p.sizes()]

    assert run(both.ours) == run(both.theirs)


@pytest.mark.parametrize("cancel", [False, True])
def test_closed_barriers(both, cancel):
    def run(tf):
        p = filled(tf)
        p.close(cancel)
        return [
            p.sizes(),
            outcome(lambda: p.insert(1, ["new"], ["v"])),
            outcome(lambda: p.insert(1, ["a"], ["v"])),
            p.sizes(),
            outcome(lambda: p.take(5)),
            outcome(lambda: p.take(5, allow_small_batch=True)),
            outcome(lambda: p.take(5, allow_small_batch=True)),
            outcome(p.close),
            outcome(lambda: p.close(True)),
        ]

    assert run(both.ours) == run(both.theirs)


CALLS = """
p.insert(1, ['b'], ['again'])
p.insert(1, ['c'], ['again'])
p.insert(0, ['e'], [[1, 2], [3, 4]])
p.run(lambda: p.r.BarrierInsertMany(handle=p.handle, keys=['e'], values=[1], component_index=0))
p.run(lambda: p.r.BarrierInsertMany(handle=p.handle, keys=['e'], values=[1.], component_index=2))
p.run(lambda: p.r.BarrierTakeMany(handle=p.handle, num_elements=1, component_types=[p.tf.string]).keys)
p.run(lambda: p.r.Barrier(component_types=[p.tf.string], capacity=3))
p.run(lambda: p.r.Barrier(component_types=[p.tf.string], shapes=[[2], [3]]))
"""


@pytest.mark.parametrize("call", [c for c in CALLS.splitlines() if c])
def test_errors(both, call):
    def run(tf):
        p = filled(tf)
        return [outcome(lambda: eval(call, {"p": p})), p.sizes()]

    ours, theirs = run(both.ours), run(both.theirs)
    assert ours == theirs


# TensorFlow takes the first two, all or in part, and the last one ends it.
@pytest.mark.parametrize("call", [
    "p.insert(1, ['e', 'e'], ['v', 'w'])", "p.insert(0, ['e'], [[1, 2, 3]])",
    "p.take(-1)",
])
def test_calls_that_are_refused(call):
    import graphkiln as tf

    p = filled(tf)
    with pytest.raises(tf.errors.InvalidArgumentError):
        eval(call, {"p": p})
    assert p.sizes() == [1, 2]


def test_takes_wait():
    import graphkiln as tf

    p = Program(tf)
    taken = []
    thread = threading.Thread(target=lambda: taken.append(p.take(1)))
    thread.start()
    time.sleep(0.1)
    p.insert(1, ["a"], ["x"])
    p.insert(0, ["a"], [[1, 2]])
    thread.join(20)
    assert taken == [[[-(2**63)], [b"a"], [[1.0, 2.0]], [b"x"]]]


def test_names_that_are_none():
    import graphkiln as tf

    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.BarrierReadySize(handle=["localhost", "none"])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.BarrierReadySize(handle=["none"])
