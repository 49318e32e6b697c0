"""Readers of tf.compat.v1: records, keys, counts, states, errors, on both modules."""

from __future__ import annotations

import gzip
import zlib

import pytest

FIXED = b"HH" + b"abcdefghij" + b"FFF"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readers")
    contents = {
        "a": b"first\nsecond\r\n\nlast",
        "b": b"",
        "c": b"x\ny\n",
        "fixed": FIXED,
        "short": b"HHab",
        "fixed.gz": gzip.compress(FIXED),
        "fixed.z": zlib.compress(FIXED),
    }
    for name, bytes_ in contents.items():
        (folder / name).write_bytes(bytes_)
    return folder


@pytest.fixture(scope="module")
def records(files):
    import tensorflow

    for name, compression in (("r", ""), ("r.gz", "GZIP")):
        with tensorflow.io.TFRecordWriter(str(files / name), compression) as writer:
            for record in (b"one", b"", b"three" * 9):
                writer.write(record)
    return files


def _told(tf, run, said):
    try:
        said.append(run())
    except tf.errors.OpError as error:
        said.append(type(error).__name__)
    return said


def _all(tf, make, folder, names, up_to=None, closed=True):
    """What a reader says until the queue is empty, with its counts after each read."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        queue = tf.queue.FIFOQueue(9, tf.string, [[]])
        reader = make(v1)
        read = reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        for name in names:
            session.run(queue.enqueue(str(folder / name) if folder else name))
        session.run(queue.close())
        said = [[t.shape for t in read], reader.supports_serialize]
        for _ in range(14):
            _told(tf, lambda: [v.tolist() for v in map(_array, session.run(read))], said)
            said.append([int(n) for n in session.run(counts)])
        return repr(said)


def _array(value):
    import numpy as np

    return np.asarray(value)


READERS = {
    "whole": (lambda v1: v1.WholeFileReader(), ["a", "b", "c"]),
    "identity": (lambda v1: v1.IdentityReader(), ["a", "none"]),
    "lines": (lambda v1: v1.TextLineReader(), ["a", "b", "c"]),
    "lines behind": (lambda v1: v1.TextLineReader(skip_header_lines=1), ["a", "b", "c"]),
    "lines behind all": (lambda v1: v1.TextLineReader(skip_header_lines=7), ["a", "c"]),
    "missing": (lambda v1: v1.TextLineReader(), ["none", "c"]),
    "fixed": (
        lambda v1: v1.FixedLengthRecordReader(4, header_bytes=2, footer_bytes=3),
        ["fixed", "short", "fixed"],
    ),
    "fixed hops": (
        lambda v1: v1.FixedLengthRecordReader(4, 2, 3, hop_bytes=2), ["fixed", "short"]
    ),
    "fixed far": (
        lambda v1: v1.FixedLengthRecordReader(2, 2, 3, hop_bytes=5), ["fixed"]
    ),
    "fixed gzip": (
        lambda v1: v1.FixedLengthRecordReader(5, 2, 3, encoding="GZIP"), ["fixed.gz"]
    ),
    "fixed zlib": (
        lambda v1: v1.FixedLengthRecordReader(5, 2, 3, encoding="ZLIB"), ["fixed.z"]
    ),
}


@pytest.mark.parametrize("up_to", [None, 2, 9])
@pytest.mark.parametrize("name", READERS)
def test_records(both, files, name, up_to):
    make, names = READERS[name]
    ours, theirs = (
        _all(tf, make, files, names, up_to) for tf in (both.ours, both.theirs)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", ["r", "r.gz"])
def test_framed_records(both, records, name):
    told = []
    for tf in (both.ours, both.theirs):
        options = tf.io.TFRecordOptions("GZIP" if name.endswith("gz") else "")

        def make(v1, options=options):
            return v1.TFRecordReader(options=options)

        told.append(_all(tf, make, records, [name, name]))
    assert told[0] == told[1]


def _states(tf, make, names):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        queue = tf.queue.FIFOQueue(9, tf.string, [[]])
        reader = make(v1)
        read, state = reader.read(queue), reader.serialize_state()
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        given = v1.placeholder(tf.string, [])
        restore, reset = reader.restore_state(given), reader.reset()
        for name in names:
            session.run(queue.enqueue(name))
        said = [_told(tf, lambda: session.run(state), [])]
        session.run(read)
        kept = _told(tf, lambda: session.run(state), said)[-1]
        session.run(read)
        if isinstance(kept, bytes):
            session.run(restore, {given: kept})
            said += [session.run(state), [int(n) for n in session.run(counts)]]
        for bad in (b"BOGUS", b"\x08\x01", b"\x08\x01\x10\x01\x18\x7f", b""):
            _told(tf, lambda bad=bad: session.run(restore, {given: bad}), said)
        session.run(reset)
        said.append([int(n) for n in session.run(counts)])
        return repr(said)


@pytest.mark.parametrize("name", ["identity", "whole", "lines"])
def test_states(both, files, name):
    make, _ = READERS[name]
    names = [str(files / "a"), str(files / "c"), str(files / "a")]
    assert _states(both.ours, make, names) == _states(both.theirs, make, names)


def test_a_reader_waits_and_is_not_eager(both, files):
    import threading

    for tf in (both.ours, both.theirs):
        v1 = tf.compat.v1
        with pytest.raises(RuntimeError, match="not supported when eager"):
            v1.ReaderBase(None)
        with tf.Graph().as_default(), v1.Session() as session:
            queue = tf.queue.FIFOQueue(9, tf.string, [[]])
            reader = v1.TextLineReader()
            _, line = reader.read(queue)
            put = queue.enqueue(str(files / "c"))
            lines = []
            threads = [
                threading.Thread(target=lambda: lines.append(session.run(line)))  # noqa: B023
                for _ in range(2)
            ]
            for thread in threads:
                thread.start()
            session.run(put)
            for thread in threads:
                thread.join(20)
            assert sorted(lines) == [b"x", b"y"]


def test_other_queues_are_refused(both, files):
    def program(tf):
        v1 = tf.compat.v1
        said = []
        with tf.Graph().as_default(), v1.Session() as session:
            for types, value in ((tf.int32, 1), ([tf.string] * 2, ["a", "b"])):
                queue = tf.queue.FIFOQueue(9, types)
                session.run(queue.enqueue(value))
                read = v1.IdentityReader().read(queue)
                _told(tf, lambda read=read: session.run(read), said)
        return said

    assert program(both.ours) == program(both.theirs)
