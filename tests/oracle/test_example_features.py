"""tf.io.parse_example with features of every kind, beside TensorFlow."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk


def example(m, **features):
    made = {}
    for name, values in features.items():
        if values and isinstance(values[0], bytes):
            made[name] = m.train.Feature(bytes_list=m.train.BytesList(value=values))
        elif values and isinstance(values[0], float):
            made[name] = m.train.Feature(float_list=m.train.FloatList(value=values))
        else:
            made[name] = m.train.Feature(int64_list=m.train.Int64List(value=values))
    message = m.train.Example(features=m.train.Features(feature=made))
    return message.SerializeToString(deterministic=True)


ROWS = [
    {"a": [1, 2], "b": [b"x"], "c": [1.5], "i": [3], "j": [1], "n": [1, 1],
     "s": [0, 1, 2], "z": [0, 1], "e": [1, 2], "d": [0, 1]},
    {"a": [3, 4], "c": [2.5, 3.5], "i": [4, 0], "j": [0, 1], "n": [2],
     "s": [0, 2], "z": [0], "e": [2], "d": [0, 0]},
    {"a": [5, 6], "b": [b"y", b"long enough for the heap"], "c": [4.0, 5.0, 6.0],
     "i": [1, 2, 0], "j": [1, 0, 0], "n": [0, 2, 0], "s": [0, 0, 2, 2],
     "z": [0, 0, 2], "e": [0, 2, 2], "d": [1, 1]},
]  # fmt: skip
R = "RaggedFeature"
FEATURES = {
    "fixed": lambda m, io: {"a": io.FixedLenFeature([2], m.int64)},
    "fixed column": lambda m, io: {"a": io.FixedLenFeature((2, 1), "int64")},
    "shape object": lambda m, io: {"a": io.FixedLenFeature(m.TensorShape([2]), m.int64)},
    "default": lambda m, io: {"b": io.FixedLenFeature([], m.string, "d")},
    "default of a shape": lambda m, io: {
        "q": io.FixedLenFeature([2, 1], m.float32, [[1], [2]])
    },
    "default by position": lambda m, io: {
        "q": io.FixedLenFeature(shape=[2], dtype=m.int64, default_value=[7, 8])
    },
    "missing": lambda m, io: {"q": io.FixedLenFeature([], m.string)},
    "wrong size": lambda m, io: {"a": io.FixedLenFeature([3], m.int64)},
    "wrong type": lambda m, io: {"a": io.FixedLenFeature([2], m.float32)},
    "var": lambda m, io: {"c": io.VarLenFeature(m.float32), "b": io.VarLenFeature(m.string)},
    "var of another type": lambda m, io: {"c": io.VarLenFeature(m.int64)},
    "sequence": lambda m, io: {
        "c": io.FixedLenSequenceFeature([], m.float32, allow_missing=True),
        "q": io.FixedLenSequenceFeature([2], m.int64, True),
    },
    "sequence of pairs": lambda m, io: {"a": io.FixedLenSequenceFeature([2], m.int64, True)},
    "sequence padded": lambda m, io: {
        "c": io.FixedLenSequenceFeature([], m.float32, True, -1.0)
    },
    "sequence of a wrong size": lambda m, io: {
        "c": io.FixedLenSequenceFeature([2], m.float32, True)
    },
    "sequence that must be": lambda m, io: {"c": io.FixedLenSequenceFeature([], m.float32)},
    "sparse": lambda m, io: {"r": io.SparseFeature("i", "c", m.float32, 10)},
    "sparse plane": lambda m, io: {
        "r": io.SparseFeature(["i", "j"], "c", m.float32, [10, 2]),
        "c": io.VarLenFeature(m.float32),
    },
    "sparse, sorted": lambda m, io: {
        "r": io.SparseFeature("i", "c", m.float32, 10, already_sorted=True)
    },
    "sparse of other counts": lambda m, io: {"r": io.SparseFeature("a", "c", m.float32, 10)},
    "sparse without key": lambda m, io: {"r": io.SparseFeature("", "c", m.float32, 10)},
    "sparse without values": lambda m, io: {"r": io.SparseFeature("i", "", m.float32, 10)},
    "sparse without type": lambda m, io: {"r": io.SparseFeature("i", "c", None, 10)},
    "ragged": lambda m, io: {
        "c": io.RaggedFeature(m.float32),
        "r": io.RaggedFeature(m.int64, "a", row_splits_dtype=m.int64),
    },
    "ragged of another type": lambda m, io: {"c": io.RaggedFeature(m.int64)},
    "lengths": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.RowLengths("n")], validate=True)
    },
    "splits": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.RowSplits("s")], m.int64, True)
    },
    "starts": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.RowStarts("z")], validate=True)
    },
    "limits": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.RowLimits("e")], validate=True)
    },
    "rowids": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.ValueRowIds("d")], validate=True)
    },
    "uniform": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.UniformRowLength(2)])
    },
    "uniform of lengths": lambda m, io: {
        "r": io.RaggedFeature(
            m.int64,
            "a",
            [io.RaggedFeature.UniformRowLength(1), io.RaggedFeature.UniformRowLength(2)],
        )
    },
    "lengths that do not fit": lambda m, io: {
        "r": io.RaggedFeature(m.int64, "a", [io.RaggedFeature.RowLengths("a")], validate=True)
    },
    "all": lambda m, io: {
        "a": io.FixedLenFeature([2], m.int64),
        "b": io.VarLenFeature(m.string),
        "r": io.RaggedFeature(m.float32, "c"),
        "k": io.SparseFeature("i", "j", m.int64, 9),
    },
    "dense and ragged": lambda m, io: {
        "a": io.FixedLenFeature([2], m.int64), "r": io.RaggedFeature(m.int64, "a"),
    },
    "dense and sparse": lambda m, io: {
        "i": io.FixedLenFeature([1], m.int64), "r": io.SparseFeature("i", "c", m.float32, 10),
    },
    "two types": lambda m, io: {
        "r": io.SparseFeature("i", "c", m.float32, 10), "c": io.VarLenFeature(m.int64),
    },
    "nothing": lambda m, io: {},
    "none": lambda m, io: None,
    "no type": lambda m, io: {"a": io.FixedLenFeature([2], None)},
    "no type of var": lambda m, io: {"a": io.VarLenFeature(None)},
    "no shape": lambda m, io: {"a": io.FixedLenFeature(None, m.int64)},
    "unknown size": lambda m, io: {"a": io.FixedLenFeature([None], m.int64)},
    "unknown inner size": lambda m, io: {"a": io.FixedLenFeature([2, None], m.int64)},
    "double": lambda m, io: {"c": io.FixedLenFeature([1], m.float64)},
    "no feature": lambda m, io: {"a": 3},
    "default of a wrong size": lambda m, io: {"q": io.FixedLenFeature([2], m.int64, [1])},
    "default of a wrong type": lambda m, io: {"q": io.FixedLenFeature([1], m.int64, ["x"])},
    "no partition": lambda m, io: {"r": io.RaggedFeature(m.int64, "a", ["n"])},
}  # fmt: skip


def plain(v):
    if hasattr(v, "row_splits"):
        return v.to_list(), v.dtype.name, v.row_splits.dtype.name
    if hasattr(v, "indices"):
        parts = (v.indices, v.values, v.dense_shape)
        return [np.asarray(p).tolist() for p in parts], v.dtype.name
    return np.asarray(v).tolist(), v.dtype.name


def outcome(m, parse, serialized, features, **more):
    try:
        made = getattr(m.io, parse)(serialized, features(m, m.io), **more)
    except Exception as e:
        return type(e).__name__
    return {key: plain(value) for key, value in made.items()}


BATCHES = {
    "three": [example(gk, **row) for row in ROWS],
    "one row": [example(gk, **ROWS[1])],
    "scalar": example(gk, **ROWS[0]),
}


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("name", FEATURES)
def test_parse_example(name, batch):
    theirs, ours = (
        outcome(m, "parse_example", BATCHES[batch], FEATURES[name]) for m in (tf, gk)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", FEATURES)
def test_parse_single_example(name):
    for serialized in (BATCHES["scalar"], BATCHES["one row"]):
        theirs, ours = (
            outcome(m, "parse_single_example", serialized, FEATURES[name])
            for m in (tf, gk)
        )
        assert ours == theirs


@pytest.mark.parametrize("size", [[], [None], [3]])
@pytest.mark.parametrize("name", ["all", "sequence", "splits", "sparse plane"])
def test_in_functions(name, size):
    def made(m):
        @m.function(input_signature=[m.TensorSpec(size, m.string)])
        def f(s):
            return m.io.parse_example(s, FEATURES[name](m, m.io))

        batch = BATCHES["three" if size else "scalar"]
        f(m.constant(batch))
        structure = f.get_concrete_function().structured_outputs
        return (
            {key: plain(value) for key, value in f(m.constant(batch)).items()},
            {key: str(value.shape) for key, value in structure.items()},
        )

    assert made(gk) == made(tf)


def test_texts_of_errors():
    def text(m, name, **more):
        with pytest.raises(Exception) as caught:
            m.io.parse_example(BATCHES["three"], FEATURES[name](m, m.io), **more)
        said = str(caught.value)
        return said[said.rfind("}} ") + 1 :].split(" [Op:")[0].strip("} ")

    for name in (
        "missing", "wrong size", "wrong type", "var of another type", "no type",
        "sequence of a wrong size", "sequence that must be", "unknown size",
        "no feature", "nothing", "none", "sparse without key", "two types",
    ):  # fmt: skip
        assert text(gk, name) == text(tf, name), name
    named = {"example_names": ["p", "q", "r"]}
    assert text(gk, "missing", **named) == text(tf, "missing", **named)


def test_the_first_version_has_another_order():
    features = {"a": gk.io.FixedLenFeature([2], gk.int64)}
    made = gk.compat.v1.io.parse_example(BATCHES["three"], features, "scope", ["p"] * 3)
    assert made["a"].shape == (3, 2)
    assert gk.compat.v1.parse_single_example is gk.compat.v1.io.parse_single_example
