"""Every transformation and source of tf.data beside TensorFlow's: values, order,
cardinality, element_spec, errors and where they come, a second pass, and
that no public name is left out. Saved iterators of the same pipelines:
tests/python/data/test_saved_iterators.py."""

from __future__ import annotations

import ast
import inspect
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "data"))

import saved_iterator_pipelines  # noqa: E402
from saved_iterator_pipelines import _numbers, _ragged_rows, _records  # noqa: E402

END = "end"
# Without seeds orders are chance, and what several threads draw.
UNSEEDED = {
    "flat_map_shuffled", "interleave_shuffled", "interleave_parallel_shuffled",
    "concatenate", "choose_from_datasets", "sample_from_datasets", "shuffle",
    "shuffle_repeat", "shuffle_once_repeat", "shuffle_twice", "shuffle_and_repeat",
    "prefetch", "snapshot_of_shuffle", "cache_of_shuffle", "cache_then_shuffle", "cache_file_of_shuffle",
}  # fmt: skip
# Nor are then the elements the same.
OF_CHANCE = {"zip", "training"}
# A cardinality that TensorFlow does not know of.
KNOWN_HERE = {"prefetch_to_device", "copy_to_device"}


def _generated(tf):
    def numbers(n):
        for i in range(n):
            yield i, [i] * i

    return tf.data.Dataset.from_generator(
        numbers,
        args=(5,),
        output_signature=(
            tf.TensorSpec([], tf.int32),
            tf.TensorSpec([None], tf.float32),
        ),
    )


def _broken(tf):
    """Numbers of which the one in the middle is an error."""
    return _numbers(tf).map(
        lambda x: tf.debugging.check_numerics(
            1.0 / tf.cast(x - 3, tf.float32), "in the middle"
        )
    )


def _whole(tf):
    """_broken, as integers."""
    return _broken(tf).map(lambda x: tf.cast(x * 60.0, tf.int64))


def _features(tf, folder):
    names = []
    for i in range(2):
        path = str(folder / f"examples{i}")
        names.append(path)
        if pathlib.Path(path).exists():
            continue
        with tf.io.TFRecordWriter(path) as writer:
            for j in range(3):
                example = tf.train.Example()
                example.features.feature["x"].int64_list.value.append(10 * i + j)
                writer.write(example.SerializeToString())
    return tf.data.experimental.make_batched_features_dataset(
        names, 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1,
        shuffle=False,
    )  # fmt: skip


def _made_csv(tf, folder):
    path = folder / "made.csv"
    path.write_text("a,b\n1,x\n2,y\n3,\n")
    return tf.data.experimental.make_csv_dataset(
        str(path), 2, label_name="b", num_epochs=1, shuffle=False
    )


def _variant(tf):
    experimental = tf.data.experimental
    made = _numbers(tf)
    return experimental.from_variant(
        experimental.to_variant(made), experimental.get_structure(made)
    )


def _of(make):
    return lambda tf, _: make(tf)


def _applied(name, *args, base=_numbers):
    return _of(lambda tf: base(tf).apply(getattr(tf.data.experimental, name)(*args)))


