"""What TensorFlow's own tests found that run in a session's graph: the values of
the same calls on both modules."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorflow

import graphkiln


def plain(value):
    if isinstance(value, (list, tuple)) and not hasattr(value, "dense_shape"):
        return [plain(v) for v in value]
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "dense_shape"):
        return [np.asarray(part).tolist() for part in value]
    return np.asarray(value).tolist()


def arrays(tf, rows, dtype=None, **kwargs):
    """A ragged tensor's arrays, as a session gives them."""
    return tf.compat.v1.ragged.constant_value(rows, dtype=dtype, **kwargs)


def _examples(tf, **features):
    example = tf.train.Example()
    for name, values in features.items():
        example.features.feature[name].int64_list.value.extend(values)
    return [example.SerializeToString()]


TEXTS = [["a", "bc"], [], ["d"]]
NUMBERS = [[1, 2], [], [3]]

CASES = {
    # Numbers and shapes that compositions need are constants of the graph.
    "joined rows": lambda tf: tf.strings.reduce_join(tf.ragged.constant(TEXTS), -1),
    "joined columns": lambda tf: tf.strings.reduce_join(
        tf.ragged.constant(TEXTS), 0, separator="-"
    ),
    "default of a feature": lambda tf: tf.io.parse_example(
        _examples(tf), {"x": tf.io.FixedLenFeature([2], tf.int64, [1, 2])}
    )["x"],
    "padding of a feature": lambda tf: tf.io.parse_example(
        _examples(tf, x=[5]),
        {"x": tf.io.FixedLenSequenceFeature([], tf.int64, True, 7)},
    )["x"],
    "sparse feature": lambda tf: tf.io.parse_example(
        _examples(tf, i=[3], v=[5]),
        {"x": tf.io.SparseFeature("i", "v", tf.int64, 9)},
    )["x"],
    "ragged feature": lambda tf: tf.io.parse_example(
        _examples(tf, v=[5, 6]), {"v": tf.io.RaggedFeature(tf.int64)}
    )["v"],
    "histogram": lambda tf: tf.histogram_fixed_width([1.0, 2.0, 9.0], [0.0, 5.0], 3),
    "confusion": lambda tf: tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]),
    "log of sums": lambda tf: tf.reduce_logsumexp([[0.0, 1.0], [2.0, 3.0]], 1),
    "psnr": lambda tf: tf.image.psnr(tf.zeros([2, 2, 3]), tf.ones([2, 2, 3]), 2.0),
    "ssim": lambda tf: tf.image.ssim(
        tf.ones([1, 12, 12, 1]), tf.ones([1, 12, 12, 1]), 1.0
    ),
    "hue": lambda tf: tf.image.adjust_hue(tf.ones([2, 2, 3]) * 0.3, 0.1),
    "mean and variance": lambda tf: tf.nn.moments(tf.constant([1.0, 2.0, 4.0]), [0]),
    "embeddings": lambda tf: tf.nn.embedding_lookup_sparse(
        tf.constant([[1.0], [2.0]]), tf.sparse.from_dense([[1, 0], [1, 1]]), None
    ),
    "batches of rows": lambda tf: tf.ragged.constant(NUMBERS).to_tensor(9),
    "sizes": lambda tf: tf.ragged.constant(NUMBERS).bounding_shape(),
    "unsorted": lambda tf: tf.math.unsorted_segment_sqrt_n([1.0, 2.0], [0, 0], 2),
    "top": lambda tf: tf.math.in_top_k([1], [[0.1, 0.9]], 1),
    # The arrays of ragged tensors are arguments as these are.
    "where": lambda tf: tf.where(
        arrays(tf, [[True, False], [True]]),
        arrays(tf, [["a", "b"], ["c"]]),
        arrays(tf, [["x", "y"], ["z"]]),
    ),
    "gather": lambda tf: tf.gather(arrays(tf, TEXTS), [2, 0]),
    "gather by rows": lambda tf: tf.gather(["a", "b", "c", "d"], arrays(tf, NUMBERS)),
    "gather_nd": lambda tf: tf.gather_nd(arrays(tf, TEXTS), [[0, 1], [2, 0]]),
    # What ragged indices give keeps the rows of what they name.
    "gather_nd of rows": lambda tf: tf.gather_nd(
        tf.ragged.constant([[["a", "b"], ["c"]], [["d"]]]),
        tf.ragged.constant([[[1, 0], [0, 1]], [[0, 0]]], ragged_rank=1),
    ),
    "gather_nd of deep rows": lambda tf: tf.gather_nd(
        tf.ragged.constant([[["a", "b"], ["c"]], [["d"]]]),
        tf.ragged.constant([[[1], [0]], [], [[0]]], ragged_rank=1, inner_shape=(1,)),
    ),
    "gather_nd of even rows": lambda tf: tf.gather_nd(
        tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
        tf.ragged.constant([[[1, 0]], [[0, 1], [0, 0]]], ragged_rank=1),
    ),
    "gather_nd of elements": lambda tf: tf.gather_nd(
        tf.ragged.constant([[1, 2], [3]]),
        tf.ragged.constant([[[1, 0]], [[0, 1], [0, 0]]], ragged_rank=1),
    ),
    "mask": lambda tf: tf.ragged.boolean_mask(
        arrays(tf, NUMBERS), arrays(tf, [[True, False], [], [True]])
    ),
    "bitcast": lambda tf: tf.bitcast(arrays(tf, NUMBERS, np.int32), tf.uint32),
    "concat": lambda tf: tf.concat([arrays(tf, NUMBERS), arrays(tf, NUMBERS)], 1),
    "sum": lambda tf: tf.reduce_sum(arrays(tf, NUMBERS), 1),
    "add": lambda tf: tf.add(arrays(tf, NUMBERS), 1),
    "lengths": lambda tf: tf.strings.length(arrays(tf, TEXTS)),
    "size": lambda tf: tf.size(arrays(tf, NUMBERS)),
}


