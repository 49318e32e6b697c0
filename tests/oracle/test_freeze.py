"""Frozen functions cross over to TensorFlow and back."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import convert_to_constants

import graphkiln as gk


def dense(m):
    w = m.Variable(np.linspace(-1, 1, 6).reshape(2, 3).astype("float32"))
    b = m.Variable([0.5, -0.5, 0.25])
    return lambda x: m.nn.relu(m.matmul(x, w) + b)


def loop(m):
    w = m.Variable([[0.5, 0.25], [-1.0, 0.75]])

    def f(x):
        i = m.constant(0)
        while i < 4:
            if m.reduce_sum(x) > 0.0:
                x = m.matmul(x, w)
            else:
                x = x - w[0]
            i += 1
        return x

    return f


def gathers(m):
    table = m.Variable(np.arange(12.0, dtype="float32").reshape(6, 2))
    index = m.constant([5, 0])

    def f(x):
        rows = m.nn.embedding_lookup(table, index)
        return x + rows, m.gather(table, m.cast(x[:, 0], m.int32) % 6)

    return f


def calls(m):
    v = m.Variable(2.0)
    inner = m.function(lambda x: {"y": x * v, "z": m.cast(m.shape(x), "float32")})
    return lambda x: (inner(x)["y"] + v, inner(x + 1.0)["z"])


MODELS = [dense, loop, gathers, calls]
X = np.array([[1.0, -2.0], [3.0, 0.5]], "float32")


def frozen_by(m, convert, model):
    body = model(m)  # which keeps the variables
    f = m.function(body).get_concrete_function(m.TensorSpec([None, 2], "float32"))
    frozen = convert(f)
    return [np.asarray(t) for t in m.nest.flatten(f(m.constant(X)))], frozen


def run_graph(m, message, inputs, outputs):
    """The values of a GraphDef's outputs, by names."""
    wrapped = m.compat.v1.wrap_function(
        lambda: m.import_graph_def(message, name=""), []
    )
    cut = wrapped.prune(
        [wrapped.graph.get_tensor_by_name(n) for n in inputs],
        [wrapped.graph.get_tensor_by_name(n) for n in outputs],
    )
    return [np.asarray(t) for t in cut(m.constant(X))]


@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_tensorflow_runs_what_is_frozen_here(model):
    values, frozen = frozen_by(
        gk, gk.graph_util.convert_variables_to_constants_v2, model
    )
    message = tf.compat.v1.GraphDef()
    message.ParseFromString(frozen.graph.as_graph_def().SerializeToString())
    theirs = run_graph(
        tf, message, [t.name for t in frozen.inputs], [t.name for t in frozen.outputs]
    )
    for a, b in zip(theirs, values, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_what_tensorflow_froze_runs_here(model, lower):
    values, frozen = frozen_by(
        tf,
        lambda f: convert_to_constants.convert_variables_to_constants_v2(
            f, lower_control_flow=lower
        ),
        model,
    )
    message = gk.compat.v1.GraphDef()
    message.ParseFromString(frozen.graph.as_graph_def().SerializeToString())
    ours = run_graph(
        gk, message, [t.name for t in frozen.inputs], [t.name for t in frozen.outputs]
    )
    for a, b in zip(ours, values, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_inputs_and_outputs_are_called_alike(model):
    _, ours = frozen_by(gk, gk.graph_util.convert_variables_to_constants_v2, model)
    _, theirs = frozen_by(
        tf, convert_to_constants.convert_variables_to_constants_v2, model
    )
    assert [t.name for t in ours.inputs] == [t.name for t in theirs.inputs]
    assert [t.name for t in ours.outputs] == [t.name for t in theirs.outputs]
    assert len(ours.captured_inputs) == len(theirs.captured_inputs) == 0
