"""Graphs of version 1 that keep tensors in arrays and stacks: TensorFlow makes
them, with gradients of its own, and runs them in a session; ours is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import graphkiln
import numpy as np
import pytest
import tensorflow
from graphkiln import _proto

v1 = tensorflow.compat.v1

_X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)


@pytest.fixture(autouse=True)
def version_one():
    v1.disable_control_flow_v2()
    yield
    v1.enable_control_flow_v2()


def _graph(build: Callable) -> tuple[Any, int]:
    graph = tensorflow.Graph()
    with graph.as_default():
        x = v1.placeholder(tensorflow.float32, [4], name="x")
        n = v1.placeholder(tensorflow.int32, [], name="n")
        results = build(tensorflow, x, n)
        for i, result in enumerate(results):
            tensorflow.identity(result, name=f"out{i}")
    return graph, len(results)


def _original(graph: Any, count: int, n: int) -> list:
    with v1.Session(graph=graph) as session:
        return session.run([f"out{i}:0" for i in range(count)], {"x:0": _X, "n:0": n})


def _ours(graph: Any, count: int) -> Callable:
    graph_def = _proto.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    wrapped = graphkiln.compat.v1.wrap_function(
        lambda: graphkiln.graph_util.import_graph_def(graph_def, name=""), []
    )
    element = wrapped.graph.as_graph_element
    return wrapped.prune(
        [element("x:0"), element("n:0")],
        [element(f"out{i}:0") for i in range(count)],
    )


def _loop(tf, x, n):
    array = tf.TensorArray(tf.float32, n)
    _, array = v1.while_loop(
        lambda i, a: i < n,
        lambda i, a: (i + 1, a.write(i, x * tf.cast(i, tf.float32))),
        [0, array],
    )
    return [array.stack(), array.size()]


def _gradient_of_loop(tf, x, n):
    y = _loop(tf, x, n)[0]
    return v1.gradients(tf.reduce_sum(y * y), [x])


def _two_gradients(tf, x, n):
    y = _loop(tf, x, n)[0]
    return v1.gradients(tf.reduce_sum(y * y), [x]) + v1.gradients(
        tf.reduce_sum(tf.sin(y)), [x]
    )


def _recurrence(tf, x, n):
    _, y = v1.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * x), [0, x]
    )
    return [y, *v1.gradients(y, [x])]


def _nested_loops(tf, x, n):
    def outer(i, y):
        _, y = v1.while_loop(
            lambda j, _: j < i, lambda j, y: (j + 1, tf.sin(y) + x * y), [0, y]
        )
        return i + 1, y

    _, y = v1.while_loop(lambda i, _: i < n, outer, [0, x])
    return [y, *v1.gradients(y, [x])]


def _branch_in_loop(tf, x, n):
    def body(i, y):
        return i + 1, v1.cond(
            tf.equal(i % 2, 0), lambda: tf.sin(y) * x, lambda: y + 1.0
        )

    _, y = v1.while_loop(lambda i, _: i < n, body, [0, x])
    return [y, *v1.gradients(y, [x])]


def _map_fn(tf, x, n):
    y = v1.map_fn(lambda v: v * v + tf.cast(n, tf.float32), x)
    return [y, *v1.gradients(y, [x])]


def _scan(tf, x, n):
    y = v1.scan(lambda total, v: total * v, x)
    return [y, *v1.gradients(y, [x])]


def _folds(tf, x, n):
    left = v1.foldl(lambda total, v: total * 0.5 + v, x)
    right = v1.foldr(lambda total, v: total * 0.5 + v, x)
    return [left, right, *v1.gradients([left, right], [x])]


def _reads(tf, x, n):
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    y = array.read(1) * 2.0 + array.read(n - 1) + array.read(1)
    return [y, array.gather([2, 0, 2]), array.stack(), *v1.gradients(y, [x])]


def _scatter_and_gather(tf, x, n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
    array = array.scatter([5, 1], x[:2])
    y = array.gather([1, 5, 0])
    return [y, array.size(), *v1.gradients(y * y, [x])]


def _split_and_concat(tf, x, n):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    array = array.split(x * x, [1, 3])
    y = array.concat()
    return [y, *v1.gradients(y * x, [x])]


def _texts(tf, x, n):
    array = tf.TensorArray(tf.string, n)
    _, array = v1.while_loop(
        lambda i, a: i < n,
        lambda i, a: (i + 1, a.write(i, tf.strings.as_string(x[0] * 2.0))),
        [0, array],
    )
    return [array.stack()]


def _two_arrays(tf, x, n):
    arrays = [tf.TensorArray(tf.float32, n), tf.TensorArray(tf.int32, n)]

    def body(i, a, b):
        value = x * tf.cast(i, tf.float32)
        return i + 1, a.write(i, value), b.write(n - 1 - i, i * i)

    _, a, b = v1.while_loop(lambda i, *_: i < n, body, [0, *arrays])
    return [a.stack(), b.stack()]


def _raw_stack(tf, x, n):
    raw = tf.raw_ops
    stack = raw.StackV2(max_size=-1, elem_type=tf.float32)
    with tf.control_dependencies([raw.StackPushV2(handle=stack, elem=x)]):
        second = raw.StackPushV2(handle=stack, elem=x[:2] * 2.0)
    with tf.control_dependencies([second]):
        top = raw.StackPopV2(handle=stack, elem_type=tf.float32)
    with tf.control_dependencies([top]):
        below = raw.StackPopV2(handle=stack, elem_type=tf.float32)
    return [top, below]


_BUILDERS = [
    _loop,
    _gradient_of_loop,
    _two_gradients,
    _recurrence,
    _nested_loops,
    _branch_in_loop,
    _map_fn,
    _scan,
    _folds,
    _reads,
    _scatter_and_gather,
    _split_and_concat,
    _texts,
    _two_arrays,
    _raw_stack,
]


def _assert_same(ours: Sequence, theirs: Sequence) -> None:
    for a, b in zip(ours, theirs, strict=True):
        b = np.asarray(b)
        if b.dtype.kind == "O":
            assert a.numpy().tolist() == b.tolist()
        else:
            assert a.dtype.as_numpy_dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("build", _BUILDERS, ids=lambda f: f.__name__[1:])
def test_an_imported_graph_gives_equal_values(build):
    graph, count = _graph(build)
    function = _ours(graph, count)
    for n in (4, 2, 4):  # each call has arrays and stacks of its own
        _assert_same(
            function(graphkiln.constant(_X), graphkiln.constant(n)),
            _original(graph, count, n),
        )


def _writes_behind_the_end(tf, x, n):
    return [tf.TensorArray(tf.float32, 1).write(n, x).stack()]


def _writes_twice(tf, x, n):
    array = tf.TensorArray(tf.float32, 2)
    return [array.write(0, x).write(0, x).stack()]


def _reads_twice(tf, x, n):
    array = tf.TensorArray(tf.float32, 4).unstack(x)
    first = array.read(0)
    with tf.control_dependencies([first]):
        return [array.read(0)]


def _reads_nothing(tf, x, n):
    return [tf.TensorArray(tf.float32, 2).read(0)]


def _pops_nothing(tf, x, n):
    stack = tf.raw_ops.StackV2(max_size=2, elem_type=tf.float32)
    return [tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32)]


def _pushes_too_many(tf, x, n):
    raw = tf.raw_ops
    stack = raw.StackV2(max_size=1, elem_type=tf.float32)
    with tf.control_dependencies([raw.StackPushV2(handle=stack, elem=x)]):
        second = raw.StackPushV2(handle=stack, elem=x)
    with tf.control_dependencies([second]):
        return [raw.StackPopV2(handle=stack, elem_type=tf.float32)]


@pytest.mark.parametrize(
    ("build", "phrase"),
    [
        (_writes_behind_the_end, "Tried to write to index 4 but array is not"),
        (_writes_twice, "because it has already been"),
        (_reads_twice, "Could not read index 0 twice because it was cleared"),
        (_reads_nothing, "Could not read from TensorArray index 0"),
        (_pops_nothing, "is empty when calling Pop()"),
        (_pushes_too_many, "overflowed its max_size"),
    ],
    ids=lambda v: getattr(v, "__name__", "_")[1:],
)
def test_errors_are_the_originals(build, phrase):
    graph, count = _graph(build)
    with pytest.raises(tensorflow.errors.OpError) as theirs:
        _original(graph, count, 4)
    function = _ours(graph, count)
    with pytest.raises(graphkiln.errors.OpError) as ours:
        function(graphkiln.constant(_X), graphkiln.constant(4))
    assert type(ours.value).__name__ == type(theirs.value).__name__
    assert phrase in str(theirs.value)
    assert phrase in str(ours.value)


def test_no_gradient_is_silently_none():
    graph, count = _graph(_loop)
    function = _ours(graph, count)
    x = graphkiln.constant(_X)
    with pytest.raises(LookupError, match="TensorArray"):
        with graphkiln.GradientTape() as tape:
            tape.watch(x)
            y = function(x, graphkiln.constant(4))[0]
        tape.gradient(y, x)
