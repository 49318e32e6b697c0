"""Rows changed in place, maps of tensors, calls by device, sampled products and
tf.parallel_stack beside TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

X = np.arange(6.0, dtype=np.float32).reshape(3, 2)

CALLS = """
r.InplaceUpdate(x=X, i=[0, 2], v=[[10., 20], [30, 40]])
r.InplaceUpdate(x=X, i=[1, 1], v=[[10., 20], [30, 40]])
r.InplaceAdd(x=X, i=[1, 1], v=[[10., 20], [30, 40]])
r.InplaceSub(x=X, i=[-1, 5], v=[[10., 20], [30, 40]])
r.InplaceUpdate(x=['a', 'b'], i=[1], v=['c'])
r.InplaceAdd(x=tf.constant([1, 2], tf.uint8), i=[1], v=tf.constant([255], tf.uint8))
r.InplaceUpdate(x=X, i=tf.zeros([0], tf.int32), v=tf.zeros([0, 2]))
r.Empty(shape=[2, 3], dtype=tf.float32, init=True)
r.Empty(shape=[2], dtype=tf.string, init=True)
r.ParallelConcat(values=[[[1, 2]], [[3, 4]]], shape=[2, 2])
[r.ToBool(input=tf.constant(v)) for v in (0., 2., -0., float('nan'), 0, 3, True, '', 'a', [], [1, 2], [[0.]], [''])]
r.ScatterNdNonAliasingAdd(input=tf.zeros([3]), indices=[[0], [0]], updates=[1., 2.])
r.ScatterNdNonAliasingAdd(input=[True, False], indices=[[1]], updates=[True])
r.ScatterNdNonAliasingAdd(input=[True, False], indices=[[0]], updates=[False])
r.SparseMatMul(a=X, b=tf.cast(X, tf.bfloat16), transpose_a=True)
r.SparseMatMul(a=X, b=X, transpose_b=True, a_is_sparse=True)
r.DeserializeManySparse(serialized_sparse=many(tf), dtype=tf.float32)
r.TensorMapSize(input_handle=maps(tf))
r.TensorMapLookup(input_handle=maps(tf), key=2, value_dtype=tf.float32)
r.TensorMapLookup(input_handle=r.TensorMapInsert(input_handle=maps(tf), key=1, value=7.), key=1, value_dtype=tf.float32)
r.TensorMapLookup(input_handle=r.TensorMapInsert(input_handle=maps(tf), key=['a', 'b'], value=7.), key=['a', 'b'], value_dtype=tf.float32)
r.TensorMapSize(input_handle=r.TensorMapErase(input_handle=maps(tf), key=1, value_dtype=tf.float32))
[r.TensorMapHasKey(input_handle=maps(tf), key=k) for k in (1, 9, 1., [1])]
tf.sort(r.TensorMapStackKeys(input_handle=maps(tf), key_dtype=tf.int32))
r.RemoteCall(target='/job:localhost/replica:0/task:0/device:CPU:0', args=[X], Tout=[tf.float32], f=double(tf))
r.RemoteCall(target='CPU:0', args=[X], Tout=[tf.float32], f=double(tf))
list(tf.sparse.sampled_addmm(*addmm(), alpha=.75, beta=.25))
list(tf.sparse.sampled_addmm(*addmm()))
list(tf.sparse.sampled_addmm(*addmm(), output_type=tf.float64))
list(tf.sparse.sampled_addmm(*batched(), alpha=.75, beta=.25))
[tf.io.serialize_tensor(v) for v in (1.5, [1, 2], [[True]], 'a', ['a', ''], [], np.float16(2), [1 + 2j], np.zeros([2, 0], 'f'))]
tf.io.parse_tensor(tf.io.serialize_tensor([[1., 2.]]), tf.float32)
tf.io.parse_tensor(tf.io.serialize_tensor(['a', 'b']), tf.string)
"""
ERRORS = """tf.io.parse_tensor(tf.io.serialize_tensor([1.]), tf.int32)
tf.io.parse_tensor('abc', tf.int32)
tf.io.parse_tensor('', tf.int32)
tf.io.parse_tensor([tf.io.serialize_tensor([1.])], tf.float32)
r.InplaceUpdate(x=X, i=1, v=[10., 20])
r.InplaceAdd(x=X, i=[0], v=[[10., 20], [1, 2]])
r.InplaceSub(x=X, i=[0], v=[[10., 20, 30]])
r.InplaceUpdate(x=1., i=[0], v=[[10., 20]])
r.InplaceUpdate(x=X, i=[[0]], v=[[10., 20]])
r.InplaceUpdate(x=X, i=[0], v=[10., 20])
r.InplaceAdd(x=[True], i=[0], v=[True])
r.InplaceAdd(x=['a'], i=[0], v=['b'])
r.Empty(shape=[-2], dtype=tf.int32)
r.Empty(shape=[[2]], dtype=tf.int32)
r.Empty(shape=2, dtype=tf.int32)
r.ToBool(input=tf.constant(1j))
r.TensorMapLookup(input_handle=maps(tf), key=5, value_dtype=tf.float32)
r.TensorMapLookup(input_handle=maps(tf), key=2, value_dtype=tf.int32)
r.TensorMapErase(input_handle=maps(tf), key=9, value_dtype=tf.float32)
r.TensorMapStackKeys(input_handle=maps(tf), key_dtype=tf.float32)
r.TensorMapStackKeys(input_handle=r.EmptyTensorMap(), key_dtype=tf.float32)
r.TensorMapStackKeys(input_handle=r.TensorMapInsert(input_handle=maps(tf), key=[1, 2], value=1.), key_dtype=tf.int32)
r.TensorMapSize(input_handle=r.EmptyTensorList(element_shape=[-1], max_num_elements=-1, element_dtype=tf.float32))
r.RemoteCall(target='/device:CPU:7', args=[X], Tout=[tf.float32], f=double(tf))
tf.sparse.sampled_addmm(*addmm(at=[[0, 0], [1, 5]]))
tf.sparse.sampled_addmm(*addmm(shape=[2, 3]))
tf.sparse.sampled_addmm(*addmm(values=tf.constant([1, 2])))
tf.parallel_stack([[1, 2], [3, 4]])
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def maps(tf):
    r = tf.raw_ops
    one = r.TensorMapInsert(input_handle=r.EmptyTensorMap(), key=1, value=[1.0, 2.0])
    return r.TensorMapInsert(input_handle=one, key=2, value=3.0)


