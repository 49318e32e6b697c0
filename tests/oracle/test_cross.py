"""Crosses of features beside TensorFlow's: values, hashes, static shapes, errors."""

from __future__ import annotations

import types

import pytest

CALLS = """
tf.sparse.cross([s, d])
tf.sparse.cross([d, s, n])
tf.sparse.cross([s, n, s], separator='--')
tf.sparse.cross([f, d])
tf.sparse.cross([])
tf.sparse.cross([none, d])
tf.sparse.cross_hashed([s, d])
tf.sparse.cross_hashed([d, s, n], num_buckets=1000)
tf.sparse.cross_hashed([d, d], 17, 5)
tf.sparse.cross_hashed([n, i], hash_key=0)
tf.sparse.cross_hashed([n])
tf.ragged.cross([r, d])
tf.ragged.cross([d, r, s, n])
tf.ragged.cross([d, s])
tf.ragged.cross([short, i])
tf.ragged.cross([])
tf.ragged.cross([[[1, 2]], [['a', 'b']]])
tf.ragged.cross_hashed([r, d, s])
tf.ragged.cross_hashed([n, r], num_buckets=1000)
tf.ragged.cross_hashed([i, short], 100, hash_key=3)
tf.ragged.cross_hashed([i, short], 100, hash_key=0)
"""
ERRORS = """
tf.sparse.cross(d)
tf.sparse.cross([d, other])
tf.sparse.cross([s, other])
tf.sparse.cross([r])
tf.sparse.cross_hashed([d], num_buckets=-1)
tf.ragged.cross([f])
tf.ragged.cross([d, other])
tf.ragged.cross([r, other])
tf.ragged.cross([deep])
tf.ragged.cross([['a']])
tf.ragged.cross_hashed([d], num_buckets=-1)
"""
PLACES = [[0, 1], [1, 0], [1, 2]]


def operands(tf: types.ModuleType) -> dict[str, object]:
    return {
        "tf": tf,
        "s": tf.SparseTensor(PLACES, ["a", "", "b" * 40], [2, 3]),
        "n": tf.SparseTensor(PLACES, tf.constant([5, -6, 7], tf.int32), [2, 3]),
        "none": tf.SparseTensor(PLACES[:1], ["a"], [2, 3]),
        "d": tf.constant([["x", "y"], ["z", "w"]]),
        "i": tf.constant([[1, -2], [3, 4]], tf.int16),
        "f": tf.constant([[1.7], [-2.2]]),
        "other": tf.constant([["x"], ["y"], ["z"]]),
        "r": tf.ragged.constant([["p"], ["q", "r", "s"]]),
        "short": tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32),
        "deep": tf.ragged.constant([[["p"]], [["q", "r"], ["s"]]]),
    }


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("call", lines(CALLS))
def test_values(both, call):
    both.agree(
        lambda tf: tf.nest.flatten(
            eval(call, operands(tf)), expand_composites=True
        )
    )


@pytest.mark.parametrize("call", lines(CALLS))
def test_values_of_functions_of_unknown_shapes(both, call):
    shapes = {}

    def run(tf):
        given = operands(tf)
        del given["tf"]

        def spec(x):
            if isinstance(x, tf.SparseTensor):
                return tf.SparseTensorSpec([None, None], x.dtype)
            if isinstance(x, tf.RaggedTensor):
                return tf.RaggedTensorSpec(
                    x.shape, x.dtype, x.ragged_rank, x.row_splits.dtype
                )
            return tf.TensorSpec(None, x.dtype)

        @tf.function(
            autograph=False, input_signature=[spec(x) for x in given.values()]
        )
        def f(*args):
            made = eval(call, {"tf": tf, **dict(zip(given, args, strict=True))})
            shapes[tf] = made.shape.as_list()
            return made

        return tf.nest.flatten(f(*given.values()), expand_composites=True)

    both.agree(run)
    assert shapes[both.ours] == shapes[both.theirs]


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors(both, call):
    both.agree_on_error(lambda tf: eval(call, operands(tf)))


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("buckets", [0, 100, -3])
@pytest.mark.parametrize("salt", [[1, 2], [-7, 2**40]])
def test_salted_hashes(both, strong, buckets, salt):
    def run(tf):
        given = operands(tf)
        s, n = given["s"], given["n"]
        return list(
            tf.raw_ops.SparseCrossHashed(
                indices=[s.indices, n.indices],
                values=[s.values, tf.cast(n.values, tf.int64)],
                shapes=[s.dense_shape, n.dense_shape],
                dense_inputs=[given["d"]],
                num_buckets=buckets, strong_hash=strong, salt=salt,
            )
        )

    both.agree(run)


def test_values_out_of_order_stay_in_their_rows():
    import graphkiln as tf

    s = tf.SparseTensor([[1, 0], [0, 0], [1, 1]], ["a", "b", "c"], [2, 2])
    crossed = tf.sparse.cross([s, tf.constant([["x"], ["y"]])])
    assert crossed.values.numpy().tolist() == [b"b_X_x", b"a_X_y", b"c_X_y"]


def test_values_of_no_row_are_refused():
    import graphkiln as tf

    s = tf.SparseTensor([[0, 0], [7, 0]], ["a", "b"], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="row 7"):
        tf.sparse.cross([s, tf.constant([["x"], ["y"]])])
