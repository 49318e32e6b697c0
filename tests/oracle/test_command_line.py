"""The program graphkiln over models that TensorFlow saved, and TensorFlow over what
the program writes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

PROGRAM = Path(__file__).resolve().parents[2] / "python" / "scripts" / "graphkiln"


def run(*words):
    return subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, words)],
        capture_output=True,
        timeout=120,
        env=os.environ,
    )


def out(*words):
    done = run(*words)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


X = np.array([[0.5, -1, 2], [3, 0, -4]], np.float32)


def keras_model(folder):
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([3], name="x"),
            tf.keras.layers.Dense(5, activation="relu"),
            tf.keras.layers.Dense(2, name="scores"),
        ]
    )
    model.export(folder, verbose=False)
    return model(X).numpy()


def module(folder):
    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer([0, 1], [10.0, 20.0]), -1.0
            )

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
        def f(self, x):
            y = x @ self.w
            for i in tf.range(2):
                y += self.table.lookup(tf.reshape(i, [1]))
            return y

    m = M()
    tf.saved_model.save(m, folder, signatures=m.f)
    return m.f(X).numpy()


def version_one(folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        w = v1.get_variable("w", [3, 2], use_resource=True)
        y = tf.matmul(x, w, name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
        return session.run(y, {x: X})


@pytest.mark.parametrize("make", [keras_model, module, version_one])
def test_models_that_tensorflow_saved(make, tmp_path):
    folder = str(tmp_path / "m")
    expected = make(folder)
    text = out("run", folder, "--value", f"x={X.tolist()}", "--json")
    (got,) = json.loads(text).values()
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    facts = json.loads(out("show", folder, "--format", "json"))
    assert all(op["known"] for op in facts["ops"])
    assert sum(v["dtype"] == "float32" for v in facts["variables"]) >= 1
    assert "DAMAGED" not in out("verify", folder)
    assert out("diff", folder, folder) == ""


def run_graph(graph, feed, fetch):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph, name="")
        return session.run(fetch, feed)


def test_tensorflow_runs_what_is_frozen_and_optimised(tmp_path):
    folder = str(tmp_path / "m")
    expected = keras_model(folder)
    words = [f"x={X.tolist()}"]
    (name,) = json.loads(out("run", folder, "--value", *words, "--json"))
    for command in (["convert", "--freeze"], ["optimize"]):
        graph = tf.compat.v1.GraphDef()
        out(command[0], folder, tmp_path / "g.pb", *command[1:])
        graph.ParseFromString((tmp_path / "g.pb").read_bytes())
        got = run_graph(graph, {"x:0": X}, f"{name}:0")
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    out("optimize", folder, tmp_path / "fast")
    loaded = tf.saved_model.load(str(tmp_path / "fast"))
    got = loaded.signatures["serving_default"](x=tf.constant(X))[name]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_text_is_the_text_of_the_protobuf_package(tmp_path):
    from google.protobuf import text_format

    folder = str(tmp_path / "m")
    module(folder)
    binary = (tmp_path / "m" / "saved_model.pb").read_bytes()
    from tensorflow.core.protobuf import saved_model_pb2

    expected = saved_model_pb2.SavedModel()
    expected.ParseFromString(binary)
    out("convert", folder, tmp_path / "m.pbtxt")
    text = (tmp_path / "m.pbtxt").read_text()
    assert text_format.Parse(text, saved_model_pb2.SavedModel()) == expected
    # And the other way: its text, read here.
    other = tmp_path / "other"
    other.mkdir()
    (other / "saved_model.pbtxt").write_text(text_format.MessageToString(expected))
    out("convert", other, tmp_path / "back.pb")
    back = saved_model_pb2.SavedModel()
    back.ParseFromString((tmp_path / "back.pb").read_bytes())
    assert back == expected