def double(tf):
    f = tf.function(lambda x: x * 2)
    return f.get_concrete_function(tf.TensorSpec([3, 2]))


def many(tf):
    return tf.raw_ops.SerializeManySparse(
        sparse_indices=[[0, 1], [0, 2], [1, 0]], sparse_values=[1.0, 2.0, 3.0],
        sparse_shape=[2, 3],
    )


def addmm(at=((0, 0), (1, 1)), values=(0.5, 0.3), shape=(2, 2)):
    return at, values, shape, [[1.0, 2, 3], [4, 5, 6]], [[7.0, 8], [9, 10], [11, 12]]


def batched():
    return (
        [[[0, 1], [1, 0]], [[0, 0], [1, 0]]], [[3.0, 5], [2, 7]], [2, 2],
        np.arange(1.0, 13).reshape(2, 2, 3).astype("f"),
        np.arange(13.0, 25).reshape(2, 3, 2).astype("f"),
    )



def evaluate(tf, call):
    names = {**globals(), "tf": tf, "r": tf.raw_ops}
    return tf.nest.flatten(eval(call, names))


def tolerance(call: str) -> float:
    return 1e-6 if "addmm" in call or "MatMul" in call else 0.0


@pytest.mark.parametrize("call", lines(CALLS))
def test_values(both, call):
    both.agree(lambda tf: evaluate(tf, call), rtol=tolerance(call))


@pytest.mark.parametrize("call", lines(CALLS))
def test_values_in_functions(both, call):
    def run(tf):
        f = tf.function(lambda: evaluate(tf, call), autograph=False)
        return list(f())

    both.agree(run, rtol=tolerance(call))


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors(both, call):
    both.agree_on_error(lambda tf: evaluate(tf, call))