EXTRA = {
    "from_generator": _of(_generated),
    "apply": _of(lambda tf: _numbers(tf).apply(lambda d: d.map(lambda x: -x))),
    "options": _of(lambda tf: _numbers(tf).with_options(tf.data.Options())),
    "fingerprinted": _of(
        lambda tf: tf.data.Dataset.from_tensors(_numbers(tf).fingerprint() > 0)
    ),
    "single": _of(
        lambda tf: tf.data.Dataset.from_tensors(
            _numbers(tf).batch(9).get_single_element()
        )
    ),
    "single_of_many": _of(
        lambda tf: _numbers(tf, 3).map(
            lambda x: tf.data.Dataset.range(x).get_single_element()
        )
    ),
    "reduced": _of(
        lambda tf: tf.data.Dataset.from_tensors(
            _numbers(tf).reduce(np.int64(1), lambda s, x: s + x)
        )
    ),
    "numpy_iterator": _of(
        lambda tf: tf.data.Dataset.from_tensor_slices(
            list(_numbers(tf).as_numpy_iterator())
        )
    ),
    "enumerate_dataset": _applied("enumerate_dataset", 4),
    "unbatch_experimental": _applied(
        "unbatch", base=lambda tf: _numbers(tf).batch(2)
    ),
    "ignored": _of(
        lambda tf: _broken(tf).apply(tf.data.experimental.ignore_errors())
    ),
    "unique_experimental": _applied("unique"),
    "take_while_experimental": _applied("take_while", lambda x: x < 3),
    "scan_experimental": _applied("scan", np.int64(0), lambda s, x: (s + x, s)),
    "dense_to_sparse_batch": _applied(
        "dense_to_sparse_batch", 2, [4], base=_ragged_rows
    ),
    "bucketed": _applied(
        "bucket_by_sequence_length", lambda row: row.shape[0] or 1, [2], [2, 3],
        base=lambda tf: _numbers(tf).map(lambda x: tf.fill([2], x)),
    ),
    "parallel_interleave": _of(
        lambda tf: _numbers(tf, 4).apply(
            tf.data.experimental.parallel_interleave(
                lambda x: tf.data.Dataset.range(x), cycle_length=2, sloppy=False
            )
        )
    ),
    "counter_experimental": _of(lambda tf: tf.data.experimental.Counter(3, 2).take(3)),
    "random_experimental": _of(
        lambda tf: tf.data.experimental.RandomDataset(seed=3).take(3)
    ),
    "variant": _of(_variant),
    "features": _features,
    "made_csv": _made_csv,
    "shuffle_seeded": _of(lambda tf: _numbers(tf).shuffle(3, seed=5).repeat(2)),
    "shuffle_once": _of(
        lambda tf: _numbers(tf)
        .shuffle(4, seed=5, reshuffle_each_iteration=False)
        .repeat(2)
    ),
    "shuffle_rows": _of(
        lambda tf: tf.data.Dataset.from_tensor_slices(
            ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "c"])
        ).shuffle(2, seed=5).batch(2)
    ),
    "shuffle_records": lambda tf, folder: (
        tf.data.TFRecordDataset(_records(tf, folder)).shuffle(3, seed=1).batch(3)
    ),
    "sample_seeded": _of(
        lambda tf: tf.data.Dataset.sample_from_datasets(
            [_numbers(tf), _numbers(tf).map(lambda x: -x)], [0.4, 0.6], seed=3
        )
    ),
    "sampled_until_empty": _of(
        lambda tf: tf.data.experimental.sample_from_datasets(
            [_numbers(tf, 2), _numbers(tf)], seed=3
        )
    ),
    "chosen": _of(
        lambda tf: tf.data.experimental.choose_from_datasets(
            [_numbers(tf), _numbers(tf).map(lambda x: -x)],
            tf.data.Dataset.range(2).repeat(3),
        )
    ),
}  # fmt: skip

# The error is the fourth element of what each reads.
ERRORS = {
    "source": lambda tf: _broken(tf),
    "map": lambda tf: _broken(tf).map(lambda x: x + 1),
    "map_parallel": lambda tf: _broken(tf).map(lambda x: x + 1, num_parallel_calls=2),
    "filter": lambda tf: _broken(tf).filter(lambda x: x > 0),
    "batch": lambda tf: _broken(tf).batch(2),
    "batch_parallel": lambda tf: _broken(tf).batch(2, num_parallel_calls=2),
    "batch_whole": lambda tf: _broken(tf).batch(3, drop_remainder=True),
    "padded_batch": lambda tf: _broken(tf).map(lambda x: tf.stack([x])).padded_batch(2),
    "unbatch": lambda tf: _broken(tf).map(lambda x: tf.stack([x, x])).unbatch(),
    "take": lambda tf: _broken(tf).take(5),
    "skip": lambda tf: _broken(tf).skip(2),
    "skip_it": lambda tf: _broken(tf).skip(5),
    "repeat": lambda tf: _broken(tf).repeat(2),
    "shard": lambda tf: _broken(tf).shard(2, 1),
    "enumerate": lambda tf: _broken(tf).enumerate(),
    "scan": lambda tf: _broken(tf).scan(0.0, lambda s, x: (s + x, s)),
    "take_while": lambda tf: _broken(tf).take_while(lambda x: x < 0.4),
    "shuffle": lambda tf: _broken(tf).shuffle(3, seed=1),
    "shuffle_all": lambda tf: _broken(tf).shuffle(20, seed=1),
    "prefetch": lambda tf: _broken(tf).prefetch(2),
    "cache": lambda tf: _broken(tf).cache(),
    "zip": lambda tf: tf.data.Dataset.zip((_numbers(tf), _broken(tf))),
    "concatenate": lambda tf: _broken(tf).concatenate(_broken(tf)),
    "unique": lambda tf: _whole(tf).unique(),
    "window": lambda tf: _broken(tf).window(2).flat_map(lambda w: w.batch(2)),
    "flat_map": lambda tf: _whole(tf).flat_map(
        lambda x: tf.data.Dataset.from_tensors(x)
    ),
    "flat_map_inside": lambda tf: _numbers(tf, 2).flat_map(lambda x: _broken(tf)),
    "interleave": lambda tf: _numbers(tf, 2).interleave(
        lambda x: _broken(tf), cycle_length=2
    ),
    "interleave_parallel": lambda tf: _numbers(tf, 2).interleave(
        lambda x: _broken(tf), cycle_length=2, num_parallel_calls=2
    ),
    "group_by_window": lambda tf: _whole(tf).group_by_window(
        lambda x: x % 2, lambda key, w: w.batch(2), 2
    ),
    "rebatch": lambda tf: _broken(tf).batch(1).rebatch(2),
    "choose": lambda tf: tf.data.Dataset.choose_from_datasets(
        [_broken(tf), _broken(tf)], tf.data.Dataset.range(2).repeat(8)
    ),
    "sample": lambda tf: tf.data.Dataset.sample_from_datasets(
        [_broken(tf), _broken(tf)], seed=3
    ),
    "ignore": lambda tf: _broken(tf).ignore_errors(),
    "cardinality": lambda tf: _numbers(tf).apply(
        tf.data.experimental.assert_cardinality(9)
    ),
}


