"""Models of version one, built and loaded step by step: files, operations, signatures,
names that are taken; and what models of version two tell of their program."""

from __future__ import annotations

import contextlib
import os

import numpy as np
import pytest
import tensorflow

import graphkiln

BOTH = {"tensorflow": tensorflow, "graphkiln": graphkiln}


def _file(folder, name, content):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def _build(tf, folder, files):
    """A model with four files, two of which have one name, and an operation that
    runs when it is loaded."""
    v1 = tf.compat.v1
    builder = v1.saved_model.Builder(folder)
    with tf.Graph().as_default(), v1.Session() as session:
        paths = [tf.constant(f, name=f"file_{i}") for i, f in enumerate(files)]
        texts = [tf.io.read_file(p) for p in paths]
        tf.identity(tf.strings.join(texts, "|"), name="texts")
        v = v1.Variable(1.0, name="v", use_resource=True)
        v1.Variable(0.0, name="n", use_resource=True)
        session.run(v1.global_variables_initializer())
        init = tf.group(v1.assign(v, 7.0), name="init")
        builder.add_meta_graph_and_variables(
            session, ["a"], assets_collection=paths, main_op=init
        )
    with tf.Graph().as_default(), v1.Session() as session:
        v1.Variable(2.0, name="v", use_resource=True)
        builder.add_meta_graph(["b"])
    builder.save()
    return sorted(os.listdir(os.path.join(folder, "assets")))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    at = str(tmp_path_factory.mktemp("files"))
    return [
        _file(os.path.join(at, "1"), "words", "one"),
        _file(os.path.join(at, "2"), "words", "two"),
        _file(os.path.join(at, "3"), "words", "one"),
        _file(os.path.join(at, "4"), "others", "four"),
    ]


@pytest.mark.parametrize("writer", list(BOTH))
def test_files_of_one_name_are_numbered(writer, files, tmp_path):
    folder = str(tmp_path / "model")
    # The third is the first again.
    assert _build(BOTH[writer], folder, files) == ["others", "words", "words_1"]
    for tf in BOTH.values():
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            graph = v1.saved_model.load(session, ["a"], folder)
            found = {
                name: len(graph.collection_def[name].any_list.value)
                for name in graph.collection_def
                if name.startswith("saved_model_assets")
            }
            assert found == {"saved_model_assets": 4}
            v = v1.global_variables()[0]
            assert session.run(v.value()) == 7.0
        with tf.Graph().as_default(), v1.Session() as session:
            v1.saved_model.load(session, ["b"], folder)
            assert session.run(v1.global_variables()[0].value()) == 1.0


def _wrong_builds(tf, folder):
    v1 = tf.compat.v1
    info = v1.saved_model.build_tensor_info
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        x = tf.constant(1.0, name="x")
        named = info(x)
        unnamed, untyped = info(x), info(x)
        unnamed.ClearField("name")
        untyped.ClearField("dtype")
        signature = v1.saved_model.build_signature_def

        def build(**arguments):
            builder = v1.saved_model.Builder(os.path.join(folder, "new"))
            return lambda: builder.add_meta_graph_and_variables(
                session, ["t"], **arguments
            )

        builder = v1.saved_model.Builder(os.path.join(folder, "of"))
        builder.add_meta_graph_and_variables(session, ["t"])
        used = _file(os.path.join(folder, "used"), "file", "")
        yield lambda: v1.saved_model.Builder(os.path.dirname(used))
        yield lambda: builder.add_meta_graph_and_variables(session, ["t"])
        yield lambda: v1.saved_model.Builder(folder + "/empty").add_meta_graph(["t"])
        for wrong in (unnamed, untyped):
            yield build(signature_def_map={"s": signature({"x": wrong}, {"y": named})})
            yield build(signature_def_map={"s": signature({"x": named}, {"y": wrong})})
        for key in ("__saved_model_init_op", "__saved_model_train_op"):
            yield build(signature_def_map={key: signature({"x": named}, {"y": named})})
        yield build(assets_collection=[x])
        yield build(assets_collection=["a"])
        yield build(assets_collection=[tf.constant(["a", "b"])])
        yield build(assets_collection=[tf.identity(tf.constant("a"))])
        yield build(assets_collection=[tf.constant("")])
        v1.add_to_collection("legacy_init_op", tf.no_op())
        yield build(main_op=tf.no_op())


def test_what_is_wrong_is_the_same_error(tmp_path):
    found = []
    for name, tf in BOTH.items():
        raised = []
        for call in _wrong_builds(tf, str(tmp_path / name)):
            with pytest.raises(Exception) as info:  # noqa: PT011 - compared
                call()
            raised.append(info.type.__name__)
        found.append(raised)
    assert found[0] == found[1]


def test_a_graph_that_is_imported_twice_has_numbered_names():
    def program(tf):
        with tf.Graph().as_default() as graph:
            x = tf.constant(1.0, name="a/x")
            y = tf.add(x, 2.0, name="y")
            with tf.control_dependencies([y]), graph.colocate_with(y.op):
                tf.multiply(y, y, name="z")
        message = graph.as_graph_def()
        with tf.Graph().as_default() as other:
            tf.constant(5.0, name="y/inner")
            told = []
            for scope in ("", "", "s", "s", "s/"):
                z, op = tf.import_graph_def(
                    message, name=scope, return_elements=["z:0", "y"]
                )
                groups = [g.decode() for g in z.op.colocation_groups()]
                told.append((z.name, op.name, [i.name for i in z.op.inputs], groups))
            with tf.compat.v1.Session() as session:
                value = session.run(z)
        return told, [op.name for op in other.get_operations()], value

    assert program(graphkiln) == program(tensorflow)


