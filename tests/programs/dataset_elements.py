"""tf.data: ragged and sparse elements, batches of all kinds, windows, choices
and options."""

from __future__ import annotations

import numpy as np
from outcomes import better, failure


def _value(x):
    """What an element says, for all modules the same."""
    if hasattr(x, "to_list"):
        return ["ragged", str(x.dtype), x.to_list(), x.ragged_rank]
    if hasattr(x, "dense_shape"):
        return ["sparse", x.indices, x.values, x.dense_shape]
    if hasattr(x, "element_spec"):
        return ["dataset", [_value(y) for y in x]]
    if isinstance(x, (tuple, list)):
        return [_value(y) for y in x]
    if isinstance(x, dict):
        return {k: _value(v) for k, v in x.items()}
    return x


def _told(dataset, most=20) -> list:
    return [
        str(dataset), int(dataset.cardinality()),
        [_value(x) for x in dataset.take(most)],
    ]


def _said(f, *args) -> list:
    found = failure(f, *args)
    return [found[0], str(found[1]).split(" [Op:")[0]]


def _ragged(tf):
    return tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])


def _sparse(tf):
    return tf.SparseTensor([[0, 1], [2, 0], [3, 2]], [5, 6, 7], [4, 3])


def _rows(tf, n=5):
    return tf.data.Dataset.range(n).map(lambda x: tf.fill([x], x))


# --- Ragged and sparse elements.


def program_slices_of_ragged(tf):
    D = tf.data.Dataset
    deep = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
    even = tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
    words = tf.ragged.constant([["a", "bc"], [], ["d"]])
    return [
        _told(D.from_tensor_slices(r))
        for r in (
            _ragged(tf), deep, even, words,
            {"a": _ragged(tf), "b": [1, 2, 3, 4]},
            tf.RaggedTensor.from_row_splits(
                [1.0, 2.0], np.array([0, 2, 2], np.int32)
            ),
        )
    ]


def program_slices_of_sparse(tf):
    D = tf.data.Dataset
    cube = tf.SparseTensor([[0, 0, 1], [1, 1, 0]], ["a", "b"], [2, 2, 2])
    return [
        _told(D.from_tensor_slices(s))
        for s in (_sparse(tf), cube, (_sparse(tf), _ragged(tf)))
    ]


def program_whole_composites(tf):
    D = tf.data.Dataset
    return [
        _told(d)
        for d in (
            D.from_tensors(_ragged(tf)), D.from_tensors(_sparse(tf)),
            D.from_tensors((_sparse(tf), {"r": _ragged(tf)})).repeat(2),
        )
    ]


def program_batches_of_composites(tf):
    D = tf.data.Dataset
    r, s = D.from_tensor_slices(_ragged(tf)), D.from_tensor_slices(_sparse(tf))
    whole = D.from_tensors(_ragged(tf)).repeat(3)
    return [
        _told(d)
        for d in (
            r.batch(3), r.batch(3, drop_remainder=True), r.batch(2).batch(2),
            s.batch(3), s.batch(2, drop_remainder=True), s.batch(2).batch(2),
            whole.batch(2), D.zip(r, s).batch(3),
            r.batch(3, num_parallel_calls=2),
        )
    ]


def program_unbatched_composites(tf):
    D = tf.data.Dataset
    r, s = D.from_tensors(_ragged(tf)), D.from_tensors(_sparse(tf))
    return [
        _told(d)
        for d in (
            r.unbatch(), s.unbatch(), D.zip(r, s).unbatch(),
            D.from_tensor_slices(_ragged(tf)).batch(3).unbatch(),
            D.from_tensor_slices(_sparse(tf)).batch(3).unbatch(),
            D.from_tensors(
                (_ragged(tf), tf.constant([1.0, 2.0, 3.0, 4.0]))
            ).unbatch(),
        )
    ]


