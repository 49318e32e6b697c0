"""Saved models of sessions: written by one framework, loaded by the other."""

import numpy as np
import pytest
import tensorflow as original

import graphkiln as own

WAYS = {"own_to_original": (own, original), "original_to_own": (original, own)}


def write(tf, folder, **options):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]], use_resource=True)
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [5, 6]), -1
        )
        words = v1.placeholder(tf.string, [None], name="words")
        y, found = tf.matmul(x, w), table.lookup(words)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        session.run(w.assign([[3.0], [4.0]]))
        signature = v1.saved_model.predict_signature_def(
            {"x": x, "words": words}, {"y": y, "found": found}
        )
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            main_op=v1.tables_initializer(),
        )
        builder.add_meta_graph(["other"], {"second": signature})
        return builder.save(**options)


def run(tf, folder, tags, signature, **options):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        graph = v1.saved_model.load(session, tags, folder, **options)
        told = graph.signature_def[signature]
        named = lambda info: v1.saved_model.get_tensor_from_tensor_info(  # noqa: E731
            info, import_scope=options.get("import_scope")
        )
        feeds = {
            named(told.inputs["x"]): [[1.0, 1.0], [0.0, 2.0]],
            named(told.inputs["words"]): ["b", "z"],
        }
        fetches = {name: named(info) for name, info in told.outputs.items()}
        return session.run(fetches, feeds)


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("scope", [None, "inner"])
@pytest.mark.parametrize("way", WAYS)
def test_a_session_is_saved_and_loaded(tmp_path, way, scope, as_text):
    saver, loader = WAYS[way]
    folder = str(tmp_path / "model")
    path = write(saver, folder, as_text=as_text)
    assert path.endswith(b"saved_model.pbtxt" if as_text else b"saved_model.pb")
    for tf in (loader, saver):
        got = run(tf, folder, ["serve"], "serving_default", import_scope=scope)
        np.testing.assert_array_equal(got["y"], [[7.0], [8.0]])
        assert got["found"].tolist() == [6, -1]


def test_words_of_errors(tmp_path):
    folder = str(tmp_path / "model")
    write(original, folder)
    for call in (
        lambda tf: run(tf, folder, ["train"], "serving_default"),
        lambda tf: run(tf, str(tmp_path / "none"), ["serve"], "serving_default"),
        lambda tf: tf.compat.v1.saved_model.Builder(folder),
        lambda tf: tf.compat.v1.saved_model.Builder(str(tmp_path / "n")).add_meta_graph(
            ["serve"]
        ),
        lambda tf: tf.compat.v1.saved_model.predict_signature_def({}, {}),
        lambda tf: tf.compat.v1.saved_model.build_tensor_info(tf.constant(1)),
    ):
        raised = []
        for tf in (own, original):
            with pytest.raises(Exception) as info:
                call(tf)
            raised.append((type(info.value).__name__, str(info.value)[:60]))
        assert raised[0][0] == raised[1][0], raised


def test_signatures_are_equal():
    made = []
    for tf in (own, original):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            strings = v1.placeholder(tf.string, [None], name="strings")
            scores = v1.placeholder(tf.float32, [None, 3], name="scores")
            signatures = [
                v1.saved_model.regression_signature_def(strings, scores),
                v1.saved_model.classification_signature_def(strings, strings, scores),
                v1.saved_model.predict_signature_def({"a": scores}, {"b": strings}),
            ]
        made.append([s.SerializeToString(deterministic=True) for s in signatures])
        assert all(map(v1.saved_model.is_valid_signature, signatures))
        signatures[0].method_name = "other"
        assert not v1.saved_model.is_valid_signature(signatures[0])
    assert made[0] == made[1]


def test_a_simple_model(tmp_path):
    for name, (saver, loader) in WAYS.items():
        folder = str(tmp_path / name)
        v1 = saver.compat.v1
        with saver.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(saver.float32, [], name="x")
            v1.saved_model.simple_save(session, folder, {"x": x}, {"y": x + 1.0})
        v1 = loader.compat.v1
        with loader.Graph().as_default(), v1.Session() as session:
            graph = v1.saved_model.load(session, ["serve"], folder)
            y = graph.signature_def["serving_default"].outputs["y"].name
            assert session.run(y, {"x:0": 2.0}) == 3.0


@pytest.mark.parametrize("way", WAYS)
def test_tables_that_change_are_served_with_their_content(tmp_path, way):
    saver, loader = WAYS[way]

    class Words(saver.Module):
        def __init__(self):
            super().__init__()
            self.seen = saver.lookup.experimental.MutableHashTable(
                saver.string, saver.int64, -1
            )
            self.scale = saver.Variable(saver.constant(10, saver.int64))

        @saver.function(input_signature=[saver.TensorSpec([None], saver.string)])
        def count(self, keys):
            return {"count": self.seen.lookup(keys) * self.scale}

    words = Words()
    words.seen.insert(saver.constant(["a", "b"]), saver.constant([7, 8], saver.int64))
    saver.saved_model.save(words, str(tmp_path), signatures=words.count)
    for tf in (loader, saver):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            graph = v1.saved_model.load(session, ["serve"], str(tmp_path))
            told = graph.signature_def["serving_default"]
            found = session.run(
                told.outputs["count"].name, {told.inputs["keys"].name: ["b", "c"]}
            )
        assert found.tolist() == [80, -10], tf.__name__
