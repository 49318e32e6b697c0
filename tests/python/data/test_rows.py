"""Batches of what is written where they have it (ranges, slices, lines, records,
fields, and what counts or repeats those) are those of what is stacked."""

import pathlib
import time

import numpy as np
import pytest

import graphkiln as tf

D = tf.data.Dataset


def sources(folder: pathlib.Path):
    """Datasets whose elements can be had as rows."""
    lines = [folder / "a.txt", folder / "none.txt", folder / "b.txt"]
    for path, text in zip(lines, ("one\ntwo\r\nthree", "", "\nfive\n"), strict=True):
        path.write_text(text)
    records = str(folder / "r.tfrecord")
    with tf.io.TFRecordWriter(records) as file:
        for i in range(7):
            file.write(b"x" * i * 9)
    table = folder / "t.csv"
    table.write_text('a,b,c\n1,2.5,x\n2,,"y,""z"\n3,1e3,\n,7,"q"\r\n5,0x1p3,last')
    names = [str(p) for p in lines]
    csv = tf.data.experimental.CsvDataset
    types = [[0], [0.5], [""]]
    rows = np.arange(35, dtype=np.float32).reshape(7, 5)
    return {
        "range": D.range(7),
        "small_range": D.range(-3, 11, 2, output_type=tf.int8),
        "slices": D.from_tensor_slices((rows, {"s": [str(i) for i in range(7)]})),
        "lines": tf.data.TextLineDataset(names),
        "records": tf.data.TFRecordDataset(records),
        "fixed": tf.data.FixedLengthRecordDataset(names[0], 7),
        "csv": csv([str(table)] * 2, types, header=True),
        "csv_columns": csv(str(table), types[:2], header=True, select_cols=[0, 1]),
        "take": D.range(100).take(7),
        "skip": D.range(10).skip(3),
        "repeat": D.range(3).repeat(3),
        "repeated_lines": tf.data.TextLineDataset(names).repeat(3),
        "repeated_csv": csv(str(table), types, header=True).repeat(2),
        "empty_repeat": D.range(0).repeat(3),
        "counts": D.range(4).repeat().skip(2).take(7),
        "flat_map": D.range(5).flat_map(D.range),
        "skipped_flat_map": D.range(5).flat_map(D.range).skip(3).repeat(2).skip(1),
        "taken_flat_map": D.range(5).flat_map(D.range).take(4).repeat(2).take(7),
        "interleave": D.range(5).interleave(
            lambda n: D.range(10 * n, 10 * n + n), cycle_length=2, block_length=2
        ),
        "other_shapes": D.from_tensor_slices(np.zeros((4, 0, 2))).repeat(2),
    }


def batches(dataset) -> list:
    return [
        tf.nest.map_structure(lambda t: (t.dtype, t.shape, t.numpy().tolist()), b)
        for b in dataset
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_the_same_batches(size, drop_remainder, tmp_path):
    for name, d in sources(tmp_path).items():
        stacked = d.map(lambda *x: x[0] if len(x) == 1 else x)
        expected = batches(stacked.batch(size, drop_remainder))
        assert expected or drop_remainder or name in ("empty_repeat",), name
        got = batches(d.batch(size, drop_remainder))
        assert got == expected, name
        parallel = d.batch(size, drop_remainder, num_parallel_calls=2)
        assert batches(parallel) == expected, name


def outcomes(dataset) -> list:
    iterator, found = iter(dataset), []
    while True:
        try:
            x = next(iterator)
            found.append(np.asarray(x[0] if isinstance(x, tuple) else x).tolist())
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append((type(error).__name__, error.message))
        assert len(found) < 100


def test_errors_where_stacking_has_them(tmp_path):
    """What was had of a batch is lost with the error; the next one goes on
    behind it."""
    table = tmp_path / "t.csv"
    table.write_text("1\n2\n3\nx\n5\n6\n7,8\n9\n10\n")
    records = tmp_path / "r.tfrecord"
    with tf.io.TFRecordWriter(str(records)) as file:
        for i in range(6):
            file.write(b"record %d" % i)
    damaged = bytearray(records.read_bytes())
    damaged[-30] ^= 1
    (tmp_path / "d.tfrecord").write_bytes(damaged)
    names = [str(tmp_path / n) for n in ("d.tfrecord", "r.tfrecord")]
    for d, errors in (
        (tf.data.experimental.CsvDataset(str(table), [tf.int32]), 2),
        (tf.data.TFRecordDataset(names), 1),
    ):
        spec = d.element_spec
        same = d.map(lambda x: x)
        for size in (1, 2, 3, 5):
            found = outcomes(d.batch(size))
            assert found == outcomes(same.batch(size)), spec
            assert sum(isinstance(x, tuple) for x in found) == errors, found


def test_a_dataset_of_other_elements_than_it_says(tmp_path):
    """Raw ops may be told wrong shapes: elements are stacked as they are."""
    ops = tf.raw_ops
    d = ops.TensorSliceDataset(components=[tf.zeros([5, 3])], output_shapes=[[100]])
    taken = ops.TakeDataset(
        input_dataset=d, count=4, output_types=[tf.int64], output_shapes=[[]]
    )
    batch = ops.BatchDatasetV2(
        input_dataset=taken,
        batch_size=2,
        drop_remainder=False,
        output_types=[tf.float32],
        output_shapes=[[None, None]],
    )
    iterator = ops.AnonymousIteratorV3(
        output_types=[tf.float32], output_shapes=[[None, None]]
    )
    ops.MakeIterator(dataset=batch, iterator=iterator)
    (got,) = ops.IteratorGetNext(
        iterator=iterator, output_types=[tf.float32], output_shapes=[[None, None]]
    )
    assert got.shape == (2, 3)


def test_large_batches_take_memory_for_what_there_is():
    (batch,) = D.range(3).batch(1 << 60)
    assert batch.numpy().tolist() == [0, 1, 2]


def test_what_is_passed_over_is_not_made():
    """Or these would take years."""
    far = 1 << 60

    def first(d):
        return next(iter(d)).numpy().tolist()

    assert first(D.range(2 * far).skip(far)) == far
    assert first(D.range(2 * far).take(far + 2).skip(far)) == far
    assert first(D.range(2 * far).skip(far).skip(far - 1)) == 2 * far - 1
    assert first(D.range(2 * far).prefetch(3).skip(far)) == far
    assert first(D.range(1 << 20).batch(4).skip(1 << 17)) == [
        (1 << 19) + i for i in range(4)
    ]
    assert first(D.range(1 << 20).repeat(1 << 10).skip((1 << 30) - 1)) == (1 << 20) - 1
    assert list(D.range(far).skip(far)) == []
    # Errors of a function are errors here.
    d = D.range(10).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), "no"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        first(d.skip(5))


def test_an_iterator_is_restored_without_its_functions(tmp_path):
    """Functions without effects need not run again for what was given."""

    def slow(x):
        for _ in tf.range(2_000):
            x += 1
        return x - 2_000

    for parallel in (None, 2):
        iterator = iter(
            D.range(1000).map(slow, num_parallel_calls=parallel).prefetch(1)
        )
        begin = time.process_time()
        for i in range(100):
            assert int(next(iterator)) == i
        passing = time.process_time() - begin
        checkpoint = tf.train.Checkpoint(it=iterator)
        path = checkpoint.save(tmp_path / "c")
        begin = time.process_time()
        checkpoint.restore(path)
        assert int(next(iterator)) == 100
        assert time.process_time() - begin < passing / 3
