"""Graphs and values that mean harm: an error, never the end of the process."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _proto

FLOAT, DOUBLE, INT32, UINT8, STRING, INT64 = 1, 2, 3, 4, 7, 9
SPEC = tf.TensorSpec([None], tf.float32)


def constant(graph, name, dtype, held, shape, **fields):
    node = graph.node.add()
    node.name, node.op = name, "Const"
    node.attr["dtype"].type = dtype
    value = node.attr["value"].tensor
    value.dtype = held
    for size in shape:
        value.tensor_shape.dim.add(size=size)
    for field, content in fields.items():
        if field == "tensor_content":
            value.tensor_content = content
        else:
            getattr(value, field).extend(content)
    return node


def imported(graph, element):
    def body():
        return tf.graph_util.import_graph_def(graph, return_elements=[element])

    return tf.function(body, autograph=False)()


@pytest.mark.parametrize(
    "said, held", [(DOUBLE, UINT8), (STRING, INT64), (FLOAT, DOUBLE)]
)
def test_a_constant_of_another_type(said, held):
    graph = _proto.GraphDef()
    constant(graph, "c", said, held, [8], tensor_content=b"\x41" * 64)
    graph.node[0].attr["value"].tensor.tensor_shape.dim[0].size = (
        64 if held == UINT8 else 8
    )
    with pytest.raises(ValueError, match="Type mismatch between value"):
        imported(graph, "c:0")


def test_raw_const_of_another_type():
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError, TypeError)
    ):
        tf.raw_ops.Const(value=np.ones(8, np.uint8), dtype=tf.float64)


def test_constants_that_stand_for_gigabytes():
    graph = _proto.GraphDef()
    for i in range(100):
        constant(graph, f"c{i}", FLOAT, FLOAT, [1 << 26], float_val=[1.0])
    assert len(graph.SerializeToString()) < 8000
    with pytest.raises(tf.errors.ResourceExhaustedError, match="stands for"):
        imported(graph, "c0:0")


def traced(f, *specs):
    return tf.function(f, autograph=False).get_concrete_function(
        *(specs or (SPEC,))
    )


WRONG = {
    "none": traced(lambda x: ()),
    "two": traced(lambda x: (x * 2.0, x)),
    "int": traced(lambda x: tf.cast(x, tf.int32)),
    "two_arguments": traced(lambda x, y: x * y, SPEC, SPEC),
    "int_argument": traced(
        lambda x: tf.cast(x, tf.float32), tf.TensorSpec([None], tf.int32)
    ),
}
RIGHT = traced(lambda x: x * 2.0)
SMALL = traced(lambda x: tf.reduce_sum(x) < 3.0)


def case(x, f):
    return tf.raw_ops.StatelessCase(
        branch_index=tf.constant(1) + tf.cast(x[0] * 0.0, tf.int32),
        input=[x],
        Tout=[tf.float32],
        branches=[RIGHT, f],
    )


def known_case(x, f):
    return tf.raw_ops.Case(
        branch_index=0, input=[x], Tout=[tf.float32], branches=[f, RIGHT]
    )


def branch(x, f):
    return tf.raw_ops.If(
        cond=x[0] > 100.0,
        input=[x],
        Tout=[tf.float32],
        then_branch=RIGHT,
        else_branch=f,
    )


def body(x, f):
    return tf.raw_ops.StatelessWhile(input=[x], cond=SMALL, body=f)


def condition(x, f):
    return tf.raw_ops.While(input=[x], cond=f, body=RIGHT)


def call(x, f):
    return tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=f)


@pytest.mark.parametrize("node", [case, known_case, branch, body, call])
@pytest.mark.parametrize("wrong", list(WRONG))
def test_gradients_through_functions_that_do_not_fit(node, wrong):
    f = WRONG[wrong]
    x = tf.ones([2])

    @tf.function(autograph=False)
    def in_a_graph(x):
        return tf.gradients(node(x, f), [x])

    def under_a_tape(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = node(x, f)
        return tape.gradient(y, x)

    ways = [in_a_graph]
    if node is not call:
        ways += [under_a_tape, tf.function(under_a_tape, autograph=False)]
    for differentiate in ways:
        with pytest.raises(tf.errors.InvalidArgumentError):
            differentiate(x)


@pytest.mark.parametrize("wrong", ["none", "two", "two_arguments"])
def test_a_condition_that_does_not_fit(wrong):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(
            lambda x: tf.gradients(condition(x, WRONG[wrong]), [x]),
            autograph=False,
        )(tf.ones([2]))


def nested_lists(depth):
    def empty():
        return tf.raw_ops.EmptyTensorList(
            element_shape=tf.constant([], tf.int32),
            max_num_elements=-1,
            element_dtype=tf.variant,
        )

    def outer(i, inner):
        return i + 1, tf.raw_ops.TensorListPushBack(
            input_handle=empty(), tensor=inner
        )

    loop = tf.function(
        lambda: tf.while_loop(
            lambda i, _: i < depth, outer, [tf.constant(0), empty()]
        )[1],
        autograph=False,
    )
    return loop()


def nested_optionals(depth):
    value = tf.raw_ops.OptionalFromValue(components=[tf.ones([2])])
    for _ in range(depth):
        value = tf.raw_ops.OptionalFromValue(components=[value])
    return value


def test_deep_values_are_let_go_of():
    value = nested_optionals(90_000)
    del value
    value = nested_lists(100_000)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="levels deep"):
        tf.raw_ops.AddN(inputs=[value, value])
    with pytest.raises(tf.errors.ResourceExhaustedError, match="levels deep"):
        tf.raw_ops.ZerosLike(x=value)
    del value


def test_values_of_some_depth_are_added():
    value = nested_lists(300)
    total = tf.raw_ops.AddN(inputs=[value, value])
    assert tf.raw_ops.TensorListLength(input_handle=total) == 1


def exported_call(shape):
    """A graph that calls a function, whose argument it says has `shape`."""
    inner = tf.function(
        lambda x: tf.tanh(x) + tf.reshape(x, [-1])[:1], autograph=False
    )
    graph = (
        tf.function(lambda x: inner(x) * 2.0, autograph=False)
        .get_concrete_function(tf.TensorSpec([None], tf.float32, "x"))
        .graph.as_graph_def()
    )
    (function,) = graph.library.function
    claim = function.arg_attr[0].attr["_output_shapes"].list.shape
    while claim:
        claim.pop()
    claimed = claim.add()
    for size in shape:
        claimed.dim.add(size=size)
    return graph


@pytest.mark.parametrize("shape", [[7], [2], [2, 3], [2**40], [0], []])
def test_claimed_shapes_of_arguments_that_are_not_true(shape):
    graph = exported_call(shape)

    @tf.function(autograph=False, input_signature=[SPEC])
    def run(x):
        (y,) = tf.graph_util.import_graph_def(
            graph, input_map={"x:0": x}, return_elements=["mul:0"]
        )
        return y, tf.gradients(y, [x])

    # Refused, or (where no plan could believe it) of no consequence.
    for _ in range(3):
        try:
            y, _ = run(tf.ones([3]))
        except (tf.errors.InvalidArgumentError, ValueError):
            continue
        assert shape == [2**40]
        np.testing.assert_allclose(y, [(np.tanh(1.0) + 1.0) * 2.0] * 3, 1e-5)


@pytest.mark.parametrize(
    "dtype, shape", [(DOUBLE, [3]), (FLOAT, [5]), (STRING, []), (FLOAT, [2, 2])]
)
def test_handle_data_that_is_not_true(dtype, shape):
    v = tf.Variable([1.0, 2.0, 3.0])
    inner = tf.function(lambda: tf.tanh(v) * 2.0, autograph=False)
    concrete = tf.function(
        lambda: inner() + 1.0, autograph=False
    ).get_concrete_function()
    graph = concrete.graph.as_graph_def()
    (function,) = graph.library.function
    (argument,) = function.signature.input_arg
    del argument.handle_data[:]
    data = argument.handle_data.add()
    data.dtype = dtype
    for size in shape:
        data.shape.dim.add(size=size)
    (resource,) = (n.name for n in graph.node if n.op == "Placeholder")
    result = next(n.name for n in graph.node if n.op == "AddV2")

    @tf.function(autograph=False)
    def run():
        (y,) = tf.graph_util.import_graph_def(
            graph,
            input_map={resource: v.handle},
            return_elements=[result + ":0"],
        )
        return y

    # What the file says of a variable counts for nothing, or is refused.
    try:
        assert run().shape == [3]
    except (tf.errors.InvalidArgumentError, ValueError):
        pass
