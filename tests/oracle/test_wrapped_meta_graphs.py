"""Meta graphs that are imported while a function is wrapped, as TensorFlow's guide to
moving from its first version does: the function has their variables."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

LIBRARIES = [gk, tf]
X = [1.0, 2.0]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    v1 = tf.compat.v1
    folder = tmp_path_factory.mktemp("graph")
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        w = v1.get_variable("w", initializer=[2.0], use_resource=True)
        b = v1.get_variable("b", initializer=[0.5], trainable=False, use_resource=True)
        v1.get_variable("name", initializer=["a"], dtype=tf.string, use_resource=True)
        y = tf.identity(x * w + b, name="y")
        v1.add_to_collection("results", y)
        session.run(v1.global_variables_initializer())
        v1.global_variables_initializer()
        return v1.train.Saver().save(session, str(folder / "c"))


def imported(t, path, **options):
    v1 = t.compat.v1
    return v1.wrap_function(
        lambda: v1.train.import_meta_graph(path + ".meta", **options) and None, []
    )


def facts(t, wrapped):
    graph = wrapped.graph
    names = {
        key: [v.name for v in graph.get_collection(key)]
        for key in ("variables", "trainable_variables", "results")
    }
    return (
        names,
        [(v.name, v.shape.as_list(), v.dtype.name) for v in wrapped.variables],
        [v.name for v in wrapped.trainable_variables],
        [v.name for v in graph.variables],
        list(map(id, wrapped.variables)) == list(map(id, graph.variables)),
        [
            bool(t.raw_ops.VarIsInitializedOp(resource=v.handle))
            for v in graph.variables
        ],
    )


@pytest.mark.parametrize("options", [{}, {"import_scope": "part"}], ids=["", "scope"])
def test_variables_and_collections(path, options):
    found = [facts(t, imported(t, path, **options)) for t in LIBRARIES]
    assert found[0] == found[1]
    assert len(found[0][1]) == 3


def results(t, path, folder):
    wrapped = imported(t, path)
    run = wrapped.prune("x:0", {"y": "y:0"})
    own = {v.name: v for v in run.variables}
    assert {"w:0", "b:0"} <= set(own)
    with pytest.raises(t.errors.OpError):
        run(t.constant(X))
    wrapped.prune("save/Const:0", "save/restore_all")(t.constant(path))
    found = [run(t.constant(X))["y"]]
    own["w:0"].assign([5.0])
    with t.GradientTape() as tape:
        y = run(t.constant(X))["y"]
    found += [y, tape.gradient(y, wrapped.trainable_variables)[0]]
    root = t.Module()
    root.run, root.variables_of_it = run, list(wrapped.variables)
    t.saved_model.save(root, str(folder), signatures=run)
    for reader in LIBRARIES:
        loaded = reader.saved_model.load(str(folder))
        if t is gk or reader is tf:  # TensorFlow does not write what `run` takes
            found.append(loaded.run(reader.constant(X))["y"])
        found.append(loaded.signatures["serving_default"](reader.constant(X))["y"])
    wrapped.prune([], "init")()
    found.append(run(t.constant(X))["y"])
    return [np.asarray(value) for value in found]


def test_they_are_restored_used_and_saved(path, tmp_path):
    for t in LIBRARIES:
        first, other, slope, *loaded, again = results(t, path, tmp_path / t.__name__)
        np.testing.assert_allclose(first, [2.5, 4.5])
        np.testing.assert_allclose(other, [5.5, 10.5])
        np.testing.assert_allclose(slope, [3.0])
        for value in loaded:
            np.testing.assert_allclose(value, [5.5, 10.5])
        np.testing.assert_allclose(again, [2.5, 4.5])
