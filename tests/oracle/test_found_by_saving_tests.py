"""What TensorFlow's own tests of saving showed: the same programs on both modules."""

from __future__ import annotations

import os

import numpy as np
import pytest
import tensorflow

import graphkiln

BOTH = {"tensorflow": tensorflow, "graphkiln": graphkiln}


def both(program, *args):
    """What a program gives on both, which is the same."""
    theirs, ours = (program(tf, *args) for tf in (tensorflow, graphkiln))
    assert ours == theirs
    return ours


def _model(tf, folder):
    words = os.path.join(folder, "words")
    with open(words, "w") as file:
        file.write("a\nb\n")
    index = tf.lookup.TextFileIndex
    init = tf.lookup.TextFileInitializer(
        words, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, 2.0], name="weights")
            self.n = tf.Variable(3.0, trainable=False, name="n")
            self.asset = tf.saved_model.Asset(words)
            self.static = tf.lookup.StaticHashTable(init, -1)
            self.changing = tf.lookup.experimental.MutableHashTable(
                tf.string, tf.float32, -1.0
            )
            self.changing.insert(["x"], [5.0])
            self.constant = tf.constant(10.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def scale(self, x):
            return {"y": x * self.v + self.n + self.constant}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def look(self, x):
            return self.static.lookup(x), self.changing.lookup(x)

        @tf.function(input_signature=[])
        def read(self):
            return tf.io.read_file(self.asset.asset_path)

    return Model()


@pytest.mark.parametrize("saver", list(BOTH))
def test_models_are_loaded_into_graphs(saver, tmp_path):
    tf = BOTH[saver]
    model = _model(tf, str(tmp_path))
    path = str(tmp_path / "model")
    tf.saved_model.save(model, path, signatures=model.scale)

    def program(tf):
        v1, seen = tf.compat.v1, []
        with tf.Graph().as_default() as graph:
            with tf.name_scope("scope"):
                loaded = tf.saved_model.load(path)
            x = v1.placeholder(tf.float32, [None])
            served = loaded.signatures["serving_default"](x=x)["y"]
            values = [
                loaded.scale(x)["y"],
                served,
                *loaded.look(tf.constant(["b", "x"])),
                loaded.read(),
            ]
            seen.append(sorted(v.name for v in v1.global_variables()))
            seen.append(len(v1.trainable_variables()))
            seen.append((loaded.v.trainable, loaded.n.trainable, loaded.v.shape))
            seen.append(len(graph.get_collection(v1.GraphKeys.ASSET_FILEPATHS)))
            with v1.Session() as session:
                session.run([v1.global_variables_initializer()])
                session.run(v1.tables_initializer())
                feed = {x: [1.0, 2.0]}
                seen += [np.asarray(v).tolist() for v in session.run(values, feed)]
                session.run(loaded.v.assign([0.0, 0.0]))
                seen.append(session.run(served, feed).tolist())
                checkpoint = v1.train.Saver().save(
                    session, str(tmp_path / tf.__name__), write_meta_graph=False
                )
                seen.append(tf.train.list_variables(checkpoint))
        return seen

    both(program)


def test_version_one_models_are_loaded_into_graphs(tmp_path):
    v1, path = tensorflow.compat.v1, str(tmp_path / "model")
    with tensorflow.Graph().as_default(), v1.Session() as session:
        v = v1.Variable(3.0, name="v", use_resource=True)
        w = v1.Variable(
            2.0, trainable=False, collections=["local_variables"], use_resource=True
        )
        x = v1.placeholder(tensorflow.float32, name="x")
        session.run([v.initializer, w.initializer])
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x * v * w})
        builder = v1.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            main_op=tensorflow.group(v1.local_variables_initializer()),
        )
        builder.save()

    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            loaded = tf.saved_model.load(path)
            y = loaded.signatures["serving_default"](x=tf.constant(2.0))["y"]
            session.run(v1.global_variables_initializer())
            session.run(v1.local_variables_initializer())
            first = session.run(y).item()
            session.run(loaded.variables[0].assign(4.0))
            return first, session.run(y).item(), len(loaded.variables)

    assert both(program) == (12.0, 16.0, 2)


