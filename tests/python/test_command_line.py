"""The program graphkiln, over models that this package saved."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphkiln as tf

PROGRAM = Path(__file__).resolve().parents[2] / "python" / "scripts" / "graphkiln"


def run(*words, stdin=None):
    return subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, words)],
        capture_output=True,
        timeout=120,
        input=stdin,
    )


def out(*words, stdin=None):
    done = run(*words, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def failed(exit_status, *words):
    """What is said of it."""
    done = run(*words)
    assert done.returncode == exit_status, (done.returncode, done.stderr.decode())
    said = done.stderr.decode()
    assert said.startswith("graphkiln: ")
    return said


class Scale(tf.Module):
    def __init__(self, factor=3.0):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")
        self.w = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), name="w")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def __call__(self, x):
        return {
            "scaled": self.factor * tf.nn.relu(x @ self.w),
            "rows": tf.shape(x)[0],
        }


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale") / "model"
    tf.saved_model.save(Scale(), str(folder))
    return folder


def test_show_says_what_is_in_a_model(model):
    text = out("show", model)
    assert "in   x       float32  (None, 4)" in text
    assert "out  scaled  float32  (None, 3)" in text
    assert "factor  float32  ()       4 B  factor/.ATTRIBUTES" in text
    assert "unknown here" not in text


def test_show_gives_the_same_as_json(model):
    facts = json.loads(out("show", model, "--format", "json"))
    assert facts["tags"] == ["serve"]
    variables = {v["name"]: v for v in facts["variables"]}
    assert variables["w"]["shape"] == "(4, 3)" and variables["w"]["bytes"] == 48
    assert {"name": "MatMul", "count": 1, "known": True} in facts["ops"]
    served = [s for s in facts["signatures"] if s["name"] == "serving_default"]
    assert [i["name"] for i in served[0]["inputs"]] == ["x"]


def test_show_pages_and_pictures(model):
    page = out("show", model, "--format", "html")
    assert page.startswith("<!DOCTYPE html>") and page.count("<details") == 3
    one = out("show", model, "--function", "call___0", "--format", "html")
    assert "MatMul" in one
    done = run("show", model, "--format", "svg")
    assert done.stdout.startswith(b"<svg") or b"graphviz" in done.stderr


def test_show_one_function(model):
    text = out("show", model, "--function", "call___0")
    assert "MatMul(x, " in text
    nodes = json.loads(
        out("show", model, "--function", "call___0", "--format", "json")
    )["nodes"]
    assert "MatMul" in {n["op"] for n in nodes}
    assert "2 functions have it" in failed(2, "show", model, "--function", "inference")
    assert "Do you mean" in failed(
        2, "show", model, "--function", "__inference___cull___0"
    )


def test_show_a_checkpoint_and_a_folder_of_them(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0], name="v"))
    prefix = checkpoint.save(str(tmp_path / "ckpt"))
    for path in (prefix, prefix + ".index", tmp_path):
        assert "\n  v             float32  (2,)" in out("show", path)


def test_show_a_graph_with_an_op_that_nobody_has(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        tf.add(x, x, name="y")
    message = graph.as_graph_def()
    message.node.add(name="z", op="Nobody'sOp")
    (tmp_path / "g.pb").write_bytes(message.SerializeToString())
    text = out("show", tmp_path / "g.pb")
    assert "GraphDef" in text and "1  Nobody'sOp   unknown here" in text
    assert "<!DOCTYPE" in out("show", tmp_path / "g.pb", "--format", "html")


def test_errors_name_the_file(model, tmp_path):
    assert "/nowhere" in failed(3, "show", "/nowhere")
    assert "['other']" in failed(2, "show", model, "--tags", "other")
    (tmp_path / "text.pb").write_text("this is no graph")
    assert "text.pb is no graph" in failed(4, "show", tmp_path / "text.pb")
    (tmp_path / "saved_model.pb").write_bytes(
        (model / "saved_model.pb").read_bytes()[:-20]
    )
    assert "saved_model.pb" in failed(4, "show", tmp_path)
    assert "holds no model" in failed(3, "show", tmp_path.parent)


def test_names_cannot_steer_the_terminal(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0, name="v")
    tf.saved_model.save(module, str(tmp_path / "m"))
    path = tmp_path / "m" / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"2.21.0", b"\x1b[31m\x07"))
    assert "\\x1b[31m\\x07" in out("show", tmp_path / "m")
