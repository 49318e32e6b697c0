"""What Keras' second version takes from sessions: callables of CallableOptions, and
tensors that live as long as their graph."""

from __future__ import annotations

import gc
import importlib
import weakref

import numpy as np
import pytest

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


def _options(tf):
    name = "graphkiln._src.host.private_messages"
    if tf is tensorflow:
        name = "tensorflow.core.protobuf.config_pb2"
    return importlib.import_module(name).CallableOptions()


def _callables(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], "x")
        y = v1.placeholder_with_default(tf.constant(2.0), [], "y")
        v = tf.Variable(1.0)
        session.run(v.initializer)
        change = v.assign_add(10.0, read_value=False)
        tf.add(x * y, 1.0, name="z")
        source = tf.add(x, 100.0, name="source")

        options = _options(tf)
        options.feed.append("x:0")
        options.fetch.extend(["z:0", "y:0"])
        options.target.append(change.name)
        call = session._make_callable_from_options(options)
        for _ in range(2):
            yield [np.asarray(r).tolist() for r in call(np.array([1, 2], "f"))]
            yield session.run(v).item()
        metadata = v1.RunMetadata()
        yield len(call(np.array([3], "f"), run_metadata=metadata))
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            call()

        options = _options(tf)
        options.feed.append("y:0")
        connection = options.tensor_connection.add()
        other = tf.constant([7.0, 8.0], name="other")
        connection.from_tensor, connection.to_tensor = other.name, "x:0"
        options.fetch.extend(["z:0", source.name])
        call = session._make_callable_from_options(options)
        yield [r.tolist() for r in call(np.float32(3.0))]


def test_callables():
    ours = list(_callables(graphkiln))
    assert ours == list(_callables(tensorflow))
    assert ours[0] == [[3.0, 5.0], 2.0]


def test_what_would_run_twice_is_refused():
    tf = graphkiln
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        drawn = tf.random.uniform([], name="drawn")
        x = tf.compat.v1.placeholder(tf.float32, [], "x")
        both = tf.stack([x, drawn])
        options = _options(tf)
        connection = options.tensor_connection.add()
        connection.from_tensor, connection.to_tensor = drawn.name, x.name
        options.fetch.append(both.name)
        with pytest.raises(NotImplementedError, match="twice"):
            session._make_callable_from_options(options)


def _kept(tf):
    graph = tf.Graph()
    with graph.as_default():
        made = tf.constant(1.0, name="made")
        made._told = "here"
        seen = weakref.ref(tf.constant(2.0, name="seen"))
        plain = tf.constant(3.0) + made
        del made, plain
        gc.collect()
        again = graph.get_tensor_by_name("made:0")
        yield again._told, again.op.outputs[0] is again
        yield seen() is not None and seen() is graph.get_tensor_by_name("seen:0")
        again._cycle = [again, graph]
        del again
        gc.collect()
        yield len(graph.get_tensor_by_name("made:0")._cycle)
    gone = weakref.ref(graph), seen
    del graph
    gc.collect()
    yield [one() is None for one in gone]


def test_tensors_live_as_long_as_their_graph():
    assert list(_kept(graphkiln)) == list(_kept(tensorflow))


def test_tensors_of_functions_die():
    seen = []

    @graphkiln.function
    def f(x):
        y = x + 1.0
        y._told = 3
        seen.append(weakref.ref(y))
        return y * 2.0

    f(graphkiln.constant(1.0))
    gc.collect()
    assert seen[0]() is None


def _streams(tf):
    v1 = tf.compat.v1
    for _ in range(2):
        with tf.Graph().as_default(), v1.Session() as session:
            drawn = v1.random_uniform([], seed=5)
            more, other = drawn + 1.0, v1.random_uniform([], seed=5)
            x = v1.placeholder(tf.float32, [])
            fed = x + drawn
            told = [session.run(drawn), session.run(more) - 1.0]
            told += session.run([drawn, other]) + session.run([other, drawn])
            told += [session.run(fed, {x: 0.0}), session.run(other)]
            later = drawn * 2.0
            told += [session.run(later) / 2.0, session.run(drawn)]
            shuffled = v1.random_shuffle(tf.range(5), seed=1)
            told += [*session.run(shuffled), *session.run(shuffled + 1)]
            yield told
            with v1.Session() as another:
                yield [another.run(more) - 1.0, another.run(drawn)]


def test_runs_of_a_session_go_on_in_one_stream():
    ours, theirs = list(_streams(graphkiln)), list(_streams(tensorflow))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, 1e-5)
