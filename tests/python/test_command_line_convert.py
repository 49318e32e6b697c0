"""graphkiln convert and optimize: what they write means the same."""

import json
import shutil

import numpy as np
import pytest
from test_command_line import Scale, X, failed, out, run, scaled

import graphkiln as tf


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale") / "model"
    tf.saved_model.save(Scale(), str(folder))
    return folder


def results(path, *words):
    return json.loads(out("run", path, "--value", str(X.tolist()), "--json", *words))


def test_a_graph_to_text_and_back(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        c = tf.constant(np.linspace(0, 1, 7), tf.float32, name="c")
        tf.strings.join(['a\n"\x01', "\xff"], name="s")
        tf.add(x, c, name="y")
    binary, text, again = (tmp_path / n for n in ("g.pb", "g.pbtxt", "h.pb"))
    binary.write_bytes(graph.as_graph_def().SerializeToString())
    out("convert", binary, text)
    out("convert", text, again)
    assert out("diff", binary, again) == "" and out("diff", binary, text) == ""
    assert text.read_text() == out("convert", binary, "-")
    tf.io.write_graph(graph, str(tmp_path), "w.pbtxt")
    assert out("diff", binary, tmp_path / "w.pbtxt") == ""


def test_a_saved_model_as_text_is_loaded(model, tmp_path):
    text = tmp_path / "saved_model.pbtxt"
    out("convert", model, text)
    assert "meta_graphs {" in text.read_text()
    shutil.copytree(model / "variables", tmp_path / "variables")
    assert results(tmp_path) == results(model)
    loaded = tf.saved_model.load(str(tmp_path))
    assert np.array_equal(loaded(X)["scaled"], scaled(X))
    back = tmp_path / "back" / "saved_model.pb"
    back.parent.mkdir()
    out("convert", tmp_path, back)
    assert back.read_bytes() == (model / "saved_model.pb").read_bytes()
    text.write_text(text.read_text().replace("meta_info_def", "meta_info_deaf"))
    said = failed(4, "run", tmp_path, "--value", "[[1, 2, 3, 4]]")
    assert "saved_model.pbtxt: line 3, column 3" in said
    assert "has no field 'meta_info_deaf'" in said


@pytest.mark.parametrize("ending", ["pb", "pbtxt"])
@pytest.mark.parametrize("command", ["freeze", "optimize"])
def test_frozen_graphs_have_the_names_of_the_signature(
    model, tmp_path, ending, command
):
    target = tmp_path / f"frozen.{ending}"
    if command == "freeze":
        out("convert", model, target, "--freeze")
    else:
        out("optimize", model, target)
    assert results(target) == results(model)
    facts = json.loads(out("show", target, "--format", "json"))
    assert not {"VarHandleOp", "ReadVariableOp"} & {op["name"] for op in facts["ops"]}
    assert "DAMAGED" not in out("verify", target)


def test_an_optimised_model_is_one(model, tmp_path):
    done = run("optimize", model, tmp_path / "fast")
    assert done.returncode == 0 and b"16 nodes of 19 left" in done.stderr
    assert results(tmp_path / "fast") == results(model)
    loaded = tf.saved_model.load(str(tmp_path / "fast"))
    served = loaded.signatures["serving_default"](x=tf.constant(X))
    assert np.array_equal(served["scaled"], scaled(X)) and served["rows"] == 3
    assert "there already" in failed(3, "optimize", model, tmp_path / "fast")


def test_names_that_nodes_have_already(tmp_path):
    """An input is called as a node, a result as an input."""
    m = tf.Module()
    spec = [tf.TensorSpec([], tf.float32, name="add"),
            tf.TensorSpec([], tf.float32, name="b")]  # fmt: skip
    m.f = tf.function(lambda x, b: {"b": x + b, "mul:0": x * b}, input_signature=spec)
    tf.saved_model.save(m, str(tmp_path / "m"))
    out("convert", tmp_path / "m", tmp_path / "f.pb", "--freeze")
    words = ("--value", "add=3", "--value", "b=5", "--json")
    assert json.loads(out("run", tmp_path / "m", *words)) == {"b": 8, "mul:0": 15}
    assert sorted(json.loads(out("run", tmp_path / "f.pb", *words)).values()) == [8, 15]


def test_loops_branches_and_tables(tmp_path):
    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1
            )

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name="x")])
        def loop(self, x):
            for _ in tf.range(3):
                x = x * self.v if x < 100.0 else -x
            return x

        @tf.function(input_signature=[tf.TensorSpec([], tf.string, name="k")])
        def look(self, k):
            return self.table.lookup(k)

    m = M()
    folder = tmp_path / "m"
    tf.saved_model.save(m, str(folder), signatures={"loop": m.loop, "look": m.look})
    for target in (tmp_path / "fast", tmp_path / "fast.pb"):
        out("optimize", folder, target, "--signature", "loop")
        text = out("run", target, "--value", "x=40", "--json")
        assert list(json.loads(text).values()) == [-160]
    text = out("run", folder, "--signature", "look", "--value", '"a"', "--json")
    assert json.loads(text) == {"output_0": 1}
    said = failed(5, "optimize", folder, tmp_path / "no.pb", "--signature", "look")
    assert "which no graph can hold" in said


def test_a_checkpoint_has_no_graph(model):
    said = failed(2, "convert", model / "variables" / "variables", "-")
    assert "no graph to convert" in said