def program_steps_with_composites(tf):
    tf.random.set_seed(2)
    D = tf.data.Dataset
    r, s = D.from_tensor_slices(_ragged(tf)), D.from_tensor_slices(_sparse(tf))
    whole = D.from_tensors(_ragged(tf))
    return [
        _told(d)
        for d in (
            whole.map(lambda x: x * 2), whole.map(lambda x: x.row_lengths()),
            r.map(lambda x: tf.reduce_sum(x)), s.map(tf.sparse.to_dense),
            r.filter(lambda x: tf.size(x) > 1), r.shuffle(4, seed=1),
            s.shuffle(4, seed=1), r.cache().repeat(2), r.prefetch(2),
            r.enumerate(), r.concatenate(r), s.concatenate(s), r.shard(2, 1),
            D.range(2).map(
                lambda n: tf.RaggedTensor.from_row_lengths(
                    tf.range(2 * n + 1), tf.stack([n, n + 1])
                )
            ),
            D.range(3).map(lambda n: tf.sparse.from_dense(tf.one_hot(n, 3))),
            D.range(2).flat_map(lambda n: D.from_tensor_slices(_ragged(tf))),
            whole.interleave(D.from_tensor_slices, cycle_length=1),
            r.take_while(lambda x: tf.size(x) > 0),
            whole.map(lambda x: x + 1, num_parallel_calls=2),
        )
    ]


def program_loops_over_composites(tf):
    D = tf.data.Dataset

    @tf.function
    def lengths(d):
        total = tf.constant(0)
        for x in d:
            total += tf.size(x)
        return total

    @tf.function
    def summed(d):
        total = tf.constant(0)
        for x in d:
            total += tf.reduce_sum(x)
        return total

    @tf.function
    def entries(it):
        return next(it).values

    r, s = D.from_tensor_slices(_ragged(tf)), D.from_tensor_slices(_sparse(tf))
    return [
        lengths(r), summed(r.batch(2)), entries(iter(s)),
        s.reduce(0, lambda n, x: n + tf.size(x.values)),
        r.batch(4).get_single_element().to_list(),
        [x for x in r.as_numpy_iterator()],
        summed.experimental_get_tracing_count(),
    ]


def program_generators_of_composites(tf):
    def g():
        yield tf.ragged.constant([[1], [2, 3]])
        yield tf.ragged.constant([[], [4]], dtype=tf.int32)

    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    d = tf.data.Dataset.from_generator(g, output_signature=spec)
    return [_told(d), _told(d.batch(2)), _told(d.unbatch())]


def program_optionals_of_composites(tf):
    it = iter(tf.data.Dataset.from_tensors(_ragged(tf)))
    first = it.get_next_as_optional()
    full = tf.experimental.Optional.from_value(_sparse(tf))
    return [
        _value(first.get_value()), _value(full.get_value()),
        str(first.element_spec), str(full.element_spec),
    ]


# --- Batches.


def program_padded_batches(tf):
    D = tf.data.Dataset
    r = _rows(tf)
    pairs = D.range(3).map(lambda x: (x, {"s": tf.fill([x, 1], "a")}))
    return [
        _told(d)
        for d in (
            r.padded_batch(2), r.padded_batch(3, drop_remainder=True),
            r.padded_batch(2, padded_shapes=[None]),
            r.padded_batch(2, padded_shapes=[6]),
            r.padded_batch(2, padded_shapes=tf.TensorShape([None])),
            r.padded_batch(2, padding_values=tf.constant(-1, tf.int64)),
            pairs.padded_batch(2), pairs.padded_batch(
                2, padded_shapes=([], {"s": [None, 2]}),
                padding_values=(None, {"s": "z"}),
            ),
            D.range(5).padded_batch(2), D.range(0).padded_batch(2),
        )
    ]


def program_ragged_batches(tf):
    D = tf.data.Dataset
    return [
        _told(d)
        for d in (
            _rows(tf).ragged_batch(2),
            _rows(tf).ragged_batch(3, drop_remainder=True),
            _rows(tf).ragged_batch(2, row_splits_dtype=tf.int32),
            D.range(5).ragged_batch(2),
            D.range(3).map(lambda x: tf.fill([2, x], x)).ragged_batch(2),
            D.range(3).map(lambda x: (x, tf.fill([x, 2], x))).ragged_batch(3),
        )
    ]


