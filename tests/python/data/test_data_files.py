"""Datasets of what is in files: what they hold open, who waits for them, what
is said of files that are damaged."""

from __future__ import annotations

import gc
import gzip
import os
import struct
import threading
import time

import file_programs as programs
import pytest

import graphkiln as tf

E = tf.errors


@pytest.fixture
def files(tmp_path):
    programs.records(tf, tmp_path)
    for name, content in programs.TEXTS.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def test_records_that_were_written_are_read(files):
    rows = [b"a", b"b" * 20, b"", b"dd"]
    for name, kind in (("plain", None), ("gzip", "GZIP"), ("zlib", "ZLIB")):
        dataset = tf.data.TFRecordDataset(files / name, kind)
        assert list(dataset.as_numpy_iterator()) == rows
        iterator = tf.compat.v1.io.tf_record_iterator(files / name, kind)
        assert list(iterator) == rows


def test_files_are_closed(files):
    before = open_files()
    for name in ("plain", "length", "gzip_cut", "lines", "huge"):
        for make in (
            lambda n: tf.data.TFRecordDataset(n),
            lambda n: tf.data.TFRecordDataset(n, "GZIP"),
            lambda n: tf.data.TextLineDataset(n),
            lambda n: tf.data.FixedLengthRecordDataset(n, 1),
            lambda n: tf.data.experimental.CsvDataset(n, [tf.string]),
        ):
            programs.told(make(str(files / name)))
            iterator = iter(make([str(files / name)] * 2).prefetch(3))
            try:
                next(iterator)
            except (E.DataLossError, E.InvalidArgumentError):
                pass
            del iterator
    for _ in range(50):
        if open_files() <= before:
            break
        time.sleep(0.02)
    assert open_files() <= before


@pytest.mark.parametrize("length", [1 << 40, (1 << 63) - 1, (1 << 64) - 1])
def test_lengths_that_no_file_has_claim_no_memory(files, length):
    # The checksum of the length is right.
    header = struct.pack("<Q", length)
    path = files / "long"
    path.write_bytes(header + masked_crc(header) + b"x" * 100)
    with pytest.raises(E.DataLossError, match=f"{path}: truncated record at 0"):
        list(tf.data.TFRecordDataset(str(path)))


