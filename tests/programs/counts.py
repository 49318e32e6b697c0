"""How often numbers occur: in dense, ragged and sparse tensors."""

from __future__ import annotations

from outcomes import failure


def _ragged(tf):
    return tf.ragged.constant([[1, 2, 3, 1], [], [4, 4]])


def _weights(tf):
    return tf.ragged.constant([[1.0, 2.0, 3.0, 1.0], [], [4.0, 4.5]])


def _parts(sparse):
    return sparse.indices, sparse.values, sparse.dense_shape


_OPTIONS = (
    {}, {"axis": 0}, {"axis": -1}, {"axis": -1, "binary_output": True},
    {"binary_output": True}, {"axis": -1, "maxlength": 3},
    {"axis": -1, "minlength": 8}, {"minlength": 2, "maxlength": 3},
)


def program_counts_of_rows(tf):
    ragged = _ragged(tf)
    dense = tf.constant([[1, 2, 3, 1], [0, 0, 4, 4]])
    sparse = tf.sparse.from_dense(dense)
    return [
        [tf.math.bincount(x, **options) for options in _OPTIONS]
        for x in (ragged, dense, sparse)
    ]


def program_sparse_counts_of_rows(tf):
    ragged = _ragged(tf)
    dense = tf.constant([[1, 2, 3, 1], [0, 0, 4, 4]])
    sparse = tf.sparse.from_dense(dense)
    return [
        [_parts(tf.sparse.bincount(x, **options)) for options in _OPTIONS]
        for x in (ragged, dense, sparse)
    ]


def program_weights_of_rows(tf):
    ragged, weights = _ragged(tf), _weights(tf)
    dense = tf.constant([[1, 2, 3, 1], [0, 0, 4, 4]])
    of_dense = tf.constant([[1.0, 2.0, 3.0, 1.0], [0.0, 0.5, 4.0, 4.5]])
    sparse = tf.sparse.from_dense(dense)
    of_sparse = tf.cast(sparse, tf.float64)
    both = ((ragged, weights), (dense, of_dense), (sparse, of_sparse))
    return [
        [
            tf.math.bincount(x, weights=w, axis=axis),
            _parts(tf.sparse.bincount(x, weights=w, axis=axis)),
        ]
        for x, w in both
        for axis in (0, -1)
    ]


def program_types_of_counts(tf):
    ragged = _ragged(tf)
    wide = tf.cast(ragged, tf.int64)
    fractions = tf.ragged.constant([[1.0, 2.0], [3.0]])
    empty = tf.ragged.constant([[], []], dtype=tf.int32)
    return (
        tf.math.bincount(ragged, axis=-1, dtype=tf.float32),
        tf.math.bincount(wide, axis=-1),
        tf.math.bincount(wide),
        tf.math.bincount(fractions, axis=-1),
        tf.math.bincount(empty, axis=-1),
        tf.math.bincount(empty),
        _parts(tf.sparse.bincount(wide, axis=-1)),
        _parts(tf.sparse.bincount(empty, axis=-1)),
        _parts(tf.sparse.bincount([1, 1, 3])),
    )


def program_counts_that_are_refused(tf):
    ragged, weights = _ragged(tf), _weights(tf)
    negative = tf.ragged.constant([[1, -2], [3]])
    other = tf.ragged.constant([[1.0], [2.0]])
    deep = tf.ragged.constant([[[1, 2], [3]], []])
    return [
        failure(tf.math.bincount, negative, axis=-1)[0],
        failure(tf.math.bincount, negative)[0],
        failure(tf.sparse.bincount, negative, axis=-1)[0],
        failure(tf.sparse.bincount, [1, -2])[0],
        failure(tf.math.bincount, ragged, weights=other, axis=-1)[0],
        failure(tf.math.bincount, ragged, weights=[1.0], axis=-1)[0],
        failure(tf.math.bincount, ragged, axis=1),
        failure(tf.sparse.bincount, ragged, axis=1),
        failure(
            tf.math.bincount, ragged, weights=weights, binary_output=True
        ),
        failure(tf.math.bincount, deep, axis=-1)[0],
    ]


def program_counts_in_a_function(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def f(x):
        sparse = tf.sparse.bincount(x, axis=-1)
        dense = tf.math.bincount(x, axis=-1)
        fixed = tf.math.bincount(x, axis=-1, minlength=6, maxlength=6)
        return dense, tf.math.bincount(x), fixed, sparse.values

    return f(_ragged(tf)), f(tf.ragged.constant([[5]]))


def program_bins_of_values(tf):
    bins = tf.histogram_fixed_width_bins
    values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
    return (
        bins(values, [0.0, 5.0], nbins=5),
        bins(tf.constant([1.0, 2.0], tf.float64),
             tf.constant([0.0, 5.0], tf.float64)),
        bins([[1.0], [2.0]], [0.0, 5.0], nbins=3, dtype=tf.int64),
        bins([1.0], [5.0, 0.0], nbins=5),
        bins(tf.zeros([0]), [0.0, 5.0], nbins=3),
        failure(bins, [1.0], [0.0, 5.0], nbins=0)[0],
        tf.function(lambda x: bins(x, [0.0, 5.0], nbins=5))(
            tf.constant(values)
        ),
    )