def program_sparse_batches(tf):
    D = tf.data.Dataset
    return [
        _told(d)
        for d in (
            _rows(tf).sparse_batch(2, [6]), _rows(tf).sparse_batch(3, [None]),
            D.range(3).sparse_batch(2, []),
            D.range(3).map(lambda x: tf.fill([x, 2], 1.5)).sparse_batch(
                2, [3, 2]
            ),
        )
    ]


def program_rebatched(tf):
    D = tf.data.Dataset
    r = D.range(10).batch(4)
    pairs = D.range(7).map(lambda x: (x, [x, -x])).batch(3)
    return [
        _told(d)
        for d in (
            r.rebatch(3), r.rebatch(3, drop_remainder=True), r.rebatch(20),
            r.rebatch([1, 4]), r.rebatch(2).rebatch(5), pairs.rebatch(2),
            D.from_tensor_slices(_ragged(tf)).batch(3).rebatch(2),
        )
    ]


# --- Windows and groups.


def program_windows(tf):
    D = tf.data.Dataset
    r = D.range(7)
    return [
        _told(d)
        for d in (
            r.window(3), r.window(3, drop_remainder=True), r.window(2, 1),
            r.window(3, 1, 2), r.window(3, 1, 2, True), r.window(2, 5),
            r.window(9), r.window(9, drop_remainder=True), r.window(1, 3, 4),
            D.from_tensor_slices(({"a": [1, 2, 3]}, [4, 5, 6])).window(2),
            D.from_tensor_slices(_ragged(tf)).window(2),
            D.from_tensor_slices(_sparse(tf)).window(3),
            r.window(3).flat_map(lambda w: w.batch(3)),
            r.window(3, 1, 1, True).map(
                lambda w: w.reduce(np.int64(0), lambda a, x: a + x)
            ),
        )
    ]


def program_windows_in_functions(tf):
    @tf.function
    def f(d):
        total = tf.constant(0, tf.int64)
        for w in d.window(2):
            part = tf.constant(1, tf.int64)
            for x in w:
                part *= x + 1
            total += part
        return total

    return [f(tf.data.Dataset.range(5)), f(tf.data.Dataset.range(2))]


def program_groups(tf):
    D = tf.data.Dataset
    r = D.range(11)

    def by(x):
        return tf.where(x > 8, tf.constant(7, tf.int64), x % 3)

    return [
        _told(d)
        for d in (
            r.group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), 4),
            r.group_by_window(by, lambda k, d: d.batch(4), window_size=4),
            r.group_by_window(
                lambda x: x % 2, lambda k, d: d.batch(10),
                window_size_func=lambda k: k + 1,
            ),
            r.group_by_window(
                lambda x: x % 2, lambda k, d: D.zip(d, D.range(k, k + 9)), 3
            ),
            D.from_tensor_slices(([3, 1, 2], ["a", "b", "c"])).group_by_window(
                lambda n, s: tf.cast(n, tf.int64), lambda k, d: d, 2
            ),
        )
    ]


def program_buckets(tf):
    r = _rows(tf, 8)

    def length(x):
        return tf.shape(x)[0]

    return [
        _told(d)
        for d in (
            r.bucket_by_sequence_length(length, [3, 5], [2, 2, 2]),
            r.bucket_by_sequence_length(
                length, [3, 5], [2, 2, 2], drop_remainder=True,
                padding_values=tf.constant(-1, tf.int64),
            ),
            r.bucket_by_sequence_length(
                length, [3, 9], [2, 2, 2], pad_to_bucket_boundary=True
            ),
            r.bucket_by_sequence_length(
                length, [3, 5], [1, 1, 1], no_padding=True
            ),
        )
    ]


# --- Others.


def program_unique_elements(tf):
    D = tf.data.Dataset
    return [
        _told(d)
        for d in (
            D.from_tensor_slices([1, 2, 1, 3, 2]).unique(),
            D.from_tensor_slices(["a", "", "a", "b"]).unique(),
            D.from_tensor_slices([[1, 2], [2, 1], [1, 2]]).unique(),
        )
    ]