@pytest.mark.parametrize("eagerly", [False, True], ids=["graph", "eager"])
@pytest.mark.parametrize("name", list(CASES))
def test_values(name, eagerly):
    found = []
    for tf in (tensorflow, graphkiln):
        if eagerly:
            made = CASES[name](tf)
            if hasattr(made, "dense_shape"):
                made = tf.compat.v1.SparseTensorValue(
                    *map(np.asarray, (made.indices, made.values, made.dense_shape))
                )
            found.append(plain(made))
            continue
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            found.append(plain(session.run(CASES[name](tf))))
    if _numbers(found[0]):
        np.testing.assert_allclose(*found, rtol=1e-6)
    else:
        assert found[1] == found[0]


def _numbers(value):
    try:
        return np.asarray(value).dtype.kind == "f"
    except ValueError:
        return False


def test_graphs_take_no_eager_tensors():
    for tf in (tensorflow, graphkiln):
        outside = tf.constant([1.0])
        with tf.Graph().as_default():
            for call in (
                lambda: outside + 1.0,  # noqa: B023
                lambda: tf.strings.as_string(outside),  # noqa: B023
                lambda: tf.concat([outside, [2.0]], 0),  # noqa: B023
                lambda: tf.reduce_logsumexp(outside),  # noqa: B023
            ):
                with pytest.raises(RuntimeError, match="capture an EagerTensor"):
                    call()


def test_threads_share_a_graph():
    for tf in (tensorflow, graphkiln):
        graph, values = tf.Graph(), {}
        events = [threading.Event() for _ in range(3)]
        entered = [threading.Event() for _ in range(3)]

        def work(i):
            entered[i - 1].wait(10) if i else None  # noqa: B023
            with tf.compat.v1.Session(graph=graph) as session:  # noqa: B023
                x = tf.constant(float(i))  # noqa: B023
                entered[i].set()  # noqa: B023
                events[i].wait(10)  # noqa: B023
                values[i] = session.run(x * 2.0).item()  # noqa: B023
            # Left in the order of entering, and outside of it since.
            values[i, "eager"] = tf.executing_eagerly()  # noqa: B023
            events[i + 1].set() if i < 2 else None  # noqa: B023

        threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        entered[2].wait(10)
        events[0].set()
        for thread in threads:
            thread.join(20)
        assert [values.get(i) for i in range(3)] == [0.0, 2.0, 4.0]
        assert all(values.get((i, "eager")) for i in range(3))


def test_a_variable_that_is_known_by_name_has_a_value():
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default() as graph, v1.Session() as session:
            v = v1.get_variable("v", [], use_resource=True)
            found = v1.is_variable_initialized(v)
            if tf is graphkiln:  # of TensorFlow's these are references alone
                by_name = v1.is_variable_initialized(graph.get_tensor_by_name("v:0"))
            else:
                by_name = found
            before = session.run([found, by_name])
            session.run(v.initializer)
            return before, session.run([found, by_name])

    assert program(graphkiln) == program(tensorflow)
    assert program(graphkiln) == ([False, False], [True, True])


def test_a_default_that_may_be_fed_is_no_constant():
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            sizes = v1.placeholder_with_default([2, 2], [2])
            x = v1.placeholder_with_default(2.0, [])
            made = [
                tf.shape(tf.reshape(tf.ones([4]), sizes)), tf.shape(tf.zeros(sizes)),
                tf.size(tf.fill(sizes, x)), tf.range(sizes[0]), tf.cond(
                    x > 1.0, lambda: 1.0, lambda: 2.0), tf.reduce_sum(tf.zeros(sizes) + x),
            ]
            check = tf.debugging.assert_less(x, 2.0)
            feeds = {}, {sizes: [4, 1], x: 5.0}, {sizes: [1, 4], x: 0.5}
            values = [plain(session.run(made, f)) for f in feeds]
            assert check is not None
            return values, [t.shape.as_list() for t in (made[3], tf.zeros(sizes))]

    assert program(graphkiln) == program(tensorflow)


