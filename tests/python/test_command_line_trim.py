"""graphkiln trim: the ops that a runtime has to have."""

import pytest
from test_command_line import Scale, failed, out, run

import graphkiln as tf


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale") / "model"
    tf.saved_model.save(Scale(), str(folder))
    return folder


def ops(*words):
    return [line for line in out("trim", *words).splitlines() if line[0] != "#"]


def test_what_a_saved_model_needs(model):
    found = ops(model)
    assert {"MatMul", "Mul", "Relu", "Shape", "StridedSlice"} <= set(found)
    assert found == sorted(found) and "AddV2" not in found
    # Loading reads the checkpoint without them.
    assert not {"SaveV2", "RestoreV2", "MergeV2Checkpoints"} & set(found)


def test_the_list_in_a_file_is_of_all_models(model, tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        tf.nn.softmax(x**2.0, name="y")
    other = tmp_path / "softmax.pb"
    other.write_bytes(graph.as_graph_def().SerializeToString())
    target = tmp_path / "ops.txt"
    assert out("trim", model, other, f"--output={target}") == ""
    text = target.read_text()
    assert f"#   {model}\n#   {other}\n" in text
    assert {"MatMul", "Softmax"} <= set(text.splitlines())


def test_what_passes_may_put_in_the_place_of_others(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        tf.raw_ops.Pow(x=x, y=tf.constant(2.0), name="y")
    path = tmp_path / "pow.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    assert {"Pow", "Square"} <= set(ops(path))


def test_functions_that_functions_call(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def turn(x):
        return tf.while_loop(
            lambda v: v < 9.0,
            lambda v: [tf.cond(v > 5.0, lambda: tf.exp(v), lambda: v + 1.0)],
            [x],
        )

    module = tf.Module()
    module.turn = turn
    tf.saved_model.save(module, str(tmp_path / "m"))
    assert {"AddV2", "Exp", "Greater", "Less"} <= set(ops(tmp_path / "m"))


def test_ops_that_are_not_known_are_named(tmp_path):
    path = tmp_path / "g.pbtxt"
    path.write_text(
        'node { name: "a" op: "Theirs" } node { name: "s" op: "Switch" } node { name: "n" op: "NoOp" }'
    )
    done = run("trim", path)
    assert done.returncode == 0
    assert done.stderr.decode() == "left out, as there are no such ops here: Theirs\n"
    assert done.stdout.decode().splitlines()[2:] == ["NoOp"]


def test_what_has_no_ops(tmp_path, model):
    assert "it has no graph" in failed(2, "trim", model / "variables" / "variables")
    failed(3, "trim", tmp_path / "nothing")
    failed(2, "trim")
    failed(3, "trim", model, "--output", tmp_path / "no" / "ops.txt")