@better([[1, 3], [2]])
def program_groups_by_control_flow(tf):
    def by(x):
        if x > 1:
            return x % 2
        return tf.constant(1, tf.int64)

    d = tf.data.Dataset.range(1, 4).group_by_window(
        by, lambda k, d: d.batch(2), 2
    )
    return sorted([int(x) for x in b] for b in d)


@better([2, 2])
def program_sparse_batch_of_minus_one(tf):
    batch = next(iter(_rows(tf, 3).skip(1).sparse_batch(2, [-1])))
    return [int(n) for n in batch.dense_shape]


@better([1, 2])
def program_unique_pairs(tf):
    d = tf.data.Dataset.from_tensor_slices(([1, 1, 2], [3, 3, 3])).unique()
    return [int(a) for a, _ in d]


def program_chosen(tf):
    D = tf.data.Dataset
    a, b = D.range(3), D.range(10, 15)
    i = D.from_tensor_slices(np.array([0, 1, 1, 0, 0, 0, 1], np.int64))
    return [
        _told(d)
        for d in (
            D.choose_from_datasets([a, b], i),
            D.choose_from_datasets([a, b], i, stop_on_empty_dataset=False),
            D.choose_from_datasets([a, b], D.range(2).repeat()),
            D.choose_from_datasets([a, b.repeat()], D.range(2).repeat(5)),
            D.choose_from_datasets(
                [D.from_tensors([1]), D.from_tensors([1, 2])], D.range(2)
            ),
        )
    ]


def program_sampled(tf):
    D = tf.data.Dataset
    tf.random.set_seed(7)
    a, b = D.range(6), D.range(10, 16)
    weights = D.from_tensors([0.9, 0.1]).repeat()
    results = []
    for d in (
        D.sample_from_datasets([a, b], seed=1),
        D.sample_from_datasets([a, b], [0.2, 0.8], seed=2),
        D.sample_from_datasets([a, b], tf.constant([0.5, 0.5]), seed=2),
        D.sample_from_datasets([a, b], weights, seed=2),
        D.sample_from_datasets([a, b], [0.2, 0.8], 2, True),
        D.sample_from_datasets([a, b], [1.0, 0.0], seed=2),
        D.sample_from_datasets([a, b], rerandomize_each_iteration=True, seed=4),
        D.sample_from_datasets([a, b]),
    ):
        results += [_told(d), [int(x) for x in d]]
    return results


def program_random_datasets(tf):
    D = tf.data.Dataset
    tf.random.set_seed(5)
    results = []
    for d in (
        D.random(seed=4), D.random(4, rerandomize_each_iteration=True),
        D.random(),
    ):
        results += [_told(d, 3), _told(d, 3)]
    return results


def program_resampled(tf):
    tf.random.set_seed(9)
    D = tf.data.Dataset
    d = D.from_tensor_slices([0] * 40 + [1] * 30 + [2] * 30)
    d = d.shuffle(100, seed=1, reshuffle_each_iteration=False)
    target, initial = [0.3, 0.35, 0.35], [0.4, 0.3, 0.3]
    results = []
    for r in (
        d.rejection_resample(lambda x: x, target, initial, seed=3),
        d.rejection_resample(lambda x: x, target, target, seed=3),
    ):
        results += [str(r.element_spec), [int(c) for c, _ in r]]
    return results


def program_counters(tf):
    D = tf.data.Dataset
    return [
        _told(d, 3)
        for d in (
            D.counter(), D.counter(3), D.counter(3, -2),
            D.counter(dtype=tf.int32), D.counter(0.5, 0.25, tf.float32),
        )
    ]


