"""What a program keeps with a graph: lists of values, and marks of tensors and
operations."""

import pytest


def _outcome(call):
    try:
        return call()
    except Exception as e:
        return type(e).__name__, str(e)


def _graph(tf):
    graph = tf.Graph()
    with graph.as_default():
        return graph, tf.constant(1, name="a")


def _agree(both, program):
    assert program(both.ours) == program(both.theirs)


def test_a_finalized_graph_keeps_its_lists(both):
    def program(tf):
        graph, _ = _graph(tf)
        graph.add_to_collection("x", 1)
        graph.finalize()
        calls = [
            lambda: graph.add_to_collection("x", 2),
            lambda: graph.add_to_collections(["x", "y"], 2),
            lambda: graph.add_to_collections([], 2),
            lambda: graph.clear_collection("x"),
            lambda: graph.clear_collection("none"),
            lambda: graph.get_collection_ref("new"),
            lambda: graph.collections,
            lambda: graph.prevent_feeding(3),
            lambda: graph.is_feedable(3),
        ]
        return [_outcome(call) for call in calls]

    _agree(both, program)


def test_the_graph_of_a_function_is_not_finalized(both):
    def program(tf):
        @tf.function
        def f(x):
            x.graph.add_to_collection("x", 1)
            return x + 1.0

        graph = f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
        graph.add_to_collection("x", 2)
        results = [graph.finalized, graph.get_collection("x")]
        graph.finalize()
        results.append(_outcome(lambda: graph.add_to_collection("x", 3)))
        return results, graph.finalized

    _agree(both, program)


def test_names_of_lists(both):
    def program(tf):
        graph, _ = _graph(tf)
        results = []
        for names in ["ab", ["b", "a", "b"], (3, "a"), [("t",)], 5, [[]], [["a"]]]:
            results.append(
                _outcome(lambda: graph.add_to_collections(names, "v"))
            )
        for name in ["ab", "a", "b", 3, 3.0, True, ("t",), [], None]:
            results.append(_outcome(lambda: graph.get_collection(name)))
            results.append(_outcome(lambda: graph.get_collection_ref(name)))
        kept = graph.get_collection_ref("a")
        kept.append(2)
        results += [
            graph.get_collection_ref("a") is kept,
            graph.get_collection("a") is kept,
            sorted(map(repr, graph.collections)),
            sorted(graph.get_all_collection_keys()),
        ]
        for name in ["a", ("t",), 3.0, "none"]:
            graph.clear_collection(name)
        results.append(_outcome(lambda: graph.clear_collection([])))
        return results, sorted(map(repr, graph.collections)), kept

    _agree(both, program)


class _Named:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"named {self._name!r}"

    @property
    def name(self):
        if isinstance(self._name, Exception):
            raise self._name
        return self._name


NAMES = ["s/a", "s1/b", "x/s", 5, None, b"s", AttributeError("x"), ValueError("y")]


@pytest.mark.parametrize("name", NAMES, ids=repr)
@pytest.mark.parametrize("scope", ["s", "s/", ".*b", "(", "", 5, b"s"], ids=repr)
def test_a_scope_is_a_pattern_of_names(both, name, scope):
    def program(tf):
        graph, a = _graph(tf)
        for value in [a, a.op, 3, _Named(name)]:
            graph.add_to_collection("x", value)
        return (
            _outcome(lambda: list(map(repr, graph.get_collection("x", scope)))),
            _outcome(lambda: graph.get_collection("none", scope)),
            len(graph.get_collection("x", "a")) if isinstance(name, str) else 0,
        )

    ours, theirs = program(both.ours), program(both.theirs)
    assert ours[1:] == theirs[1:]
    # Tensors print in their own ways.
    assert ours[0] == theirs[0] or len(ours[0]) == len(theirs[0]) == 3


def _marked(tf, graph, other):
    """Values of all kinds, among them tensors and operations."""
    return [
        graph.get_tensor_by_name("a:0"), graph.get_operation_by_name("a"),
        other.get_tensor_by_name("a:0"), other.get_operation_by_name("a"),
        3, "a:0", None, (1, 2), tf.constant(1).ref(), [1],
        tf.constant(1), tf.Variable(1.0, name="v"),
    ]


@pytest.mark.parametrize("i", range(12))
@pytest.mark.parametrize("kind", ["feed", "fetch"])
def test_marks(both, i, kind):
    def program(tf):
        graph, a = _graph(tf)
        other, _ = _graph(tf)
        value = _marked(tf, graph, other)[i]
        mark, asked = (
            (graph.prevent_feeding, graph.is_feedable)
            if kind == "feed"
            else (graph.prevent_fetching, graph.is_fetchable)
        )
        results = [_outcome(lambda: asked(value)), _outcome(lambda: mark(value))]
        results += [_outcome(lambda: asked(value)), asked(a), asked(a.op)]
        for x in [graph, other]:
            results.append(asked(x.get_tensor_by_name("a:0")))
            results.append(asked(x.get_operation_by_name("a")))
        return results

    ours, theirs = program(both.ours), program(both.theirs)
    # What cannot be hashed prints in its own way.
    assert [x if isinstance(x, bool | None) else x[0] for x in ours] == [
        x if isinstance(x, bool | None) else x[0] for x in theirs
    ]


def test_tensors_of_a_graph_are_keys(both):
    def program(tf):
        graph, a = _graph(tf)
        _, other = _graph(tf)
        found = graph.get_tensor_by_name("a:0")
        keys = {a: 1, other: 2}
        results = [keys[found], keys[other], len({a, other, found}), a in {other}]
        results.append(_outcome(lambda: hash(tf.constant(1)))[0])
        of_function = []
        tf.function(lambda x: of_function.append(_outcome(lambda: hash(x))))(
            tf.constant(1)
        )
        return results, hash(a) == hash(found), of_function[0][0]

    _agree(both, program)
