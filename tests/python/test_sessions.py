"""tf.compat.v1.Session; tests/oracle/test_sessions.py compares with TensorFlow."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import graphkiln as tf


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_a_variable_keeps_its_value_between_runs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(1.0)
        more = v.assign_add(2.0)
        session.run(tf.compat.v1.global_variables_initializer())
        assert [session.run(more) for _ in range(3)] == [3.0, 5.0, 7.0]
        assert v.eval() == 7.0
        v.load(1.5)
        assert session.run(v) == 1.5


def test_threads_run_one_session():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x * 2.0
    session = tf.compat.v1.Session(graph=graph)
    results = {}

    def run(i: int) -> None:
        for _ in range(20):
            results[i] = session.run(y, {x: i})

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {i: 2.0 * i for i in range(8)}


def test_branches_loops_and_functions_run():
    with tf.Graph().as_default():
        i = tf.compat.v1.placeholder(tf.int32, [])
        loop = tf.while_loop(
            lambda k, a: k < i, lambda k, a: (k + 1, a * 2), (0, tf.constant(1))
        )
        branch = tf.cond(i > 2, lambda: i, lambda: -i)
        squared = tf.function(lambda z: z * z)(i)
        with tf.compat.v1.Session() as session:
            assert session.run([loop[1], branch, squared], {i: 5}) == [32, 5, 25]
            assert session.run([loop[1], branch, squared], {i: 1}) == [2, -1, 1]


def test_part_of_a_sparse_placeholder_can_be_fed():
    with tf.Graph().as_default():
        parts = [
            tf.compat.v1.placeholder(tf.int64, [None, 2]),
            tf.compat.v1.placeholder(tf.float32, [None]),
            tf.compat.v1.placeholder(tf.int64, [2]),
        ]
        sparse = tf.SparseTensor(*parts)
        dense = tf.sparse.to_dense(sparse)
        with tf.compat.v1.Session() as session:
            value = tf.compat.v1.SparseTensorValue([[0, 1]], [2.0], [2, 2])
            got = session.run([dense, sparse], {sparse: value})
    np.testing.assert_array_equal(got[0], [[0, 2], [0, 0]])
    assert got[1].values.tolist() == [2.0]


def test_eager_execution_can_be_turned_off():
    code = """
import graphkiln as tf
tf.compat.v1.disable_v2_behavior()
x = tf.compat.v1.placeholder(tf.float32, [])
v = tf.Variable(2.0)
y = x * v
with tf.compat.v1.Session() as session:
    session.run(tf.compat.v1.global_variables_initializer())
    print(session.run(y, {x: 3.0}))
tf.compat.v1.reset_default_graph()
print(tf.constant(1).name, tf.executing_eagerly())
tf.compat.v1.enable_eager_execution()
print(tf.executing_eagerly())
"""
    assert _run(code) == "6.0\nConst:0 False\nTrue\n"


@pytest.mark.parametrize(
    "held", ["v.op", "tf.compat.v1.Session(graph=g)", "[g, v]"]
)
def test_what_a_module_holds_of_graphs_is_freed_at_the_end(held):
    """The binding says so on stderr if it is not."""
    code = f"""
import graphkiln as tf
g = tf.Graph()
with g.as_default():
    v = tf.Variable(1.0)
held = {held}
"""
    assert _run(code) == ""


def test_the_graph_keeps_its_variables():
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
        tf.Variable(1, trainable=False, collections=["mine"])
        assert graph.get_collection("variables") == [v]
        assert graph.get_collection("trainable_variables") == [v]
        assert len(graph.get_collection("mine")) == 1
    assert tf.compat.v1.global_variables() == []


def test_uninitialized_variables_are_named():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a = tf.Variable(1.0, name="a")
        tf.Variable(1.0, name="b")
        report = tf.compat.v1.report_uninitialized_variables()
        session.run(a.initializer)
        assert session.run(report).tolist() == [b"b"]


def test_a_variable_as_key_feeds_what_it_is_read_by():
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        assert graph.as_graph_element(v).name == "Variable/Read/ReadVariableOp:0"
        assert session.run(v, {v: 5.0}) == 5.0
        # Other reads are ops of their own.
        assert session.run(v + 1.0, {v: 5.0}) == 2.0