def test_a_fed_placeholder_may_be_waited_for():
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [])
            v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
            with tf.control_dependencies([x]):
                after = v1.assign_add(v, 2.0)
            with tf.control_dependencies([after, x]):
                last = tf.constant(3.0) * 2.0
            session.run(v.initializer)
            told = [plain(session.run([after, last], {x: 1.0}))]
            try:
                session.run(last)
            except tf.errors.InvalidArgumentError:
                told.append("must be fed")
            return told

    assert program(graphkiln) == program(tensorflow)


def test_names_of_scopes_are_free_again():
    def program(tf):
        v1, names = tf.compat.v1, []

        def inner():
            with v1.variable_scope(None, "in") as scope:
                names.append(scope.name)

        with tf.Graph().as_default():
            with v1.variable_scope("a") as a:
                inner()
                inner()
            with v1.variable_scope("a"):
                inner()
            with v1.variable_scope(a):
                inner()
                inner()
            with v1.variable_scope("b"):
                with v1.variable_scope(a):
                    inner()
                inner()
            inner()
            inner()
            with v1.variable_scope(None, "a") as scope:
                names.append(scope.name)
            first = v1.get_variable("v", [2])
            v1.get_variable_scope().reuse_variables()
            names.append(v1.get_variable("v", [2]) is first)
        return names

    assert program(graphkiln) == program(tensorflow)


CLEARED = """
import sys, gc
name = sys.argv[1]
tf = __import__(name)
v1 = tf.compat.v1
v1.disable_eager_execution()
with v1.Session() as session:
    try:
        v1.reset_default_graph()
    except AssertionError as error:
        print(str(error)[:40])
    print(session.run(tf.constant(1.0)), tf.executing_eagerly())
gc.collect()
print(tf.executing_eagerly())
v1.reset_default_graph()
print(tf.constant(2.0).graph is v1.get_default_graph())
"""


def test_a_graph_that_a_session_entered_is_not_cleared():
    told = [
        subprocess.run(
            [sys.executable, "-c", CLEARED, name],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        for name in ("graphkiln", "tensorflow")
    ]
    assert [t.returncode for t in told] == [0, 0], told
    assert told[0].stdout == told[1].stdout


def failure(tf):
    """The operation that an error of a run names."""
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        x = v.placeholder(tf.float32, [], name="x")
        y = tf.gather([1, 2], tf.cast(x, tf.int32), name="y")
        for fed in ({}, {x: 5.0}):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(y + 1, fed)
            error = caught.value
            yield error.op.name, error.node_def.op, error.op.graph is session.graph


def test_errors_of_runs_know_their_operation():
    assert list(failure(graphkiln)) == list(failure(tensorflow))


def slices_are_fed(tf):
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        parts = [v.placeholder(tf.float32, [None]), v.placeholder(tf.int64, [None])]
        x = tf.IndexedSlices(*parts)
        return plain(session.run(x, {x: ([1.0, 2.0], [0, 3])})[:2])


def shapes_are_told(tf):
    v = tf.compat.v1
    config = v.ConfigProto(graph_options=v.GraphOptions(infer_shapes=True))
    with tf.Graph().as_default():
        tf.constant([[1, 2]])
        told = [
            "_output_shapes" in v.Session(config=c).graph_def.node[0].attr
            for c in (config, None)
        ]
        return told, v.get_default_graph().as_graph_def(add_shapes=True).node[0].name


@pytest.mark.parametrize("case", [slices_are_fed, shapes_are_told])
def test_in_sessions(case):
    assert case(graphkiln) == case(tensorflow)


def pruned(tf):
    v1 = tf.Variable(2.0)

    def f(x):
        y = tf.multiply(v1 * tf.constant(1.0), x, name="y")
        v1.assign_add(1.0, name="more", read_value=False)
        return tf.identity(y, name="z")

    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([], tf.float32)])
    yield wrapped.prune(wrapped.inputs, "z:0")(tf.constant(3.0)).numpy().item()
    with wrapped.graph.as_default():
        info = tf.compat.v1.saved_model.build_tensor_info(wrapped.graph.outputs[0])
    yield wrapped.prune(wrapped.inputs[0], info)(tf.constant(4.0)).numpy().item()
    info.name = "more"
    yield wrapped.prune([], info)()
    yield v1.numpy().item()


def test_what_is_captured_is_no_feed():
    assert list(pruned(graphkiln)) == list(pruned(tensorflow))


def colocated(tf):
    v = tf.compat.v1
    held = tf.Variable(1.0)

    @tf.function
    def beside(x):
        with v.colocate_with(held):
            return x + tf.ones([])

    with v.colocate_with(held):
        first = tf.constant(1.0).numpy(), beside(tf.constant(1.0)).numpy()
    with tf.Graph().as_default():
        a = tf.constant(1.0, name="a")
        with v.colocate_with(a):
            b = tf.constant(2.0)
            with v.colocate_with(b):
                c = tf.constant(3.0)
        w = v.get_variable("w", [])
        with v.colocate_with(w):
            d = tf.constant(4.0)
        return first, [t.op.colocation_groups() for t in (a, b, c, d)]


def test_groups_of_what_stands_beside():
    assert colocated(graphkiln) == colocated(tensorflow)
