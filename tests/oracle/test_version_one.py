"""tf.compat.v1: functions with the first version's arguments, variables by name;
and tf.compat.v2, which is the whole face."""

import importlib
import logging
import pathlib

import numpy as np
import pytest

IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)
FILTER = np.ones([2, 2, 2, 3], np.float32)

CALLS = {
    "argmax": lambda v: v.argmax([[1, 3], [5, 2]], dimension=1),
    "argmin positional": lambda v: v.argmin([[1, 3], [5, 2]], 1, "name"),
    "reduce_sum": lambda v: v.reduce_sum([[1, 2]], reduction_indices=1, keep_dims=True),
    "reduce_max": lambda v: v.math.reduce_max([[1, 2]], 1, True),
    "reduce_any": lambda v: v.reduce_any([True, False]),
    "expand_dims": lambda v: v.expand_dims([1], dim=0),
    "squeeze": lambda v: v.squeeze([[1]], squeeze_dims=[0]),
    "boolean_mask": lambda v: v.boolean_mask([[1, 2]], [True, False], "n", 1),
    "cond": lambda v: v.cond(v.constant(True), fn1=lambda: 1, fn2=lambda: 2),
    "gather": lambda v: v.gather([[1, 2], [3, 4]], [1], None, "n", 1),
    "gather_nd": lambda v: v.gather_nd([[1, 2], [3, 4]], [[1, 0]], "n"),
    "pad": lambda v: v.pad([[1]], [[1, 0], [0, 1]], "CONSTANT", "n", 7),
    "transpose": lambda v: v.transpose([[1, 2]], [1, 0], "n", False),
    "size": lambda v: v.size([1, 2], "n"),
    "shape": lambda v: v.shape([1, 2], "n"),
    "zeros_like": lambda v: v.zeros_like([1, 2], "float32", "n", True),
    "ones_like": lambda v: v.ones_like(tensor=[1, 2]),
    "where rows": lambda v: v.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]),
    "where": lambda v: v.where([[True], [False]]),
    "where elements": lambda v: v.where([True, False], [1, 2], [3, 4]),
    "while_loop": lambda v: v.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
    "while_loop of two": lambda v: v.while_loop(
        lambda i, j: i < 3, lambda i, j: (i + 1, j * 2), (0, 1)
    ),
    "foldl": lambda v: v.foldl(lambda a, x: a + x, v.constant([1, 2, 3])),
    "foldr": lambda v: v.foldr(lambda a, x: a - x, v.constant([1, 2, 3])),
    "scan": lambda v: v.scan(lambda a, x: a + x, v.constant([1, 2, 3])),
    "map_fn": lambda v: v.map_fn(lambda x: x * 2, v.constant([1, 2, 3])),
    "constant": lambda v: v.constant([1.0, 2.0], None, [2], "n", True),
    "convert": lambda v: v.convert_to_tensor([1], None, "n", "int64"),
    "norm": lambda v: v.norm([[3.0, 4.0]], "euclidean", 1, keep_dims=True),
    "batch_to_space": lambda v: v.batch_to_space(
        np.arange(4).reshape(4, 1, 1, 1), [[0, 0], [0, 0]], 2
    ),
    "space_to_batch": lambda v: v.space_to_batch(
        np.arange(4).reshape(1, 2, 2, 1), [[0, 0], [0, 0]], 2
    ),
    "reverse_sequence": lambda v: v.reverse_sequence(
        [[1, 2, 3]], [2], seq_dim=1, batch_dim=0
    ),
    "conv2d": lambda v: v.nn.conv2d(IMAGE, FILTER, [1, 1, 1, 1], "SAME", True),
    "conv2d named": lambda v: v.nn.conv2d(
        IMAGE, filter=FILTER, strides=[1, 2, 2, 1], padding="VALID"
    ),
    "conv2d_transpose": lambda v: v.nn.conv2d_transpose(
        IMAGE, np.ones([2, 2, 3, 2], np.float32), [1, 8, 8, 3], [1, 2, 2, 1]
    ),
    "convolution": lambda v: v.nn.convolution(IMAGE, FILTER, "SAME", [1, 1]),
    "max_pool": lambda v: v.nn.max_pool(IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
    "avg_pool": lambda v: v.nn.avg_pool(
        value=IMAGE, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"
    ),
    "depthwise_conv2d": lambda v: v.nn.depthwise_conv2d(
        IMAGE, FILTER, [1, 1, 1, 1], "SAME"
    ),
    "softmax": lambda v: v.nn.softmax([[1.0, 2.0]], dim=-1),
    "log_softmax": lambda v: v.math.log_softmax([[1.0, 2.0]], -1, "n"),
    "moments": lambda v: v.nn.moments(v.constant([1.0, 3.0]), [0], None, "n", True),
    "dropout": lambda v: v.nn.dropout(v.constant([1.0, 3.0]), keep_prob=1.0),
    "cross entropy": lambda v: v.nn.softmax_cross_entropy_with_logits(
        labels=[[1.0, 0.0]], logits=[[1.0, 2.0]]
    ),
    "sparse cross entropy": lambda v: v.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[1], logits=[[1.0, 2.0]]
    ),
    "weighted cross entropy": lambda v: v.nn.weighted_cross_entropy_with_logits(
        targets=[1.0], logits=[2.0], pos_weight=3.0
    ),
    "crelu": lambda v: v.nn.crelu([1.0, -1.0], "n", 0),
    "depth_to_space": lambda v: v.depth_to_space(
        np.arange(4).reshape(1, 1, 1, 4), 2, "n", "NHWC"
    ),
    "confusion_matrix": lambda v: v.confusion_matrix([1, 0], [1, 1], 2, "int64"),
    "count_nonzero": lambda v: v.count_nonzero([[1, 0]], reduction_indices=1),
    "strings": lambda v: v.string_to_number(["1", "2"], "int32"),
    "length": lambda v: v.strings.length(["ab"], "n", "BYTE"),
    "substr": lambda v: v.equal(v.substr("hello", 1, 2, "n"), "el"),
    "reduce_join": lambda v: v.equal(
        v.reduce_join([["a", "b"]], 1, False, "-"), ["a-b"]
    ),
    "ctc_loss": lambda v: v.nn.ctc_loss(
        v.SparseTensor([[0, 0], [1, 0]], v.constant([1, 0]), [2, 1]),
        np.arange(24, dtype=np.float32).reshape(4, 2, 3) % 5, [4, 3],
    ),
    "ctc_loss of sequences": lambda v: v.nn.ctc_loss(
        v.SparseTensor([[0, 0]], v.constant([1]), [1, 1]),
        logits=np.arange(12, dtype=np.float32).reshape(1, 4, 3) % 5,
        sequence_length=[4], time_major=False,
    ),
    "ctc decoder": lambda v: [
        part
        for sparse in v.nn.ctc_beam_search_decoder(
            np.arange(12, dtype=np.float32).reshape(4, 1, 3) % 5, [4], top_paths=2
        )[0]
        for part in (sparse.indices, sparse.values, sparse.dense_shape)
    ],
    "tuple": lambda v: v.tuple([v.constant(1)], "n"),
    "div": lambda v: [v.div(7, 2), v.div(-7.0, 2.0)],
    "setdiff1d": lambda v: [
        *v.setdiff1d([1, 2, 3, 4, 5, 6], [1, 3, 5]),
        *v.setdiff1d([1.5, 1.5, 2.0], [2.0], index_dtype=v.int64),
    ],
    "log": lambda v: v.log(1.0),
    "ceil": lambda v: v.ceil(1.5),
    "mod": lambda v: v.mod(-7, 3),
    "matrix_band_part": lambda v: v.matrix_band_part([[1, 2], [3, 4]], 0, -1),
    "diag": lambda v: v.diag([1, 2]),
    "lin_space": lambda v: v.lin_space(0.0, 1.0, 3),
    "to_float": lambda v: v.to_float([1]),
    "assert_equal": lambda v: v.assert_equal(1, 1, [1], 3, "text", "n"),
    "squared_difference": lambda v: v.squared_difference(3, 5),
    "segment_sum": lambda v: v.segment_sum([1, 2, 3], [0, 0, 1]),
    "sparse": lambda v: v.sparse_tensor_to_dense(
        v.sparse_concat(
            1, [v.SparseTensor([[0, 1]], [1], [2, 2])] * 2, "n", False
        )
    ),
    "random": lambda v: v.shape(v.random_normal([2, 3])),
    "initializers": lambda v: [
        v.shape(v.random_normal_initializer(0.0, 2.0, 1)([2], "float32")),
        v.random_uniform_initializer(1.0, 1.5)([2], "float32") > 0.99,
        v.zeros_initializer()([2], "float32"),
    ],
    "one shot": lambda v: v.data.make_one_shot_iterator(
        v.data.Dataset.range(3)
    ).get_next(),
    "scatter": lambda v: [
        v.scatter_update(v.Variable([1.0, 2.0], use_resource=True), [1], [5.0]) + 0.0,
        v.scatter_add(v.Variable([1.0, 2.0], use_resource=True), [1], [5.0]) + 0.0,
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_agree(both, name):
    if not _is_there(both.ours, name):
        pytest.skip("another family's")
    both.agree(lambda tf: CALLS[name](tf.compat.v1), rtol=1e-5, atol=1e-6)


def _is_there(tf, name):
    needs = {"norm": "norm", "sparse": "sparse_concat"}.get(name)
    return needs is None or hasattr(tf.compat.v1, needs)


@pytest.mark.parametrize(
    "call",
    [
        lambda v: v.reduce_sum([1], axis=0, reduction_indices=0),
        lambda v: v.nn.dropout([1.0], keep_prob=0.5, rate=0.5),
        lambda v: v.nn.dropout([1.0]),
        lambda v: v.where([True], [1]),
        lambda v: v.name_scope(3),
        lambda v: v.argmax([1], 0, "n", None, "int64", "more"),
        lambda v: v.argmax([1], axes=0),
        lambda v: v.sparse_placeholder("float32"),
    ],
)
def test_mistakes_have_the_same_class(both, call):
    both.agree_on_error(lambda tf: call(tf.compat.v1))


TEXTS = {
    "as_bytes": lambda c: [c.as_bytes(x) for x in ("a", b"a", bytearray(b"a"))],
    "as_bytes of a number": lambda c: c.as_bytes(3),
    "as_bytes of an encoding": lambda c: c.as_bytes("a", "nope"),
    "as_text": lambda c: [c.as_text(x) for x in ("a", b"\xc3\xa4")],
    "as_text of a number": lambda c: c.as_text(3),
    "as_text of bytes": lambda c: c.as_text(b"\xff"),
    "as_str_any": lambda c: [c.as_str_any(x) for x in (3, b"a", "b")],
    "path_to_str": lambda c: [c.path_to_str(x) for x in (pathlib.Path("/a"), b"a", 3)],
    "types": lambda c: [
        c.complex_types, c.integral_types, c.real_types, c.bytes_or_text_types
    ],
    "days": lambda c: [c.forward_compatible(y, 1, 1) for y in (2019, 2026, 2099)],
    "dimension": lambda c: c.v1.dimension_at_index(
        c.v1.TensorShape([2, None]), 1
    ).value,
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_agree(both, name):
    ours, theirs = (
        _outcome(lambda tf=tf: TEXTS[name](tf.compat))
        for tf in (both.ours, both.theirs)
    )
    assert ours == theirs


def test_no_gradient_goes_to_labels(both):
    def program(tf):
        labels, logits = tf.constant([[1.0, 0.0]]), tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch([labels, logits])
            loss = tf.compat.v1.nn.softmax_cross_entropy_with_logits(
                labels=labels, logits=logits
            )
        grads = tape.gradient(loss, [labels, logits])
        return grads[0] is None, grads[1]

    both.agree(program, rtol=1e-6)


def _outcome(call):
    try:
        return call()
    except Exception as e:
        return type(e).__name__


def test_variables_by_name(both):
    def program(tf):
        v1 = tf.compat.v1
        told = []
        with tf.Graph().as_default() as graph:
            with v1.variable_scope("a") as a:
                told += [a.name, a.reuse, a.original_name_scope]
                with v1.variable_scope("b", initializer=v1.zeros_initializer()):
                    v = v1.get_variable("v", [2, 2])
                    told.append(v1.constant(1).name)
            with v1.variable_scope("a", reuse=True) as again:
                told += [v1.get_variable("b/v", [2, 2]) is v, again.original_name_scope]
                told.append(_outcome(lambda: v1.get_variable("w", [2])))
                told.append(_outcome(lambda: v1.get_variable("b/v", [3])))
                told.append(_outcome(lambda: v1.get_variable("b/v", dtype="int32")))
            for _ in range(2):
                with v1.variable_scope(None, "d"):
                    told.append(v1.get_variable("v", [1]).name)
            told.append(_outcome(lambda: v1.get_variable("d/v", [1])))
            told.append(_outcome(lambda: v1.get_variable("no_shape")))
            with v1.variable_scope("a", reuse=v1.AUTO_REUSE) as scope:
                one = v1.get_variable("w", initializer=3.0)
                told += [one.name, v1.get_variable("w").name, one.dtype.name]
                told.append([x.name for x in scope.global_variables()])
            with v1.variable_scope("r", regularizer=lambda x: tf.reduce_sum(x)):
                v1.get_variable("v", [2])
            told.append(len(graph.get_collection("regularization_losses")))
            told.append(v1.get_local_variable("l", [2]).trainable)
            told.append([x.name for x in v1.local_variables()])
            told.append([x.name for x in v1.trainable_variables()])

            def custom(getter, name, *args, **kwargs):
                told.append(name)
                return getter(name, *args, **kwargs)

            with v1.variable_scope("c", custom_getter=custom):
                v1.get_variable("v", [2])
            with v1.name_scope("s"), v1.name_scope(None, "default"):
                told.append(v1.constant(1).name)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                told += [session.run(v).tolist(), float(session.run(one))]
        return told

    assert program(both.ours) == program(both.theirs)


def test_the_second_version_is_the_whole_face(both):
    for tf in (both.ours, both.theirs):
        name = tf.__name__
        v2 = importlib.import_module(f"{name}.compat.v2")
        assert v2.constant is tf.constant
        assert v2.newaxis is None
        assert v2.math.add(1, 2) == 3
        assert v2.nn.relu(-1.0) == 0
        assert importlib.import_module(f"{name}.compat.v1").nn.relu(-1.0) == 0
        with pytest.raises(AttributeError):
            v2.nothing_of_that_name


def test_variables_of_eager_code_are_not_kept_by_name(both):
    def program(tf):
        v1 = tf.compat.v1
        a = v1.get_variable("kept", initializer=tf.constant([1.0, 2.0]))
        b = v1.get_variable("kept", initializer=tf.constant([3.0], tf.float64))
        told = [a is b, a.name, b.name, b.dtype.name, b.shape.as_list()]
        with v1.variable_scope("around", reuse=v1.AUTO_REUSE):
            c, d = v1.get_variable("x", [2]), v1.get_variable("x", [3])
            told += [c is d, c.name, d.name, d.shape.as_list()]
        told.append(v1.get_variable("n", initializer=3).dtype.name)
        told.append(v1.get_local_variable("kept", [2]).trainable)
        return told

    assert program(both.ours) == program(both.theirs)


def test_variables_of_graphs_are_keys(both):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            a, b = tf.Variable(2.0), tf.Variable(3.0)
            session.run([a.initializer, b.initializer])
            told = [len({a, b, a}), {a: 1, b: 2}[b]]
            told.append(float(session.run(a * b)))
        told.append(_outcome(lambda: hash(tf.Variable(1.0))))
        told.append(
            _outcome(lambda: tf.function(lambda x: hash(x) * 0)(tf.Variable(1.0)))
        )
        return told

    assert program(both.ours) == program(both.theirs)


def test_small_functions_of_the_first_version(both):
    def program(tf):
        v1 = tf.compat.v1
        tf.random.set_seed(3)
        left = v1.setdiff1d([1, 5, 2, 5], [5, 7])
        places = v1.setdiff1d([1.0, 5.0], [7.0], tf.int64)
        graph = tf.Graph()
        with graph.as_default():
            told = v1.setdiff1d(tf.constant([1, 2]), [1])[0].shape.as_list()
        return [
            left.out, left.idx, places.idx, v1.multinomial([[0.0, -99.0]], 3),
            v1.multinomial([[0.1, 0.2]], 5, seed=2, output_dtype=tf.int32), told,
            _outcome(lambda: v1.setdiff1d([[1]], [1])),
            _outcome(lambda: v1.setdiff1d([1], [1.0])),
        ]

    both.agree(program)


def test_logging_by_the_line(both, caplog):
    def program(tf):
        log = tf.compat.v1.logging
        caplog.clear()

        with caplog.at_level("DEBUG", "tensorflow"):
            for turn in range(7):
                log.log_every_n(log.INFO, "every %d", 3, turn)
                # TensorFlow's counts together what is logged from lines of pytest.
                if tf is both.ours:
                    log.log_first_n(log.WARN, "first %d", 2, turn)
            log.log_if(log.ERROR, "never", False)
            log.log_if(log.ERROR, "once %s", True, "more")
            log.vlog(log.DEBUG, "v %d", 1)
            log.TaskLevelStatusMessage("status")
            told = _outcome(log.flush)
        shown = [(r.levelname, r.getMessage()) for r in caplog.records]
        first = [shown.pop(1), shown.pop(1)] if tf is both.ours else []
        assert [text for _, text in first] in ([], ["first 0", "first 1"])
        return shown, told

    propagates = logging.getLogger("tensorflow").propagate
    logging.getLogger("tensorflow").propagate = True
    try:
        assert program(both.ours) == program(both.theirs)
    finally:
        logging.getLogger("tensorflow").propagate = propagates
