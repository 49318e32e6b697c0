"""tf.RaggedTensor and its spec."""

import copy
import pickle

import numpy as np
import pytest

import graphkiln as tf

R = tf.RaggedTensor
ROWS = [[[1, 2], []], [[3]], []]


def ragged(rows=((1, 2), (), (3,)), **kwargs):
    return tf.ragged.constant([list(row) for row in rows], **kwargs)


@pytest.mark.parametrize(
    "made, rows",
    [
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 0, 1]), [[1, 2], [], [3]]),
        (lambda: R.from_value_rowids([1, 2, 3], [0, 0, 2]), [[1, 2], [], [3]]),
        (lambda: R.from_value_rowids([1], [0], nrows=3), [[1], [], []]),
        (lambda: R.from_value_rowids([], [], nrows=2), [[], []]),
        (lambda: R.from_row_starts([1, 2, 3], [0, 2]), [[1, 2], [3]]),
        (lambda: R.from_row_limits([1, 2, 3], [0, 3]), [[], [1, 2, 3]]),
        (lambda: R.from_uniform_row_length([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (lambda: R.from_uniform_row_length([], 0, nrows=2), [[], []]),
        (
            lambda: R.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 2, 3]]),
            [[[1, 2], [3]]],
        ),
        (
            lambda: R.from_nested_row_lengths([1, 2, 3], [[2], [2, 1]]),
            [[[1, 2], [3]]],
        ),
        (
            lambda: R.from_nested_value_rowids([1, 2], [[0, 0], [0, 1]]),
            [[[1], [2]]],
        ),
        (lambda: R.from_tensor([[1, 2], [3, 0]]), [[1, 2], [3, 0]]),
        (lambda: R.from_tensor([[1, 2], [3, 0]], padding=0), [[1, 2], [3]]),
        (lambda: R.from_tensor([[1, 2], [3, 0]], lengths=[0, 2]), [[], [3, 0]]),
        (
            lambda: R.from_tensor([[[1, 0], [2, 3]]], padding=0, ragged_rank=2),
            [[[1], [2, 3]]],
        ),
        (lambda: R.from_sparse(ragged().to_sparse()), [[1, 2], [], [3]]),
        (lambda: tf.ragged.constant(ROWS), ROWS),
    ],
)
def test_factories(made, rows):
    assert made().to_list() == rows
    assert tf.function(made)().to_list() == rows


@pytest.mark.parametrize(
    "made, error, text",
    [
        (lambda: R(1, 2), ValueError, "constructor is private"),
        (
            lambda: R.from_row_splits([1, 2], []), ValueError,
            "row_splits tensor may not be empty",
        ),
        (
            lambda: R.from_row_splits([1], [0.0, 1.0]), ValueError,
            "row_splits must have dtype int32 or int64",
        ),
        (
            lambda: R.from_row_splits([1], [[0, 1]]), ValueError,
            "must have rank 1",
        ),
        (
            lambda: R.from_row_splits([1, 2], [1, 2]),
            tf.errors.InvalidArgumentError, "RaggedTensor:zero",
        ),
        (
            lambda: R.from_row_splits([1, 2], [0, 2, 1, 2]),
            tf.errors.InvalidArgumentError, "RaggedTensor:monotonic",
        ),
        (
            lambda: R.from_row_splits([1, 2], [0, 1]),
            tf.errors.InvalidArgumentError, "_from_row_partition",
        ),
        (
            lambda: R.from_row_lengths([1], [-1, 2]),
            tf.errors.InvalidArgumentError, "from_row_lengths",
        ),
        (
            lambda: R.from_value_rowids([1, 2], [0]), ValueError,
            "incompatible",
        ),
        (
            lambda: R.from_value_rowids([1], [3], nrows=2), ValueError,
            "Expected nrows >= value_rowids[-1] + 1",
        ),
        (
            lambda: R.from_uniform_row_length([1, 2, 3], 2), ValueError,
            "times nrows=1 must equal nvals=3",
        ),
        (
            lambda: R.from_nested_row_splits([1], tf.constant([0, 1])),
            TypeError, "must be a list of Tensors",
        ),
        (
            lambda: tf.ragged.constant([[1], 2]), ValueError,
            "same nesting depth",
        ),
        (
            lambda: tf.ragged.constant([[[1]], [[2, 3]]], ragged_rank=1),
            ValueError, "inner values have inconsistent shape",
        ),
        (
            lambda: tf.ragged.constant([[1]], ragged_rank=2), ValueError,
            "ragged_rank=2 requires scalar value depth greater than 2",
        ),
        (
            lambda: tf.ragged.constant([[1], [2, 3]], ragged_rank=0),
            ValueError, "non-rectangular Python sequence",
        ),
        (lambda: hash(ragged()), TypeError, "RaggedTensor is unhashable"),
        (lambda: bool(ragged()), TypeError, "may not be used as a boolean"),
        (lambda: len(ragged()), TypeError, "has no len"),
        (lambda: tf.convert_to_tensor(ragged()), ValueError, "no len"),
    ],
)
def test_refusals(made, error, text):
    with pytest.raises(error) as e:
        made()
    assert text in str(e.value)


