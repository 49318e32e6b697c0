"""Functions whose variables became constants."""

import numpy as np
import pytest

import graphkiln as tf

freeze = tf.graph_util.convert_variables_to_constants_v2


def ops_of(function):
    """Names of all ops of a function's graph and of those that it calls."""
    message = function.graph.as_graph_def()
    names = {node.op for node in message.node}
    for f in message.library.function:
        names |= {node.op for node in f.node_def}
    return names


def concrete(f, *specs):
    return tf.function(f).get_concrete_function(*specs)


VECTOR = tf.TensorSpec([None], tf.float32)
SCALAR = tf.TensorSpec([], tf.float32)
INDEX = tf.TensorSpec([], tf.int32)


def test_what_is_frozen_stays_what_it_was():
    v = tf.Variable([1.0, 2.0])
    f = concrete(lambda x: v * x, VECTOR)
    frozen = freeze(f)
    assert frozen.captured_inputs == []
    assert [t.name for t in frozen.inputs] == ["x:0"]
    assert [t.name for t in frozen.outputs] == ["Identity:0"]
    v.assign([5.0, 5.0])
    x = tf.constant([10.0, 100.0])
    assert frozen(x).numpy().tolist() == [10.0, 200.0]
    assert f(x).numpy().tolist() == [50.0, 500.0]
    assert not ops_of(frozen) & {"ReadVariableOp", "VarHandleOp"}


def test_structures_of_arguments_and_results_stay():
    v = tf.Variable(3.0)
    f = tf.function(
        lambda x, *, by: {"a": v * x, "b": (by, v.read_value())}
    ).get_concrete_function(SCALAR, by=INDEX)
    frozen = freeze(f)
    made = frozen(tf.constant(2.0), by=tf.constant(7))
    assert made["a"].numpy() == 6.0
    assert [t.numpy() for t in made["b"]] == [7, 3.0]
    assert frozen.structured_outputs.keys() == {"a", "b"}


def test_loops_branches_and_calls_read_constants():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    w = tf.Variable(0.5)

    @tf.function
    def inner(x):
        return tf.linalg.matvec(v, x) + w

    def f(x, n):
        i = 0
        while i < n:
            if tf.reduce_sum(x) > 10.0:
                x = x * w
            else:
                x = inner(x)
            i += 1
        return tf.switch_case(
            n % 3, [lambda: x, lambda: x + w, lambda: tf.gather(v, 1) - x]
        )

    whole = tf.function(f).get_concrete_function(VECTOR, INDEX)
    frozen = freeze(whole)
    assert frozen.captured_inputs == []
    assert {"While", "StatelessWhile"} & ops_of(frozen)
    assert not ops_of(frozen) & {"ReadVariableOp", "ResourceGather", "VarHandleOp"}
    for n in range(7):
        x = tf.constant([0.25, 1.5])
        np.testing.assert_array_equal(
            frozen(x, tf.constant(n)), whole(x, tf.constant(n))
        )


def test_all_that_reads_a_variable_reads_the_constant():
    v = tf.Variable(tf.reshape(tf.range(24.0), [2, 3, 4]))

    def f(i):
        return (
            v.sparse_read([1, 0]),
            tf.gather(v, [[0, 2], [1, 1]], axis=1, batch_dims=1),
            v.gather_nd([[1, 2], [0, 1]]),
            tf.raw_ops.VariableShape(input=v.handle, out_type=tf.int64),
            tf.raw_ops.VarIsInitializedOp(resource=v.handle),
            v[i],
            tf.raw_ops.ResourceGather(
                resource=v.handle, indices=[[0], [2]], batch_dims=1, dtype=tf.float32
            ),
        )

    whole = tf.function(f).get_concrete_function(INDEX)
    frozen = freeze(whole)
    assert frozen.captured_inputs == []
    for a, b in zip(frozen(tf.constant(1)), whole(tf.constant(1)), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_captured_tensors_become_constants_and_tables_stay():
    c = tf.constant(np.arange(1000.0, dtype=np.float32))
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a"], [3]), -1
    )
    f = concrete(
        lambda key, x: (table.lookup(key), x + c), tf.TensorSpec([], tf.string), VECTOR
    )
    frozen = freeze(f)
    assert len(f.captured_inputs) > len(frozen.captured_inputs) >= 1
    index, moved = frozen(tf.constant("a"), tf.constant([1.0]))
    assert index.numpy() == 3
    np.testing.assert_array_equal(moved, c + 1.0)


def test_gradients_go_through_frozen_functions():
    v = tf.Variable(3.0)
    frozen = freeze(concrete(lambda x: v * x * x, SCALAR))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = frozen(x)
    assert tape.gradient(y, x).numpy() == 12.0


def test_effects_that_are_none_of_variables_stay(capfd):
    v = tf.Variable(3.0)

    def f(x):
        tf.print("value", v)
        tf.debugging.assert_positive(x)
        return v * x

    frozen = freeze(concrete(f, SCALAR))
    assert frozen(tf.constant(2.0)).numpy() == 6.0
    assert "value 3" in capfd.readouterr().err
    with pytest.raises(tf.errors.InvalidArgumentError):
        frozen(tf.constant(-1.0))


@pytest.mark.parametrize(
    "write",
    [
        lambda v, x: v.assign(x),
        lambda v, x: v.assign_add(x),
        lambda v, x: tf.cond(x > 0, lambda: v.assign_add(x), lambda: v.read_value()),
    ],
)
def test_a_function_that_writes_is_refused(write):
    v = tf.Variable(3.0, name="weight")

    def f(x):
        write(v, x)
        return v * x

    function = concrete(f, SCALAR)
    with pytest.raises(ValueError, match="'weight.*does more than read"):
        freeze(function)
    assert v.numpy() == 3.0


def test_what_is_no_concrete_function_is_refused():
    with pytest.raises(TypeError, match="get_concrete_function"):
        freeze(tf.function(lambda x: x))
    with pytest.raises(TypeError):
        freeze(3)


def test_large_values_are_constants_once():
    v = tf.Variable(tf.random.stateless_normal([1000, 1000], [1, 2]))
    f = concrete(lambda x: tf.linalg.matvec(v, x) + tf.reduce_sum(v * v), VECTOR)
    frozen = freeze(f)
    size = frozen.graph.as_graph_def().ByteSize()
    assert 4_000_000 < size < 4_100_000
    x = tf.ones([1000])
    np.testing.assert_allclose(frozen(x), f(x), rtol=1e-6)
