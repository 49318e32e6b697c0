"""Dataset.cache(filename): written once, read by whoever comes later."""

from __future__ import annotations

import os

import numpy as np
import pytest
from test_iterators import run_apart

import graphkiln as tf

D = tf.data.Dataset


def counted(n: int = 4):
    """A dataset, and how often its elements were made."""
    made = tf.Variable(0)

    def f(x):
        made.assign_add(1)
        return x * x, tf.strings.as_string(x), tf.fill([x], 0.5)

    return D.range(n).map(f), made


def plain(dataset) -> list:
    return [
        (int(x), s.numpy(), halves.numpy().tolist()) for x, s, halves in dataset
    ]


FILES = ["c.data-00000-of-00001", "c.index"]
WANTED = [
    (x * x, str(x).encode(), [0.5] * x) for x in range(4)
]


def test_written_once_and_read(tmp_path):
    dataset, made = counted()
    cached = dataset.cache(str(tmp_path / "c"))
    for _ in range(3):
        assert plain(cached) == WANTED
    assert made.numpy() == 4
    assert sorted(os.listdir(tmp_path)) == FILES
    other, unused = counted()
    assert plain(other.cache(str(tmp_path / "c"))) == WANTED
    assert unused.numpy() == 0
    assert len(cached) == 4


def test_in_another_process(tmp_path):
    file = str(tmp_path / "c")
    list(D.range(3).cache(file))
    done = run_apart(
        f"""
import graphkiln as tf
d = tf.data.Dataset.range(9).cache({file!r})
print([int(x) for x in d])
"""
    )
    assert done.stdout.strip() == "[0, 1, 2]", done.stderr


def test_an_incomplete_pass_leaves_nothing(tmp_path):
    dataset, _ = counted()
    it = iter(dataset.cache(str(tmp_path / "c")))
    next(it)
    del it
    assert os.listdir(tmp_path) == []


def test_two_passes_cannot_write(tmp_path):
    cached = D.range(3).cache(str(tmp_path / "c"))
    with pytest.raises(
        tf.errors.AlreadyExistsError, match="c_0.lockfile.*delete the lockfile"
    ):
        list(D.zip(cached, cached))
    assert os.listdir(tmp_path) == []
    list(cached)
    for _ in range(2):
        pairs = D.zip(cached, cached)
        assert [(int(a), int(b)) for a, b in pairs] == [
            (i, i) for i in range(3)
        ]
    assert sorted(os.listdir(tmp_path)) == FILES


def test_the_first_writer_goes_on(tmp_path):
    cached = D.range(3).cache(str(tmp_path / "c"))
    first, second = iter(cached), iter(cached)
    next(first)
    for _ in range(2):
        with pytest.raises(tf.errors.AlreadyExistsError):
            next(second)
    del second
    assert "c_0.lockfile" in os.listdir(tmp_path)
    assert [int(x) for x in first] == [1, 2]
    assert sorted(os.listdir(tmp_path)) == FILES


def test_a_lock_that_was_left(tmp_path):
    (tmp_path / "c_0.lockfile").write_text("long ago")
    with pytest.raises(tf.errors.AlreadyExistsError, match="long ago"):
        list(D.range(3).cache(str(tmp_path / "c")))
    (tmp_path / "c_0.lockfile").unlink()
    assert len(list(D.range(3).cache(str(tmp_path / "c")))) == 3


def test_whole_when_the_last_element_was_read(tmp_path):
    dataset, made = counted()
    cached = dataset.cache(str(tmp_path / "c"))
    it = iter(cached)
    for _ in range(4):
        next(it)
    assert sorted(os.listdir(tmp_path)) == FILES
    assert plain(cached) == WANTED
    assert made.numpy() == 4


def test_shuffled_and_zipped(tmp_path):
    caches = [
        D.range(9).shuffle(9, seed=i).cache(str(tmp_path / name))
        for i, name in enumerate("ab")
    ]
    pairs = D.zip(*caches)
    seen = [[(int(a), int(b)) for a, b in pairs] for _ in range(3)]
    assert seen[0] == seen[1] == seen[2]
    halves = D.zip(*(c.filter(lambda x: True) for c in caches))
    assert [(int(a), int(b)) for a, b in halves] == seen[0]


def test_repeated_and_shuffled(tmp_path):
    dataset = D.range(5).cache(str(tmp_path / "c")).shuffle(5).repeat(2)
    assert sorted(int(x) for x in dataset) == sorted(list(range(5)) * 2)


@pytest.mark.parametrize("part", FILES)
@pytest.mark.parametrize("change", ["cut", "record", "flip", "other", "types"])
def test_a_damaged_file_is_told(tmp_path, change, part):
    file = tmp_path / part
    list(D.range(3).cache(str(tmp_path / "c")))
    data = bytearray(file.read_bytes())
    if change == "cut":
        del data[-3:]
    elif change == "record":
        del data[len(data) * 2 // 3 :]
    elif change == "flip":
        data[-8] ^= 1
    elif change == "other":
        data = bytearray(b"no cache at all")
    file.write_bytes(bytes(data))
    dataset = D.range(3)
    if change == "types":
        dataset = dataset.map(lambda x: tf.cast(x, tf.float32))
    it = iter(dataset.cache(str(tmp_path / "c")))
    with pytest.raises(
        (tf.errors.DataLossError, tf.errors.InvalidArgumentError)
    ):
        for _ in range(4):
            next(it)


def test_a_part_that_is_missing(tmp_path):
    cached = D.range(3).cache(str(tmp_path / "c"))
    list(cached)
    (tmp_path / FILES[0]).unlink()
    with pytest.raises(tf.errors.DataLossError, match="00001 is not"):
        list(cached)
    (tmp_path / FILES[1]).unlink()
    assert len(list(cached)) == 3


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        list(D.range(3).cache(str(tmp_path / "no" / "c")))


def test_what_has_no_lasting_form_is_told(tmp_path):
    windows = D.range(4).window(2)
    with pytest.raises(tf.errors.UnimplementedError):
        list(windows.cache(str(tmp_path / "c")))
    assert os.listdir(tmp_path) == []


def test_ragged_and_sparse_tensors_are_kept(tmp_path):
    rows = tf.ragged.constant([[1], [2, 3]])
    place = tf.sparse.from_dense([[0, 7]])
    cached = D.from_tensors((rows, place)).cache(str(tmp_path / "c"))
    for _ in range(2):
        ((r, s),) = cached
        assert r.to_list() == [[1], [2, 3]]
        assert tf.sparse.to_dense(s).numpy().tolist() == [[0, 7]]


def test_empty_and_large(tmp_path):
    empty = D.range(0).cache(str(tmp_path / "e"))
    assert list(empty) == list(empty) == []
    big = np.random.RandomState(0).rand(300, 500)
    cached = D.from_tensors(big).cache(str(tmp_path / "b"))
    for _ in range(2):
        np.testing.assert_array_equal(next(iter(cached.take(-1))), big)
        list(cached)
