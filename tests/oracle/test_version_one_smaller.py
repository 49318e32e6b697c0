"""tf.compat.v1: smaller functions that the first version alone had, eagerly and in
graphs with sessions."""

import os

import numpy as np
import pytest

SPARSE = dict(indices=[[0, 1], [1, 0], [1, 2]], values=[3, 4, 5], dense_shape=[2, 3])


def sparse(v, dtype=np.int64):
    return v.SparseTensor(
        SPARSE["indices"], np.asarray(SPARSE["values"], dtype), SPARSE["dense_shape"]
    )


def parts(made):
    made = made if isinstance(made, (list, tuple)) else [made]
    return [p for s in made for p in (s.indices, s.values, s.dense_shape)]


# Functions of tf.compat.v1 that give a structure of tensors.
CALLS = {
    "to_bfloat16": lambda v: v.cast(v.to_bfloat16([1.5, 2.0]), "float32"),
    "to_complex64": lambda v: v.to_complex64([1.5, 2.0]),
    "to_complex128": lambda v: v.to_complex128(x=[1.5, 2.0]),
    "newaxis": lambda v: v.constant([1, 2])[:, v.newaxis],
    "bincount": lambda v: v.bincount([1, 1, 3], None, 2, 3),
    "bincount weights": lambda v: v.math.bincount([1, 1, 3], [0.5, 1.0, 2.0]),
    "bincount dtype": lambda v: v.bincount([1, 1, 3], dtype="int64"),
    "batch_gather": lambda v: v.batch_gather(
        np.arange(24).reshape(2, 3, 4), [[[0, 1], [3, 2], [1, 1]]] * 2
    ),
    "batch_gather vector": lambda v: v.batch_gather([5, 6, 7], [2, 0]),
    "decode_raw": lambda v: v.decode_raw(["abcd"], "int16", False),
    "decode_raw bytes": lambda v: v.io.decode_raw(bytes=["abcd"], out_type="uint8"),
    "decode_csv": lambda v: v.decode_csv(
        ["1|x", "?|y"], [[7], [""]], "|", True, "n", "?"
    )[:1],
    "decode_csv columns": lambda v: v.io.decode_csv(
        "1,2,3", [[0], [0.0]], select_cols=[0, 2]
    ),
    "strings.split": lambda v: parts(v.strings.split(["a b", "c", ""]))[::2],
    "strings.split values": lambda v: v.equal(
        v.strings.split(["a,b", "c"], ",").values, ["a", "b", "c"]
    ),
    "strings.split scalar": lambda v: parts(v.strings.split("a b c", None, 1))[::2],
    "strings.split source": lambda v: parts(v.strings.split(source=["a b"]))[::2],
    "strings.split rank 2": lambda v: parts(v.strings.split([["a b"], ["c"]]))[::2],
    "strings.split ragged": lambda v: v.equal(
        v.strings.split(["a b", "c"], result_type="RaggedTensor").values,
        ["a", "b", "c"],
    ),
    "quantize_v2": lambda v: v.bitcast(
        v.quantize_v2([-1.0, 0.5], -1.0, 1.0, v.quint8, "SCALED")[0], "uint8"
    ),
    "quantize_v2 axis": lambda v: v.quantize_v2(
        [[-1.0], [0.5]], [-1.0, -2.0], [1.0, 2.0], v.qint8, "SCALED", axis=0, narrow_range=True,
        round_mode="HALF_TO_EVEN",
    )[1:],
    "dimension_value": lambda v: v.dimension_value(v.Dimension(3)),
    "merge": lambda v: parts(v.sparse_merge(sparse(v), sparse(v, np.float32), 7)),
    "merge of two": lambda v: parts(v.sparse.merge(
        [sparse(v), sparse(v, np.int32)], sparse(v, np.float32), [6, 7], "n", True
    )),
    "split": lambda v: parts(v.sparse_split(
        sp_input=sparse(v), num_split=2, axis=1
    )),
    "reduce_max_sparse": lambda v: parts(v.sparse_reduce_max_sparse(sparse(v), 1)),
    "reduce_max_sparse all": lambda v: parts(v.sparse.reduce_max_sparse(sparse(v))),
    "reduce_sum_sparse": lambda v: parts(v.sparse.reduce_sum_sparse(
        sparse(v), reduction_axes=[0], keep_dims=True
    )),
    "sparse_matmul": lambda v: v.sparse_matmul(
        [[1.0, 0.0], [2.0, 0.0]], [[3.0, 4.0], [5.0, 6.0]], True, False, True
    ),
    "serialize_sparse": lambda v: parts(v.deserialize_many_sparse(
        v.expand_dims(v.serialize_sparse(sparse(v)), 0), "int64", rank=3
    )),
    "serialize_many_sparse": lambda v: parts(v.deserialize_many_sparse(
        v.serialize_many_sparse(sparse(v), "n", v.string), "int64", rank=2
    )),
    "stateless_multinomial": lambda v: v.random.stateless_multinomial(
        [[0.1, 0.9, 3.0]], 20, [1, 2], "int32"
    ),
    "random.multinomial": lambda v: v.random.multinomial(
        [[0.0, -99.0]], 3, output_dtype=v.int32
    ),
    "extract_glimpse": lambda v: v.image.extract_glimpse(
        np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2), [2, 3], [[0.5, -0.5]],
        True, True,
    ),
    "extract_glimpse corner": lambda v: v.image.extract_glimpse(
        np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2), [2, 2], [[1.0, 1.0]],
        centered=False, normalized=False,
    ),
    "sample_distorted_bounding_box": lambda v: v.image.sample_distorted_bounding_box(
        [40, 50, 3], [[[0.1, 0.2, 0.6, 0.7]]], seed=3, seed2=4, area_range=[0.2, 0.9]
    ),
    "constants": lambda v: [
        isinstance(x, kind)
        for x, kind in (
            (v.VERSION, str), (v.GIT_VERSION, str), (v.COMPILER_VERSION, str),
            (v.GRAPH_DEF_VERSION, int), (v.CXX_VERSION, int), (v.CXX11_ABI_FLAG, int),
            (v.MONOLITHIC_BUILD, int),
        )
    ] + [v.GRAPH_DEF_VERSION_MIN_CONSUMER, v.GRAPH_DEF_VERSION_MIN_PRODUCER],
    "errors": lambda v: [
        v.errors.exception_type_from_error_code(3).__name__,
        v.errors.error_code_from_exception_type(v.errors.NotFoundError),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_agree(both, name):
    both.agree(lambda tf: CALLS[name](tf.compat.v1), rtol=1e-6, atol=1e-6)


def in_session(tf, build, feeds=lambda made: {}):
    """What a graph gives: values, and shapes that it knew before."""
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        made = tf.nest.flatten(build(v))
        session.run([v.global_variables_initializer(), v.tables_initializer()])
        known = [str(m.shape) for m in made if hasattr(m, "shape")]
        tensors = [m for m in made if hasattr(m, "shape")]
        others = [m for m in made if not hasattr(m, "shape")]
        return session.run(tensors), known, others


@pytest.mark.parametrize("name", CALLS)
def test_graphs_agree(both, name):
    theirs, ours = (in_session(tf, CALLS[name]) for tf in (both.theirs, both.ours))
    assert ours[1:] == theirs[1:]
    for our, their in zip(ours[0], theirs[0], strict=True):
        assert our.dtype == their.dtype
        if their.dtype == object:
            np.testing.assert_array_equal(our, their)
        else:
            np.testing.assert_allclose(our, their, rtol=1e-6, atol=1e-6)


MISTAKES = {
    "decode_raw without type": lambda v: v.decode_raw("ab"),
    "decode_raw twice": lambda v: v.decode_raw("ab", "int8", bytes="ab"),
    "split by place": lambda v: v.sparse_split(sparse(v), 2, 1),
    "split of nothing": lambda v: v.sparse_split(num_split=2, axis=1),
    "split of both axes": lambda v: v.sparse_split(
        sp_input=sparse(v), num_split=2, axis=1, split_dim=1
    ),
    "merge of one size": lambda v: v.sparse_merge(sparse(v), sparse(v), [7]),
    "merge of sizes": lambda v: v.sparse_merge([sparse(v)], sparse(v), 7),
    "merge of texts": lambda v: v.sparse_merge([sparse(v)], sparse(v), ["a"]),
    "merge of lengths": lambda v: v.sparse_merge([sparse(v)], sparse(v), [7, 7]),
    "merge of a number": lambda v: v.sparse_merge(3, sparse(v), [7]),
    "split of another result": lambda v: v.strings.split(["a"], result_type="Dense"),
    "split of two names": lambda v: v.strings.split(["a"], source=["a"]),
    "csv columns": lambda v: v.decode_csv(["1"], [[1], [2]], select_cols=[1, 0]),
    "numerics eagerly": lambda v: v.add_check_numerics_ops(),
    "slicing": lambda v: v.create_partitioned_variables([2], [1, 1], None),
    "slicing of a scalar": lambda v: v.create_partitioned_variables([], [], None),
    "error code": lambda v: v.errors.exception_type_from_error_code(99),
    "serialize": lambda v: v.serialize_sparse([1]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_the_same_class(both, name):
    both.agree_on_error(lambda tf: MISTAKES[name](tf.compat.v1))


UPDATES = {
    "scatter_nd_update": lambda v, x: v.scatter_nd_update(x, [[1], [0]], [[7, 8], [5, 6]]),
    "scatter_nd_add": lambda v, x: v.scatter_nd_add(x, [[1], [1]], [[7, 8], [5, 6]]),
    "scatter_nd_sub": lambda v, x: v.scatter_nd_sub(x, [[1, 1]], [7], name="n"),
    "batch_scatter_update": lambda v, x: v.batch_scatter_update(
        x, [[1, 0], [0, 1]], [[7, 8], [5, 6]]
    ),
}


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("eager", [True, False])
def test_updates(both, name, eager):
    def build(v):
        x = v.Variable([[1, 2], [3, 4]], use_resource=True)
        made = UPDATES[name](v, x)
        with v.control_dependencies([] if eager else [made]):
            return made + 0, v.identity(x)

    if eager:
        both.agree(lambda tf: build(tf.compat.v1))
    else:
        theirs, ours = (in_session(tf, build) for tf in (both.theirs, both.ours))
        assert ours[1:] == theirs[1:]
        np.testing.assert_array_equal(ours[0], theirs[0])


def test_count_up_to(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session() as session:
            x = v.Variable(5, use_resource=True)
            count = v.count_up_to(x, 7)
            session.run(v.global_variables_initializer())
            for _ in range(3):
                try:
                    told.append(int(session.run(count)))
                except tf.errors.OutOfRangeError:
                    told.append("end")
            told.append(int(session.run(x)))
        return told

    both.agree(program)


def test_tables(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session() as session:
            source = tf.lookup.KeyValueTensorInitializer(
                tf.constant(["a", "b"]), tf.constant([1, 0], tf.int64)
            )
            table = v.lookup.StaticHashTable(source, -1)
            words = v.lookup.StaticVocabularyTable(source, 2)
            empty = v.lookup.StaticVocabularyTable(None, 2, tf.string)
            told += [table.initializer.type, words.initializer.type]
            told += [empty.initializer.type, isinstance(table, tf.lookup.StaticHashTable)]
            keys = tf.constant(["b", "z", "a"])
            session.run([table.initializer, words.initializer, empty.initializer])
            for t in (table, words, empty):
                told.append(session.run(t.lookup(keys)).tolist())
        return told

    both.agree(program)


def test_scopes_and_parts(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session() as session:
            with v.op_scope([], None, "d") as scope:
                told += [scope, v.constant(1).name]
            with v.variable_op_scope([], "a", initializer=v.ones_initializer()) as s:
                told += [s.name, v.get_variable("v", [2], use_resource=True).name]
            parts = v.create_partitioned_variables(
                [5, 2], [2, 1], v.constant(np.arange(10.0, dtype=np.float32).reshape(5, 2))
            )
            told += [x.name for x in parts] + [x.shape.as_list() for x in parts]
            again = v.create_partitioned_variables(
                [4], [2], v.zeros_initializer(), name="p", dtype=tf.int32,
                trainable=False, collections=["mine", "variables"],
            )
            told += [x.name for x in again] + [x.dtype.base_dtype.name for x in again]
            told.append(len(v.get_collection("mine")))
            same = v.create_partitioned_variables(
                [4], [2], v.zeros_initializer(), name="p", dtype=tf.int32, reuse=True
            )
            told.append([x.name for x in same])
            with v.container("c"):
                q = tf.queue.FIFOQueue(1, tf.int32)
            told.append(q.queue_ref.op.get_attr("container"))
            session.run(v.global_variables_initializer())
            told += [session.run(x).tolist() for x in parts + again]
        return told

    both.agree(program)


def test_ragged_placeholder(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session() as session:
            plain = v.ragged.placeholder(tf.int32, 0, [2], name="plain")
            x = v.ragged.placeholder(tf.float32, 2, [1])
            told += [plain.name, plain.shape.as_list(), x.flat_values.name]
            told += [s.name for s in x.nested_row_splits]
            value = v.ragged.constant_value(
                [[[[1.0], [2.0]], []]], ragged_rank=2, dtype=np.float32
            )
            parts = (x.flat_values, *x.nested_row_splits)
            values = (value.flat_values, *value.nested_row_splits)
            fed = dict(zip(parts, values, strict=True))
            told.append(session.run(x + 1.0, fed).to_list())
            told.append(session.run(x.flat_values * 2.0, {x: value}).tolist())
        return told

    both.agree(program)


def test_check_numerics(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default() as graph, v.Session() as session:
            x = v.placeholder(tf.float32, [], name="x")
            _ = v.div(1.0, x, name="y")
            check = v.add_check_numerics_ops()
            told.append(len([n for n in graph.get_operations()
                             if n.type == "CheckNumerics"]))
            session.run(check, {x: 2.0})
            for value in (0.0, np.nan):
                try:
                    session.run(check, {x: value})
                except tf.errors.InvalidArgumentError as e:
                    told.append(("x:0" in e.message, "Inf" in e.message))
        return told

    both.agree(program)


def test_gradient_checks(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session():
            x = v.constant([[1.0, 2.0]])
            y = v.matmul(x, [[3.0], [5.0]])
            data = np.float32([[1.5, -2.0]])
            made = v.test.compute_gradient(x, [1, 2], y, [1, 1], data)
            told += [np.round(m, 2).tolist() for m in made]
            z = v.gather(v.reshape(x, [2]), [1, 1])
            told.append(v.test.compute_gradient(x, [1, 2], z, [2], data)[0].tolist())
            told.append(bool(v.test.compute_gradient_error(x, [1, 2], y, [1, 1]) < 1e-2))
            c = v.complex(x, x)
            pairs = v.test.compute_gradient([x, c], [[1, 2], [1, 2]], c * c, [1, 2])
            told += [p.shape for pair in pairs for p in pair]
        return told

    both.agree(program)


def test_paths(both, monkeypatch):
    monkeypatch.setenv("TEST_SRCDIR", "/a")
    monkeypatch.setenv("TEST_WORKSPACE", "b")
    both.agree(lambda tf: tf.compat.v1.test.test_src_dir_path("c/d"))
    both.agree(lambda tf: [
        tf.compat.v1.resource_loader.get_data_files_path(),
        tf.compat.v1.resource_loader.get_path_to_datafile("x.txt"),
        tf.compat.v1.resource_loader.readahead_file_path("x.txt"),
    ])  # fmt: skip
    ours = both.ours.compat.v1.resource_loader
    assert ours.get_root_dir_with_all_resources() == os.path.dirname(__file__)
    with open(__file__, "rb") as file:
        assert ours.load_resource(os.path.basename(__file__)) == file.read()


def test_switches(both):
    v = both.ours.compat.v1
    for name in ("disable_control_flow_v2", "disable_resource_variables"):
        assert getattr(v, name)() is None
    # What programs compute stays the same.
    assert v.cond(v.constant(True), lambda: 1, lambda: 2) == 1
