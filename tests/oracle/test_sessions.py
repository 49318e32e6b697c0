"""Sessions run graphs as TensorFlow's do: values, structures, classes of errors
and their first lines."""

import numpy as np
import pytest


def _shown(value):
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value).__name__, [_shown(v) for v in value]
    if isinstance(value, (list, tuple)):
        return [_shown(v) for v in value]
    if isinstance(value, dict):
        return {k: _shown(v) for k, v in value.items()}
    if hasattr(value, "to_list"):
        return type(value).__name__, value.to_list(), value.row_splits.tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.name, value.shape, value.tolist()
    return value


def _outcome(call):
    try:
        return _shown(call())
    except Exception as e:
        lines = [line for line in str(e).splitlines() if line]
        if lines[0] == "Graph execution error:":
            lines = [line for line in lines if "You must" in line or "Could" in line]
        return type(e).__name__, lines[0].split("Debug info")[0][:60]


def _graph(tf):
    graph = tf.Graph()
    made = {}
    with graph.as_default():
        made["a"] = a = tf.compat.v1.placeholder(tf.float32, [None, 2], name="a")
        made["b"] = a * 2 + 1
        made["v"] = v = tf.Variable(1.0, name="v")
        made["more"] = v.assign_add(1.0)
        made["d"] = tf.compat.v1.placeholder_with_default(
            tf.constant(3.0), [], name="d"
        )
        made["text"] = tf.constant("x")
        made["rows"] = tf.ragged.constant([[1], [2, 3]])
        made["sparse"] = tf.sparse.from_dense([[0, 1], [2, 0]])
        made["i"] = i = tf.compat.v1.placeholder(tf.int32, [], name="i")
        made["next"] = i + 1
        made["words"] = words = tf.compat.v1.placeholder(tf.string, name="w")
        made["cried"] = words + "!"
        made["nothing"] = tf.no_op()
        made["drawn"] = tf.random.uniform([2], seed=3)
    return graph, made


RUNS = {
    "not fed": lambda s, m: s.run(m["b"]),
    "fed": lambda s, m: s.run(m["b"], {m["a"]: [[1, 2]]}),
    "fed by name": lambda s, m: s.run("add:0", {"a:0": [[1, 2]]}),
    "wrong shape": lambda s, m: s.run(m["b"], {m["a"]: [1, 2]}),
    "placeholder": lambda s, m: s.run("a"),
    "no operation": lambda s, m: s.run("nope"),
    "no tensor": lambda s, m: s.run("nope:0"),
    "none": lambda s, m: s.run(None),
    "number": lambda s, m: s.run(3),
    "no value yet": lambda s, m: s.run(m["v"]),
    "initialized": lambda s, m: [s.run(m["v"].initializer), s.run(m["v"])],
    "structure": lambda s, m: [
        s.run(m["v"].initializer),
        s.run([m["v"], {"x": m["text"], "y": (m["d"], m["nothing"])}]),
    ],
    "default fed": lambda s, m: s.run(m["d"], {m["d"]: 7}),
    "updated": lambda s, m: [
        s.run(m["v"].initializer), s.run(m["more"]), s.run(m["v"])
    ],
    "ragged": lambda s, m: s.run(m["rows"]),
    "sparse": lambda s, m: s.run(m["sparse"]),
    "cut": lambda s, m: s.run(m["next"], {m["i"]: 1.5}),
    "too large": lambda s, m: s.run(m["next"], {m["i"]: 2**40}),
    "texts": lambda s, m: s.run(m["cried"], {m["words"]: ["a", "b"]}),
    "fed and fetched": lambda s, m: s.run(m["b"], {m["b"]: [[1, 2]]}),
    "unknown feed": lambda s, m: s.run(m["b"], {"q:0": 1}),
    "feed of a number": lambda s, m: s.run(m["b"], {3: 1}),
    "feeds in a list": lambda s, m: s.run(m["b"], [1]),
    "eval": lambda s, m: m["b"].eval({m["a"]: [[1, 2]]}, session=s),
    "eval without session": lambda s, m: m["d"].eval(),
    "empty": lambda s, m: [s.run([]), s.run({})],
    "callable": lambda s, m: s.make_callable([m["b"], m["d"]], [m["a"]])([[1, 2]]),
    "drawn": lambda s, m: [s.run(m["drawn"]), s.run(m["drawn"])],
    "closed": lambda s, m: [s.close(), s.run(m["d"])],
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_agree(both, name):
    results = []
    for tf in (both.ours, both.theirs):
        graph, made = _graph(tf)
        session = tf.compat.v1.Session(graph=graph)
        results.append(_outcome(lambda: RUNS[name](session, made)))
    assert results[0] == results[1]


def test_sessions_have_variables_of_their_own(both):
    for tf in (both.ours, both.theirs):
        graph, made = _graph(tf)
        first, second = (tf.compat.v1.Session(graph=graph) for _ in range(2))
        first.run(made["v"].initializer)
        first.run(made["more"])
        with pytest.raises(tf.errors.FailedPreconditionError):
            second.run(made["v"])
        second.run(made["v"].initializer)
        assert [s.run(made["v"]) for s in (first, second)] == [2.0, 1.0]


def test_a_program_of_the_first_version_trains(both):
    def program(tf):
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [None, 3])
            w = tf.Variable(tf.zeros([3, 2]), name="w")
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
            grad = tf.gradients(loss, [w])[0]
            step = w.assign_sub(0.1 * grad)
            kept = [v.name for v in tf.compat.v1.global_variables()]
            kept += [v.name for v in tf.compat.v1.trainable_variables()]
            init = tf.compat.v1.global_variables_initializer()
            with tf.compat.v1.Session() as session:
                assert tf.compat.v1.get_default_session() is session
                session.run(init)
                for _ in range(20):
                    session.run(step, {x: [[1, 2, 3], [1, 0, 1]]})
                return kept, init.name, graph is session.graph, session.run(w)

    ours, theirs = program(both.ours), program(both.theirs)
    assert ours[:3] == theirs[:3]
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-5)


ERRORS = {
    "graph": lambda tf: tf.compat.v1.Session(graph=3),
    "config": lambda tf: tf.compat.v1.Session(config=3),
    "target": lambda tf: tf.compat.v1.Session(5),
    "empty": lambda tf: tf.compat.v1.Session(graph=tf.Graph()).run("x"),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_errors_agree(both, name):
    outcomes = [
        _outcome(lambda tf=tf: ERRORS[name](tf)) for tf in (both.ours, both.theirs)
    ]
    assert outcomes[0] == outcomes[1]
