"""Parts of SavedModels, and objects of the program in the places of theirs."""

from __future__ import annotations

import importlib

import graphkiln
import numpy as np
import pytest

tensorflow = pytest.importorskip("tensorflow")


def _layers(tf):
    module = tf.Module()
    for name, value in (("first", 2.0), ("second", 3.0)):
        layer = tf.Module()
        layer.v = tf.Variable(value)
        setattr(module, name, layer)
    module.both = [module.first, module.second]
    return module


def _with_functions(tf):
    module = _layers(tf)
    first, table = module.first, tf.lookup.experimental.MutableHashTable
    first.scale = tf.function(
        lambda x: first.v * x, input_signature=[tf.TensorSpec([], tf.float32)]
    )
    module.sum = tf.function(
        lambda: module.first.v + module.second.v, input_signature=[]
    )
    module.table = table(tf.string, tf.int64, -1)
    module.table.insert(tf.constant(["a"]), tf.constant([7], tf.int64))
    module.look = tf.function(
        module.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    return module


def _programs(tf, plain, folder):
    load = tf.__internal__.saved_model.load_partial
    one = load(plain, ["root.first", "root.both.1.v"])
    yield sorted(one), one["root.both.1.v"].numpy(), one["root.first"].v.numpy()

    mine = tf.Variable(0.0)
    given = load(plain, {"root.first": None, "root.first.v": mine})
    yield given["root.first"].v is mine, given["root.first.v"] is mine, mine.numpy()

    whole = load(folder, {"root": None, "root.first.v": mine})["root"]
    mine.assign(10.0)
    yield whole.sum().numpy(), whole.first is whole.both[0], whole.first.v is mine

    other, seen = tf.Module(), []
    other.v = tf.Variable(1.0)

    def setter(owner, name, value):
        seen.append(name)
        setattr(owner, name, value)

    loaded = load(folder, {"root": None, "root.first": (other, setter)})
    yield loaded["root.first"] is other, loaded["root"].both[0] is other, sorted(seen)
    yield other.v.numpy(), other.scale(tf.constant(4.0)).numpy()

    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    look = load(folder, {"root": None, "root.table": table})["root"].look
    yield table.lookup(tf.constant(["a", "b"])).numpy().tolist()
    yield look(tf.constant(["b", "a"])).numpy().tolist()

    for path, filters in (
        (plain, ["first"]),
        (plain, ["root.third"]),
        (plain, ["root.both.7.v"]),
        (plain, [3]),
        (plain, {"root.first": 3.0}),
        (folder, ["root.sum"]),
    ):
        with pytest.raises((TypeError, ValueError)) as raised:
            load(path, filters)
        yield type(raised.value).__name__, str(raised.value)[:120]


def _folders(tf, folder):
    for name, make in (("plain", _layers), ("functions", _with_functions)):
        tf.saved_model.save(make(tf), str(folder / name))
        yield str(folder / name)


def test_partial_loading(tmp_path):
    folders = list(_folders(tensorflow, tmp_path / "theirs"))
    theirs = list(_programs(tensorflow, *folders))
    assert list(_programs(graphkiln, *folders)) == theirs
    ours = _folders(graphkiln, tmp_path / "ours")
    assert list(_programs(graphkiln, *ours)) == theirs


def _in_session(tf, plain, folder):
    v1, load = tf.compat.v1, tf.__internal__.saved_model.load_partial
    with tf.Graph().as_default(), v1.Session() as session:
        mine = tf.Variable(0.0)
        given = load(plain, {"root.first": None, "root.first.v": mine})
        yield given["root.first"].v is mine, given["root.first.v"] is mine
        session.run(v1.global_variables_initializer())
        yield session.run([mine, given["root.first"].v])

    with tf.Graph().as_default(), v1.Session() as session:
        mine, other = tf.Variable(0.0), tf.Module()
        other.v = tf.Variable([1.0], shape=tf.TensorShape(None))
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        filters = {"root": None, "root.first.v": mine, "root.second": other}
        root = load(folder, {**filters, "root.table": table})["root"]
        yield root.second is other, root.both[1] is other, root.first.v is mine
        found = table.lookup(tf.constant(["a", "b"])), root.look(tf.constant(["b"]))
        results = [root.sum(), root.first.scale(tf.constant(5.0)), *found]
        session.run([mine.initializer, other.v.initializer])
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        yield [r.tolist() for r in session.run(results)]
        change = mine.assign(10.0, read_value=False)
        with tf.control_dependencies([change]):
            yield session.run([root.sum(), root.first.scale(tf.constant(5.0))])
        yield session.run(other.v)

    refused = TypeError, ValueError, tf.errors.OpError
    with tf.Graph().as_default(), v1.Session() as session, pytest.raises(refused):
        mine = tf.Variable(3)
        load(plain, {"root.first.v": mine})
        session.run(mine.initializer)


def test_given_objects_in_graphs_of_sessions(tmp_path):
    folders = list(_folders(tensorflow, tmp_path / "theirs"))
    theirs = list(_in_session(tensorflow, *folders))
    assert list(_in_session(graphkiln, *folders)) == theirs
    ours = _folders(graphkiln, tmp_path / "ours")
    assert list(_in_session(graphkiln, *ours)) == theirs


def test_nodes_of_saved_models(tmp_path):
    def nodes(tf, save, folder):
        module = tf.Module()
        module.a, module.b = tf.Variable(1.0), [tf.Variable(2.0)]
        saved, paths = save.save_and_return_nodes(module, folder)
        assert saved[0] is module and paths[module] == ()
        number = next(i for i, node in enumerate(saved) if node is module.b[0])
        graph = tf.__internal__.saved_model.parse_saved_model(folder).meta_graphs[0]
        assert graph.object_graph_def.nodes[number].HasField("variable")
        return [ref.name for ref in paths[module.b[0]]]

    name = "tensorflow.python.saved_model.save"
    theirs = nodes(tensorflow, importlib.import_module(name), str(tmp_path / "t"))
    ours = importlib.import_module("graphkiln._src.host.private_saved_models")
    assert nodes(graphkiln, ours, str(tmp_path / "g")) == theirs == ["b", "0"]


def test_revived_types(tmp_path):
    def revived(tf, folder):
        class Kind(tf.__internal__.tracking.AutoTrackable):
            told = "made"

        register = tf.__internal__.saved_model.load
        register.register_revived_type(
            "kind_of_a_test",
            lambda value: isinstance(value, Kind),
            [
                register.VersionedTypeRegistration(
                    object_factory=lambda proto: Kind(),
                    version=1,
                    min_producer_version=1,
                    min_consumer_version=1,
                )
            ],
        )
        module = tf.Module()
        module.kind = Kind()
        module.kind.v = tf.Variable(3.0)
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        return loaded.kind.told, loaded.kind.v.numpy()

    theirs = revived(tensorflow, str(tmp_path / "t"))
    assert revived(graphkiln, str(tmp_path / "g")) == theirs
    np.testing.assert_equal(theirs, ("made", 3.0))


def test_attributes_of_composites():
    for tf in (graphkiln, tensorflow):
        for value in (
            tf.ragged.constant([[1]]),
            tf.sparse.from_dense([[1]]),
            tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
        ):
            value._told = 3
            assert value._told == 3
        spec = tf.TensorSpec([2], name="a")
        spec._shape, spec._name = tf.TensorShape([None]), None
        assert spec.shape.as_list() == [None] and spec.name is None


def test_functions_as_the_class_makes_them():
    for tf in (graphkiln, tensorflow):
        cls = tf.__internal__.function.Function
        made = cls(lambda x: x + 1.0, "plus", input_signature=[tf.TensorSpec([])])
        assert made(tf.constant(2.0)).numpy() == 3.0 and isinstance(made, cls)