def test_constant_dtypes_and_shapes():
    assert ragged(dtype=tf.float64).dtype == tf.float64
    assert ragged(row_splits_dtype=tf.int32).row_splits.dtype == tf.int32
    assert tf.ragged.constant([1, 2]).shape == [2]
    inner = tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
    assert inner.shape.as_list() == [2, None, 2]
    assert inner.flat_values.shape == [3, 2]
    empty = tf.ragged.constant([[], []], ragged_rank=1, inner_shape=(2,))
    assert empty.shape.as_list() == [2, None, 2]
    assert tf.ragged.constant([[[]], []]).shape.as_list() == [2, None, None]


def test_partition():
    rt = tf.ragged.constant(ROWS)
    assert (rt.ragged_rank, rt.dtype) == (2, tf.int32)
    assert rt.shape.as_list() == [3, None, None]
    assert rt.nrows().numpy() == 3
    assert rt.row_starts().numpy().tolist() == [0, 2, 3]
    assert rt.row_limits().numpy().tolist() == [2, 3, 3]
    assert rt.value_rowids().numpy().tolist() == [0, 0, 1]
    assert rt.row_lengths().numpy().tolist() == [2, 1, 0]
    assert rt.row_lengths(axis=2).to_list() == [[2, 0], [1], []]
    assert [x.numpy().tolist() for x in rt.nested_row_splits] == [
        [0, 2, 3, 3], [0, 2, 2, 3],
    ]
    assert [x.numpy().tolist() for x in rt.nested_row_lengths()] == [
        [2, 1, 0], [2, 0, 1],
    ]
    assert rt.bounding_shape().numpy().tolist() == [3, 2, 2]
    assert rt.bounding_shape(axis=1, out_type=tf.int32).numpy() == 2
    with pytest.raises(ValueError, match="axis=3 out of bounds"):
        rt.row_lengths(axis=3)


def test_dense_and_sparse_forms():
    rt = ragged()
    assert rt.to_tensor().numpy().tolist() == [[1, 2], [0, 0], [3, 0]]
    assert rt.to_tensor(-1, shape=[2, 1]).numpy().tolist() == [[1], [-1]]
    assert rt.to_tensor(shape=[None, 3]).shape == [3, 3]
    text = tf.ragged.constant([["a"], ["b", "c"]])
    assert text.to_tensor("-").numpy().tolist() == [[b"a", b"-"], [b"b", b"c"]]
    assert tf.ragged.constant([[True], []]).to_tensor().numpy().tolist() == [
        [True], [False],
    ]
    sparse = rt.to_sparse()
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    assert sparse.dense_shape.numpy().tolist() == [3, 2]
    deep = tf.ragged.constant(ROWS).to_tensor()
    assert deep.numpy().tolist() == [[[1, 2], [0, 0]], [[3, 0], [0, 0]],
                                     [[0, 0], [0, 0]]]
    assert tf.ragged.constant(ROWS).merge_dims(0, 1).to_list() == [
        [1, 2], [], [3],
    ]
    assert tf.ragged.constant(ROWS).merge_dims(1, 2).to_list() == [
        [1, 2], [3], [],
    ]


