"""What TensorFlow's own tests of ops found in graphs of its first version when they
ran here: values, shapes, and classes and texts of errors, against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow

import graphkiln


def _example(tf, **features):
    kinds = {
        int: lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
        bytes: lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v)),
        float: lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
    }
    told = {name: kinds[type(v[0])](v) for name, v in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=told))


def _features(tf):
    row = tf.io.RaggedFeature.RowLengths("lengths")
    return {
        "fixed": tf.io.FixedLenFeature((1, 3), tf.int64, default_value=[0, 42, 0]),
        "text": tf.io.FixedLenFeature((), tf.string),
        "some": tf.io.VarLenFeature(tf.int64),
        "at": tf.io.SparseFeature("index", "value", tf.float32, 10),
        "rows": tf.io.FixedLenSequenceFeature((2,), tf.int64, allow_missing=True),
        "parts": tf.io.RaggedFeature(tf.int64, value_key="numbers", partitions=[row]),
        "numbers": tf.io.RaggedFeature(tf.int64),
        "pairs": tf.io.RaggedFeature(
            tf.int64,
            value_key="pairs_of",
            partitions=[tf.io.RaggedFeature.UniformRowLength(2)],
        ),
    }


def _serialized(tf):
    return _example(
        tf,
        text=[b"t"],
        some=[1, 2, 3],
        index=[7, 2],
        value=[0.5, 1.5],
        rows=[1, 2, 3, 4],
        pairs_of=[4, 5, 6, 7],
        numbers=[8, 9, 10],
        lengths=[1, 0, 2],
    ).SerializeToString()


def _sequence(tf):
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    lists = tf.train.FeatureLists(
        feature_list={"x": tf.train.FeatureList(feature=[feature, feature])}
    )
    context = _example(tf, some=[5]).features
    return tf.train.SequenceExample(
        context=context, feature_lists=lists
    ).SerializeToString()


def _parsed_sequence(tf, parse, serialized):
    return parse(
        serialized,
        {
            "some": tf.io.VarLenFeature(tf.int64),
            "fixed": tf.io.FixedLenFeature((), tf.int64, default_value=3),
        },
        {
            "x": tf.io.FixedLenSequenceFeature((2,), tf.int64),
            "z": tf.io.RaggedFeature(tf.int64, value_key="w"),
        },
    )


def _of_texts(axis):
    def call(tf):
        texts = tf.ragged.constant([[["a", "b"], ["c"]], [["d"]]])
        return tf.strings.reduce_join(texts, axis=axis, separator=",")

    return call


def _sum_of_ragged(tf):
    splits = [
        tf.compat.v1.placeholder_with_default(np.array([0, 1, 4]), [None])
        for _ in range(2)
    ]
    rows = [tf.RaggedTensor.from_row_splits(tf.range(4), s) for s in splits]
    return rows[0] + rows[1]


IN_GRAPHS = {
    "parse one example": lambda tf: tf.io.parse_single_example(
        _serialized(tf), _features(tf)
    ),
    "parse one example with a name": lambda tf: tf.compat.v1.parse_single_example(
        _serialized(tf), _features(tf), example_names="name"
    ),
    "parse a batch": lambda tf: tf.io.parse_example(
        [_serialized(tf)] * 2, _features(tf)
    ),
    "parse one sequence": lambda tf: _parsed_sequence(
        tf, tf.io.parse_single_sequence_example, _sequence(tf)
    ),
    "parse sequences": lambda tf: _parsed_sequence(
        tf, tf.io.parse_sequence_example, [_sequence(tf)] * 2
    ),
    **{f"join texts along {axis}": _of_texts(axis) for axis in range(3)},
    "sum of ragged tensors": _sum_of_ragged,
    "cross": lambda tf: tf.sparse.cross(
        [tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])]
    ),
    "cross by another word": lambda tf: tf.sparse.cross(
        [tf.sparse.from_dense([["a"], ["b"]]), tf.constant([["c"], ["d"]])],
        separator="+",
    ),
    "count of texts": lambda tf: tf.math.count_nonzero([["a", ""], ["", ""]], axis=1),
    "pad of texts": lambda tf: tf.pad(["a"], [[1, 2]], constant_values="b"),
}


def _plain(value):
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if type(value).__name__ == "RaggedTensorValue":
        return value.to_list()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return np.asarray(value).tolist()


def _in_graph(tf, call):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return _plain(session.run(call(tf)))


@pytest.mark.parametrize("name", IN_GRAPHS)
def test_values_in_graphs(name):
    call = IN_GRAPHS[name]
    assert _in_graph(graphkiln, call) == _in_graph(tensorflow, call)


@pytest.mark.parametrize("name", [n for n in IN_GRAPHS if n.startswith("parse")])
def test_parsers_capture_nothing(name):
    for tf in (graphkiln, tensorflow):
        call = tf.function(lambda tf=tf: IN_GRAPHS[name](tf))
        assert call.get_concrete_function().captured_inputs == []


def _operators(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 9.0]])
    return v, tf.linalg.LinearOperatorFullMatrix(v)


GRADIENTS = {
    "an operator": lambda tf, v, op: op,
    "a list of one": lambda tf, v, op: [op],
    "an operator of one": lambda tf, v, op: tf.linalg.LinearOperatorAdjoint(op),
    "an operator of two": lambda tf, v, op: tf.linalg.LinearOperatorComposition(
        [op, op]
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_of_operators(name, weighted):
    def found(tf):
        v, op = _operators(tf)
        with tf.GradientTape() as tape:
            target = GRADIENTS[name](tf, v, op)
        # TensorFlow takes a weight for each tensor of it.
        weights = [tf.ones([2, 2]) * 3.0] * (2 if name.endswith("two") else 1)
        made = tape.gradient(
            target, op.variables, output_gradients=weights if weighted else None
        )
        return [g.numpy().tolist() for g in made]

    assert found(graphkiln) == found(tensorflow)


def test_derivatives_of_graphs_trace_once():
    traced = []

    def f(x):
        traced.append(1)
        return x * x * x

    with graphkiln.Graph().as_default() as graph, graphkiln.compat.v1.Session():
        x = np.arange(1.0, 41.0)
        exact, measured = graphkiln.test.compute_gradient(f, [x])
        before = len(graph.get_operations())
    assert len(traced) == 2 and before < 60
    np.testing.assert_allclose(np.diag(exact[0]), 3 * x * x)
    np.testing.assert_allclose(exact[0], measured[0], rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("feature", "values"), [(1, [b"a", b"b"]), (2, [1]), (2, [1.0, 2.0, 3.0])]
)
def test_wrong_numbers_of_values(feature, values):
    for tf in (graphkiln, tensorflow):
        dtype = {bytes: tf.string, int: tf.int64, float: tf.float32}[type(values[0])]
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Key: a\.  Can't parse serialized Example",
        ):
            tf.io.parse_single_example(
                _example(tf, a=values).SerializeToString(),
                {"a": tf.io.FixedLenFeature(feature, dtype)},
            )


def test_reset_default_graph():
    for tf in (graphkiln, tensorflow):
        v1 = tf.compat.v1
        before = v1.get_default_graph()
        assert v1.get_default_graph() is before
        v1.reset_default_graph()
        assert v1.get_default_graph() is not before
        assert v1.get_default_graph().get_operations() == []


def test_with_dependencies():
    from graphkiln._src.host import private_numbers

    with graphkiln.Graph().as_default():
        v = graphkiln.compat.v1.get_variable("v", [], initializer=None)
        x = graphkiln.constant(2.0)
        y = private_numbers.with_dependencies([v.initializer], x)
        assert y.op.name == "control_dependency"
        assert y.op.control_inputs == [v.initializer]
        slices = graphkiln.IndexedSlices(x[None], graphkiln.constant([0]))
        made = private_numbers.with_dependencies([v.initializer], slices)
        assert made.values.op.control_inputs == [v.initializer]
    x = graphkiln.constant(2.0)
    assert private_numbers.with_dependencies([], x) is x


LOSSES = {
    "absolute_difference": ([[1.0, 2.0]], [[2.0, 1.0]]),
    "cosine_distance": ([[1.0, 0.0]], [[0.0, 1.0]]),
    "hinge_loss": ([[1.0, 0.0]], [[0.5, 0.5]]),
    "huber_loss": ([[1.0, 2.0]], [[2.0, 1.0]]),
    "log_loss": ([[1.0, 0.0]], [[0.5, 0.5]]),
    "mean_pairwise_squared_error": ([[1.0, 2.0]], [[2.0, 1.0]]),
    "mean_squared_error": ([[1.0, 2.0]], [[2.0, 1.0]]),
    "sigmoid_cross_entropy": ([[1.0, 0.0]], [[0.5, 0.5]]),
    "softmax_cross_entropy": ([[1.0, 0.0]], [[0.5, 0.5]]),
    "sparse_softmax_cross_entropy": ([1], [[0.5, 0.5]]),
}


@pytest.mark.parametrize("scope", [None, "mine"])
@pytest.mark.parametrize("name", LOSSES)
def test_names_of_losses(name, scope):
    def named(tf):
        options = {"axis": 1} if name == "cosine_distance" else {}
        with tf.Graph().as_default():
            values = [tf.constant(v) for v in LOSSES[name]]
            loss = getattr(tf.compat.v1.losses, name)(*values, scope=scope, **options)
            return loss.name

    assert named(graphkiln) == named(tensorflow)


CONSTANTS = {
    "fewer": ([1, 2, 3], {"shape": [5]}),
    "more": ([1, 2, 3], {"shape": [2]}),
    "a number": (1, {"shape": [2, 2]}),
    "one": ([1], {"shape": [3]}),
    "rows": ([1, 2], {"shape": [2, 2]}),
    "texts": (["a", "b"], {"shape": [3]}),
    "an array": (np.arange(3.0), {"shape": [2, 2]}),
    "of a type": ([1, 2], {"shape": [3], "dtype": "float32"}),
    "another shape": ([1, 2, 3, 4], {"shape": [2, 2], "verify_shape": True}),
    "that shape": ([1, 2], {"shape": [2], "verify_shape": True}),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_of_graphs(name):
    value, options = CONSTANTS[name]

    def made(tf):
        with tf.Graph().as_default():
            try:
                t = tf.compat.v1.constant(value, **options)
            except (TypeError, ValueError) as e:
                return type(e), str(e)
            return t.dtype.name, t.shape.as_list(), tf.get_static_value(t).tolist()

    assert made(graphkiln) == made(tensorflow)


def _restored(tf, slices, names=("a", "b")):
    made = tf.raw_ops.RestoreV2(
        prefix="m",
        tensor_names=list(names),
        shape_and_slices=slices,
        dtypes=[tf.float32] * len(names),
    )
    return [t.shape for t in made]


SHAPES = {
    "part of one": lambda tf: [
        tf.raw_ops.RestoreSlice(
            file_pattern="m",
            tensor_name="v",
            shape_and_slice="3 4 0,1:-",
            dt=tf.float32,
        ).shape
    ],
    "parts": lambda tf: _restored(tf, ["", "3 4 0,1:-"]),
    "too few parts": lambda tf: _restored(tf, ["", ""], "abc"),
    "sums of too few ids": lambda tf: [
        tf.math.segment_sum(tf.ones([4, 4]), [0, 1]).shape
    ],
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_in_graphs(name):
    def made(tf):
        with tf.Graph().as_default():
            try:
                return [s.as_list() if s.rank else None for s in SHAPES[name](tf)]
            except ValueError as e:
                return type(e)

    assert made(graphkiln) == made(tensorflow)


@pytest.mark.parametrize(
    "matrix",
    [
        [[np.inf, 1.0], [1.0, 1.0]],
        [[np.inf, np.inf], [1.0, 1.0]],
        [[-np.inf, 1.0], [1.0, 1.0]],
        [[1.0, 1.0], [1.0, np.inf]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[0.0, 2.0], [3.0, 0.0]],
    ],
)
def test_signs_of_infinite_determinants(matrix):
    def made(tf):
        return np.asarray(tf.linalg.slogdet(tf.constant(matrix)))

    np.testing.assert_allclose(made(graphkiln), made(tensorflow), rtol=1e-6)


def test_place_of_a_bad_segment_id():
    for tf in (graphkiln, tensorflow):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"segment_ids\[1,0\] = 7 is out of range \[0, 2\)",
        ):
            tf.math.unsorted_segment_sum([[17, 1], [2, 3]], [[0, 1], [7, 0]], 2)


def _scoped_body(tf):
    v1 = tf.compat.v1

    def doubled(x):
        with v1.variable_scope("body"):
            two = v1.get_variable(
                "two", [], tf.int32, initializer=v1.constant_initializer(2)
            )
            return tf.multiply(x, two)

    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("root") as scope:
            first = tf.map_fn(doubled, tf.constant([1, 2, 3]))
            scope.reuse_variables()
            again = tf.map_fn(doubled, tf.constant([1, 2, 3]))
        session.run(v1.global_variables_initializer())
        values = [t.tolist() for t in session.run([first, again])]
        return values, [v.name for v in v1.global_variables()]


def _without_shape(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        calls = [
            lambda: tf.ones([3]),
            lambda verify_shape=False: tf.ones([2]),
            lambda *args, **named: tf.constant([[1, 2]]),
        ]
        made = [v1.get_variable(f"v{i}", initializer=f) for i, f in enumerate(calls)]
        return [(v.shape.as_list(), v.dtype.base_dtype.name) for v in made]


def _no_name_scope(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="auxiliary_name_scope must be `True` or"):
            with v1.variable_scope("s", auxiliary_name_scope="invalid"):
                pass
        with v1.variable_scope("a", auxiliary_name_scope=False) as a:
            with v1.variable_scope("outer"):
                with v1.variable_scope("inner", auxiliary_name_scope=False) as inner:
                    name = tf.constant(1.0, name="c").op.name
        return a.original_name_scope, inner.original_name_scope, inner.name, name


def _section_of_an_operation(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        done = tf.CriticalSection().execute(lambda: tf.no_op())
        return type(done).__name__, session.run(done)


PROGRAMS = [_scoped_body, _without_shape, _no_name_scope, _section_of_an_operation]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_the_first_version(program):
    assert program(graphkiln) == program(tensorflow)


@pytest.mark.parametrize("which", ["a_is_sparse", "b_is_sparse"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
def test_products_said_to_be_sparse(which, dtype):
    def made(tf):
        a = tf.cast([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]], dtype)
        y = tf.matmul(a, a, transpose_b=True, **{which: True})
        return y.dtype.name, tf.cast(y, tf.float32).numpy().tolist()

    assert made(graphkiln) == made(tensorflow)


def test_dimensions_are_numbers():
    def made(tf):
        d = tf.compat.v1.Dimension
        x = tf.reshape(tf.range(6), [d(2), d(3)])
        y = tf.reshape(x, (d(3), -1))
        t = tf.constant([[d(1), 2], [3, d(4)]])
        return x.shape.as_list(), y.shape.as_list(), t.dtype.name, t.numpy().tolist()

    assert made(graphkiln) == made(tensorflow)
