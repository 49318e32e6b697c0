"""Graphs that we write are read and run by the real TensorFlow, graphs that
it writes by us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

FLOATS = np.array([[1.0, -2.0, 3.0], [0.5, 0.0, -1.5]], np.float32)
SQUARE = np.arange(9, dtype=np.float32).reshape(3, 3) / 4
INTS = np.array([3, -1, 2, 7], np.int32)
TEXTS = np.array([b"a", b"b", b""])
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 7

# Of x, the inputs after the colon.
EXPRESSIONS = """
tf.add(x, 2.0) : FLOATS
x * x - x / 3.0 : FLOATS
tf.exp(x) + tf.sin(x) : FLOATS
tf.maximum(x, 0.0) : FLOATS
tf.nn.relu(x) : FLOATS
tf.sigmoid(x) * tf.tanh(x) : FLOATS
tf.where(x > 0.0, x, -x) : FLOATS
tf.cast(x, tf.int32) : FLOATS
tf.cast(x, tf.float64) : INTS
x // 2 + x % 3 : INTS
tf.matmul(x, x) : SQUARE
tf.matmul(x, x, transpose_b=True) : FLOATS
tf.linalg.matvec(x, x[0]) : SQUARE
tf.reduce_sum(x) : FLOATS
tf.reduce_mean(x, axis=1) : FLOATS
tf.reduce_max(x, axis=0, keepdims=True) : FLOATS
tf.argmax(x, axis=1) : FLOATS
tf.nn.softmax(x) : FLOATS
tf.reshape(x, [3, 2]) : FLOATS
tf.transpose(x) : FLOATS
tf.concat([x, x], 1) : FLOATS
tf.stack([x, x + 1.0]) : FLOATS
tf.unstack(x) : FLOATS
tf.split(x, 3, axis=1) : FLOATS
x[:, 1:] + x[0, 0] : FLOATS
tf.gather(x, [1, 0, 1]) : INTS
tf.pad(x, [[1, 0], [0, 2]]) : FLOATS
tf.tile(x, [2, 1]) : FLOATS
tf.expand_dims(tf.squeeze(x), 0) : FLOATS
tf.shape(x) : FLOATS
tf.one_hot(x, 4) : INTS
tf.unique(x) : INTS
tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 1, "SAME") : IMAGE
tf.nn.max_pool2d(x, 2, 2, "VALID") : IMAGE
tf.constant([[1.5, 2.5, -1.0]]) + x : FLOATS
tf.zeros_like(x), tf.ones_like(x) : FLOATS
{"b": x, "a": x + 1.0} : FLOATS
(x + x[::-1], x[::-1] + x) : TEXTS
x, x : FLOATS
"""
ONE_LINE = [
    tuple(part.strip() for part in line.rsplit(" : ", 1))
    for line in EXPRESSIONS.strip().splitlines()
]


def one_line(expression: str, value: str) -> Callable:
    def make(tf: Any) -> tuple:
        code = f"lambda x: ({expression})"
        return eval(code, {"tf": tf}), [globals()[value]], []

    return make


def captured_constant(tf):
    small, large = tf.constant([1.0, 2.0, 3.0]), tf.ones([3, 100])
    return (
        lambda x: tf.matmul(x * small, large), [FLOATS], []
    )


def text(tf):
    name = tf.constant("kiln")
    return lambda x: (tf.strings.length(x), name), [np.array([b"a", b""])], []


def read_variable(tf):
    v = tf.Variable(2.0)
    return lambda x: x * v, [FLOATS], [v]


def assign_variable(tf):
    v = tf.Variable(2.0)

    def f(x):
        v.assign(x)
        v.assign_add(1.0)
        return x + v

    return f, [np.float32(4.0)], [v]


def nested(tf):
    inner = tf.function(lambda a: (a + 1.0, a * 2.0))

    def f(x):
        a, b = inner(x)
        c, _ = inner(b)
        return a + c

    return f, [FLOATS], []


def nested_assign(tf):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def inner(a):
        v.assign_sub(a)
        return v * 2.0

    @tf.function
    def middle(a):
        return inner(a) + v

    def f(x):
        first = middle(x[0])
        v.assign_add(x[1])
        return first, middle(x[1])

    return f, [FLOATS], [v]


def check(tf):
    def f(x):
        tf.debugging.assert_positive(x + 10.0)
        return x + 1.0

    return f, [FLOATS], []


def gradient(tf):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) * x)
        return tape.gradient(y, x)

    return f, [FLOATS], []


def nested_captures(tf):
    scale, text = tf.constant([2.0, 3.0, 4.0]), tf.constant("t")
    inner = tf.function(lambda a: (a * scale, text))

    def f(x):
        y, name = inner(x)
        return inner(y)[0], tf.strings.join([name, "u"])

    return f, [FLOATS], []


def control_dependencies(tf):
    v = tf.Variable(1.0)

    def f(x):
        read = v.read_value()
        with tf.control_dependencies([read]):
            with tf.control_dependencies([v.assign_add(x)]):
                after = tf.identity(v)
        v.assign_sub(1.0)
        return read, after, v + 0.0

    return f, [np.float32(5.0)], [v]


def called_gradient(tf):
    cube = tf.function(lambda a: a * a * a)

    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = cube(x) + tf.sin(x)
        return tape.gradient(y, x), y

    return f, [FLOATS], []


def second_gradient(tf):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.exp(x) * x)
            g = tape.gradient(y, x)
        return outer.gradient(g, x)

    return f, [FLOATS], []


def trained_variable(tf):
    w, b = tf.Variable(tf.ones([3, 3])), tf.Variable(tf.zeros([3]))

    def f(x):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.matmul(x, w) + b)
            loss = tf.reduce_mean((y - 1.0) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        return loss

    return f, [SQUARE], [w, b]


def named_scopes(tf):
    def f(x):
        with tf.name_scope("layer"):
            with tf.name_scope("dense"):
                y = tf.matmul(x, x, name="product")
            return tf.nn.bias_add(y, x[0], name="biased")

    return f, [SQUARE], []


def texts(tf):
    def f(x):
        joined = tf.strings.join([x, x], separator="-")
        return (
            joined, tf.strings.length(joined), tf.strings.upper(x),
            tf.strings.substr(joined, 0, 1), x == "a",
        )

    return f, [TEXTS], []


def stateless_random(tf):
    def f(x):
        return (
            tf.random.stateless_uniform([3], x[:2]),
            tf.random.stateless_normal([2, 2], x[2:]),
        )

    return f, [INTS], []


def seeded_random(tf):
    tf.random.set_seed(17)

    def f(x):
        return x + tf.random.uniform([3]), tf.random.normal([2], seed=3)

    return f, [FLOATS], []


def dictionary(tf):
    def f(x):
        return {"z": x + 1.0, "a": [x, {"k": x * 2.0}]}

    return f, [FLOATS], []


def custom(tf):
    @tf.custom_gradient
    def g(x):
        return tf.square(x), lambda dy: dy * 100.0

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        return tape.gradient(y, x), y

    return f, [FLOATS], []


def half_precision(tf):
    def f(x):
        y = tf.cast(x, tf.float16) * tf.constant([1.0, 2.0, 4.0], tf.float16)
        z = tf.cast(x, tf.bfloat16) + 1.0
        return tf.cast(y, tf.float32), tf.cast(z, tf.float32)

    return f, [FLOATS], []


def convolution(tf):
    kernel = tf.Variable(tf.ones([2, 2, 2, 3]) / 8.0)

    def f(x):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "VALID"))
            z = tf.reduce_sum(tf.nn.max_pool2d(y, 2, 1, "SAME"))
        return z, tape.gradient(z, kernel)

    return f, [IMAGE], [kernel]


MAKERS = {
    **{e: one_line(e, value) for e, value in ONE_LINE},
    **{
        f.__name__: f
        for f in (
            captured_constant, text, read_variable, assign_variable, nested,
            nested_assign, check, gradient, nested_captures,
            control_dependencies, called_gradient, second_gradient,
            trained_variable, named_scopes, texts, stateless_random,
            seeded_random, dictionary, custom, half_precision, convolution,
        )
    },
}


def concrete(tf: Any, function: Callable, args: list) -> Any:
    specs = [
        tf.TensorSpec(np.shape(a), tf.constant(a).dtype, name=f"x{i or ''}")
        for i, a in enumerate(args)
    ]
    return tf.function(function).get_concrete_function(*specs)


def values(tf: Any, result: object) -> list:
    return [np.asarray(t.numpy()) for t in tf.nest.flatten(result)]


def assert_same(mine: list, expected: list) -> None:
    assert len(mine) == len(expected)
    for a, b in zip(mine, expected, strict=True):
        assert a.shape == b.shape
        if b.dtype.kind in "OS":
            assert a.tolist() == b.tolist()
        else:
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def expected_of(both: Any, make: Callable) -> tuple[list, list]:
    """What TensorFlow returns, and its variables afterwards."""
    tf = both.theirs
    function, args, variables = make(tf)
    result = concrete(tf, function, args)(*map(tf.constant, args))
    return values(tf, result), values(tf, variables)


def run_by_tensorflow(tf: Any, graph_def: Any, feeds: dict, fetches: list):
    wrapped = tf.compat.v1.wrap_function(
        lambda: tf.compat.v1.import_graph_def(graph_def, name=""), []
    )
    pruned = wrapped.prune(
        [wrapped.graph.get_tensor_by_name(n) for n in feeds],
        [wrapped.graph.get_tensor_by_name(n) for n in fetches],
    )
    return pruned(*feeds.values())


def feeds_of(tf: Any, function: Any, args: list, variables: list) -> dict:
    """Names of our placeholders and what TensorFlow feeds them with."""
    feeds = {}
    handles = iter(variables)
    for i, tensor in enumerate(function.inputs):
        if i < len(args):
            feeds[tensor.name] = tf.constant(args[i])
        elif tensor.dtype.name == "resource":
            feeds[tensor.name] = next(handles).handle
        else:
            outer = function.captured_inputs[i - len(args)]
            feeds[tensor.name] = tf.constant(outer.numpy())
    return feeds


@pytest.mark.parametrize("case", MAKERS)
def test_tensorflow_runs_our_graph(both, case):
    make = MAKERS[case]
    expected, expected_state = expected_of(both, make)
    function, args, _ = make(both.ours)
    traced = concrete(both.ours, function, args)
    tf = both.theirs
    variables = make(tf)[2]
    graph_def = tf.compat.v1.GraphDef.FromString(
        traced.graph.as_graph_def().SerializeToString()
    )
    feeds = feeds_of(tf, traced, args, variables)
    result = run_by_tensorflow(
        tf, graph_def, feeds, [t.name for t in traced.outputs]
    )
    assert_same(values(tf, result), expected)
    assert_same(values(tf, variables), expected_state)


@pytest.mark.parametrize("case", MAKERS)
def test_tensorflow_calls_our_function(both, case):
    make = MAKERS[case]
    expected, expected_state = expected_of(both, make)
    function, args, _ = make(both.ours)
    traced = concrete(both.ours, function, args)
    tf = both.theirs
    variables = make(tf)[2]
    graph_def = tf.compat.v1.GraphDef.FromString(
        traced.graph.as_graph_def().SerializeToString()
    )
    del graph_def.node[:]
    definition = graph_def.library.function.add()
    definition.ParseFromString(traced.function_def.SerializeToString())
    signature = definition.signature
    call = graph_def.node.add(name="call", op="StatefulPartitionedCall")
    for kind, arguments in (
        ("Tin", signature.input_arg), ("Tout", signature.output_arg)
    ):
        call.attr[kind].list.type.extend(a.type for a in arguments)
        call.attr[kind].list.SetInParent()
    call.attr["f"].func.name = signature.name
    feeds = {}
    given = feeds_of(tf, traced, args, variables).values()
    for argument, value in zip(signature.input_arg, given, strict=True):
        node = graph_def.node.add(name=argument.name, op="Placeholder")
        node.attr["dtype"].type = argument.type
        call.input.append(argument.name)
        feeds[f"{argument.name}:0"] = value
    result = run_by_tensorflow(
        tf, graph_def, feeds,
        [f"call:{i}" for i in range(len(signature.output_arg))],
    )
    assert_same(values(tf, result), expected)
    assert_same(values(tf, variables), expected_state)


# TensorFlow stages a check as an If.
@pytest.mark.parametrize("case", [m for m in MAKERS if m != "check"])
def test_we_run_the_graph_of_tensorflow(both, case):
    make = MAKERS[case]
    expected, expected_state = expected_of(both, make)
    function, args, kept = make(both.theirs)
    traced = concrete(both.theirs, function, args)
    graph_def = traced.graph.as_graph_def()
    tf = both.ours
    variables = make(tf)[2]
    feeds = feeds_of(tf, traced, args, variables)
    names = [t.name for t in traced.outputs]

    @tf.function
    def run():
        return tf.graph_util.import_graph_def(
            graph_def, input_map=feeds, return_elements=names, name=""
        )

    assert_same(values(tf, run()), expected)
    assert_same(values(tf, variables), expected_state)
    assert len(kept) == len(variables)


SAME_NODES = [
    "tf.add(x, 2.0)", "x * x - x / 3.0", "tf.nn.relu(x)",
    "tf.cast(x, tf.int32)", "tf.matmul(x, x)", "tf.reduce_sum(x)",
    "tf.reduce_mean(x, axis=1)", "tf.reshape(x, [3, 2])", "tf.nn.softmax(x)",
    "tf.concat([x, x], 1)", "tf.split(x, 3, axis=1)", "tf.unstack(x)",
    "x, x", "captured_constant", "read_variable", "assign_variable", "nested",
    "named_scopes", "texts", "dictionary",
]


def summary(message: Any) -> dict:
    """Each node's op and inputs."""
    nodes = message.node_def if hasattr(message, "ret") else message.node
    return {n.name: (n.op, list(n.input)) for n in nodes}


