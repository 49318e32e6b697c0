"""Dataset ops refuse what they cannot do: no crash, no absurd memory."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import raw_ops

D = tf.data.Dataset
ERRORS = (tf.errors.OpError, ValueError, TypeError)


def ints(values):
    return tf.constant(np.asarray(values, np.int64))


@pytest.mark.parametrize(
    "splits, values",
    [
        ([], [1, 2]), ([1, 2], [1, 2]), ([0, 3], [1, 2]), ([0, 2, 1], [1]),
        ([0, -1], []), ([[0, 1]], [1]), ([0, 1], 5), (0, [1]),
        ([0, 1, 2**62], [1, 2]),
    ],
)
@pytest.mark.parametrize("batched", [True, False])
def test_bad_splits(splits, values, batched):
    with pytest.raises(ERRORS):
        raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[ints(splits)], rt_dense_values=ints(values),
            batched_input=batched,
        )


def test_nested_splits_must_fit():
    with pytest.raises(ERRORS):
        raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[ints([0, 2]), ints([0, 1])],
            rt_dense_values=ints([1]), batched_input=True,
        )
    with pytest.raises(ERRORS):
        raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[], rt_dense_values=ints([1]), batched_input=True
        )


def test_variants_of_something_else():
    ragged = raw_ops.RaggedTensorToVariant(
        rt_nested_splits=[ints([0, 1])], rt_dense_values=ints([1]),
        batched_input=False,
    )
    data = tf.data.experimental.to_variant(D.range(3))
    for encoded, given, out, dtype in (
        (data, -1, 1, tf.int64), (ragged, -1, 1, tf.float32),
        (ragged, -1, 0, tf.int64), (ragged, -1, 2, tf.int64),
        (ragged, 3, 1, tf.int64), (tf.stack([ragged, data]), -1, 2, tf.int64),
        (ragged, 0, 0, tf.int64),
    ):
        with pytest.raises(ERRORS):
            raw_ops.RaggedTensorFromVariant(
                encoded_ragged=encoded, input_ragged_rank=given,
                output_ragged_rank=out, Tvalues=dtype, Tsplits=tf.int64,
            )
    with pytest.raises(ERRORS):
        raw_ops.DeserializeSparse(
            serialized_sparse=tf.stack([data] * 3), dtype=tf.int64
        )


@pytest.mark.parametrize(
    "indices, values, shape",
    [
        ([[0, 1]], [1, 2], [2, 2]), ([0], [1], [2]), ([[0]], [1], [2, 2]),
        ([[0, 0]], [[1]], [2, 2]), ([[5, 0]], [1], [2, 2]),
        ([[1, 0], [0, 0]], [1, 2], [2, 2]), ([[-1, 0]], [1], [2, 2]),
        ([[0, 0]], [1], [-2, 2]), ([[0, 0]], [1], [2**61, 2]),
    ],
)
def test_bad_sparse(indices, values, shape):
    with pytest.raises(ERRORS):
        raw_ops.SerializeManySparse(
            sparse_indices=ints(indices), sparse_values=ints(values),
            sparse_shape=ints(shape), out_type=tf.variant,
        )


def test_sparse_strings_go_both_ways():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], ["a", "b"], [3, 2])
    many = raw_ops.SerializeManySparse(
        sparse_indices=sparse.indices, sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape, out_type=tf.string,
    )
    assert many.shape == (3, 3)
    back = raw_ops.DeserializeSparse(serialized_sparse=many, dtype=tf.string)
    assert back[0].numpy().tolist() == [[0, 1], [2, 0]]
    assert back[1].numpy().tolist() == [b"a", b"b"]
    assert back[2].numpy().tolist() == [3, 2]
    for bad in ([["x", "y", "z"]], ["", "", ""], [b"\xff" * 9] * 3):
        with pytest.raises(ERRORS):
            raw_ops.DeserializeSparse(
                serialized_sparse=tf.constant(bad), dtype=tf.string
            )
    with pytest.raises(ERRORS):
        raw_ops.DeserializeSparse(serialized_sparse=many, dtype=tf.int64)
    with pytest.raises(ERRORS):
        raw_ops.DeserializeSparse(
            serialized_sparse=tf.constant("a"), dtype=tf.int64
        )


def test_sizes_out_of_all_bounds():
    r = D.range(3).map(lambda x: tf.fill([x], x))
    most = 2**63 - 1
    for make in (
        lambda: r.padded_batch(2, padded_shapes=[most]),
        lambda: r.padded_batch(2, padded_shapes=[2**60]),
        lambda: D.range(3).window(most, 1, most),
        lambda: D.range(3).window(2**40, 1, 2**40),
    ):
        with pytest.raises(ERRORS):
            list(make())
    assert len(list(D.range(3).window(most))) == 1
    assert len(list(D.range(3).window(1, most, most))) == 1
    assert len(list(r.padded_batch(most))) == 1
    assert len(list(D.range(5).batch(2).rebatch(most))) == 1
    assert next(iter(r.sparse_batch(most, [most]))).shape[1] == most
    assert len(list(D.range(3).interleave(
        D.range, cycle_length=most, block_length=most, num_parallel_calls=most
    ))) == 3
    assert len(list(D.range(3).batch(most, num_parallel_calls=most))) == 1


def test_elements_that_do_not_fit():
    with pytest.raises(ERRORS):
        raw_ops.RebatchDatasetV2(
            input_dataset=D.range(3)._as_input(), batch_sizes=ints([0]),
            drop_remainder=False, output_types=[tf.int64],
            output_shapes=[tf.TensorShape([])],
        )
    scalars = tf.data.experimental.from_variant(
        raw_ops.RebatchDatasetV2(
            input_dataset=D.range(3)._as_input(), batch_sizes=ints([2]),
            drop_remainder=False, output_types=[tf.int64],
            output_shapes=[tf.TensorShape(None)],
        ),
        tf.TensorSpec(None, tf.int64),
    )
    with pytest.raises(ERRORS):
        list(scalars)
    uneven = D.from_generator(
        lambda: [np.zeros([2, 1]), np.zeros([2, 3])],
        output_signature=tf.TensorSpec([None, None], tf.float64),
    )
    with pytest.raises(ERRORS):
        list(uneven.rebatch(3))
    with pytest.raises(ERRORS):
        list(uneven.padded_batch(2, padded_shapes=[2, 2]))
    unknown = D.from_generator(
        lambda: [np.zeros([2]), np.zeros([2, 2])],
        output_signature=tf.TensorSpec(None, tf.float64),
    )
    with pytest.raises(ERRORS):
        list(unknown.padded_batch(2, padded_shapes=[None]))
    with pytest.raises(ERRORS):
        list(unknown.sparse_batch(2, [None]))
