"""What lies in a shuffle buffer, in rows or as it came, comes out in the order
that the seed gives, and unchanged."""

import numpy as np
import pytest
from child_program import check_child

import graphkiln as tf

D = tf.data.Dataset
N = 60


def of_shapes(*shapes):
    """Elements of these shapes in turn."""

    def made():
        for i in range(N):
            yield np.full(shapes[i * len(shapes) // N], i, np.int32), str(i)

    signature = (tf.TensorSpec(None, tf.int32), tf.TensorSpec([], tf.string))
    return D.from_generator(made, output_signature=signature)


def records(folder, damage):
    path = folder / "r.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as file:
        for i in range(N):
            file.write(b"%03d" % i * 10)
    data = bytearray(path.read_bytes())
    if damage:
        data[46 * 40 + 20] ^= 1
        path.write_bytes(data)
    return tf.data.TFRecordDataset([str(path)] * 2)


def sources(folder):
    floats = np.random.default_rng(0).normal(size=(N, 7))
    return {
        "range": D.range(N),
        "rows": D.from_tensor_slices(
            {"x": floats, "s": [f"{i}" * 30 for i in range(N)]}
        ),
        "small, then others": of_shapes([2], [3], [2]),
        "one other": of_shapes(*[[2]] * (N - 1), [3]),
        "large": of_shapes([2000]),
        "small, then large": of_shapes([5], [2000]),
        "nothing": D.from_tensor_slices(np.zeros([N, 0, 3], np.int8)),
        "one tensor": D.from_tensors(("text that is no small one", [1, 2])).repeat(N),
        "records": records(folder, damage=False).take(N),
        "ragged": D.from_tensor_slices(tf.ragged.range(tf.range(N))),
        "mapped": D.range(N).map(lambda i: (tf.as_string(i), tf.cast(i, tf.float16))),
        "bits": D.range(N).map(lambda i: i % 2 == 0),
    }


def as_lists(elements) -> list:
    return [
        tf.nest.map_structure(
            lambda t: (
                (t.dtype, t.shape, np.asarray(t.numpy()).tolist())
                if isinstance(t, tf.Tensor)
                else t.to_list()
            ),
            e,
        )
        for e in elements
    ]


@pytest.mark.parametrize("size", [1, 2, 17, N, 10 * N])
def test_elements_in_the_order_of_their_seed(size, tmp_path):
    for name, d in sources(tmp_path).items():
        elements = as_lists(d)
        assert len(elements) == N, name

        def shuffled(of):
            return of.shuffle(size, seed=3)

        order = [int(i) for i in shuffled(D.range(N))]
        assert as_lists(shuffled(d)) == [elements[i] for i in order], name
        twice = shuffled(D.range(N)).repeat(2)
        order = [int(i) for i in twice]
        assert as_lists(shuffled(d).repeat(2)) == [elements[i] for i in order], name
        assert as_lists(d) == elements, name


@pytest.mark.parametrize("size", [1, 5, 10 * N])
@pytest.mark.parametrize("repeats", [1, 3, None])
def test_batches_of_what_is_shuffled(size, repeats, tmp_path):
    for name, d in sources(tmp_path).items():
        if name in ("small, then others", "one other", "small, then large", "ragged"):
            continue
        for batch in (1, 7, 64):
            made = d.shuffle(size, seed=3).repeat(repeats)
            got = as_lists(made.batch(batch).take(30))
            # What is mapped comes to the batch as tensors of its own.
            made = d.shuffle(size, seed=3).repeat(repeats)
            stacked = made.map(lambda *x: x[0] if len(x) == 1 else x)
            assert got == as_lists(stacked.batch(batch).take(30)), (name, batch)


def test_a_shape_that_changes_in_a_batch():
    d = of_shapes([2], [3]).shuffle(5, seed=1).batch(8)
    iterator, found = iter(d), []
    for _ in range(8):
        try:
            found.append(next(iterator)[0].shape.as_list())
        except tf.errors.InvalidArgumentError as error:
            assert "Cannot batch tensors with different shapes" in str(error)
            found.append(None)
    assert None in found
    assert [3] == found[-1][1:]


@pytest.mark.parametrize("size", [4, 1000])
def test_a_damaged_record_loses_no_other(size, tmp_path):
    d = records(tmp_path, damage=True)
    iterator, texts, errors = iter(d.shuffle(size, seed=1)), [], 0
    while True:
        try:
            texts.append(int(next(iterator).numpy()[:3]))
        except StopIteration:
            break
        except tf.errors.DataLossError:
            errors += 1
    assert errors == 2
    assert sorted(texts) == sorted(2 * list(range(40)))


MEMORY = """
import os
import pathlib
import graphkiln as tf

def memory():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")

def first(n):
    d = tf.data.Dataset.range(2 * n).map(lambda i: tf.fill([128], i)).shuffle(n)
    iterator = iter(d)
    next(iterator)
    return iterator

first(2)
before = memory()
kept = first(20_000)
print((memory() - before) / (1024 * 20_000))
"""


def test_a_buffer_takes_what_its_elements_do():
    assert 0.9 < float(check_child(MEMORY)) < 1.2
