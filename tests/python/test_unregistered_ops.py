"""Functions of files with ops that nobody here has: read, written, and an error
only where a call runs them."""

import pytest

import graphkiln as tf
from graphkiln import _proto

FLOAT, BOOL = 1, 10


def signature(function, name, stateful):
    function.signature.name = name
    function.signature.is_stateful = stateful
    argument = function.signature.input_arg.add()
    argument.name, argument.type = "x", FLOAT
    result = function.signature.output_arg.add()
    result.name, result.type = "y", FLOAT


def placeholder(graph, name, dtype):
    node = graph.node.add()
    node.name, node.op = name, "Placeholder"
    node.attr["dtype"].type = dtype


def message(stateful=False):
    """i = odd(x) if p else same(x), where odd is of an op called Mystery; unused
    = x, in a function that has such an op too."""
    graph = _proto.GraphDef()
    odd = graph.library.function.add()
    signature(odd, "odd", stateful)
    node = odd.node_def.add()
    node.name, node.op = "odd", "Mystery"
    node.input.append("x")
    node.attr["how"].s = b"\xff"
    odd.ret["y"] = "odd:out:0"
    same = graph.library.function.add()
    signature(same, "same", False)
    same.ret["y"] = "x"
    unused = graph.library.function.add()
    unused.CopyFrom(odd)
    unused.signature.name = "unused"
    unused.ret["y"] = "x"
    placeholder(graph, "x", FLOAT)
    placeholder(graph, "p", BOOL)
    choice = graph.node.add()
    choice.name, choice.op = "i", "If" if stateful else "StatelessIf"
    choice.input.extend(["p", "x"])
    choice.attr["then_branch"].func.name = "odd"
    choice.attr["else_branch"].func.name = "same"
    choice.attr["Tcond"].type = BOOL
    choice.attr["Tin"].list.type.append(FLOAT)
    choice.attr["Tout"].list.type.append(FLOAT)
    call = graph.node.add()
    call.name, call.op = "u", "unused"
    call.input.append("x")
    return graph


REFUSED = (
    r"Op type not registered 'Mystery' in binary running on .*at node 'odd'"
    r"(.|\n)*Make sure the Op and Kernel are registered"
)


@pytest.mark.parametrize("stateful", [False, True])
def test_only_what_runs_fails(stateful):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.graph_util.import_graph_def(message(stateful), name="")
        feed = {"x:0": 2.0, "p:0": False}
        assert session.run("i:0", feed) == 2.0
        with pytest.raises(tf.errors.NotFoundError, match=REFUSED):
            session.run("i:0", {"x:0": 2.0, "p:0": True})
        if stateful:  # it may do something that has to be done
            with pytest.raises(tf.errors.NotFoundError, match=REFUSED):
                session.run("u:0", feed)
        else:
            assert session.run("u:0", feed) == 2.0


def test_traced():
    @tf.function
    def f(x, p):
        (y,) = tf.graph_util.import_graph_def(
            message(), {"x:0": x, "p:0": p}, ["i:0"], name="m"
        )
        return y + 1.0

    assert f(tf.constant(2.0), tf.constant(False)).numpy() == 3.0
    with pytest.raises(tf.errors.NotFoundError, match=REFUSED):
        f(tf.constant(2.0), tf.constant(True))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(LookupError, match="no entry for: Mystery"):
            f(x, tf.constant(False))


def test_written_again():
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(message(), name="")
    functions = {f.signature.name: f for f in graph.as_graph_def().library.function}
    (node,) = functions["odd"].node_def
    assert node == message().library.function[0].node_def[0]
    assert list(functions["odd"].ret.values()) == ["odd:out:0"]


def test_nodes_of_the_graph_itself_are_refused():
    graph = _proto.GraphDef()
    node = graph.node.add()
    node.name, node.op = "odd", "Mystery"
    with tf.Graph().as_default() as into:
        with pytest.raises(tf.errors.NotFoundError, match=REFUSED):
            tf.graph_util.import_graph_def(graph)
        assert into.get_operations() == []
