"""Graphs whose control flow TensorFlow has lowered to Switch, Merge, Enter,
Exit and NextIteration run after import, and can be differentiated.

lowered_graphs/ holds such graphs of TensorFlow's, made by tf.cond and
tf.while_loop of version 1 and by freezing functions (names beginning with v2),
and what they computed there.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _proto

FOLDER = pathlib.Path(__file__).parent / "lowered_graphs"
OUTCOMES = json.loads((FOLDER / "outcomes.json").read_text())
LOWERED = {
    "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond",
    "_SwitchN",
}


def _message(name):
    graph_def = _proto.GraphDef()
    graph_def.ParseFromString((FOLDER / f"{name}.pb").read_bytes())
    return graph_def


def _runner(graph_def, feeds, fetches):
    @tf.function
    def run(*values):
        with_names = {f"{k}:0": v for k, v in zip(feeds, values)}
        return tf.graph_util.import_graph_def(
            graph_def, input_map=with_names, return_elements=fetches, name=""
        )

    return run


@pytest.mark.parametrize("name", OUTCOMES)
def test_same_values_as_the_original(name):
    case = OUTCOMES[name]
    run = _runner(_message(name), case["feeds"], case["fetches"])
    for i, want in enumerate(case["values"]):
        values = [tf.constant(v[i], tf.float32) for v in case["feeds"].values()]
        for have, value in zip(run(*values), want, strict=True):
            np.testing.assert_allclose(have.numpy(), value, rtol=1e-6)
    operations = run.get_concrete_function(
        *[tf.TensorSpec([], tf.float32) for _ in case["feeds"]]
    ).graph.get_operations()
    assert not LOWERED & {op.type for op in operations}


@pytest.mark.parametrize(
    "name", [n for n in OUTCOMES if n not in ("case", "gradient_of_cond")]
)
def test_gradients(name):
    case = OUTCOMES[name]
    run = _runner(_message(name), case["feeds"], case["fetches"])

    def last(x):
        return tf.reduce_sum(run(x)[-1])

    for start in (0.55, 1.75, -1.25):
        x = tf.constant(start)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = last(x)
        slope = tape.gradient(y, x)
        step = 1e-2
        want = (last(x + step) - last(x - step)) / (2 * step)
        np.testing.assert_allclose(
            0.0 if slope is None else slope.numpy(), want.numpy(),
            rtol=5e-2, atol=5e-2,
        )


def test_what_was_imported_is_written_with_if_and_while():
    run = _runner(_message("while_cond"), ["x"], ["out1:0"])
    graph = run.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    again = _runner(graph.as_graph_def(), ["values"], ["Identity:0"])
    types = {n.op for n in graph.as_graph_def().node}
    assert "StatelessWhile" in types or "While" in types
    assert not LOWERED & types
    del again


def _node(name, op, inputs, **attrs):
    node = _proto.NodeDef(name=name, op=op, input=inputs)
    for key, value in attrs.items():
        if isinstance(value, str):
            node.attr[key].s = value.encode()
        else:
            node.attr[key].type = value
    return node


def _broken(change):
    graph_def = _message("while")
    change(graph_def)
    with pytest.raises((ValueError, tf.errors.OpError)):
        _runner(graph_def, ["x"], ["out0:0"])(tf.constant(1.0))


def _without(op):
    def change(graph_def):
        for node in graph_def.node:
            if node.op == op:
                node.op = "Identity"
                return

    return change


@pytest.mark.parametrize(
    "op", ["Merge", "Enter", "NextIteration", "LoopCond", "Switch", "Exit"]
)
def test_loops_that_are_not_built_right_are_errors(op):
    _broken(_without(op))


def test_loops_with_inputs_of_nowhere_are_errors():
    def lose(graph_def):
        for node in graph_def.node:
            if node.op == "NextIteration":
                node.input[0] = "nowhere"

    _broken(lose)

    def turn(graph_def):
        for node in graph_def.node:
            if node.op in ("Switch", "Merge"):
                node.input[:] = list(reversed(node.input))[:1]

    _broken(turn)


def test_a_switch_that_nothing_merges_is_dropped():
    graph_def = _message("cond")
    graph_def.node.append(
        _node("dead", "Switch", ["x", "cond/pred_id"], T=1)
    )
    graph_def.node.append(_node("after", "Identity", ["dead:1"], T=1))
    case = OUTCOMES["cond"]
    run = _runner(graph_def, ["x"], case["fetches"])
    assert run(tf.constant(3.0))[0].numpy() == case["values"][1][0]


def test_a_merge_without_switches_is_an_error():
    graph_def = _message("cond")
    for node in graph_def.node:
        if node.op == "Switch":
            node.op = "Identity"
            del node.input[1:]
    with pytest.raises((ValueError, tf.errors.OpError)):
        _runner(graph_def, ["x"], ["out0:0"])(tf.constant(1.0))


@pytest.mark.parametrize(
    "name", ["v2_nested", "v2_lists", "v2_case_with_effects", "function"]
)
def test_attributes_that_are_missing_or_of_another_type(name):
    whole = _message(name)
    places = [(i, a) for i, n in enumerate(whole.node) for a in n.attr]
    for i, attr in places:
        for other in (None, _proto.AttrValue(b=True), _proto.AttrValue()):
            broken = _proto.GraphDef()
            broken.CopyFrom(whole)
            del broken.node[i].attr[attr]
            if other is not None:
                broken.node[i].attr[attr].CopyFrom(other)
            with tf.Graph().as_default():
                try:
                    tf.graph_util.import_graph_def(broken, name="")
                except (ValueError, tf.errors.InvalidArgumentError):
                    pass