def test_constants_and_assets_of_graphs_are_saved(tmp_path):
    asset = tmp_path / "asset"
    asset.write_text("inside")

    def program(tf):
        v1, path = tf.compat.v1, str(tmp_path / tf.__name__)
        with tf.Graph().as_default(), v1.Session() as session:
            model = tf.Module()
            model.v = v1.Variable(2.0, use_resource=True)
            model.asset = tf.saved_model.Asset(str(asset))
            constant = tf.constant(3.0)
            model.f = tf.function(
                lambda x: x * constant * model.v,
                input_signature=[tf.TensorSpec([], tf.float32)],
            )
            with session.as_default():
                session.run(model.v.initializer)
                tf.saved_model.save(model, path)
        loaded = tf.saved_model.load(path)
        text = tf.io.read_file(loaded.asset.asset_path)
        return loaded.f(2.0).numpy().item(), text.numpy()

    assert both(program) == (12.0, b"inside")


def test_functions_that_capture_datasets_are_saved(tmp_path):
    def program(tf):
        model, path = tf.Module(), str(tmp_path / tf.__name__)
        model.data = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
        model.more = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]})

        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def total(x):
            value = tf.zeros([], tf.int64)
            for element in model.data:
                value += tf.reduce_sum(element) * x
            for element in model.more:
                value += tf.cast(element["a"], tf.int64)
            return value

        model.total = total
        tf.saved_model.save(model, path)
        return tf.saved_model.load(path).total(3).numpy().item()

    assert both(program) == 96
    # And what either wrote the other reads.
    for reader, writer in ((tensorflow, "graphkiln"), (graphkiln, "tensorflow")):
        loaded = reader.saved_model.load(str(tmp_path / writer))
        assert loaded.total(reader.constant(3, reader.int64)).numpy() == 96


def test_variables_of_functions_have_the_traced_shape(tmp_path):
    def program(tf):
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.v = None

            @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
            def make(self, value):
                if self.v is None:
                    self.v = tf.Variable(value)
                return self.v + 1

        model, path = Model(), str(tmp_path / tf.__name__)
        model.make([1, 2, 3])
        tf.saved_model.save(model, path)
        loaded = tf.saved_model.load(path)
        loaded.v.assign([1, 2, 3, 4])
        return model.v.shape.as_list(), loaded.v.shape.as_list(), loaded.v.numpy().sum()

    assert both(program) == ([None], [None], 10)


def test_saver_takes_tables_and_what_gathers_saveables(tmp_path):
    def program(tf):
        v1, seen = tf.compat.v1, []
        prefix = str(tmp_path / tf.__name__)
        with tf.Graph().as_default(), v1.Session() as session:
            table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            dense = tf.lookup.experimental.DenseHashTable(
                tf.int64, tf.int64, -1, empty_key=0, deleted_key=-5, name="dense"
            )
            collected = v1.get_collection(v1.GraphKeys.SAVEABLE_OBJECTS)
            seen.append([(c.name, [s.name for s in c.specs]) for c in collected])
            session.run(table.insert(["a"], tf.constant([3], tf.int64)))
            session.run(dense.insert([7], tf.constant([8], tf.int64)))
            saver = v1.train.Saver()
            path = saver.save(session, prefix, write_meta_graph=False)
            seen.append([name for name, _ in tf.train.list_variables(path)])
            session.run(table.insert(["a", "b"], tf.constant([5, 6], tf.int64)))
            saver.restore(session, path)
            seen.append(
                [np.asarray(part).tolist() for part in session.run(table.export())]
            )
            seen.append(session.run(dense.lookup(tf.constant([7], tf.int64))).tolist())
            other = v1.train.Saver({"other": table})
            path = other.save(session, prefix + "2", write_meta_graph=False)
            seen.append([name for name, _ in tf.train.list_variables(path)])
        return seen

    both(program)


def test_sharded_checkpoints_have_a_piece_for_each_device(tmp_path):
    def program(tf):
        v1, prefix = tf.compat.v1, str(tmp_path / tf.__name__)
        os.makedirs(prefix)
        with tf.Graph().as_default():
            with tf.device("/cpu:0"):
                v = v1.Variable(1.0, name="v", use_resource=True)
            with tf.device("/cpu:1"):
                w = v1.Variable(2.0, name="w", use_resource=True)
            config = v1.ConfigProto(device_count={"CPU": 2})
            with v1.Session(config=config) as session:
                session.run([v.initializer, w.initializer])
                saver = v1.train.Saver(sharded=True)
                path = saver.save(session, prefix + "/m")
                saver.restore(session, path)
                values = [x.item() for x in session.run([v, w])]
        return values, sorted(os.listdir(prefix))

    both(program)