def test_to_tensor_is_differentiable():
    rt = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(rt)
        y = tf.reduce_sum(rt.to_tensor() * [[1.0, 2.0], [3.0, 4.0]])
    gradient = tape.gradient(y, rt)
    assert isinstance(gradient, R)
    assert gradient.to_list() == [[1.0, 2.0], [3.0]]


@pytest.mark.parametrize(
    "key",
    [
        0, -1, slice(1, None), slice(None, None, -1), slice(None, None, 2),
        (slice(None), slice(0, 1)), (slice(None), slice(None, None, -1)),
        (slice(None), slice(-1, None)), (0, 1), (Ellipsis, slice(1, 2)),
        (slice(1, 3), slice(None, None, 2)), (slice(None), slice(5, 0, -2)),
    ],
    ids=str,
)
def test_indexing(key):
    rows = [[1, 2, 4], [3], [], [5, 6]]
    first, *rest = key if isinstance(key, tuple) else (key,)
    if first is Ellipsis:
        first = slice(None)
    expected = rows[first]
    for inner in rest:
        expected = (
            [row[inner] for row in expected] if isinstance(first, slice)
            else expected[inner]
        )
    for get in (lambda x: x[key], tf.function(lambda x: x[key])):
        found = get(tf.ragged.constant(rows))
        found = found.to_list() if isinstance(found, R) else found.numpy()
        assert np.asarray(found, object).tolist() == expected


def test_indexing_deeper():
    rt = tf.ragged.constant(ROWS)
    assert rt[0].to_list() == [[1, 2], []]
    assert rt[0, 0, 1].numpy() == 2
    assert rt[:, :, :1].to_list() == [[[1], []], [[3]], []]
    assert rt[:, tf.newaxis].to_list() == [[row] for row in ROWS]
    assert rt[tf.newaxis].to_list() == [ROWS]
    assert ragged()[tf.constant(2)].numpy().tolist() == [3]
    with pytest.raises(ValueError, match="inner ragged dimension"):
        ragged()[:, 0]
    with pytest.raises(IndexError, match="Row key 5 out of bounds"):
        ragged()[5]
    with pytest.raises(TypeError, match="valid indices, got 'a'"):
        ragged()["a"]
    assert [row.numpy().tolist() for row in ragged()] == [[1, 2], [], [3]]


