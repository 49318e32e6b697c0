"""Shapes that a program declares and that are not true: the values as they are,
or InvalidArgumentError with the node and both shapes; never anything else."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf

DECLARED = [
    [2],
    [5000],
    [100000],
    [2**33],
    [2**40],
    [2**46],
    [2**61],
    [2**62],
    [2**62 + 1],
    [2**31, 2**31],
    [2**40, 2**40],
]

USES = {
    "none": lambda y: y,
    "tanh": lambda y: tf.tanh(y) * 2.0 + 1.0,
    "sum": lambda y: tf.reduce_sum(tf.tanh(y) + 1.0),
    "softmax": lambda y: tf.nn.softmax(y) + y,
    "concat": lambda y: tf.concat([y, -y], 0),
    "slice": lambda y: y[1:] * y[:-1],
    "product": lambda y: tf.tensordot(y, y, 1),
}


def told(y, shape):
    y.set_shape(shape)
    return y


def double():
    return tf.function(lambda x: x * 2.0, autograph=False).get_concrete_function(
        tf.TensorSpec(None, tf.float32)
    )


def never():
    return tf.function(
        lambda x: tf.constant(False), autograph=False
    ).get_concrete_function(tf.TensorSpec(None, tf.float32))


SOURCES = {
    "elementwise": lambda x, d: told(x + 1.0, d),
    "kernel": lambda x, d: told(tf.gather(x, tf.range(tf.size(x))), d),
    "view": lambda x, d: told(tf.identity(x), d),
    "slice": lambda x, d: told(tf.concat([x, x], 0)[: tf.size(x)], d),
    "py_function": lambda x, d: told(tf.py_function(lambda z: z, [x], tf.float32), d),
    "numpy_function": lambda x, d: told(
        tf.numpy_function(lambda z: z, [x], tf.float32), d
    ),
    "if": lambda x, d: tf.raw_ops.If(
        cond=tf.reduce_sum(x) > 0.0,
        input=[x],
        Tout=[tf.float32],
        then_branch=double(),
        else_branch=double(),
        output_shapes=[d],
    )[0],
    "case": lambda x, d: tf.raw_ops.StatelessCase(
        branch_index=tf.cast(x[0], tf.int32),
        input=[x],
        Tout=[tf.float32],
        branches=[double(), double()],
        output_shapes=[d],
    )[0],
    "known if": lambda x, d: tf.raw_ops.StatelessIf(
        cond=True,
        input=[x],
        Tout=[tf.float32],
        then_branch=double(),
        else_branch=double(),
        output_shapes=[d],
    )[0],
    "known case of a constant": lambda x, d: tf.raw_ops.Case(
        branch_index=1,
        input=[tf.constant([1.0, 2.0, 3.0])],
        Tout=[tf.float32],
        branches=[double(), double()],
        output_shapes=[d],
    )[0],
    "loop without turns": lambda x, d: tf.raw_ops.StatelessWhile(
        input=[tf.constant([1.0, 2.0, 3.0])],
        cond=never(),
        body=double(),
        output_shapes=[d],
    )[0],
    "dataset": lambda x, d: tf.raw_ops.DatasetToSingleElement(
        dataset=tf.data.Dataset.from_tensors(x)._variant_tensor,
        output_types=[tf.float32],
        output_shapes=[d],
    )[0],
    "optional": lambda x, d: tf.raw_ops.OptionalGetValue(
        optional=tf.raw_ops.OptionalFromValue(components=[x]),
        output_types=[tf.float32],
        output_shapes=[d],
    )[0],
    "list": lambda x, d: tf.raw_ops.TensorListGetItem(
        input_handle=tf.raw_ops.TensorListFromTensor(
            tensor=x[None], element_shape=tf.constant(-1)
        ),
        index=0,
        element_shape=tf.constant(d, tf.int64),
        element_dtype=tf.float32,
    ),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_lies(source, use):
    x = tf.constant([1.0, 2.0, 3.0])
    signature = [tf.TensorSpec(None, tf.float32)]
    for declared in DECLARED:

        @tf.function(input_signature=signature, autograph=False)
        def f(x, declared=declared):
            return use(source(x, declared))

        @tf.function(input_signature=signature, autograph=False)
        def honest(x):
            return use(source(x, [3]))

        try:
            value = f(x)
        except (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError):
            pass  # where it met something that it does not fit
        except ValueError:
            pass  # when it was traced
        else:
            np.testing.assert_array_equal(value, honest(x))


def test_message_names_the_node_and_both_shapes():
    @tf.function(input_signature=[tf.TensorSpec([None])], autograph=False)
    def f(x):
        y = tf.nn.softmax(x, name="odd")
        y.set_shape([5000])
        return -y

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Output 0 of op Softmax has shape \[3\], but shape \[5000\] is "
        r"declared for it.*\n?.*odd",
    ):
        f(tf.ones([3]))
    np.testing.assert_allclose(f(tf.ones([5000])), -np.full(5000, 1 / 5000), rtol=1e-5)


def test_arguments():
    @tf.function(input_signature=[tf.TensorSpec(None)], autograph=False)
    def f(x):
        x.set_shape([5000])
        return tf.tanh(x) + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(5000,\).*\(3,\)"):
        f(tf.ones([3]))
    assert f(tf.ones([5000])).shape == [5000]


@pytest.mark.parametrize("declared", [[1], [5000], [2**40], [2**62]])
def test_scalars(declared):
    f = tf.function(lambda x: -x, autograph=False).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )

    @tf.function(autograph=False)
    def g(x):
        y = tf.raw_ops.StatelessIf(
            cond=x > 0.0,
            input=[x],
            Tout=[tf.float32],
            then_branch=f,
            else_branch=f,
            output_shapes=[declared],
        )[0]
        return tf.tanh(y)

    try:
        value = g(tf.constant(2.0))
    except tf.errors.InvalidArgumentError:
        return
    np.testing.assert_allclose(value, np.tanh(-2.0), rtol=1e-6)


def test_effects_before_the_lie_stay():
    v = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])], autograph=False)
    def f(x):
        v.assign_add(1.0)
        return tf.tanh(told(x + 1.0, [2**40]))

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([3]))
    assert float(v) == 1.0


@pytest.mark.parametrize("write", ["AssignVariableOp", "AssignAddVariableOp"])
@pytest.mark.parametrize("declared", [[5000], [2**40], [2**62]])
def test_variables(write, declared):
    v = tf.Variable(tf.ones([3]), shape=tf.TensorShape(None))

    @tf.function(autograph=False)
    def f(x):
        y = told(x * 2.0 + told(v.read_value(), declared), declared)
        getattr(tf.raw_ops, write)(resource=v.handle, value=y)
        return tf.tanh(y)

    try:
        value = f(tf.ones([3]))
    except (tf.errors.OpError, ValueError) as e:
        assert not isinstance(e, tf.errors.InternalError)
    else:
        np.testing.assert_allclose(value, np.tanh([3.0] * 3), rtol=1e-6)