def test_meta_graphs_are_imported_below_the_scope(tmp_path):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            v = v1.Variable([1.0], name="v", use_resource=True)
            tf.add(v, 1.0, name="y")
            message = v1.train.export_meta_graph()
        with tf.Graph().as_default() as graph:
            with tf.name_scope("outer"):
                v1.train.import_meta_graph(message)
                v1.train.import_meta_graph(message, import_scope="inner")
            v1.train.import_meta_graph(message)
            elsewhere = tf.Graph()
            v1.train.import_meta_graph(message, graph=elsewhere)
            return (
                [v.name for v in v1.global_variables()],
                sorted(o.name for o in graph.get_operations() if o.type == "AddV2"),
                elsewhere.get_operation_by_name("y").type,
            )

    both(program)


def test_graphs_are_imported_into_a_scope_that_is_there():
    def program(tf):
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="y")
        message = graph.as_graph_def()
        with tf.Graph().as_default() as graph, tf.name_scope("outer"):
            tf.graph_util.import_graph_def(message, name="outer/")
            tf.graph_util.import_graph_def(message, name="inner")
            tf.graph_util.import_graph_def(message, name="other/")
        return [o.name for o in graph.get_operations()]

    both(program)


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB", ""])
def test_records_that_are_being_written(compression, tmp_path):
    def program(tf):
        path = str(tmp_path / f"{tf.__name__}{compression}")
        seen = []
        with tf.io.TFRecordWriter(path, compression) as writer:
            for number in range(3):
                writer.write(b"x" * 70000 + str(number).encode())
                writer.flush()
                found = tf.data.TFRecordDataset(path, compression)
                seen.append([r.numpy()[-1:] for r in found])
        return seen

    both(program)


def test_files_in_memory(tmp_path):
    def program(tf):
        files, seen = tf.io.gfile, []

        def write(path, text):
            with files.GFile(path, "w") as file:
                file.write(text)

        root = f"ram://{tmp_path.name}"
        write(f"{root}/a/b", "one")
        seen.append(files.isdir(f"{root}/a"))
        files.makedirs(f"{root}/c/d")
        seen.append(files.listdir(f"{root}/c"))
        files.rename(f"{root}/a/b", f"{root}/c/e")
        seen.append(sorted(files.glob(f"{root}/c/*")))
        seen.append(files.stat(f"{root}/c/e").length)
        files.copy(f"{root}/c/e", f"{root}/f")
        seen.append(files.GFile(f"{root}/f").read())
        checkpoint = tf.train.Checkpoint(v=tf.Variable(2.0))
        path = checkpoint.save(f"{root}/checkpoints/c")
        checkpoint.v.assign(0.0)
        checkpoint.restore(path)
        seen.append(checkpoint.v.numpy().item())
        files.rmtree(f"{root}/checkpoints")
        seen.append(files.exists(path + ".index"))
        for wrong in (
            lambda: files.listdir(f"{root}/checkpoints"),
            lambda: files.remove(root + "/g"),
        ):
            try:
                wrong()
            except tf.errors.NotFoundError:
                seen.append("not found")
        return seen

    both(program)


def _iterators(tf):
    v1, seen = tf.compat.v1, []
    with tf.Graph().as_default(), v1.Session() as session:
        most = v1.placeholder(tf.int64, [])
        data = tf.data.Dataset.range(most).map(
            lambda x: {"a": x, "b": (tf.cast(x, tf.float32), tf.ragged.range(x))}
        )
        iterator = v1.data.make_initializable_iterator(data)
        element = iterator.get_next()
        seen += [str(v1.data.get_output_types(iterator)).replace(tf.__name__, "")]
        seen += [v1.data.get_output_shapes(data)["b"][0].as_list()]
        session.run(iterator.initializer, {most: 3})
        for _ in range(3):
            got = session.run(element)
            seen.append((got["a"].item(), got["b"][1].to_list()))
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        other = v1.data.make_initializable_iterator(tf.data.Dataset.range(5))
        session.run(other.initializer)
        session.run(other.get_next())
        text = v1.placeholder(tf.string, [])
        same = v1.data.Iterator.from_string_handle(text, tf.int64, [])
        handle = session.run(other.string_handle())
        seen.append(session.run(same.get_next(), {text: handle}).item())
        any_of = v1.data.Iterator.from_structure((tf.int64, tf.float32), ([], [2]))
        begin = any_of.make_initializer(
            tf.data.Dataset.from_tensors((tf.constant(1, tf.int64), [1.0, 2.0]))
        )
        session.run(begin)
        seen.append([np.asarray(v).tolist() for v in session.run(any_of.get_next())])
        for wrong in (
            lambda: any_of.initializer,
            lambda: any_of.make_initializer(tf.data.Dataset.range(3)),
        ):
            with pytest.raises((ValueError, TypeError)) as raised:
                wrong()
            seen.append(raised.type.__name__)
    return seen


