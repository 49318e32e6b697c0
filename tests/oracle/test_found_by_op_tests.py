"""What TensorFlow's own tests of ops found when they ran here: values, dtypes,
shapes, and classes and texts of errors, against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow

import graphkiln

INF, NAN = float("inf"), float("nan")
FLOATS = [INF, -INF, NAN, 3e38, -3e38, 1e5, -1e5, 0.5, -7.5, 4e9, -4e9]


def _saturated(source, target, values=FLOATS):
    def call(tf):
        wide = tf.constant(np.array(values))
        return tf.saturate_cast(tf.cast(wide, source), target)

    return call


def _table(tf, empty, deleted):
    return tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, default_value=-1, empty_key=empty, deleted_key=deleted
    )


def _list_of(tf, *items, shape=-1):
    """A list of these elements; None: one that was not set."""
    made = tf.raw_ops.TensorListReserve(
        element_shape=shape, num_elements=len(items), element_dtype=tf.float32
    )
    for i, item in enumerate(items):
        if item is not None:
            made = tf.raw_ops.TensorListSetItem(
                input_handle=made, index=i, item=tf.constant(item, tf.float32)
            )
    return made


def _concat(tf, handle, shape=-1, leading=()):
    return tf.raw_ops.TensorListConcatV2(
        input_handle=handle,
        element_shape=shape,
        leading_dims=tf.constant(list(leading), tf.int64),
        element_dtype=tf.float32,
    )


def _concat_of_attribute(tf, handle, shape):
    return tf.raw_ops.TensorListConcat(
        input_handle=handle, element_dtype=tf.float32, element_shape=shape
    )


def _split(tf, tensor, shape, lengths):
    made = tf.raw_ops.TensorListSplit(
        tensor=tensor,
        element_shape=tf.constant(shape, tf.int32),
        lengths=tf.constant(lengths, tf.int64),
    )
    return _concat(tf, made)


def _static(tf, call, *shapes):
    specs = [tf.TensorSpec(shape, dtype) for shape, dtype in shapes]
    traced = tf.function(call, input_signature=specs).get_concrete_function()
    return tf.constant(str(traced.output_shapes))


def _gathered_gradient(tf, axis, batch_dims, ranks=None, axis_is_fed=False):
    """Of params of a shape that only the run tells."""
    params = tf.reshape(tf.range(12.0), [2, 3, 2])
    indices = tf.constant([[0, 1, 1], [1, 0, 0]])
    any_axis = tf.TensorSpec([], tf.int32)

    @tf.function(
        input_signature=[
            tf.TensorSpec(ranks, tf.float32),
            tf.TensorSpec(None, tf.int32),
            any_axis,
        ]
    )
    def gradient(x, i, fed):
        y = tf.gather(x, i, axis=fed if axis_is_fed else axis, batch_dims=batch_dims)
        weights = tf.reshape(tf.range(tf.cast(tf.size(y), tf.float32)), tf.shape(y))
        return tf.convert_to_tensor(tf.gradients(y * weights, x)[0])

    return gradient(params, indices, tf.constant(axis))


def _gradients_of_einsum(tf, equation, *shapes):
    operands = [
        tf.reshape(tf.range(1.0, 1.0 + float(np.prod(shape))), shape)
        for shape in shapes
    ]
    with tf.GradientTape() as tape:
        tape.watch(operands)
        y = tf.raw_ops.Einsum(inputs=operands, equation=equation)
        weights = tf.reshape(tf.range(1.0, 1.0 + float(tf.size(y))), y.shape)
        total = tf.reduce_sum(y * weights)
    return tape.gradient(total, operands)


def _between_eigenvalues(tf, alpha, beta):
    every = tf.linalg.eigh_tridiagonal(alpha, beta).numpy()
    return tf.linalg.eigh_tridiagonal(
        alpha, beta, select="v", select_range=(every[1], every[2])
    )


ONE = [[1.0, 2.0]]
TWO = [[1.0, 2.0], [3.0, 4.0]]
CALLS = {
    # Limits that a float rounds, infinities, complex numbers.
    **{
        f"saturate {source} to {target}": _saturated(source, target)
        for source in ("float16", "float32", "float64")
        for target in ("int8", "int16", "uint8", "uint16", "float16", "bfloat16")
    },
    **{
        f"saturate {source} to {target}": _saturated(source, target)
        for source in ("bfloat16", "float32", "float64")
        for target in ("float32", "float64", "complex64")
    },
    "saturate int32 to float16": _saturated("int32", "float16", [1 << 30, -(1 << 30)]),
    "saturate uint16 to float16": _saturated("uint16", "float16", [65535, 3]),
    "saturate complex128": lambda tf: tf.saturate_cast(
        tf.constant([complex(1e300, -1e300), complex(2, NAN)], tf.complex128),
        tf.complex64,
    ),
    "saturate complex to real": lambda tf: tf.saturate_cast(
        tf.constant([300 + 4j, -7 + 1j]), tf.int8
    ),
    # Means of segments.
    "mean of int32": lambda tf: tf.math.unsorted_segment_mean(
        tf.constant([[1], [2]]), tf.constant([0, 0]), 2
    ),
    "mean of uint8": lambda tf: tf.math.unsorted_segment_mean(
        tf.constant([[1], [2]], tf.uint8), tf.constant([0, 0]), 2
    ),
    **{
        f"{name} of int64 segments": (
            lambda tf, name=name: getattr(tf.math, f"unsorted_segment_{name}")(
                tf.constant([[1.0], [2.0]]), tf.constant([0, 1]), np.int64(3)
            )
        )
        for name in ("mean", "sqrt_n", "sum")
    },
    # Axes of tensordot.
    "tensordot over tensors": lambda tf: tf.tensordot(
        tf.ones([2, 3]), tf.ones([3, 4]), tf.constant([[1], [0]])
    ),
    "tensordot over fed axes": lambda tf: tf.function(
        lambda axes: tf.tensordot(tf.ones([2, 3]), tf.ones([4, 3]), axes)
    )(tf.constant([[-1], [1]])),
    "tensordot over a NumPy number": lambda tf: tf.tensordot(
        tf.ones([2]), tf.ones([3]), np.int64(0)
    ),
    "tensordot over no axes": lambda tf: tf.tensordot(
        tf.ones([2]), tf.ones([3]), [[], []]
    ),
    "tensordot over axis 7": lambda tf: tf.tensordot(
        tf.ones([2, 3]), tf.ones([3, 2]), [[0], [7]]
    ),
    "tensordot over one list": lambda tf: tf.tensordot(
        tf.ones([2, 3]), tf.ones([3, 2]), [[1]]
    ),
    # Indices out of range that are to be ignored.
    "gather_nd ignoring": lambda tf: tf.gather_nd(
        [10, 1, 2], [[0], [7], [1]], bad_indices_policy="IGNORE"
    ),
    "gather_nd ignoring in batches": lambda tf: tf.gather_nd(
        [[10, 1, 2]], [[[0], [7], [1]]], batch_dims=1, bad_indices_policy="IGNORE"
    ),
    # Shapes that clipping must not change.
    "clip_by_norm": lambda tf: tf.clip_by_norm(tf.ones([2, 1]), tf.ones([1, 2])),
    "clip_by_value": lambda tf: tf.clip_by_value(tf.ones([2, 1]), -1.0, tf.ones([2])),
    "clip_by_value from below": lambda tf: tf.clip_by_value(
        tf.ones([2, 1]), tf.zeros([2]), 1.0
    ),
    # Keys of dense tables.
    "find a matrix of keys": lambda tf: _table(tf, 0, -1).lookup(
        tf.constant([[11, 0], [12, 1]], tf.int64)
    ),
    "insert a matrix of keys": lambda tf: _table(tf, 0, -1).insert(
        tf.constant([[11, 0]], tf.int64), tf.constant([[11, 0]], tf.int64)
    ),
    "erase a matrix of keys": lambda tf: _table(tf, 0, -1).erase(
        tf.constant([[11, 0]], tf.int64)
    ),
    "find a column of keys": lambda tf: _table(tf, 0, -1).lookup(
        tf.constant([[11], [12]], tf.int64)
    ),
    "find one long key": lambda tf: _table(tf, [0, 0], [-1, -1]).lookup(
        tf.constant([3, 4], tf.int64)
    ),
    "find long keys": lambda tf: _table(tf, [0, 0], [-1, -1]).lookup(
        tf.constant([[3, 4]], tf.int64)
    ),
    # Lists of tensors.
    "concat as long as the others": lambda tf: _concat(tf, _list_of(tf, ONE, None)),
    "concat of different lengths": lambda tf: _concat(tf, _list_of(tf, ONE, None, TWO)),
    "concat as long as said": lambda tf: _concat(
        tf, _list_of(tf, None, ONE), leading=[2]
    ),
    "concat with one length too few": lambda tf: _concat(
        tf, _list_of(tf, ONE, None), leading=[2]
    ),
    "concat of another first size": lambda tf: _concat(
        tf, _list_of(tf, ONE, None), [3, 2]
    ),
    "concat of other rows": lambda tf: _concat(tf, _list_of(tf, ONE, [[1.0]])),
    "concat of nothing set": lambda tf: _concat(tf, _list_of(tf, None, None)),
    "concat of rows not set": lambda tf: _concat(tf, _list_of(tf, None, None), [-1, 2]),
    "concat of sizes not set": lambda tf: _concat(tf, _list_of(tf, None, None), [3, 2]),
    "concat of nothing": lambda tf: _concat(tf, _list_of(tf)),
    "concat of scalars": lambda tf: _concat(tf, _list_of(tf, 1.0)),
    "concat where the list says": lambda tf: _concat(
        tf, _list_of(tf, None, ONE, shape=[-1, 2])
    ),
    "concat at odds with the list": lambda tf: _concat(
        tf, _list_of(tf, shape=[2, 2]), [-1, 3]
    ),
    "old concat, not set": lambda tf: _concat_of_attribute(
        tf, _list_of(tf, None, shape=[2, 3]), [2, 3]
    ),
    "old concat as long as the others": lambda tf: _concat_of_attribute(
        tf, _list_of(tf, None, ONE), [None, 2]
    ),
    "old concat of scalars": lambda tf: _concat_of_attribute(tf, _list_of(tf, 1.0), []),
    "split to other lengths": lambda tf: _split(tf, [[1.0], [2.0]], [2, 1], [1, 1]),
    "split to other rows": lambda tf: _split(tf, [[1.0], [2.0]], [-1, 2], [1, 1]),
    "split to scalars": lambda tf: _split(tf, [[1.0], [2.0]], [], [1, 1]),
    "stack of two shapes": lambda tf: tf.raw_ops.TensorListStack(
        input_handle=_list_of(tf, [1.0, 2.0], [1.0]),
        element_shape=-1,
        element_dtype=tf.float32,
    ),
    "get at odds with the list": lambda tf: tf.raw_ops.TensorListGetItem(
        input_handle=_list_of(tf, None, shape=[2]),
        index=0,
        element_shape=[3],
        element_dtype=tf.float32,
    ),
    # Gradients of gather where ranks or the axis are fed.
    **{
        f"gradient of gather, axis {axis}, batch {batch}, {ranks}, {fed}": (
            lambda tf, a=axis, b=batch, r=ranks, f=fed: _gathered_gradient(
                tf, a, b, r, f
            )
        )
        for axis, batch in ((1, 0), (-1, 0), (1, 1), (2, 1), (-1, 1), (0, 0))
        for ranks in (None, [None, None, None])
        for fed in (False, True)
    },
    # More than one update of a place.
    "scatter of texts": lambda tf: tf.scatter_nd(
        [[4], [3], [3], [7]], ["a", "b", "c", "d"], [8]
    ),
    "scatter of bools": lambda tf: tf.scatter_nd(
        [[1], [1], [2], [2]], [True, False, False, True], [4]
    ),
    # Numbers take the dtype that is asked for.
    "one_hot of a half": lambda tf: tf.one_hot([1], 2, on_value=1.5, dtype=tf.float16),
    "one_hot of an array": lambda tf: tf.one_hot(
        [1], 2, np.float64(2), np.float32(1), dtype=tf.float32
    ),
    "one_hot of another tensor": lambda tf: tf.one_hot(
        [1], 2, tf.constant(1.0), dtype=tf.float16
    ),
    "pad with a complex number": lambda tf: tf.pad(
        tf.constant([1 + 1j], tf.complex64), [[1, 0]], constant_values=2 - 3j
    ),
    "pad with a number below all": lambda tf: tf.pad(
        tf.constant([1], tf.uint8), [[1, 0]], constant_values=-123
    ),
    "pad integers with a float": lambda tf: tf.pad(
        tf.constant([1]), [[1, 0]], constant_values=2.5
    ),
    "frames padded with a vector": lambda tf: tf.signal.frame(
        [1], 1, 1, pad_end=True, pad_value=[1]
    ),
    "empty rows filled with no text": lambda tf: (
        tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0]], ["a"], [2, 2]), "")[
            0
        ].values
    ),
    # Ragged tensors.
    "splits of ids out of order": lambda tf: tf.ragged.segment_ids_to_row_splits(
        tf.constant([0, 4, 0])
    ),
    "splits of no ids": lambda tf: tf.ragged.segment_ids_to_row_splits(
        tf.constant([], tf.int32)
    ),
    "merge_dims beyond the rank": lambda tf: tf.ragged.constant([[1]]).merge_dims(1, 3),
    "concat of one": lambda tf: tf.concat(tf.ragged.constant([[1, 2], [3]]), 0).values,
    "partitions of another length": lambda tf: tf.ragged.stack_dynamic_partitions(
        ["a", "b", "c"], [1, 2], 10
    ),
    "partitions of another shape": lambda tf: tf.ragged.stack_dynamic_partitions(
        [["a", "b"], ["c", "d"]], [[1, 2, 3], [4, 5, 6]], 10
    ),
    "counts of partitions": lambda tf: tf.ragged.stack_dynamic_partitions(
        ["a"], [1], [1, 2]
    ),
    "padding of another shape": lambda tf: tf.RaggedTensor.from_tensor(
        [[1]], padding=[1]
    ),
    "padding of too few dimensions": lambda tf: tf.RaggedTensor.from_tensor(
        [[[1]]], padding=1
    ),
    "gather_nd by no numbers": lambda tf: (
        tf.gather_nd(
            tf.ragged.constant([["a", "b"], ["c"]]), tf.zeros([3, 0], tf.int32)
        ).flat_values
    ),
    "gather_nd by one of no numbers": lambda tf: (
        tf.gather_nd(
            tf.ragged.constant([["a", "b"], ["c"]]), tf.zeros([0], tf.int32)
        ).row_splits
    ),
    "gather_nd by a scalar": lambda tf: tf.gather_nd(tf.ragged.constant([["a"]]), 0),
    "gather_nd by ragged numbers": lambda tf: tf.gather_nd(
        ["a", "b"], tf.ragged.constant([[0]])
    ),
    "gather_nd of rows ignoring": lambda tf: tf.gather_nd(
        tf.ragged.constant([["a"]]), [[0]], bad_indices_policy="IGNORE"
    ),
    "eigenvalues from one to another": lambda tf: tf.size(
        _between_eigenvalues(tf, [0.3, 0.8, 0.1, 0.6], [0.4, 0.2, 0.7])
    ),
    **{
        f"gradients of {equation} of {shapes}": (
            lambda tf, e=equation, s=shapes: _gradients_of_einsum(tf, e, *s)
        )
        for equation, *shapes in (
            ("a...a->", [2, 2]),
            ("a...a->", [2, 3, 4, 2]),
            ("a...->", [2, 3, 4]),
            ("...->", [2, 3]),
            ("...->", []),
            ("a...b->b", [2, 3, 4]),
            ("...a,a->", [2, 3, 4], [4]),
            ("...a,a->a", [2, 3], [3]),
            ("...ab,b->", [2, 3, 4], [4]),
            ("...a,...a->...", [2, 3], [2, 3]),
        )
    },
    "ragged values of texts": lambda tf: tf.constant(
        str(tf.compat.v1.ragged.constant_value([["a"], ["b"]], dtype=bytes).to_list())
    ),
    # Static shapes.
    "rank of BatchToSpace": lambda tf: _static(
        tf,
        lambda x, c: tf.raw_ops.BatchToSpace(input=x, crops=c, block_size=4),
        (None, tf.float32),
        (None, tf.int32),
    ),
    "batch of BatchToSpaceND": lambda tf: _static(
        tf,
        lambda x, c: tf.raw_ops.BatchToSpaceND(input=x, block_shape=[2, 2], crops=c),
        ([4, 3, 3, 1], tf.float32),
        (None, tf.int32),
    ),
    "batch of SpaceToBatch": lambda tf: _static(
        tf,
        lambda x, p: tf.raw_ops.SpaceToBatch(input=x, block_size=2, paddings=p),
        ([4, 3, 3, 1], tf.float32),
        (None, tf.int32),
    ),
    "roll by another number of shifts": lambda tf: tf.function(
        lambda: tf.roll(tf.ones([2, 3]), [1, 2], [0])
    )(),
    "roll along a vector by a number": lambda tf: tf.function(
        lambda: tf.roll(tf.ones([3]), 1, [0])
    )(),
    "gather along axis 1 of a vector": lambda tf: tf.gather([0, 1, 2], 0, axis=1),
    # Values of sparse tensors.
    **{
        f"{name} of a sparse value": (
            lambda tf, call=call: call(
                tf,
                tf.compat.v1.SparseTensorValue(
                    np.array([[0, 1], [1, 0]]), np.array([1.0, 2.0]), np.array([2, 2])
                ),
            )
        )
        for name, call in {
            "add": lambda tf, x: tf.sparse.add(x, x).values,
            "concat": lambda tf, x: tf.sparse.concat(0, [x, x]).indices,
            "reorder": lambda tf, x: tf.sparse.reorder(x).values,
            "reshape": lambda tf, x: tf.sparse.reshape(x, [4]).indices,
            "retain": lambda tf, x: tf.sparse.retain(x, [True, False]).values,
            "to_dense": lambda tf, x: tf.sparse.to_dense(x),
            "product": lambda tf, x: tf.sparse.sparse_dense_matmul(
                x, tf.ones([2, 1], tf.float64)
            ),
            "reduce_sum": lambda tf, x: tf.sparse.reduce_sum(x),
            "fill_empty_rows": lambda tf, x: (
                tf.sparse.fill_empty_rows(x, 0.0)[0].values
            ),
            "reset_shape": lambda tf, x: tf.sparse.reset_shape(x, [3, 3]).dense_shape,
            "softmax": lambda tf, x: tf.sparse.softmax(x).values,
            "slice": lambda tf, x: tf.sparse.slice(x, [0, 0], [1, 2]).values,
        }.items()
    },
}

# TensorFlow's own words, which programs match.
TEXTS = {
    "find a matrix of keys": "Expected key shape [2] got [2,2]",
    "concat of rows not set": "List contains uninitialized tensor at index 0",
    "concat of other rows": "Incompatible shapes during merge: [2] vs. [1]",
    "concat of nothing set": "Trying to concat list with only uninitialized tensors",
    "concat of another first size": "First entry of element_shape input does not",
    "split to other rows": "tensor shape [2,1] is not compatible with element_shape",
    "split to scalars": "requires element_shape to be at least of rank 1",
    "get at odds with the list": "Incompatible shapes during merge: [3] vs. [2]",
    "old concat of scalars": "element_shape must not be empty",
    "roll along a vector by a number": "Shapes must be equal rank, but are 0 and 1",
    "roll by another number of shifts": "Dimension 0 in both shapes must be equal",
    "gather along axis 1 of a vector": "Shape must be at least rank 2 but is rank 1",
    "merge_dims beyond the rank": "inner_axis=3 out of bounds: expected -2<=inner_axis<2",
    "pad integers with a float": "Cannot convert 2.5 to EagerTensor of dtype int32",
    "partitions of another length": "Shapes (2,) and (3,) are incompatible",
    "padding of another shape": "Shapes (1,) and () are incompatible",
    "gather_nd by a scalar": "indices.rank must be at least 1",
    "gather_nd by ragged numbers": "innermost dimension of indices may not be ragged",
    "gather_nd of rows ignoring": "non-default bad_indices_policy not supported",
    "clip_by_value": "Shapes (2, 1) and (2, 2) are incompatible",
}


def _outcome(tf, name):
    try:
        result = CALLS[name](tf)
    except Exception as error:
        if name in TEXTS:
            assert TEXTS[name] in str(error)
        return type(error).__name__
    parts = result if isinstance(result, (list, tuple)) else (result,)
    return [
        (p.dtype.name, p.shape.as_list(), repr(np.asarray(p.numpy()).tolist()))
        for p in parts
    ]


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    assert _outcome(graphkiln, name) == _outcome(tensorflow, name)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int32"]
)
@pytest.mark.parametrize(
    "start, limit, delta", [(1, 47, 0.3), (47.2, -2.3, -0.19), (-3, 300, 7)]
)
def test_ranges_to_the_bit(dtype, start, limit, delta):
    """Each number is start + i * delta, each operation rounded, its count too."""
    if dtype == "int32":
        delta = -1 if delta < 0 else 7

    def made(tf):
        numbers = [tf.cast(n, dtype) for n in (start, limit, delta)]
        return np.asarray(tf.cast(tf.range(*numbers), "float64").numpy()).tolist()

    assert made(graphkiln) == made(tensorflow)


def test_wide_integers_saturate():
    """Where TensorFlow's limits overflow themselves."""
    tf = graphkiln
    most = [1e19, -1e19, 3.0]
    assert tf.saturate_cast(most, tf.int64).numpy().tolist() == [
        (1 << 63) - (1 << 39),
        -(1 << 63),
        3,
    ]
    wide = tf.constant([(1 << 63) - 1, -(1 << 63), 3], tf.int64)
    assert tf.saturate_cast(wide, tf.uint64).numpy().tolist() == [(1 << 63) - 1, 0, 3]
    unsigned = tf.constant(np.array([(1 << 64) - 1, 3], np.uint64))
    assert tf.saturate_cast(unsigned, tf.int64).numpy().tolist() == [(1 << 63) - 1, 3]
    assert tf.saturate_cast(wide, tf.float32).numpy().tolist() == [
        2.0**63,
        -(2.0**63),
        3,
    ]
