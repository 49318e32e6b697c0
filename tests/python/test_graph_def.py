"""Graphs as messages, operations' attributes, import_graph_def, pictures."""

from __future__ import annotations

import os
import shutil

import pytest

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import _proto


@tf.function
def inner(a):
    return tf.split(a * 2.0, 2)[1]


@tf.function
def outer(x):
    return inner(x) + 1.0


def traced(shape=(4,)):
    # A function of its own: traces of other shapes would do for this one.
    f = tf.function(outer.python_function)
    return f.get_concrete_function(tf.TensorSpec(shape, tf.float32, "x"))


def test_graph_def_has_nodes_library_and_versions():
    message = traced().graph.as_graph_def()
    assert isinstance(message, _proto.GraphDef)
    assert [n.op for n in message.node] == [
        "Placeholder",
        "PartitionedCall",
        "Const",
        "AddV2",
        "Identity",
    ]
    assert len(message.library.function) == 1
    assert message.versions.producer == 2474
    assert message.versions.min_consumer == 12
    assert "_output_shapes" not in message.node[0].attr


def test_add_shapes():
    message = traced((None,)).graph.as_graph_def(add_shapes=True)
    shapes = {
        n.name: [d.size for d in n.attr["_output_shapes"].list.shape[0].dim]
        for n in message.node
    }
    assert shapes["x"] == [-1]


@pytest.mark.parametrize("elements, op", [(128, "Const"), (129, "Placeholder")])
def test_captured_values(elements, op):
    values = tf.ones([elements])
    f = tf.function(lambda x: x * values).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )
    node = next(n for n in f.graph.as_graph_def().node if n.name == "mul/y")
    assert node.op == op
    names = [a.name for a in f.function_def.signature.input_arg]
    assert names == ["x", "mul_y"]


def test_operations_tell_their_attributes():
    graph = traced().graph
    call = graph.get_operation_by_name("PartitionedCall")
    assert call.get_attr("f").name.startswith("__inference_inner_")
    assert call.get_attr("Tin") == [tf.float32]
    assert call.node_def.op == "PartitionedCall"
    x = graph.get_operation_by_name("x")
    assert x.get_attr("dtype") == tf.float32
    assert x.get_attr("shape").dim[0].size == 4
    one = graph.get_operation_by_name("add/y")
    assert list(one.get_attr("value").float_val) == [1.0]
    with pytest.raises(ValueError, match="no attr named 'color'"):
        x.get_attr("color")


def test_import_into_a_function():
    message = traced().graph.as_graph_def()

    @tf.function
    def run(y):
        op, result = tf.graph_util.import_graph_def(
            message, {"x": y}, ["add", "Identity:0"], name="again"
        )
        assert op.name == "again/add"
        return result

    result = run(tf.constant([1.0, 2.0, 3.0, 4.0]))
    assert result.numpy().tolist() == [7.0, 9.0]


def test_import_into_a_graph():
    message = traced().graph.as_graph_def()
    graph = tf.Graph()
    with graph.as_default():
        assert tf.import_graph_def(message) is None
        tf.import_graph_def(message)
    names = [op.name for op in graph.get_operations()]
    assert "import/add" in names and "import_1/add" in names
    assert len(graph.as_graph_def().library.function) >= 1


def test_import_refuses():
    with pytest.raises(RuntimeError, match="adds to a graph"):
        tf.import_graph_def(_proto.GraphDef())
    message = traced().graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        with pytest.raises(TypeError, match="must be a GraphDef"):
            tf.import_graph_def(b"")
        with pytest.raises(ValueError, match="'nothing:0' not found"):
            tf.import_graph_def(message, return_elements=["nothing:0"])
        count = len(graph.get_operations())
        message.node[3].input[0] = "nobody"
        with pytest.raises(ValueError, match="Unknown input node 'nobody'"):
            tf.import_graph_def(message)
        message.node[3].op = "NoSuchOp"
        with pytest.raises(
            tf.errors.NotFoundError, match="Op type not registered 'NoSuchOp'"
        ):
            tf.import_graph_def(message)
        assert len(graph.get_operations()) == count


def test_text_shows_layers_and_functions():
    text = _graphkiln.graph_layers(traced().graph)
    assert "0  x = Placeholder()  -> float32 (4,)" in text
    assert "add = AddV2(PartitionedCall, add/y)" in text
    assert "Split(split/split_dim, mul)" in text


def test_drawn_constants_are_short():
    f = tf.function(lambda x: (x * 0.1, tf.reduce_sum(x, [0]), x + [0.5] * 99))
    text = _graphkiln.graph_layers(f.get_concrete_function(tf.TensorSpec([99])).graph)
    assert "-> 0.1, float32 ()" in text and "[0.5, 0.5, 0.5, " in text
    assert max(map(len, text.splitlines())) < 100


def test_drawing():
    dot = _graphkiln.graph_dot(traced().graph)
    assert dot.count("subgraph cluster_") == 1
    assert "<B>AddV2</B>" in dot
    shown = traced()._repr_html_()
    if shutil.which("dot"):
        assert traced().graph._repr_svg_().startswith("<svg")
        assert shown.count("<svg") == 2 and "overflow:auto" in shown
    else:
        assert "<pre>" in shown
    assert shown.count("<details") == 2


def test_a_page_is_written_or_opened(tmp_path, monkeypatch):
    path = str(tmp_path / "page.html")
    assert traced().show(path) == path
    with open(path, encoding="utf-8") as file:
        assert "<details" in file.read()
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    made = traced().graph.show()
    assert opened == [f"file://{made}"] and made.endswith(".html")
    os.remove(made)


def test_names_are_escaped():
    f = tf.function(lambda x: tf.identity(x)).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(f.graph.as_graph_def(), name="a<b>c")
    assert "a&lt;b&gt;c/" in _graphkiln.graph_dot(graph)


def test_plain_attributes_need_no_messages():
    op = traced().graph.get_operation_by_name("add/y")
    assert _graphkiln.plain_attr(op, "value").numpy() == 1.0


def test_signatures_of_ops():
    graph = traced().graph
    definition = graph.get_operation_by_name("add").op_def
    assert definition.name == "AddV2"
    assert [a.name for a in definition.input_arg] == ["x", "y"]
    assert definition.input_arg[0].type_attr == "T"
    padding = {a.name: a for a in graph.op_def_for_type("MaxPool").attr}["padding"]
    assert padding.type == "string"
    assert b"SAME" in padding.allowed_values.list.s
    assert graph.graph_def_versions.producer == 2474
    with pytest.raises(RuntimeError, match="'NoSuchOp'"):
        graph.op_def_for_type("NoSuchOp")


def test_write_graph(tmp_path):
    from google.protobuf import text_format

    graph = traced().graph
    path = tf.io.write_graph(graph, str(tmp_path / "deep"), "g.pbtxt")
    read = text_format.Parse(open(path).read(), _proto.GraphDef())
    tf.test.assert_equal_graph_def(graph.as_graph_def(), read)
    path = tf.io.write_graph(traced(), str(tmp_path), "g.pb", as_text=False)
    read = _proto.GraphDef.FromString(open(path, "rb").read())
    tf.test.assert_equal_graph_def(graph.as_graph_def(), read)
    read.node[0].name = "y"
    with pytest.raises(AssertionError, match=r"missing nodes \['x'\]"):
        tf.test.assert_equal_graph_def(graph.as_graph_def(), read)
