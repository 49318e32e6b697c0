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


class Interrupted(Exception):
    pass


class Counter:
    """A step counter that interrupts whoever counts so far."""

    def __init__(self, variable, last):
        self.variable, self.last = variable, last

    def assign_add(self, delta):
        self.variable.assign_add(delta)
        if int(self.variable.numpy()) == self.last:
            raise Interrupted

    def numpy(self):
        return self.variable.numpy()

    def __int__(self):
        return int(self.numpy())


@pytest.mark.parametrize("shard", [None, lambda x: x % 3])
@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize("stop", [1, 4, 7, 10])
def test_saving_goes_on_where_it_was_interrupted(
    both, tmp_path, shard, compression, stop
):
    """TensorFlow's own reader does not read all of what it writes so."""

    def program(tf, folder):
        step = tf.Variable(0)
        made = tf.Variable(0, dtype=tf.int64)

        def save(last, **options):
            # Elements that are made again are others.
            dataset = tf.data.Dataset.range(10).map(lambda x: x + 10 * made)
            dataset = dataset.with_options(repeatable(tf))
            manager = {
                "directory": str(folder / "checkpoints"),
                "max_to_keep": 2,
                "step_counter": Counter(step, last),
                "checkpoint_interval": 2,
            }
            return dataset.save(
                str(folder / "saved"),
                compression=compression,
                shard_func=shard,
                checkpoint_args={**manager, **options},
            )

        with pytest.raises(Interrupted):
            save(stop)
        made.assign(1)
        assert save(-1) is None
        return int(step.numpy()), sorted(
            f.name for f in (folder / "checkpoints").iterdir()
        )

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    found = program(both.ours, ours)
    assert found == program(both.theirs, theirs)
    loaded = both.ours.data.Dataset.load(str(ours / "saved"), compression=compression)
    # Behind the first, the third and so on there was a checkpoint.
    kept = max(0, stop - 1 if stop % 2 == 0 else stop - 2)
    values = sorted(int(x) for x in loaded)
    assert [v % 10 for v in sorted(values, key=lambda v: v % 10)] == list(range(10))
    assert sum(v < 10 for v in values) == kept
    assert sorted(f.name for f in (ours / "saved").iterdir() if f.is_file()) == [
        "dataset_spec.pb",
        "snapshot.metadata",
    ]


def repeatable(tf):
    options = tf.data.Options()
    options.experimental_external_state_policy = (
        tf.data.experimental.ExternalStatePolicy.IGNORE
    )
    return options


def test_saving_a_finished_dataset_again(both, tmp_path):
    tf = both.ours
    for _ in range(2):
        tf.data.Dataset.range(5).save(
            str(tmp_path / "saved"),
            checkpoint_args={"directory": str(tmp_path / "c"), "max_to_keep": 1},
        )
        loaded = tf.data.Dataset.load(str(tmp_path / "saved"))
        assert [int(x) for x in loaded] == [0, 1, 2, 3, 4]


def test_errors_while_saving_with_checkpoints(both, tmp_path):
    tf = both.ours
    args = {"directory": str(tmp_path / "c"), "max_to_keep": 1}

    def save(values):
        dataset = tf.data.Dataset.from_tensor_slices(values)
        dataset.map(lambda x: tf.debugging.check_numerics(x, "bad")).save(
            str(tmp_path / "saved"), checkpoint_args=args
        )

    with pytest.raises(tf.errors.InvalidArgumentError):
        save([0.0, 1.0, float("nan"), 3.0])
    with pytest.raises(tf.errors.NotFoundError):
        tf.data.Dataset.load(str(tmp_path / "saved"))
    save([5.0, 6.0, 2.0, 3.0])
    loaded = tf.data.Dataset.load(str(tmp_path / "saved"))
    assert [float(x) for x in loaded] == [0.0, 1.0, 2.0, 3.0]


def test_wrong_checkpoint_args(both, tmp_path):
    def program(tf):
        found = []
        for number, args in enumerate(
            (
                {"directory": str(tmp_path)},
                {"directory": str(tmp_path), "max_to_keep": 0},
                {"directory": str(tmp_path), "max_to_keep": 1, "foo": 1},
                {"directory": str(tmp_path), "max_to_keep": 1, "checkpoint": 1},
                3,
                {},
            )
        ):
            try:
                tf.data.Dataset.range(5).save(
                    str(tmp_path / f"{number}"), checkpoint_args=args
                )
                found.append("saved")
            except Exception as error:
                found.append(type(error).__name__)
        return found

    assert program(both.ours) == program(both.theirs)