def test_operators():
    rt = ragged()
    assert (rt + 1).to_list() == [[2, 3], [], [4]]
    assert (10 - rt).to_list() == [[9, 8], [], [7]]
    assert (rt * rt).to_list() == [[1, 4], [], [9]]
    assert (rt == rt).to_list() == [[True, True], [], [True]]
    assert (-rt).to_list() == [[-1, -2], [], [-3]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        rt + tf.ragged.constant([[1], [2, 3], []])
    with pytest.raises(ValueError, match="incompatible"):
        rt.with_values([1])


@pytest.mark.parametrize(
    "rows, text",
    [
        ([[1, 2], [3]], "<tf.RaggedTensor [[1, 2], [3]]>"),
        ([[1], [3]], "<tf.RaggedTensor [[1],\n [3]]>"),
        ([["a"], []], "<tf.RaggedTensor [[b'a'], []]>"),
        ([[1.0, 2.5], []], "<tf.RaggedTensor [[1.0, 2.5], []]>"),
        (ROWS, "<tf.RaggedTensor [[[1, 2], []], [[3]], []]>"),
        ([[]], "<tf.RaggedTensor [[]]>"),
    ],
)
def test_text(rows, text):
    assert repr(tf.ragged.constant(rows)) == text


def test_text_in_a_graph():
    texts = []
    tf.function(lambda x: texts.append(str(x)))(ragged())
    assert texts == [
        'tf.RaggedTensor(values=Tensor("x:0", shape=(None,), dtype=int32), '
        'row_splits=Tensor("x_1:0", shape=(4,), dtype=int64))'
    ]


def test_spec():
    S = tf.RaggedTensorSpec
    spec = S([2, None], tf.int32)
    assert repr(spec) == (
        "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)"
    )
    assert spec == ragged([[1], [2, 3]])._type_spec
    assert hash(spec) == hash(ragged([[1], [2, 3]])._type_spec)
    assert spec.value_type is R
    assert S([2], ragged_rank=0).value_type is tf.Tensor
    assert spec.is_subtype_of(S([None, None], tf.int32))
    assert not S([None, None], tf.int32).is_subtype_of(spec)
    assert spec.most_specific_common_supertype(
        [S([3, None], tf.int32)]
    ) == S([None, None], tf.int32)
    assert spec.most_specific_common_supertype([S([2, None])]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        spec.most_specific_compatible_type(S([2, None]))
    assert spec.is_compatible_with(ragged([[1], [2, 3]]))
    assert not spec.is_compatible_with(ragged())
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.flatten() == [
        tf.TensorSpec([None], tf.int32), tf.TensorSpec([3], tf.int64),
    ]
    for wrong, text in (
        (lambda: S(), "Must specify ragged_rank or a shape"),
        (lambda: S([2, 3], ragged_rank=3), "must be less than rank"),
    ):
        with pytest.raises(ValueError, match=text):
            wrong()


def test_is_a_tensor_and_nests():
    rt = ragged()
    assert tf.is_tensor(rt)
    assert tf.nest.flatten(rt) == [rt] or tf.nest.flatten(rt)[0] is rt
    flat = tf.nest.flatten({"a": rt}, expand_composites=True)
    assert [x.dtype for x in flat] == [tf.int32, tf.int64]
    again = tf.nest.pack_sequence_as(
        {"a": rt}, flat, expand_composites=True
    )
    assert again["a"].to_list() == rt.to_list()
    assert tf.type_spec_from_value(rt) == rt._type_spec


@pytest.mark.parametrize(
    "rows, options, text",
    [
        ([[1, 2], [], [3]], {}, "[[1, 2], [], [3]]"),
        ([["a"], []], {}, "[['a'], []]"),
        ([[[1.5]], []], {}, "[[[1.500000]], []]"),
        (
            [list(range(10)), [1]], {},
            "[[0, 1, 2, ..., 7, 8, 9], [1]]",
        ),
        ([[1, 2, 3], [], [4]], {"summarize": 1}, "[[1, ..., 3], ..., [4]]"),
        ([[1] * 7], {"summarize": -1}, "[[1, 1, 1, 1, 1, 1, 1]]"),
        ([[], []], {}, "[[], []]"),
    ],
    ids=str,
)
def test_print(rows, options, text, tmp_path):
    for run in (lambda f: f, tf.function):
        path = tmp_path / "printed"
        path.write_text("")

        def show(x):
            tf.print(
                "x:", x, [x], output_stream=f"file://{path}", **options
            )

        run(show)(tf.ragged.constant(rows))
        assert path.read_text() == f"x: {text} [{text}]\n"


def test_print_of_sparse_tensors(tmp_path):
    path = tmp_path / "printed"

    @tf.function
    def show(x, y):
        tf.print(x, y, output_stream=f"file://{path}")

    show(
        tf.SparseTensor([[0]], [5], [2]),
        tf.IndexedSlices(tf.constant([1]), tf.constant([0]), tf.constant([2])),
    )
    assert path.read_text() == (
        "'SparseTensor(indices=[[0]], values=[5], shape=[2])' "
        "[1 0]\n"
    )


def test_empty_vectors_repeat_and_search():
    empty = tf.constant([], tf.int64)
    assert tf.repeat(tf.constant([1, 2]), [0, 0]).shape == [0]
    assert tf.searchsorted(empty, tf.constant([1], tf.int64)).numpy() == [0]
    assert tf.searchsorted(tf.constant([1], tf.int64), empty).shape == [0]


@pytest.mark.parametrize("gather", [
    lambda x: tf.gather(x, [1], axis=1),
    lambda x: tf.gather(x, tf.ragged.constant([[2], [], []]), batch_dims=1),
    lambda x: tf.gather_nd(x, [[1, 0]]),
])
def test_gathers_do_not_reach_into_other_rows(gather):
    x = tf.ragged.constant([[1, 2], [], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        gather(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        tf.function(gather)(x)


def test_variance_of_large_integers_and_of_equal_numbers():
    large = tf.ragged.constant([[100_000, -100_000], [3]])
    assert tf.math.reduce_variance(large, axis=1).numpy().tolist() == [1e10, 0]
    equal = tf.ragged.constant([[k / 7] * 3 for k in range(300)])
    assert np.all(tf.math.reduce_std(equal, axis=1).numpy() >= 0)


@pytest.mark.parametrize("staged", [False, True])
def test_truth_of_negative_numbers(staged):
    x = tf.ragged.constant([[1, -1], [-1], [0], []])
    call = tf.function if staged else lambda f: f
    every = call(lambda x: tf.reduce_all(x, axis=1))(x)
    some = call(lambda x: tf.reduce_any(x, axis=1))(x)
    assert every.numpy().tolist() == [True, True, False, True]
    assert some.numpy().tolist() == [True, True, False, False]


@pytest.mark.parametrize("axis", [0, 1, 2, [0, 1], [1, 2], [0, 2], None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_along_any_axes(axis, keepdims):
    x = tf.cast(tf.ragged.constant([[[1, 2], [3]], [[4]]]), tf.float64)
    made = tf.reduce_logsumexp(x, axis, keepdims)
    sums = tf.reduce_sum(tf.exp(x), axis, keepdims)
    if isinstance(sums, tf.RaggedTensor):
        made, sums = made.flat_values, sums.flat_values
    np.testing.assert_allclose(made, np.log(sums))


def test_gradient_of_logsumexp():
    x = tf.constant([1000.0, 1000.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_logsumexp(R.from_row_lengths(x, [2, 0, 1]), axis=1)
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5, 1.0]


def test_lengths_that_rows_were_made_of_are_remembered():
    for dtype in (tf.int32, tf.int64):
        lengths = tf.constant([2, 0, 1], dtype)
        rt = R.from_row_lengths(tf.constant([1, 2, 3]), lengths)
        assert rt.row_lengths() is rt.row_lengths()
        partition = tf.experimental.RowPartition.from_row_lengths(lengths)
        assert partition.row_lengths() is partition.row_lengths()
        for made in (rt, rt * 2, copy.copy(rt), pickle.loads(pickle.dumps(rt))):
            assert made.row_lengths().dtype == dtype
            assert made.row_lengths().numpy().tolist() == [2, 0, 1]
    other = partition.with_dtype(tf.int32)
    assert other.row_lengths().dtype == tf.int32
    assert other.row_lengths().numpy().tolist() == [2, 0, 1]
    # What comes into a function and out of it has lengths of its own.
    twice = tf.function(lambda x: (x + x, x.row_lengths() * 2, rt.row_lengths()))
    made, doubled, captured = twice(rt)
    assert made.row_lengths().numpy().tolist() == [2, 0, 1]
    assert doubled.numpy().tolist() == [4, 0, 2]
    assert captured.numpy().tolist() == [2, 0, 1]
    rows = twice(R.from_row_lengths([1, 2], [0, 2]))[0]
    assert rows.row_lengths().numpy().tolist() == [0, 2]


def test_lengths_of_splits_that_make_no_sense():
    for dtype in (tf.int32, tf.int64):
        splits = tf.constant([3, 1, dtype.max, dtype.min], dtype)
        rt = R.from_row_splits(tf.zeros([4]), splits, validate=False)
        assert rt.row_lengths().dtype == dtype
        assert rt.row_lengths().numpy().tolist() == [-2, dtype.max - 1, 1]
    one = R.from_row_splits(tf.zeros([0]), [0])
    assert one.row_lengths().numpy().tolist() == []
