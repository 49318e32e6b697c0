"""Memory that another library owns is read and never written to."""

import numpy as np
import pytest

import graphkiln as tf

N = 1000


@pytest.fixture
def array():
    return np.arange(N, dtype=np.float32)


def take(array):
    return tf.experimental.dlpack.from_dlpack(array.__dlpack__())


def given(array, how=tf.py_function):
    """A value that comes up in a graph, where nobody else holds it."""
    x = how(lambda: take(array), [], tf.float32)
    x.set_shape([N])
    return x


@pytest.fixture(autouse=True)
def untouched(array):
    before = array.copy()
    yield
    assert np.array_equal(array, before)


def test_ops_on_values_that_nobody_else_holds(array):
    assert (tf.exp(take(array) * 0) + 1)[3].numpy() == 2
    assert tf.tensor_scatter_nd_update(take(array), [[0]], [7.0])[0] == 7
    assert tf.nn.softmax(take(array)).shape == [N]
    assert tf.add_n([take(array), take(array)])[2] == 4


def test_arguments_of_a_trace(array):
    @tf.function
    def scatter(x):
        return tf.tensor_scatter_nd_update(x, [[0]], [7.0])

    @tf.function
    def sums(x):
        y = tf.concat([x, x], 0)[:N]
        return tf.nn.softmax(x + 1), tf.add_n([y, x]), tf.cumsum(x)

    @tf.function
    def turns(x):
        for _ in tf.range(3):
            x = x + 1
        return x

    for _ in range(3):
        assert scatter(take(array))[0] == 7
        assert sums(take(array))[1][2] == 4
        assert turns(take(array))[2] == 5


def test_results_of_python(array):
    @tf.function
    def chains():
        x, y, z, u = [given(array) for _ in range(4)]
        with tf.control_dependencies([x, y, z, u]):
            x = tf.exp(x * 0) + x
            y = tf.tensor_scatter_nd_update(y, [[0]], [7.0])
            z = tf.nn.softmax(z)
            u = tf.add_n([u, y])
        return x, y, z, u

    @tf.function
    def one(op):
        return op(given(array))

    @tf.function
    def turns():
        x = given(array)
        y = given(array)
        for i in tf.range(3):
            x = x + 1
            y = tf.tensor_scatter_nd_update(y, [[i]], [7.0])
        return x, y

    @tf.function
    def branches(p):
        x = given(array)
        if p:
            x = tf.tensor_scatter_nd_update(x, [[0]], [7.0])
        else:
            x = tf.nn.bias_add(tf.reshape(x, [1, N]), tf.ones([N]))[0]
        return x

    ops = [
        lambda x: x + 1, tf.exp, tf.nn.softmax,
        lambda x: tf.tensor_scatter_nd_update(x, [[0]], [7.0]),
        lambda x: tf.tensor_scatter_nd_add(x, [[0]], [7.0]),
        lambda x: tf.nn.bias_add(tf.reshape(x, [1, N]), tf.ones([N])),
        lambda x: tf.add_n([x, tf.ones([N])]),
        lambda x: tf.linalg.set_diag(tf.reshape(x, [1, N]), [9.0]),
        lambda x: tf.raw_ops.TensorStridedSliceUpdate(
            input=x, begin=[0], end=[2], strides=[1], value=[8.0, 8.0]),
        lambda x: tf.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, x]),
    ]
    for _ in range(3):
        assert chains()[1][0] == 7
        assert turns()[0][0] == 3
        assert branches(tf.constant(True))[0] == 7
        assert branches(tf.constant(False))[0] == 1
        for op in ops:
            one(op)


def test_elements_of_datasets(array):
    def arrays():
        for _ in range(3):
            yield take(array)

    spec = tf.TensorSpec([N], tf.float32)
    dataset = tf.data.Dataset.from_generator(arrays, output_signature=spec)
    dataset = dataset.map(lambda x: x + 1).map(
        lambda x: tf.tensor_scatter_nd_update(x, [[0]], [7.0]))
    assert [x.numpy()[:2].tolist() for x in dataset] == [[7, 2]] * 3