def plain(tf: Any, element: Any) -> str:
    def leaf(x: Any) -> Any:
        if isinstance(x, tf.RaggedTensor):
            return x.to_list()
        if isinstance(x, tf.SparseTensor):
            return [np.asarray(t).tolist() for t in (x.indices, x.values)]
        return np.asarray(x).tolist()

    return repr(tf.nest.map_structure(leaf, element))


def outcomes(tf: Any, dataset: Any, most: int = 100) -> list[str]:
    found: list[str] = []
    iterator = iter(dataset)
    while len(found) < most:
        try:
            found.append(plain(tf, next(iterator)))
        except StopIteration:
            return [*found, END]
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


TABLE = {**saved_iterator_pipelines.pipelines(), **EXTRA}


@pytest.mark.parametrize("name", TABLE)
def test_values_and_what_is_said_of_them(both, name, tmp_path):
    def run(tf):
        folder = tmp_path / tf.__name__
        folder.mkdir()
        dataset = TABLE[name](tf, folder)
        shown = str(dataset.element_spec)
        passes = [outcomes(tf, dataset) for _ in range(2)]
        if name in UNSEEDED:
            passes = [sorted(p) for p in passes]
        if name in OF_CHANCE:
            passes = [[*map(len, p)] for p in passes]
        if name.startswith("list_files"):
            passes = [[x.replace(tf.__name__, "") for x in p] for p in passes]
        cardinality = None if name in KNOWN_HERE else int(dataset.cardinality())
        return shown, cardinality, passes

    ours, theirs = run(both.ours), run(both.theirs)
    assert ours == theirs
    assert all(ours[2])


@pytest.mark.parametrize("name", ERRORS)
def test_errors_and_their_index(both, name):
    def run(tf):
        options = tf.data.Options()
        if tf is both.theirs:
            # What TensorFlow makes of maps and batches loses elements behind an
            # error.
            options.experimental_optimization.map_and_batch_fusion = False
        return outcomes(tf, ERRORS[name](tf).with_options(options), 40)

    ours, theirs = run(both.ours), run(both.theirs)
    assert ours == theirs
    if name not in ("skip_it", "ignore"):
        assert any(x.endswith("Error") for x in ours) or name == "cache", ours


# Public names of which rows of other tests tell.
ELSEWHERE = {
    "Dataset": {
        "element_spec", "cardinality",  # of all rows
        "save",  # test_saved_datasets.py
        "list_files", "as_numpy_iterator",
    },
    "experimental": {
        "save", "load",  # of Dataset
        "enable_debug_mode",  # test_data_debug_mode.py
        "index_table_from_dataset", "table_from_dataset",  # test_data_experimental.py
        "at", "cardinality", "get_single_element",
        "get_next_as_optional",  # of iterators: tests/python/data/test_iterators.py
        "parse_example_dataset",  # test_data_experimental.py
        # Refused, with words (tests/python/test_missing_names.py).
        "distributed_save", "get_model_proto", "make_saveable_from_iterator",
    },
}  # fmt: skip


def test_every_public_name_has_a_row(both):
    """Of TensorFlow's methods and functions."""
    text = inspect.getsource(sys.modules[__name__]) + inspect.getsource(
        saved_iterator_pipelines
    )
    used = {
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
    } | {
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    missing = []
    for holder, space in (
        ("Dataset", both.theirs.data.Dataset),
        ("experimental", both.theirs.data.experimental),
    ):
        for name in dir(space):
            if name.startswith("_") or not name.islower():
                continue
            if inspect.ismodule(getattr(space, name)):
                continue
            if name not in used | ELSEWHERE[holder]:
                missing.append(f"{holder}.{name}")
    assert missing == []