# Settings of the other runtime, and names that differ by number.
NOT_COMPARED = {
    "config", "config_proto", "executor_type", "f", "_collective_manager_ids",
    "_read_only_resource_inputs", "_user_specified_name",
}


def attributes(message: Any) -> dict:
    return {
        (node.name, key): value.SerializeToString(deterministic=True)
        for node in message.node
        for key, value in node.attr.items()
        if key not in NOT_COMPARED
    }


@pytest.mark.parametrize("case", SAME_NODES)
def test_same_nodes(both, case):
    graphs, functions = [], []
    for tf in (both.ours, both.theirs):
        function, args, kept = MAKERS[case](tf)
        traced = concrete(tf, function, args)
        graphs.append(traced.graph.as_graph_def())
        functions.append(traced.function_def)
        del kept
    assert summary(graphs[0]) == summary(graphs[1])
    assert attributes(graphs[0]) == attributes(graphs[1])
    ours, theirs = functions
    assert summary(ours) == summary(theirs)
    assert dict(ours.ret) == dict(theirs.ret)
    assert dict(ours.control_ret) == dict(theirs.control_ret)
    for kind in ("input_arg", "output_arg"):
        assert [
            (a.name, a.type) for a in getattr(ours.signature, kind)
        ] == [(a.name, a.type) for a in getattr(theirs.signature, kind)]
