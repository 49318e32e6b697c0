"""What tf.data.experimental makes of datasets and files, and strings that hold
tensors, on both modules."""

from __future__ import annotations

import gzip
import pathlib
import sys
import zlib

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "data"))

import file_programs as programs  # noqa: E402


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def facts(dataset):
    return programs.told(dataset), str(dataset.element_spec), int(dataset.cardinality())


def same(both, program):
    assert program(both.ours) == program(both.theirs)


@pytest.mark.parametrize(
    ("size", "count", "seed"), [(3, 2, 1), (10, 3, 5), (2, 2, None)]
)
def test_shuffle_and_repeat(both, size, count, seed):
    def program(tf):
        tf.random.set_seed(7)
        step = tf.data.experimental.shuffle_and_repeat(size, count, seed)
        return facts(tf.data.Dataset.range(5).apply(step))

    same(both, program)


def test_elements_by_number(both):
    def program(tf):
        at = tf.data.experimental.at
        d = tf.data.Dataset.range(5).map(lambda x: x * x)
        return [outcome(lambda i=i: int(at(d, i))) for i in (0, 3, 4, 5, 9, -1)]

    same(both, program)


def test_padding_to_a_cardinality(both):
    def program(tf):
        pad = tf.data.experimental.pad_to_cardinality
        d = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": ["a", "b"]})
        return [
            outcome(lambda: facts(d.apply(pad(4)))),
            outcome(lambda: facts(d.apply(pad(2, "there")))),
            outcome(lambda: d.apply(pad(1))),
            outcome(lambda: tf.data.Dataset.range(2).apply(pad(3))),
            outcome(lambda: d.repeat().apply(pad(3))),
        ]

    same(both, program)


def test_random_datasets(both):
    def program(tf):
        make = tf.data.experimental.RandomDataset
        return [facts(make(seed=4).take(3)), tf.data.experimental.SHARD_HINT]

    same(both, program)


def examples(tf, n):
    made = []
    for i in range(n):
        x = tf.train.Example()
        x.features.feature["n"].int64_list.value.append(i)
        x.features.feature["t"].bytes_list.value.extend([b"a"] * (i % 3))
        made.append(x.SerializeToString())
    return made


def wanted(tf):
    return {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "m": tf.io.FixedLenFeature([2], tf.float32, [0.5, 1.5]),
    }


def test_parsed_datasets(both):
    def program(tf):
        parse = tf.data.experimental.parse_example_dataset
        d = tf.data.Dataset.from_tensor_slices(examples(tf, 5)).batch(2)
        return [
            facts(d.apply(parse(wanted(tf), 2))),
            outcome(lambda: parse(None)),
            outcome(lambda: tf.data.Dataset.range(2).apply(parse(wanted(tf)))),
            outcome(lambda: d.unbatch().apply(parse(wanted(tf)))),
        ]

    same(both, program)


BATCHED = [
    {"num_epochs": 1, "shuffle": False},
    {"num_epochs": 2, "shuffle": False, "label_key": "n"},
    {"num_epochs": 1, "shuffle_seed": 3},
    {"num_epochs": 1, "shuffle": False, "drop_final_batch": True},
    {"num_epochs": 1, "shuffle": False, "reader_num_threads": 2},
    {"shuffle": False, "label_key": "none"},
    {"shuffle": False},
]


@pytest.mark.parametrize("arguments", BATCHED, ids=str)
def test_batched_features(both, tmp_path, arguments):
    for i, name in enumerate("ab"):
        with both.theirs.io.TFRecordWriter(str(tmp_path / name)) as writer:
            for x in examples(both.theirs, 3 + i):
                writer.write(x)

    def program(tf):
        make = tf.data.experimental.make_batched_features_dataset
        return outcome(
            lambda: facts(make(str(tmp_path / "*"), 2, wanted(tf), **arguments))
        )

    same(both, program)


@pytest.mark.parametrize("buckets", [0, 2])
def test_tables_of_datasets(both, buckets):
    def program(tf):
        make = tf.data.experimental.index_table_from_dataset
        keys = tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
        table = make(keys, num_oov_buckets=buckets)
        few = make(keys, vocab_size=2)
        asked = tf.constant(["c", "a", "q", "zz"])
        return [t.lookup(asked).numpy().tolist() for t in (table, few)]

    same(both, program)


def test_wrong_tables(both):
    def program(tf):
        make = tf.data.experimental.table_from_dataset
        D = tf.data.Dataset
        pairs = D.from_tensor_slices((["a"], ["b"]))
        numbers = D.from_tensor_slices((["a"], [1]))
        return [
            outcome(lambda: make(pairs)),
            outcome(lambda: make(numbers, num_oov_buckets=-1)),
            outcome(lambda: make(numbers, vocab_size=0)),
            outcome(lambda: make(numbers, key_dtype=tf.float32)),
        ]

    same(both, program)


def test_strings_of_sparse_tensors(both):
    def program(tf):
        io = tf.io
        s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
        many = io.serialize_many_sparse(s)

        def plain(x):
            return [t.numpy().tolist() for t in (x.indices, x.values, x.dense_shape)]

        return [
            io.serialize_sparse(s).shape.as_list(),
            many.shape.as_list(),
            io.serialize_sparse(s, out_type=tf.variant).shape.as_list(),
            *[
                outcome(
                    lambda r=r: plain(io.deserialize_many_sparse(many, tf.int32, r))
                )
                for r in (None, 1, 2, 3)
            ],
            outcome(lambda: io.deserialize_many_sparse(many, tf.int64)),
            outcome(lambda: io.serialize_sparse(tf.constant([1]))),
        ]

    same(both, program)


def test_compressed_strings(both):
    z, g = zlib.compress(b"hello" * 5), gzip.compress(b"hello")

    def program(tf):
        calls = [
            ([z, zlib.compress(b"")], "ZLIB"),
            (g, "GZIP"),
            (g + g, "GZIP"),
            (g + b"junk", "GZIP"),
            (z + b"junk", "ZLIB"),
            ([b"a", b""], ""),
            (b"", "GZIP"),
            (b"xxxxxxx", "GZIP"),
            (b"x", "other"),
        ]
        return [
            outcome(
                lambda c=c: np.asarray(tf.io.decode_compressed(*c).numpy()).tolist()
            )
            for c in calls
        ]

    same(both, program)