def test_stacks_in_functions(both):
    def run(tf):
        f = tf.function(lambda x, y: tf.parallel_stack([x, y * 2]), autograph=False)
        made = f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([2]))
        assert made.structured_outputs.shape == [2, 2]
        names = [op.name for op in made.graph.get_operations()]
        assert "parallel_stack/ParallelConcat" in names
        return f(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))

    both.agree(run)


@pytest.mark.parametrize("shape", [None, [None]])
def test_stacks_of_unknown_shapes(both, shape):
    def run(tf):
        f = tf.function(lambda x: tf.parallel_stack([x, x]), autograph=False)
        f.get_concrete_function(tf.TensorSpec(shape))

    both.agree_on_error(run)


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_sampled_products(both, order):
    def run(tf):
        at, values, shape, a, b = (tf.constant(x) for x in addmm())
        with tf.GradientTape() as outer:
            outer.watch([values, a, b])
            with tf.GradientTape() as tape:
                tape.watch([values, a, b])
                y = tf.sparse.sampled_addmm(at, values, shape, a, b, 2.0, 3.0)[1]
                loss = tf.reduce_sum(tf.sin(y / 100) * y)
            first = tape.gradient(loss, [values, a, b])
            first = [tf.convert_to_tensor(g) for g in first]
            total = tf.add_n([tf.reduce_sum(g * g) for g in first])
        if order == 1:
            return first
        second = outer.gradient(total, [values, a, b])
        return [tf.convert_to_tensor(g) for g in second]

    both.agree(run, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("op", ["ScatterNdNonAliasingAdd", "SparseMatMul"])
def test_gradients(both, op):
    def run(tf):
        x, y = tf.constant(X), tf.constant(X[:2] + 1)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            if op == "SparseMatMul":
                z = tf.raw_ops.SparseMatMul(a=x, b=y, transpose_b=True)
            else:
                z = tf.raw_ops.ScatterNdNonAliasingAdd(
                    input=x, indices=[[2], [0]], updates=y
                )
            loss = tf.reduce_sum(z * z)
        return [tf.convert_to_tensor(g) for g in tape.gradient(loss, [x, y])]

    both.agree(run, rtol=1e-6)


def test_gradients_of_maps(both):
    from tensorflow.python.ops import map_ops  # noqa: F401, registers them

    def run(tf):
        r = tf.raw_ops
        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            m = r.TensorMapInsert(input_handle=r.EmptyTensorMap(), key=1, value=x)
            m = r.TensorMapInsert(input_handle=m, key=2, value=y)
            m = r.TensorMapInsert(input_handle=m, key=3, value=y * 2)
            m = r.TensorMapErase(input_handle=m, key=3, value_dtype=tf.float32)
            a = r.TensorMapLookup(input_handle=m, key=1, value_dtype=tf.float32)
            b = r.TensorMapLookup(input_handle=m, key=2, value_dtype=tf.float32)
            loss = tf.reduce_sum(a * a) * b
        return tape.gradient(loss, [x, y])

    both.agree(run)


def test_boxes_at_places(both):
    from tensorflow.compiler.tf2xla.ops import gen_xla_ops

    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)

    def run(update, indices):
        mine = both.ours.raw_ops.XlaDynamicUpdateSlice(
            input=x, update=update, indices=indices
        )
        theirs = gen_xla_ops.xla_dynamic_update_slice(
            input=x, update=update, indices=indices
        )
        np.testing.assert_array_equal(mine.numpy(), theirs.numpy())

    run(np.float32([[9, 8]]), [1, 2])
    run(np.float32([[9, 8]]), [7, 9])
    run(np.float32([[9, 8]]), [-3, 1])
    run(np.ones([3, 4], np.float32), [1, 1])
    invalid = both.ours.errors.InvalidArgumentError
    for update, indices in (([[1.0]], [1]), (np.ones([4, 4]), [0, 0]), ([1.0], [0, 0])):
        with pytest.raises(invalid):
            both.ours.raw_ops.XlaDynamicUpdateSlice(
                input=x, update=np.float32(update), indices=indices
            )
