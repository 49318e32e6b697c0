"""Models of TensorFlow 1 in graphs that sessions run: their parts are over the
variables of the program's graph."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    tf, folder = tensorflow, str(tmp_path_factory.mktemp("model") / "one")
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], "x")
        v = v1.get_variable("v", initializer=3.0, use_resource=True)
        local = v1.get_variable(
            "w", initializer=5.0, use_resource=True,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )
        y = tf.identity(x * v, name="y")
        z = tf.add(y, 1.0, name="z")
        tf.identity(y + local, name="with_local")
        session.run([v.initializer, local.initializer])
        v1.saved_model.simple_save(session, folder, {"x": x}, {"z": z})
    return folder


def _program(tf, folder):
    v1 = tf.compat.v1
    given = np.array([1.0, 2.0], "f")
    with tf.Graph().as_default(), v1.Session() as session:
        model = tf.saved_model.load(folder)
        yield [v.name for v in model.variables]
        session.run(v1.global_variables_initializer())
        part = model.prune("x:0", "y:0")
        yield [v.name for v in part.variables], len(part.captured_inputs)
        result = part(tf.constant(given))
        yield session.run(result).tolist()
        session.run(model.variables[0].assign(10.0))
        yield session.run(result).tolist()
        serve = model.signatures["serving_default"]
        yield session.run(serve(tf.constant(given))["z"]).tolist()
        both = model.prune("x:0", {"y": "y:0", "z": "z:0"})
        found = session.run(both(tf.constant(given)))
        yield {name: value.tolist() for name, value in found.items()}
        names = {op.name for op in model.graph.get_operations()}
        yield {"x", "y", "z"} <= names
        path = folder + "/variables/variables"
        session.run(model.restore(path)[0])
        yield session.run(result).tolist()
    # Another graph has variables of its own.
    with tf.Graph().as_default(), v1.Session() as session:
        model = tf.saved_model.load(folder)
        session.run(v1.global_variables_initializer())
        session.run(model.variables[0].assign_add(1.0))
        part = model.prune("x:0", "y:0")
        yield session.run(part(tf.constant(given))).tolist()
    eager = tf.saved_model.load(folder).prune("x:0", "y:0")
    yield eager(tf.constant(given)).numpy().tolist()


def test_parts_are_over_the_variables_of_the_graph(folder):
    ours = list(_program(graphkiln, folder))
    assert ours == list(_program(tensorflow, folder))
    assert ours[2:4] == [[3.0, 6.0], [10.0, 20.0]]