@pytest.mark.parametrize("writer", list(BOTH))
def test_inputs_of_signatures_have_any_name(writer, tmp_path):
    def build(tf, folder):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [], name="x")
            y = v1.placeholder(tf.float32, [], name="y")
            v1.saved_model.simple_save(
                session, folder, {"in./-": x, "b": y}, {"out": x - 2.0 * y}
            )

    folder = str(tmp_path / "model")
    build(BOTH[writer], folder)
    for tf in BOTH.values():
        loaded = tf.saved_model.load(folder)
        again = str(tmp_path / tf.__name__)
        tf.saved_model.save(loaded, again, loaded.signatures)
        f = loaded.signatures["serving_default"]
        args, named = f.structured_input_signature
        assert args == () and sorted(named) == ["b", "in./-"]
        assert f(5.0, 1.0)["out"].numpy() == -9.0  # in the order of the names
        for other in BOTH.values():
            f = other.saved_model.load(again).signatures["serving_default"]
            given = {"in./-": other.constant(1.0), "b": other.constant(5.0)}
            assert f(**given)["out"].numpy() == -9.0


@pytest.mark.parametrize("eager", [True, False])
def test_inputs_keep_their_names_when_models_are_saved_again(tmp_path, eager):
    def program(tf):
        v1, path = tf.compat.v1, str(tmp_path / tf.__name__)
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, None, name="in")
            v1.saved_model.simple_save(session, path, {"start": x}, {"out": x * 2.0})
        seen = []
        with contextlib.ExitStack() as inside:
            if not eager:
                inside.enter_context(tf.Graph().as_default())
                inside.enter_context(v1.Session())
            for turn in range(3):
                model = tf.saved_model.load(path)
                serve = model.signatures["serving_default"]
                given = tf.constant([1.0, 2.0])
                seen.append(
                    (list(serve(start=given)), serve.structured_input_signature)
                )
                path = str(tmp_path / f"{tf.__name__}{turn}")
                tf.saved_model.save(model, path, signatures=model.signatures)
        return [(keys, list(named)) for keys, (_, named) in seen]

    theirs, ours = program(tensorflow), program(graphkiln)
    assert ours == theirs == [(["out"], ["start"])] * 3


class TestModelsOfObjects:
    def program(self, tf, folder):
        class Model(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
            def f(self, x):
                tf.debugging.assert_greater(x, 0.0)
                x = tf.debugging.check_numerics(x, "bad")
                return tf.multiply(x, 2.0, name="twice")

        options = tf.saved_model.SaveOptions(
            save_debug_info=True, experimental_debug_stripper=True
        )
        tf.saved_model.save(Model(), folder, options=options)

    @pytest.mark.parametrize("writer", list(BOTH))
    def test_lines_are_saved_and_checks_are_not(self, writer, tmp_path):
        folder = str(tmp_path / writer)
        self.program(BOTH[writer], folder)
        for tf in BOTH.values():
            loaded = tf.saved_model.load(folder)
            assert loaded.f(-1.0).numpy() == -2.0  # and nobody asserts
            info = type(loaded.graph_debug_info)()
            with open(
                os.path.join(folder, "debug/saved_model_debug_info.pb"), "rb"
            ) as f:
                info.ParseFromString(f.read())
            keys = [k for k in info.name_to_trace_id if k.startswith("twice@")]
            assert keys
            trace = info.traces_by_id[info.name_to_trace_id[keys[0]]]
            frames = [info.frames_by_id[i] for i in trace.frame_id]
            files = {info.files[f.file_index] for f in frames}
            assert any(f.endswith("test_models_of_sessions.py") for f in files)

    @pytest.mark.parametrize("writer", list(BOTH))
    def test_files_of_a_dataset_go_along(self, writer, tmp_path):
        tf = BOTH[writer]
        lines = _file(str(tmp_path), "lines", "a\nbb\n")

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.dataset = tf.data.TextLineDataset([lines])

            @tf.function(input_signature=[])
            def total(self):
                n = 0
                for line in self.dataset:
                    n += tf.strings.length(line)
                return n

        tf.saved_model.save(Model(), str(tmp_path / "model"))
        os.remove(lines)
        moved = str(tmp_path / "moved")
        os.rename(str(tmp_path / "model"), moved)
        assert "lines" in os.listdir(os.path.join(moved, "assets"))
        for other in BOTH.values():
            assert other.saved_model.load(moved).total().numpy() == 3

    def test_small_things(self, tmp_path):
        def program(tf, folder):
            words = _file(folder, "words", "a b")
            asset = tf.saved_model.Asset(words)

            class Model(tf.Module):
                def _trackable_children(self, save_type="checkpoint", **kwargs):
                    found = super()._trackable_children(save_type, **kwargs)
                    return {**found, "extra": tf.Variable(5.0)}

                @tf.function
                def __call__(self, x, training=False, *, scale=3.0):
                    return x * scale if training else x

            model = Model()
            model.read = tf.function(lambda: tf.io.read_file(asset), [])
            model.asset = asset
            model.__call__.get_concrete_function(tf.TensorSpec([None], tf.float32))
            tf.saved_model.save(model, folder + "/model")
            loaded = tf.saved_model.load(folder + "/model")
            tf.config.run_functions_eagerly(True)
            try:
                eager = loaded(tf.constant([1.0])).numpy().tolist()
            finally:
                tf.config.run_functions_eagerly(False)
            return (
                loaded.read().numpy(),
                loaded.extra.numpy().item(),
                eager,
                loaded(tf.constant([2.0])).numpy().tolist(),
            )

        found = [program(tf, str(tmp_path / n)) for n, tf in BOTH.items()]
        assert found[0] == found[1]
        np.testing.assert_equal(found[1][0], b"a b")