def test_elements_of_lists(array):
    shape = [N]
    handle = tf.raw_ops.EmptyTensorList(
        element_shape=shape, max_num_elements=-1, element_dtype=tf.float32)
    handle = tf.raw_ops.TensorListPushBack(
        input_handle=handle, tensor=take(array))
    handle, x = tf.raw_ops.TensorListPopBack(
        input_handle=handle, element_shape=shape, element_dtype=tf.float32)
    assert tf.tensor_scatter_nd_update(x, [[0]], [7.0])[0] == 7


def test_large_elements_of_lists(array):
    # Elements of different shapes are kept as they come.
    @tf.function
    def f():
        handle = tf.raw_ops.TensorListReserve(
            element_shape=-1, num_elements=2, element_dtype=tf.float32)
        handle = tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=1, item=[1.0, 2.0])
        handle = tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=0, item=given(array))
        x = tf.raw_ops.TensorListGetItem(
            input_handle=handle, index=0, element_shape=[N],
            element_dtype=tf.float32)
        handle = tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=0, item=x + 1)
        return tf.tensor_scatter_nd_update(x, [[0]], [7.0]), handle

    for _ in range(3):
        assert f()[0][0] == 7


def rows(x):
    """The rows of a list that shares memory with x, written over."""
    handle = tf.raw_ops.TensorListFromTensor(
        tensor=tf.reshape(x, [10, N // 10]), element_shape=[N // 10])
    for i in range(10):
        handle = tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=i, item=tf.fill([N // 10], -1.0))
    return tf.raw_ops.TensorListStack(
        input_handle=handle, element_shape=[N // 10],
        element_dtype=tf.float32)


def test_rows_that_a_list_shares(array):
    assert rows(take(array))[9, 3] == -1
    traced = tf.function(rows)
    inner = tf.function(lambda: rows(given(array)))
    for _ in range(3):
        assert traced(take(array))[9, 3] == -1
        assert inner()[9, 3] == -1


def test_sums_of_lists(array):
    @tf.function
    def f(x):
        a = tf.raw_ops.TensorListFromTensor(
            tensor=tf.reshape(x, [10, N // 10]), element_shape=[N // 10])
        a = tf.raw_ops.AddN(inputs=[a, a])
        return tf.raw_ops.TensorListStack(
            input_handle=a, element_shape=[N // 10],
            element_dtype=tf.float32)

    for _ in range(3):
        assert f(take(array))[0, 3] == 6


def arrays(x, y):
    a = tf.TensorArray(tf.float32, size=2, clear_after_read=False)
    a = a.write(0, x)
    a = a.write(1, y)
    a = a.write(0, a.read(0) + 1)
    a = a.write(1, tf.tensor_scatter_nd_update(a.read(1), [[0]], [7.0]))
    return a.stack()


def unstacked(x):
    a = tf.TensorArray(tf.float32, size=10).unstack(
        tf.reshape(x, [10, N // 10]))
    for i in tf.range(10):
        a = a.write(i, tf.fill([N // 10], -1.0))
    return a.stack()


def test_tensor_arrays(array):
    for f in (arrays, tf.function(arrays), tf.function(arrays)):
        result = f(take(array), take(array))
        assert result[0, 0] == 1 and result[1, 0] == 7
    traced = tf.function(unstacked)
    inner = tf.function(lambda: (unstacked(given(array)),
                                 arrays(given(array), given(array))))
    for _ in range(3):
        assert traced(take(array))[9, 9] == -1
        assert inner()[0][9, 9] == -1


def test_variables(array):
    v = tf.Variable(take(array))
    v.assign_add(tf.ones([N]))
    v.assign(take(array))
    tf.function(lambda: v.assign_sub(tf.ones([N])))()
    tf.function(lambda: v.scatter_nd_update([[0]], [7.0]))()
    assert v.numpy()[0] == 7
    array_of_its_own = array.copy()
    v.assign(take(array_of_its_own))
    array_of_its_own[0] = 5
    assert v.numpy()[0] == 0


def test_gradients(array):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(x * 0) * x)
        return tape.gradient(y, x)

    x = take(array)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    assert tape.gradient(y, x, output_gradients=tf.constant(1.0))[2] == 4
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.identity(x)
    # What comes in as the gradient belongs to another library, too.
    gradient = tape.gradient(y, x, output_gradients=take(array))
    assert tf.tensor_scatter_nd_update(gradient, [[0]], [7.0])[0] == 7
    for _ in range(2):
        assert f(take(array))[0] == 1