def test_iterators_of_graphs():
    both(_iterators)


def test_words_about_what_is_out_of_reach(tmp_path):
    def program(tf):
        seen = []
        held = tf.Variable(1.0, name="held")
        model = tf.Module()
        model.f = tf.function(
            lambda x: x * held, input_signature=[tf.TensorSpec([], tf.float32)]
        )
        model.f(1.0)
        for signatures in ({}, {"key": model.f}):
            try:
                tf.saved_model.save(model, str(tmp_path), signatures=signatures)
            except (AssertionError, KeyError) as error:
                words = ("held", "not reachable from root", "untracked")
                found = [w in str(error) for w in words]
                seen.append((type(error).__name__, found[0]))
        return seen

    assert both(program) == [("KeyError", True), ("AssertionError", True)]


def test_functions_of_properties_are_saved(tmp_path):
    def program(tf):
        class Counting(tf.Module):
            made = 0

            @property
            def make(self):
                self.made += 1
                number = self.made
                function = tf.function(lambda: tf.constant(number))
                function.get_concrete_function()
                return function

        model, path = Counting(), str(tmp_path / tf.__name__)
        tf.saved_model.save(model, path)
        return tf.saved_model.load(path).make().numpy().item(), model.made

    both(program)


def test_what_objects_need_when_they_are_loaded(tmp_path):
    def program(tf):
        tracked = tf.__internal__.tracking.AutoTrackable
        held, seen = tf.Variable(1.0), []

        class Untracked(tracked):
            def _deserialization_dependencies(self, children):
                return {"held": held}

        class Cycle(tracked):
            def __init__(self):
                self.other = None

            def _deserialization_dependencies(self, children):
                return {"other": self.other}

        class Valid(tracked):
            def __init__(self):
                self.other = Cycle()
                self.other.other = tf.Variable(2.0)

            def _deserialization_dependencies(self, children):
                return children

        first, second = Cycle(), Cycle()
        first.other, second.other = second, first
        for number, root in enumerate((Untracked(), first, Valid())):
            try:
                tf.saved_model.save(root, str(tmp_path / f"{tf.__name__}{number}"))
                seen.append("saved")
            except ValueError as error:
                text = str(error)
                seen += [text.split(" depends on <")[0].split("(type")[0]]
                seen += text.splitlines()[-2:] if number else []
        return seen

    both(program)


def test_models_in_memory(tmp_path):
    path = f"ram://{tmp_path.name}/model"
    model = graphkiln.Module()
    model.v = graphkiln.Variable(2.0)
    model.f = graphkiln.function(
        lambda x: x * model.v,
        input_signature=[graphkiln.TensorSpec([], graphkiln.float32)],
    )
    graphkiln.saved_model.save(model, path)
    assert graphkiln.saved_model.load(path).f(3.0).numpy() == 6.0


def test_signatures_have_names_and_defaults_of_all_kinds(tmp_path):
    def program(tf):
        v1, path = tf.compat.v1, str(tmp_path / tf.__name__)
        model = tf.Module()
        spec = tf.TensorSpec([], tf.float32)
        default = {"a": tf.constant(1.5), "b": tf.constant(2.5)}

        @tf.function(input_signature=[{"a": spec, "b": spec}])
        def total(x=default):
            return {"sum": x["a"] + 2.0 * x["b"]}

        model.total = total
        tf.saved_model.save(model, path, signatures={"odd:name": model.total})
        with tf.Graph().as_default(), v1.Session() as session:
            message = v1.saved_model.load(session, ["serve"], path)
            signature = message.signature_def["odd:name"]
            output = session.run(signature.outputs["sum"].name)
            return output.item(), sorted(i.name for i in signature.inputs.values())

    both(program)


def test_functions_cut_out_of_graphs_take_names():
    def program(tf):
        wrapped = tf.compat.v1.wrap_function(
            lambda x: tf.identity(x * 2.0, name="y"), [tf.TensorSpec([], name="x")]
        )
        pruned = wrapped.prune("x:0", "y:0")
        return pruned(x=tf.constant(3.0)).numpy().item()

    assert both(program) == 6.0
