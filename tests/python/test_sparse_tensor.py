"""tf.SparseTensor, tf.IndexedSlices and their specs."""

import numpy as np
import pytest

import graphkiln as tf

S = tf.SparseTensor


def sparse():
    return S([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])


def test_parts():
    st = sparse()
    assert (st.shape, st.dtype) == ([2, 3], tf.float32)
    assert st.indices.dtype == st.dense_shape.dtype == tf.int64
    assert st.with_values([3, 4]).dtype == tf.int32
    assert str(S([[0]], [1], [2])) == (
        "SparseTensor(indices=tf.Tensor([[0]], shape=(1, 1), dtype=int64), "
        "values=tf.Tensor([1], shape=(1,), dtype=int32), "
        "dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )
    assert (st * 2.0).values.numpy().tolist() == [2.0, 4.0]
    assert (st / 2.0).values.numpy().tolist() == [0.5, 1.0]
    assert S(np.empty((0, 2)), [], [2, 3]).values.shape == [0]
    assert tf.is_tensor(st)


@pytest.mark.parametrize(
    "made, error, text",
    [
        (lambda: S([0], [1], [2]), ValueError, "must have rank 2"),
        (lambda: S([[0]], [[1]], [2]), ValueError, "must have rank 1"),
        (lambda: S([[0]], [1], [2, 3]), ValueError, "1 and 2 are not compat"),
        (lambda: S([[0], [1]], [1], [2]), ValueError, "2 and 1 are not compat"),
        (lambda: S([[0]], [1], 2), TypeError, "not iterable"),
        (
            lambda: S(tf.constant([[0]]), [1], [2]), ValueError,
            "indices: Tensor conversion requested dtype int64",
        ),
        (lambda: sparse().with_values([1.0]), ValueError, "not compatible"),
        (lambda: S.from_value(3), TypeError, "neither a SparseTensor nor"),
        (lambda: tf.sparse.to_dense(3), TypeError, "must be a SparseTensor"),
        (
            lambda: tf.sparse.to_dense(S([[5]], [1], [2])),
            tf.errors.InvalidArgumentError, "[5] is out of bounds",
        ),
        (
            lambda: tf.sparse.to_dense(S([[1], [0]], [1, 2], [2])),
            tf.errors.InvalidArgumentError, "indices[1] = [0] is out of order",
        ),
        (
            lambda: tf.sparse.to_dense(S([[1], [1]], [1, 2], [2])),
            tf.errors.InvalidArgumentError, "indices[1] = [1] is repeated",
        ),
    ],
)
def test_refusals(made, error, text):
    with pytest.raises(error) as e:
        made()
    assert text in str(e.value)


@pytest.mark.parametrize(
    "dense", [[[0, 7], [3, 0]], ["a", "", "b"], [True, False]], ids=str
)
def test_from_and_to_dense(dense):
    for run in (lambda f: f, tf.function):
        st = run(tf.sparse.from_dense)(tf.constant(dense))
        again = run(tf.sparse.to_dense)(st)
        np.testing.assert_array_equal(
            again.numpy(), tf.constant(dense).numpy()
        )


def test_to_dense_in_a_graph_checks():
    f = tf.function(tf.sparse.to_dense)
    assert f(sparse()).numpy().tolist() == [[0, 1, 0], [2, 0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        f(S([[1, 0], [0, 1]], [1.0, 2.0], [2, 3]))


def test_default_value_and_order():
    st = S([[1, 0], [0, 1]], [2.0, 1.0], [2, 3])
    ordered = tf.sparse.reorder(st)
    assert ordered.values.numpy().tolist() == [1.0, 2.0]
    assert tf.sparse.to_dense(ordered, -1.0).numpy().tolist() == [
        [-1, 1, -1], [2, -1, -1],
    ]
    repeated = S([[1], [1]], [1, 2], [2])
    assert tf.sparse.to_dense(
        repeated, validate_indices=False
    ).numpy().tolist() == [0, 2]


def test_values_of_a_dense_form_have_gradients():
    st = sparse()
    with tf.GradientTape() as tape:
        tape.watch(st.values)
        y = tf.reduce_sum(tf.sparse.to_dense(st) * 3.0)
    assert tape.gradient(y, st.values).numpy().tolist() == [3.0, 3.0]
    with tf.GradientTape() as tape:
        tape.watch(st)
    with pytest.raises(ValueError, match="SparseTensor is not supported as a"):
        tape.gradient(st.values, st)


def test_spec():
    spec = tf.SparseTensorSpec([None, 3], tf.int32)
    assert repr(spec) == "SparseTensorSpec(TensorShape([None, 3]), tf.int32)"
    assert spec.value_type is S
    assert sparse()._type_spec.is_subtype_of(tf.SparseTensorSpec())
    assert spec.flatten()[0] == tf.TensorSpec([None, 2], tf.int64)
    assert tf.SparseTensorSpec([2, 3]).most_specific_common_supertype(
        [tf.SparseTensorSpec([3, 3])]
    ) == tf.SparseTensorSpec([None, 3])


def test_static_shape_in_a_graph():
    seen = []
    f = tf.function(lambda x: seen.append((x.shape, x.indices.shape)))
    f(sparse())
    f.get_concrete_function(tf.SparseTensorSpec(None))
    assert seen[0] == ([2, 3], tf.TensorShape([None, 2])) or (
        seen[0][0].as_list() == [2, 3]
    )
    assert seen[1][0].rank is None


def test_indexed_slices_spec():
    spec = tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)
    f = tf.function(lambda x: x, input_signature=[spec])
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]))
    out = f(slices)
    assert isinstance(out, tf.IndexedSlices)
    assert out.indices.numpy().tolist() == [3]
    assert slices._type_spec.is_subtype_of(spec)
    assert repr(slices._type_spec) == (
        "IndexedSlicesSpec(TensorShape([None, 2]), tf.float32, tf.int32, "
        "None, TensorShape([1]))"
    )
    with pytest.raises(TypeError, match="Can not cast"):
        f(3)


def test_a_tensor_times_a_sparse_one():
    sparse = tf.SparseTensor([[0, 0], [1, 1]], [0.5, -1.0], [2, 2])
    for column in (tf.constant([[1.0], [2.0]]), tf.Variable([[1.0], [2.0]])):
        product = column * sparse
        assert isinstance(product, tf.SparseTensor)
        assert product.values.numpy().tolist() == [0.5, -2.0]
    with pytest.raises((TypeError, ValueError)):
        2.0 * sparse
