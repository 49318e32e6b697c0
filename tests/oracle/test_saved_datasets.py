"""Datasets that one module saves and both load: elements, specs, cardinality,
the class of errors."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "data"))

import file_programs as programs  # noqa: E402


def scalars(tf):
    return tf.data.Dataset.range(5)


def nested(tf):
    return tf.data.Dataset.range(4).map(
        lambda x: ({"a": tf.fill([2, x], 0.5)}, (x, tf.strings.as_string(x)))
    )


def ragged(tf):
    rows = tf.ragged.constant([[1], [], [2, 3]])
    return tf.data.Dataset.from_tensors(rows).repeat(2)


def sparse(tf):
    return tf.data.Dataset.from_tensors((tf.sparse.from_dense([[1, 0, 2]]), 1.5))


def empty(tf):
    return tf.data.Dataset.range(3).take(0)


def kinds(tf):
    types = (tf.bool, tf.uint8, tf.bfloat16, tf.half, tf.complex64, tf.int16)
    return tf.data.Dataset.range(2).map(lambda x: tuple(tf.cast(x, t) for t in types))


MAKERS = [scalars, nested, ragged, sparse, empty, kinds]


def shown(dataset):
    def plain(x):
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        if isinstance(x, tuple):
            return tuple(plain(v) for v in x)
        if hasattr(x, "to_list"):
            return x.to_list()
        if hasattr(x, "indices"):
            return [t.numpy().tolist() for t in (x.indices, x.values, x.dense_shape)]
        return repr(x.dtype), np.asarray(x.numpy()).tolist()

    return (
        [plain(x) for x in dataset],
        str(dataset.element_spec),
        int(dataset.cardinality()),
    )


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY", "AUTO"])
@pytest.mark.parametrize("make", MAKERS)
def test_both_load_what_either_saves(both, tmp_path, make, compression):
    found = []
    for i, saver in enumerate((both.ours, both.theirs)):
        folder = str(tmp_path / str(i))
        make(saver).save(folder, compression=compression)
        for tf in (both.ours, both.theirs):
            loaded = tf.data.Dataset.load(folder, compression=compression)
            found.append(shown(loaded))
    assert all(f == found[0] for f in found)


@pytest.mark.parametrize("saver", ["ours", "theirs"])
def test_shards(both, tmp_path, saver):
    folder = str(tmp_path / "a")
    d = getattr(both, saver).data.Dataset.range(9)
    d.save(folder, shard_func=lambda x: x % 3)

    def program(tf):
        load = tf.data.Dataset.load
        return [
            programs.told(load(folder)),
            programs.told(load(folder, reader_func=lambda s: s.flat_map(lambda x: x))),
            programs.told(
                load(
                    folder,
                    reader_func=lambda s: s.interleave(lambda x: x, cycle_length=2),
                )
            ),
        ]

    assert program(both.ours) == program(both.theirs)


def test_saved_again(both, tmp_path):
    def program(tf):
        folder = str(tmp_path / tf.__name__.split(".")[0])
        tf.data.Dataset.range(5).save(folder)
        first = tf.data.Dataset.load(folder)
        tf.data.Dataset.range(2).save(folder)
        return [programs.told(d) for d in (tf.data.Dataset.load(folder), first)]

    assert program(both.ours) == program(both.theirs)


def test_wrong_calls(both, tmp_path):
    def outcome(call):
        try:
            return call()
        except Exception as error:
            return type(error).__name__

    def program(tf):
        folder = str(tmp_path / tf.__name__.split(".")[0])
        d = tf.data.Dataset.range(3)
        return [
            outcome(lambda: tf.data.Dataset.load(folder)),
            outcome(lambda: d.save(folder, shard_func=lambda x: tf.constant("a"))),
        ]

    assert program(both.ours)[0] == program(both.theirs)[0]