def program_errors_ignored(tf):
    D = tf.data.Dataset
    d = D.from_tensor_slices([1, 0, 2, 0]).map(lambda x: 4 // x)
    return [_told(d.ignore_errors()), _told(D.range(2).ignore_errors())]


def program_options(tf):
    D = tf.data.Dataset
    o = tf.data.Options()
    first = [o.deterministic, o.threading.private_threadpool_size]
    o.deterministic = False
    o.threading.private_threadpool_size = 3
    p = tf.data.Options()
    p.experimental_slack = True
    p.threading.max_intra_op_parallelism = 2
    d = D.range(3).with_options(o).map(lambda x: x + 1).with_options(p)
    got = d.options()
    return [
        first, got.deterministic, got.experimental_slack,
        got.threading.private_threadpool_size,
        got.threading.max_intra_op_parallelism,
        _told(d), o == tf.data.Options(), o == o.merge(tf.data.Options()),
        D.zip(d, D.range(2)).options() == got,
        failure(setattr, o, "deterministic", 3),
        failure(setattr, o, "nothing", 3)[0],
        failure(setattr, got, "deterministic", True)[0],
        o.experimental_distribute.auto_shard_policy.name,
        tf.data.experimental.AutoShardPolicy.FILE.value,
    ]


def program_wrappers(tf):
    E, D = tf.data.experimental, tf.data.Dataset
    r = D.range(6)
    return [
        _told(r.apply(f))
        for f in (
            E.ignore_errors(), E.dense_to_ragged_batch(2),
            E.assert_cardinality(6),
            E.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3),
            E.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5]),
        )
    ] + [
        _told(_rows(tf).apply(E.dense_to_sparse_batch(2, [9]))),
        _told(E.Counter(5), 2),
        _told(E.choose_from_datasets([r, r], D.range(2))),
        _said(list, r.apply(E.assert_cardinality(7))),
        _said(list, r.apply(E.assert_cardinality(1))),
    ]


def program_composite_refusals(tf):
    D = tf.data.Dataset
    r = _rows(tf)
    unknown = D.from_generator(lambda: [1], tf.int32)
    return [
        _said(D.from_tensor_slices(_ragged(tf)).padded_batch, 2),
        _said(lambda: r.padded_batch(2, padded_shapes=[5, 2])),
        _said(lambda: list(r.padded_batch(3, padded_shapes=[2]))),
        _said(unknown.padded_batch, 2),
        _said(r.padded_batch, 0),
        _said(D.range(3).window, 0), _said(D.range(3).window, 2, 0),
        _said(D.range(3).window, 2, 1, 0), _said(D.range(3).rebatch, 2),
        _said(r.group_by_window, lambda x: x, lambda k, d: d),
        _said(
            lambda: list(
                D.range(3).group_by_window(lambda x: x, lambda k, d: d, 0)
            )
        ),
        _said(r.bucket_by_sequence_length, lambda x: 1, [3], [2]),
        _said(D.choose_from_datasets, [], D.range(3)),
        _said(D.choose_from_datasets, [r], D.from_tensors(1.0)),
        _said(lambda: list(D.choose_from_datasets([r], D.range(4, 5)))),
        _said(D.sample_from_datasets, [r, r], [1.0]),
        _said(D.sample_from_datasets, []),
        _said(D.zip(r, r).sparse_batch, 2, [3]),
        _said(lambda: list(r.sparse_batch(9, [2])))[0],
        failure(D.from_tensor_slices(1.0 * np.arange(2)).unique)[0],
        failure(r.group_by_window, lambda x: 1.5, lambda k, d: d, 2)[0],
        failure(
            D.range(3).group_by_window, lambda x: x, lambda k, d: 3, 2
        )[0],
    ]


def program_older_wrappers(tf):
    E, D = tf.data.experimental, tf.data.Dataset
    r = D.range(6)
    mean = E.Reducer(
        lambda key: (0.0, 0),
        lambda s, x: (s[0] + tf.cast(x, tf.float32), s[1] + 1),
        lambda total, n: total / tf.cast(n, tf.float32),
    )
    return [
        [_value(x) for x in r.apply(f)]
        for f in (
            E.map_and_batch(lambda x: x * x, 4),
            E.map_and_batch(lambda x: x * x, 4, 2, True),
            E.map_and_batch(lambda x: -x, 2, num_parallel_calls=2),
            E.parallel_interleave(D.range, 1),
            E.group_by_reducer(lambda x: x % 2, mean),
            E.copy_to_device("/cpu:0"),
        )
    ] + [
        mean.finalize_func(tf.constant(3.0), tf.constant(2)),
        failure(E.map_and_batch, lambda x: x, 2, 1, False, 1)[0],
    ]