def masked_crc(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    rotated = ((crc >> 15) | (crc << 17)) & 0xFFFFFFFF
    return struct.pack("<I", (rotated + 0xA282EAD8) & 0xFFFFFFFF)


@pytest.mark.parametrize("cut", range(1, 50, 6))
def test_compressed_files_that_are_cut_off(files, cut):
    path = files / "cut"
    path.write_bytes((files / "gzip").read_bytes()[:-cut])
    shown = programs.told(tf.data.TFRecordDataset(str(path), "GZIP"))
    # TensorFlow takes a file that lacks its last checksum for whole.
    assert shown[-2:] == ["DataLossError", "end"]
    rows = [b"a", b"b" * 20, b"", b"dd"]
    assert shown[:-2] == rows[: len(shown) - 2]


def test_others_go_on_while_files_are_read(tmp_path):
    path = tmp_path / "large"
    size = 150_000_000
    path.write_bytes(gzip.compress(bytes(size), compresslevel=1))
    turns, done = [], threading.Event()

    def count():
        while not done.is_set():
            turns.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    records = tf.data.FixedLengthRecordDataset(
        path, size, compression_type="GZIP"
    )
    assert len(next(iter(records)).numpy()) == size
    end = time.perf_counter()
    done.set()
    thread.join()
    within = [t for t in turns if start < t < end]
    # Whoever holds the GIL all the time lets nobody in.
    assert len(within) > 5


def test_errors_say_the_file_and_the_record(files):
    for name, text in (
        ("second_data", "corrupted record at 17"),
        ("within_the_data", "truncated record at 69"),
        ("gzip", r"corrupted record at 0 \(Is this even a TFRecord file\?\)"),
    ):
        with pytest.raises(E.DataLossError, match=f"{files / name}: {text}"):
            list(tf.data.TFRecordDataset(str(files / name)))
    path = files / "rows"
    path.write_text("1\nx\n")
    with pytest.raises(E.InvalidArgumentError, match=f"{path}: Field 0 in record"):
        list(tf.data.experimental.CsvDataset(str(path), [tf.int32]))


def test_writers(tmp_path):
    path = tmp_path / "a"
    with tf.io.TFRecordWriter(path) as writer:
        writer.write("text")
        writer.write(bytearray(b"bytes"))
        writer.flush()
        assert len(list(tf.data.TFRecordDataset(path))) == 2
        with pytest.raises(TypeError, match="a record is bytes or str"):
            writer.write(3)
    with pytest.raises(E.FailedPreconditionError, match="is closed"):
        writer.write(b"more")
    writer.close()
    with pytest.raises(ValueError, match="Not a valid compression_type"):
        tf.io.TFRecordWriter(path, "other")
    with pytest.raises(E.InvalidArgumentError, match="level 33"):
        options = tf.io.TFRecordOptions("GZIP", compression_level=33)
        tf.io.TFRecordWriter(path, options)
    # What was there is left alone.
    assert len(list(tf.data.TFRecordDataset(path))) == 2
    with pytest.raises(E.NotFoundError):
        tf.io.TFRecordWriter(tmp_path / "none" / "a")


def test_in_functions_and_of_names_that_only_the_graph_knows(files):
    @tf.function
    def count(names, compression):
        n = 0
        for record in tf.data.TFRecordDataset(names, compression):
            n += tf.strings.length(record)
        return n

    assert int(count([str(files / "plain")] * 2, "")) == 46
    assert int(count([str(files / "gzip")], "GZIP")) == 23

    @tf.function
    def named(pattern):
        names = tf.data.Dataset.list_files(pattern, shuffle=False)
        return names.reduce(tf.constant(""), lambda a, b: a + b)

    with pytest.raises(E.InvalidArgumentError, match="No files matched pattern"):
        named(str(files / "none*"))


def test_subclasses_and_types(files):
    class Mine(tf.data.TextLineDataset):
        pass

    dataset = Mine(str(files / "ended"))
    assert isinstance(dataset, tf.data.Dataset)
    assert list(dataset.as_numpy_iterator()) == [b"x", b"y"]
    assert isinstance(dataset.take(1), tf.data.Dataset)
    names = tf.data.Dataset.from_tensors(str(files / "ended"))
    assert list(names.interleave(tf.data.TextLineDataset).as_numpy_iterator()) == [
        b"x",
        b"y",
    ]


def test_interrupted_iterations_end(files):
    path = files / "many"
    path.write_text("line\n" * 200_000)
    lines = tf.data.TextLineDataset(str(path)).repeat().prefetch(4)
    iterator = iter(lines)
    for _ in range(10):
        next(iterator)
    start = time.monotonic()
    del iterator
    gc.collect()
    assert time.monotonic() - start < 5


# --- Saved datasets.


def saved(folder, n=4, **arguments):
    tf.data.Dataset.range(n).save(str(folder), **arguments)
    return folder


def shard_files(folder):
    return sorted(folder.rglob("*.snapshot"))


def test_saved_datasets_that_are_damaged(tmp_path):
    folder = saved(tmp_path / "a")
    load = tf.data.Dataset.load
    (file,) = shard_files(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    assert programs.told(load(str(folder))) == [0, 1, 2, "DataLossError", "end"]
    file.write_bytes(whole[:20] + b"\xff" + whole[21:])
    assert programs.told(load(str(folder)))[0] == "DataLossError"
    metadata = folder / "snapshot.metadata"
    good = metadata.read_bytes()
    for bad in (b"", b"\xff" * 20, good[:-1], b"\x12\x02..", b"\x12\x03a/b"):
        metadata.write_bytes(bad)
        with pytest.raises(E.DataLossError, match="snapshot.metadata"):
            load(str(folder))
    # Without the last field it is not finalized.
    metadata.write_bytes(good[:-3])
    with pytest.raises(E.FailedPreconditionError, match="not complete"):
        load(str(folder))
    metadata.write_bytes(good)
    with pytest.raises(E.InvalidArgumentError, match=r"\(int64\), not \(string\)"):
        load(str(folder), element_spec=tf.TensorSpec([], tf.string))
    spec = folder / "dataset_spec.pb"
    for bad in (b"\xff\xff", b"\x0a\x00" * 0 + b"\x60\x02"):
        spec.write_bytes(bad)
        with pytest.raises(E.DataLossError, match="spec"):
            load(str(folder))
    metadata.unlink()
    with pytest.raises(E.NotFoundError):
        load(str(folder), element_spec=tf.TensorSpec([], tf.int64))


def test_a_save_that_fails_leaves_the_elements_that_were_there(tmp_path):
    folder = saved(tmp_path / "a")
    bad = tf.data.Dataset.range(9).map(
        lambda x: tf.debugging.check_numerics(1 / (5 - tf.cast(x, tf.float32)), "no")
    )
    with pytest.raises(E.InvalidArgumentError):
        bad.map(lambda x: tf.cast(x, tf.int64)).save(str(folder))
    assert programs.told(tf.data.Dataset.load(str(folder)))[:-1] == [0, 1, 2, 3]


def test_saving_what_cannot_be(tmp_path):
    d = tf.data.Dataset.range(3)
    folder = str(tmp_path)
    with pytest.raises(E.InvalidArgumentError, match="compression"):
        d.save(folder, compression="other")
    with pytest.raises(E.InvalidArgumentError, match="not below 0"):
        d.save(folder, shard_func=lambda x: x - 3)
    with pytest.raises(ValueError, match="shard_func"):
        d.save(folder, shard_func=tf.strings.as_string)
    with pytest.raises(E.UnimplementedError, match="cannot be saved"):
        d.window(2).save(folder)
    with pytest.raises(TypeError, match="must return a `Dataset`"):
        saved(tmp_path)
        tf.data.Dataset.load(folder, reader_func=lambda shards: 1)
    with pytest.raises(ValueError, match="reader_func"):
        tf.data.Dataset.load(
            folder, reader_func=lambda s: s.flat_map(lambda x: x.map(str_of))
        )


def str_of(x):
    return tf.strings.as_string(x)


def test_elements_of_generators_are_saved(tmp_path):
    def numbers():
        yield from range(100)

    d = tf.data.Dataset.from_generator(
        numbers, output_signature=tf.TensorSpec([], tf.int32)
    ).prefetch(4)
    d.save(str(tmp_path), shard_func=lambda x: tf.cast(x % 2, tf.int64))
    loaded = tf.data.Dataset.load(str(tmp_path))
    assert sorted(int(x) for x in loaded) == list(range(100))
    assert len(shard_files(tmp_path)) == 2
    path = str(tmp_path / "records")
    texts = d.map(tf.strings.as_string)
    tf.data.experimental.TFRecordWriter(path).write(texts)
    assert len(list(tf.data.TFRecordDataset(path))) == 100
