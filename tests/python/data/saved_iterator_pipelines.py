"""Small pipelines of every transformation, for tests of saved iterators.

Each entry makes its dataset anew, of a folder of its own; `tf` may be either
library."""

from __future__ import annotations

import pathlib
import sqlite3
import typing

import numpy as np

Make = typing.Callable[..., typing.Any]


def _numbers(tf, n: int = 7):
    return tf.data.Dataset.range(n)


def _words(tf, folder: pathlib.Path) -> list[str]:
    names = []
    for i in range(2):
        path = folder / f"text{i}.txt"
        if not path.exists():
            path.write_text("".join(f"{i}-{j}\n" for j in range(3 + i)))
        names.append(str(path))
    return names


def _records(tf, folder: pathlib.Path, compression: str = "") -> list[str]:
    names = []
    for i in range(2):
        path = str(folder / f"records{i}{compression}")
        if not pathlib.Path(path).exists():
            options = tf.io.TFRecordOptions(compression_type=compression)
            with tf.io.TFRecordWriter(path, options) as writer:
                for j in range(4):
                    writer.write(f"{i}:{j}".encode())
        names.append(path)
    return names


def _table(folder: pathlib.Path) -> str:
    path = folder / "table.csv"
    if not path.exists():
        path.write_text("".join(f"{i},{i / 2}\n" for i in range(6)))
    return str(path)


def _base(folder: pathlib.Path) -> str:
    path = folder / "base.db"
    if not path.exists():
        with sqlite3.connect(path) as base:
            base.execute("create table t(a integer, b text)")
            base.executemany(
                "insert into t values (?, ?)", [(0, "a"), (1, "b"), (2, "c")]
            )
    return str(path)


def _fixed(folder: pathlib.Path) -> str:
    path = folder / "fixed"
    if not path.exists():
        path.write_bytes(bytes(range(60, 80)))
    return str(path)


def _saved(tf, folder: pathlib.Path) -> str:
    path = folder / "saved"
    if not path.exists():
        _numbers(tf).save(str(path), shard_func=lambda x: x % 2)
    return str(path)


def _inner(tf):
    return lambda x: tf.data.Dataset.from_tensors(x).repeat(2)


def _ragged_rows(tf):
    return _numbers(tf).map(lambda x: tf.fill([x % 3], x))


def _map_of_random(tf):
    return lambda x: tf.random.stateless_uniform([], [x, 3], maxval=50, dtype=tf.int32)


def _failing(tf):
    return _numbers(tf).map(
        lambda x: tf.debugging.check_numerics(
            1.0 / tf.cast(x - 3, tf.float32), "not a number"
        )
    )


def _map_with_capture(tf):
    added = tf.constant(5, tf.int64)
    return _numbers(tf).map(lambda x: x + added)


def _no_files(make: Make) -> Make:
    return lambda tf, _: make(tf)


