"""tf.Graph: elements by name, making operations, scopes, what it keeps."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

import graphkiln as tf
from graphkiln import _proto

Spec = tf.TensorSpec


@pytest.fixture
def graph():
    made = tf.Graph()
    with made.as_default():
        a = tf.constant(1.0, name="a")
        tf.add(a, 2.0, name="b")
    return made


def test_elements_by_name(graph):
    b = graph.get_tensor_by_name("b:0")
    op = graph.get_operation_by_name("b")
    assert b.op == op and op.graph is graph and b.graph is graph
    assert graph.as_graph_element("b:0") is b
    assert graph.as_graph_element("b") == op
    assert graph.as_graph_element(b) is b
    assert graph.as_graph_element(op) == op
    assert [o.name for o in graph.get_operations()] == ["a", "b/y", "b"]


FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda g: g.get_tensor_by_name("nope:0"), KeyError,
            "The name 'nope:0' refers to a Tensor which does not exist. The "
            "operation, 'nope', does not exist in the graph.",
        ),
        (
            lambda g: g.get_tensor_by_name("a:1"), KeyError,
            "The name 'a:1' refers to a Tensor which does not exist. The "
            "operation, 'a', exists but only has 1 outputs.",
        ),
        (
            lambda g: g.get_tensor_by_name("a:99999999999999999999"), KeyError,
            "exists but only has 1 outputs.",
        ),
        (
            lambda g: g.get_tensor_by_name("a"), ValueError,
            "The name 'a' refers to an Operation, not a Tensor. " + FORM,
        ),
        (
            lambda g: g.get_tensor_by_name("q"), ValueError,
            "The name 'q' looks like an (invalid) Operation name, not a "
            "Tensor. " + FORM,
        ),
        (
            lambda g: g.get_tensor_by_name("a:x"), ValueError,
            "The name 'a:x' looks a like a Tensor name, but is not a valid "
            "one. " + FORM,
        ),
        (
            lambda g: g.get_tensor_by_name(3), TypeError,
            "Tensor names are strings (or similar), not int.",
        ),
        (
            lambda g: g.get_operation_by_name("nope"), KeyError,
            "The name 'nope' refers to an Operation not in the graph.",
        ),
        (
            lambda g: g.get_operation_by_name("a:0"), ValueError,
            "Name 'a:0' appears to refer to a Tensor, not a Operation.",
        ),
        (
            lambda g: g.as_graph_element("a:0", False, False), ValueError,
            "allow_tensor and allow_operation can't both be False.",
        ),
        (
            lambda g: g.as_graph_element(3), TypeError,
            "Can not convert a int into a Tensor or Operation.",
        ),
        (
            lambda g: g.as_graph_element(g.get_tensor_by_name("a:0"), False),
            TypeError,
            "Can not convert a SymbolicTensor into a Operation.",
        ),
    ],
)
def test_no_such_element(graph, call, error, text):
    with pytest.raises(error) as raised:
        call(graph)
    assert text in raised.value.args[0]


def test_operation(graph):
    op = graph.get_operation_by_name("b")
    assert str(op) == str(op.node_def)
    assert repr(op) == "<tf.Operation 'b' type=AddV2>"
    assert (op.name, op.type, op.device) == ("b", "AddV2", "")
    assert [t.name for t in op.inputs] == ["a:0", "b/y:0"]
    assert [t.name for t in op.outputs] == ["b:0"]
    assert op.values() == tuple(op.outputs)
    assert op.get_attr("T") == tf.float32
    assert op.traceback[-1].filename == __file__
    assert op.traceback[-1].name == "graph"
    assert op.colocation_groups() == [b"loc:@b"]
    assert graph.get_tensor_by_name("a:0").consumers() == [op]
    assert op.outputs[0].value_index == 0
    with pytest.raises(ValueError, match="No default session"):
        op.run()
    with pytest.raises(TypeError, match="can't convert Operation 'b' to"):
        tf.convert_to_tensor(op)


def test_create_op(graph):
    a, b = (graph.get_tensor_by_name(n) for n in ("a:0", "b:0"))
    made = graph.create_op("AddV2", [a, b], [tf.float32], name="made")
    assert made.name == "made" and made.outputs[0].shape == []
    assert graph.create_op("NoOp", []).name == "NoOp"
    stacked = graph.create_op("Pack", [a, b], name="stacked")
    assert stacked.get_attr("N") == 2
    value = _proto.AttrValue()
    value.tensor.dtype = 1
    value.tensor.float_val.append(7.0)
    constant = graph.create_op(
        "Const", [], name="c",
        attrs={"value": value, "dtype": _proto.AttrValue(type=1)},
    )
    assert tf.get_static_value(constant.outputs[0]) == 7.0
    copied = tf.Operation.from_node_def(
        made.node_def, graph, [a, a], control_inputs=[constant]
    )
    assert copied.name == "made_1"
    assert copied.control_inputs == [constant]
    with pytest.raises(RuntimeError, match="Op type not registered 'Bad'"):
        graph.create_op("Bad", [])
    with pytest.raises(TypeError, match="Input #1 is not a tensor: 3.0"):
        graph.create_op("AddV2", [a, 3.0])
    with pytest.raises(ValueError, match="attr 'color' not in Op AddV2"):
        graph.create_op("AddV2", [a, b], attrs={"color": value})
    with pytest.raises((ValueError, TypeError)):
        graph.create_op("AddV2", [a])


def test_finalized(graph):
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    with graph.as_default():
        with pytest.raises(
            RuntimeError, match="Graph is finalized and cannot be modified."
        ):
            tf.constant(1)


def test_takes_nothing_from_outside(graph):
    outside = tf.constant(2.0)
    other = tf.Graph()
    with other.as_default():
        with pytest.raises(
            RuntimeError,
            match="Attempting to capture an EagerTensor without building a",
        ):
            tf.add(1.0, outside)
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.negative(graph.get_tensor_by_name("a:0"))


def test_collections(graph):
    assert graph.get_all_collection_keys() == []
    graph.add_to_collection("x", 1)
    graph.add_to_collections(["x", "y"], 2)
    graph.add_to_collections("x", graph.get_operation_by_name("a"))
    assert graph.get_collection("x")[:2] == [1, 2]
    assert graph.get_collection("x", "a") == [graph.get_operation_by_name("a")]
    graph.get_collection_ref("z").append(3)
    assert graph.collections == ["x", "y", "z"]
    graph.clear_collection("x")
    assert graph.get_collection("x") == []


def test_what_a_graph_keeps_does_not_keep_it():
    graph = tf.Graph()
    with graph.as_default():
        a = tf.constant(1)
    graph.add_to_collections(["x", (graph,)], [graph, a])
    graph.get_collection_ref("x").append(a.op)
    graph.prevent_feeding((graph, 1))
    graph.prevent_fetching((graph, 2))
    gone = weakref.ref(graph)
    del graph, a
    gc.collect()
    assert gone() is None


def test_names_that_change_the_graph_while_they_are_compared(graph):
    class Name:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            if graph.collections:
                graph.clear_collection("x")
                graph.add_to_collection("y", 1)
            return self is other

    names = [Name(), Name(), Name()]
    for name in names:
        graph.add_to_collection("x", 1)
        graph.add_to_collection(name, name)
        graph.prevent_fetching(name)
    graph.clear_collection(names[1])
    assert graph.get_collection(names[2]) == [names[2]]
    assert not graph.is_fetchable(names[0])


def test_unique_names(graph):
    assert [
        graph.unique_name("a"), graph.unique_name("a", mark_as_used=False),
        graph.unique_name("a"), graph.unique_name("A"),
    ] == ["a_1", "a_2", "a_2", "A_3"]
    with graph.as_default(), graph.name_scope("s"):
        assert graph.unique_name("t") == "s/t"
        assert graph.get_name_scope() == "s"


def test_marks(graph):
    a = graph.get_tensor_by_name("a:0")
    assert graph.is_feedable(a) and graph.is_fetchable(a)
    graph.prevent_feeding(a)
    graph.prevent_fetching(a.op)
    assert not graph.is_feedable(a) and not graph.is_fetchable(a)


def test_colocation(graph):
    a = graph.get_operation_by_name("a")
    with graph.as_default():
        with graph.colocate_with(a):
            c = tf.negative(a.outputs[0])
            with graph.colocate_with(None, ignore_existing=True):
                d = tf.negative(c)
        with pytest.raises(ValueError, match="ignore_existing is not True"):
            with graph.colocate_with(None):
                pass
    assert c.op.colocation_groups() == [b"loc:@a"]
    assert c.op.get_attr("_class") == [b"loc:@a"]
    assert d.op.colocation_groups() == [b"loc:@" + d.op.name.encode()]


def test_names_of_scopes():
    root = "is not a valid root scope name. A root scope name has to match"
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        for bad in ("a b", "_a", "é"):
            with pytest.raises(ValueError, match=root):
                tf.name_scope(bad).__enter__()
            with pytest.raises(ValueError, match=root):
                tf.add(x, x, name=bad)
        with tf.name_scope("s") as scope:
            assert scope == "s/"
            assert tf.add(x, x, name="_y").name == "s/_y:0"
            with pytest.raises(ValueError, match="A scope name has to match"):
                tf.add(x, x, name="x y")
        with pytest.raises(ValueError, match="must be a string"):
            tf.name_scope(None)


def test_control_dependencies(graph):
    a = graph.get_tensor_by_name("a:0")
    with graph.as_default():
        with graph.control_dependencies([a.op, "b"]):
            c = tf.constant(1.0, name="c")
            d = tf.negative(c, name="d")
            with graph.control_dependencies(None):
                e = tf.constant(1.0, name="e")
        for item, text in ((None, "NoneType"), (3, "int")):
            with pytest.raises(
                TypeError,
                match=f"Can not convert a {text} into a Tensor or Operation.",
            ):
                with tf.control_dependencies([item]):
                    pass
    assert [o.name for o in c.op.control_inputs] == ["a", "b"]
    # What it uses runs after them already.
    assert d.op.control_inputs == []
    assert e.op.control_inputs == []


# Graphs of functions


def test_graph_outlives_its_function():
    @tf.function
    def f(x):
        return {"y": x + 1.0, "n": None}

    graph = f.get_concrete_function(Spec([], tf.float32)).graph
    dead = weakref.ref(f)
    del f
    gc.collect()
    assert dead() is None
    assert [op.name for op in graph.get_operations()] == [
        "x", "add/y", "add", "Identity"
    ]
    assert graph.get_tensor_by_name("add:0").op.inputs[0].name == "x:0"
    assert len(graph.as_graph_def().node) == 4
    assert graph.structured_outputs["y"].name == "Identity:0"
    assert graph.structured_outputs["n"] is None
    assert graph.structured_input_signature == (
        (Spec([], tf.float32, name="x"),), {}
    )
    assert [t.name for t in graph.outputs] == ["Identity:0"]


def test_what_a_functions_graph_tells():
    v, w = tf.Variable(1.0), tf.constant([2.0])

    @tf.function
    def f(x):
        v.assign_add(x)
        tf.print(x, output_stream="file:///dev/null")
        return w * x

    graph = f.get_concrete_function(tf.constant(1.0)).graph
    assert graph.building_function and graph.name == "f"
    assert [op.name for op in graph.control_outputs] == [
        "AssignAddVariableOp", "PrintV2"
    ]
    assert graph.variables == graph.trainable_variables == (v,)
    assert graph.external_captures[1] is w
    assert [t.name for t in graph.internal_captures] == [
        "AssignAddVariableOp/resource:0", "mul/x:0"
    ]


def test_values_captured_by_call_time():
    box = {"a": 1.0}
    calls = []

    def closure():
        calls.append(0)
        return {"b": tf.constant([box["a"]]), "a": box["a"]}

    spec = {"b": Spec([None], tf.float32), "a": Spec([], tf.float32, "q")}

    @tf.function
    def f(x):
        got = x.graph.capture_call_time_value(closure, spec, key="k")
        again = x.graph.capture_call_time_value(closure, spec, key="k")
        assert got is again
        return x + got["a"] + got["b"][0] * 10.0

    x = tf.constant(100.0)
    assert f(x).numpy() == 111.0
    box["a"] = 2.0
    assert f(x).numpy() == 122.0
    assert f.experimental_get_tracing_count() == 1
    assert len(calls) == 2

    outer = tf.function(lambda x: f(x) + 0.5)
    assert outer(x).numpy() == 122.5
    box["a"] = 3.0
    assert outer(x).numpy() == 133.5
    box["a"] = "text"
    with pytest.raises(TypeError):
        f(x)
    box["a"] = 4.0
    assert f(x).numpy() == 144.0
    assert "  k: Dict[['b', " in str(f.get_concrete_function(x))


def test_call_time_values_leave_the_dtypes_as_they_were():
    def trace():
        @tf.function
        def f(x):
            return x + x.graph.capture_call_time_value(
                lambda: tf.constant(1.0, tf.float64), Spec([], tf.float64)
            )

        return f(tf.constant(1.0, tf.float64))

    trace()
    before = sys.getrefcount(tf.float64)
    for _ in range(50):
        trace()
    gc.collect()
    assert abs(sys.getrefcount(tf.float64) - before) < 10



def test_captured_values_free_their_graphs():
    class Token:
        pass

    def make():
        token = Token()

        @tf.function
        def f(x):
            return x + x.graph.capture_call_time_value(
                lambda: tf.constant(1.0 if token else 0.0),
                Spec([], tf.float32),
            )

        f(tf.constant(1.0))
        return weakref.ref(token)

    dead = make()
    gc.collect()
    assert dead() is None


# Arguments that are captured variables


def test_an_argument_may_be_a_captured_variable():
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def f(a):
        a.assign_add(1.0)
        return v + a

    assert f(w).numpy() == 12.0
    # The same trace, with one variable as both.
    assert f(v).numpy() == 4.0
    assert f.experimental_get_tracing_count() == 1
    graph = f.get_concrete_function(w).graph
    add = graph.get_operation_by_name("AssignAddVariableOp")
    read = graph.get_operation_by_name("ReadVariableOp")
    assert add in read.control_inputs


def test_assignments_check_shapes():
    v, free = tf.Variable([1.0]), tf.Variable([1.0], shape=[None])

    @tf.function
    def f(x):
        v.assign(x)
        free.assign(x)
        return x

    operations = f.get_concrete_function(tf.constant([2.0])).graph
    checks = [
        op.get_attr("validate_shape")
        for op in operations.get_operations()
        if op.type == "AssignVariableOp"
    ]
    assert checks == [True, False]


def test_errors_name_nodes_of_called_functions():
    inner = tf.function(lambda x, i: tf.gather(x, i) + 1.0)
    outer = tf.function(lambda x, i: inner(x, i) * 2.0)
    for f, name in ((inner, "<lambda>"), (outer, "<lambda>")):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            f(tf.ones([2]), tf.constant(5))
        text = str(error.value)
        assert text.startswith(
            "Graph execution error:\n\nDetected at node GatherV2 defined at "
            "(most recent call last):\n"
        )
        assert "indices = 5 is not in [0, 2)\n\t [[{{node GatherV2}}]]" in text
        assert f"[Op:__inference_{name}_" in text