def pipelines() -> dict[str, Make]:
    of = _no_files
    table: dict[str, Make] = {
        "range": of(_numbers),
        "from_tensors": of(lambda tf: tf.data.Dataset.from_tensors([1, 2])),
        "from_tensor_slices": of(
            lambda tf: tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        ),
        "from_list": of(
            lambda tf: tf.data.experimental.from_list([(1, b"a"), (2, b"b")])
        ),
        "counter": of(lambda tf: tf.data.Dataset.counter(3, 2).take(5)),
        "random": of(lambda tf: tf.data.Dataset.random(seed=4).take(5)),
        "random_again": of(
            lambda tf: (
                tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True)
                .take(3)
                .repeat(3)
            )
        ),
        "map": of(lambda tf: _numbers(tf).map(lambda x: x * x)),
        "map_parallel": of(
            lambda tf: _numbers(tf).map(lambda x: x * x, num_parallel_calls=3)
        ),
        "map_stateless_random": of(lambda tf: _numbers(tf).map(_map_of_random(tf))),
        "map_captures": of(_map_with_capture),
        "filter": of(lambda tf: _numbers(tf).filter(lambda x: x % 2 == 0)),
        "take": of(lambda tf: _numbers(tf).take(4)),
        "skip": of(lambda tf: _numbers(tf).skip(3)),
        "shard": of(lambda tf: _numbers(tf).shard(2, 1)),
        "take_while": of(lambda tf: _numbers(tf).take_while(lambda x: x < 5)),
        "repeat": of(lambda tf: _numbers(tf, 3).repeat(3)),
        "enumerate": of(lambda tf: _numbers(tf).enumerate(9)),
        "scan": of(
            lambda tf: _numbers(tf).scan(
                tf.constant(0, tf.int64), lambda s, x: (s + x, s * x)
            )
        ),
        "batch": of(lambda tf: _numbers(tf).batch(3)),
        "batch_whole": of(lambda tf: _numbers(tf).batch(3, drop_remainder=True)),
        "batch_parallel": of(lambda tf: _numbers(tf).batch(2, num_parallel_calls=2)),
        "padded_batch": of(lambda tf: _ragged_rows(tf).padded_batch(2)),
        "ragged_batch": of(lambda tf: _ragged_rows(tf).ragged_batch(2)),
        "sparse_batch": of(lambda tf: _ragged_rows(tf).sparse_batch(2, [4])),
        "unbatch": of(lambda tf: _numbers(tf).batch(3).unbatch()),
        "rebatch": of(lambda tf: _numbers(tf).batch(4).rebatch([2, 1])),
        "bucket_by_sequence_length": of(
            lambda tf: _ragged_rows(tf).bucket_by_sequence_length(
                lambda row: tf.size(row), [1, 2], [2, 2, 2]
            )
        ),
        "window": of(
            lambda tf: _numbers(tf).window(3, shift=2).flat_map(lambda w: w.batch(3))
        ),
        "group_by_window": of(
            lambda tf: _numbers(tf, 11).group_by_window(
                lambda x: x % 3, lambda key, group: group.batch(2), 2
            )
        ),
        "group_by_window_of_many": of(
            lambda tf: _numbers(tf, 11).group_by_window(
                lambda x: x % 2, lambda key, group: group, 4
            )
        ),
        "group_by_reducer": of(
            lambda tf: _numbers(tf).apply(
                tf.data.experimental.group_by_reducer(
                    lambda x: x % 3,
                    tf.data.experimental.Reducer(
                        lambda key: np.int64(0),
                        lambda s, x: s + x,
                        lambda s: s,
                    ),
                )
            )
        ),
        "flat_map": of(lambda tf: _numbers(tf, 4).flat_map(_inner(tf))),
        "interleave": of(
            lambda tf: _numbers(tf).interleave(
                _inner(tf), cycle_length=3, block_length=1
            )
        ),
        "interleave_blocks": of(
            lambda tf: _numbers(tf).interleave(
                lambda x: tf.data.Dataset.range(x),
                cycle_length=2,
                block_length=2,
            )
        ),
        "interleave_parallel": of(
            lambda tf: _numbers(tf).interleave(
                lambda x: tf.data.Dataset.range(x),
                cycle_length=3,
                num_parallel_calls=2,
            )
        ),
        "flat_map_shuffled": of(
            lambda tf: _numbers(tf, 3).flat_map(
                lambda x: tf.data.Dataset.range(4).shuffle(4)
            )
        ),
        "interleave_shuffled": of(
            lambda tf: _numbers(tf, 3).interleave(
                lambda x: tf.data.Dataset.range(4).shuffle(4),
                cycle_length=2,
            )
        ),
        "interleave_parallel_shuffled": of(
            lambda tf: _numbers(tf, 4).interleave(
                lambda x: tf.data.Dataset.range(4).shuffle(4),
                cycle_length=2,
                num_parallel_calls=2,
            )
        ),
        "zip": of(
            lambda tf: tf.data.Dataset.zip((_numbers(tf), _numbers(tf).shuffle(3)))
        ),
        "concatenate": of(
            lambda tf: _numbers(tf, 3).concatenate(_numbers(tf).shuffle(4))
        ),
        "choose_from_datasets": of(
            lambda tf: tf.data.Dataset.choose_from_datasets(
                [_numbers(tf), _numbers(tf).map(lambda x: -x)],
                tf.data.Dataset.range(2).repeat(5).shuffle(4),
            )
        ),
        "sample_from_datasets": of(
            lambda tf: tf.data.Dataset.sample_from_datasets(
                [_numbers(tf), _numbers(tf).map(lambda x: -x)], [0.4, 0.6]
            )
        ),
        "shuffle": of(lambda tf: _numbers(tf).shuffle(3)),
        "shuffle_all": of(lambda tf: _numbers(tf).shuffle(20, seed=2)),
        "shuffle_repeat": of(lambda tf: _numbers(tf, 4).shuffle(3).repeat(3)),
        "shuffle_once_repeat": of(
            lambda tf: (
                _numbers(tf, 4).shuffle(3, reshuffle_each_iteration=False).repeat(3)
            )
        ),
        "shuffle_twice": of(lambda tf: _numbers(tf, 4).shuffle(3).repeat(2).shuffle(4)),
        "shuffle_and_repeat": of(
            lambda tf: _numbers(tf, 4).apply(
                tf.data.experimental.shuffle_and_repeat(3, 2)
            )
        ),
        "prefetch": of(lambda tf: _numbers(tf).shuffle(4).prefetch(3)),
        "prefetch_twice": of(
            lambda tf: (
                _numbers(tf)
                .prefetch(2)
                .map(lambda x: x + 1, num_parallel_calls=2)
                .prefetch(2)
            )
        ),
        "cache": of(lambda tf: _numbers(tf, 4).cache().repeat(2)),
        "cache_of_shuffle": of(lambda tf: _numbers(tf, 4).shuffle(4).cache().repeat(3)),
        "cache_then_shuffle": of(
            lambda tf: _numbers(tf, 4).cache().shuffle(4).repeat(3)
        ),
        "cache_file": lambda tf, folder: (
            _numbers(tf, 4).cache(str(folder / "cache")).repeat(2)
        ),
        "cache_file_of_shuffle": lambda tf, folder: (
            _numbers(tf, 4).shuffle(4).cache(str(folder / "cache")).repeat(3)
        ),
        "unique": of(lambda tf: _numbers(tf).map(lambda x: x // 2).unique()),
        "ignore_errors": of(lambda tf: _failing(tf).ignore_errors()),
        "rejection_resample": of(
            lambda tf: (
                _numbers(tf, 12)
                .map(lambda x: x % 2)
                .rejection_resample(lambda x: tf.cast(x, tf.int32), [0.8, 0.2], seed=3)
            )
        ),
        "assert_cardinality": of(
            lambda tf: (
                _numbers(tf)
                .filter(lambda x: x < 4)
                .apply(tf.data.experimental.assert_cardinality(4))
            )
        ),
        "map_and_batch": of(
            lambda tf: _numbers(tf).apply(
                tf.data.experimental.map_and_batch(lambda x: x + 1, 3)
            )
        ),
        "dense_to_ragged_batch": of(
            lambda tf: _ragged_rows(tf).apply(
                tf.data.experimental.dense_to_ragged_batch(3)
            )
        ),
        "prefetch_to_device": of(
            lambda tf: _numbers(tf).apply(
                tf.data.experimental.prefetch_to_device("/cpu:0")
            )
        ),
        "copy_to_device": of(
            lambda tf: _numbers(tf).apply(tf.data.experimental.copy_to_device("/cpu:0"))
        ),
        "pad_to_cardinality": of(
            lambda tf: (
                _numbers(tf, 3)
                .map(lambda x: {"x": x})
                .apply(tf.data.experimental.pad_to_cardinality(5))
            )
        ),
        "list_files": lambda tf, folder: (
            _words(tf, folder),
            tf.data.Dataset.list_files(str(folder / "*.txt"), seed=3),
        )[1],
        "text_lines": lambda tf, folder: tf.data.TextLineDataset(_words(tf, folder)),
        "records": lambda tf, folder: tf.data.TFRecordDataset(_records(tf, folder)),
        "records_gzip": lambda tf, folder: tf.data.TFRecordDataset(
            _records(tf, folder, "GZIP"), "GZIP"
        ),
        "records_parallel": lambda tf, folder: tf.data.TFRecordDataset(
            _records(tf, folder), num_parallel_reads=2
        ),
        "fixed_length": lambda tf, folder: tf.data.FixedLengthRecordDataset(
            _fixed(folder), 4, header_bytes=1, footer_bytes=3
        ),
        "csv": lambda tf, folder: tf.data.experimental.CsvDataset(
            _table(folder), [tf.int32, tf.float32]
        ),
        "load": lambda tf, folder: tf.data.Dataset.load(_saved(tf, folder)),
        "snapshot": lambda tf, folder: (
            _numbers(tf, 4).snapshot(str(folder / "snapshot")).repeat(2)
        ),
        "snapshot_of_shuffle": lambda tf, folder: (
            _numbers(tf, 4).shuffle(4).snapshot(str(folder / "snapshot")).repeat(3)
        ),
        "sql": lambda tf, folder: tf.data.experimental.SqlDataset(
            "sqlite", _base(folder), "select a, b from t", (tf.int64, tf.string)
        ),
        "training": lambda tf, folder: (
            tf.data.Dataset.from_tensor_slices(_records(tf, folder))
            .shuffle(2)
            .interleave(tf.data.TFRecordDataset, cycle_length=2, num_parallel_calls=2)
            .shuffle(3)
            .repeat(2)
            .map(tf.strings.length, num_parallel_calls=2)
            .batch(3, drop_remainder=True)
            .prefetch(2)
        ),
    }
    return table
