"""tf.io.parse_sequence_example on both modules: values, specs, classes of errors."""

from __future__ import annotations

import numpy as np
import pytest


def text(tf, context, lists):
    """A SequenceExample of plain values."""

    def feature(values):
        made = tf.train.Feature()
        for v in values:
            if isinstance(v, bytes):
                made.bytes_list.value.append(v)
            elif isinstance(v, float):
                made.float_list.value.append(v)
            else:
                made.int64_list.value.append(v)
        return made

    x = tf.train.SequenceExample()
    for key, values in context.items():
        x.context.feature[key].CopyFrom(feature(values))
    for key, steps in lists.items():
        x.feature_lists.feature_list[key].SetInParent()
        for values in steps:
            x.feature_lists.feature_list[key].feature.append(feature(values))
    return x.SerializeToString()


EXAMPLES = [
    (
        {"n": [3], "t": [b"a", b"b"], "f": [1.5]},
        {"a": [[1, 2], [3, 4]], "w": [[b"x"], []]},
    ),
    ({"n": [4], "t": []}, {"a": [], "w": [[b"y", b"z"], [b"q"], []]}),
    ({"n": [5], "f": [2.5, 3.5]}, {"a": [[5, 6]]}),
]

CONTEXTS = {
    "fixed": lambda tf: {"n": tf.io.FixedLenFeature([], tf.int64)},
    "default": lambda tf: {"m": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0])},
    "missing": lambda tf: {"m": tf.io.FixedLenFeature([], tf.int64)},
    "size": lambda tf: {"n": tf.io.FixedLenFeature([2], tf.int64)},
    "type": lambda tf: {"n": tf.io.FixedLenFeature([], tf.float32)},
    "variable": lambda tf: {
        "t": tf.io.VarLenFeature(tf.string),
        "f": tf.io.VarLenFeature(tf.float32),
    },
    "ragged": lambda tf: {
        "t": tf.io.RaggedFeature(tf.string),
        "x": tf.io.RaggedFeature(tf.float32, "f", row_splits_dtype=tf.int64),
    },
    "all": lambda tf: {
        "n": tf.io.FixedLenFeature([1], tf.int64),
        "t": tf.io.VarLenFeature(tf.string),
        "f": tf.io.RaggedFeature(tf.float32),
    },
    "none": lambda tf: None,
}

LISTS = {
    "fixed": lambda tf: {
        "a": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)
    },
    "may_miss": lambda tf: {
        "z": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True)
    },
    "missing": lambda tf: {"z": tf.io.FixedLenSequenceFeature([], tf.string)},
    "size": lambda tf: {"a": tf.io.FixedLenSequenceFeature([3], tf.int64, True)},
    "type": lambda tf: {"w": tf.io.VarLenFeature(tf.int64)},
    "variable": lambda tf: {
        "a": tf.io.VarLenFeature(tf.int64),
        "w": tf.io.VarLenFeature(tf.string),
    },
    "ragged": lambda tf: {
        "a": tf.io.RaggedFeature(tf.int64),
        "v": tf.io.RaggedFeature(tf.string, "w", row_splits_dtype=tf.int64),
    },
    "all": lambda tf: {
        "a": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
        "w": tf.io.VarLenFeature(tf.string),
        "z": tf.io.RaggedFeature(tf.float32),
    },
    "none": lambda tf: None,
}


def shown(value):
    if isinstance(value, dict):
        return {k: shown(v) for k, v in sorted(value.items())}
    if isinstance(value, tuple):
        return tuple(shown(v) for v in value)
    if hasattr(value, "to_list"):
        return "ragged", value.to_list(), str(value.dtype.name), str(value.shape)
    if hasattr(value, "indices"):
        parts = (value.indices, value.values, value.dense_shape)
        return "sparse", [p.numpy().tolist() for p in parts], str(value.dtype.name)
    return np.asarray(value.numpy()).tolist(), str(value.dtype.name), str(value.shape)


def outcome(call):
    try:
        return shown(call())
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("sequence", LISTS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_sequence_examples(both, context, sequence):
    def program(tf):
        batch = [text(tf, c, s) for c, s in EXAMPLES]
        asked = CONTEXTS[context](tf), LISTS[sequence](tf)
        found = [
            outcome(lambda g=given: tf.io.parse_sequence_example(g, *asked))
            for given in (batch, batch[:1], batch[1:])
        ]
        found += [
            outcome(lambda x=one: tf.io.parse_single_sequence_example(x, *asked))
            for one in batch
        ]

        @tf.function
        def traced(given):
            return tf.io.parse_sequence_example(given, *asked)

        found.append(outcome(lambda: traced(tf.constant(batch))))
        return found

    assert program(both.ours) == program(both.theirs)


PARTED = [
    (
        {"v": [1, 2, 3, 4], "s": [0, 1, 4], "n": [3, 1]},
        {
            "v": [[1, 2, 3], [4, 5, 6, 7]],
            "s": [[0, 1, 3], [0, 2, 2, 4]],
            "n": [[2, 1], [4]],
            "t": [[b"x", b"y", b"z"], [b"", b"p", b"q", b"r"]],
        },
    ),
    ({"v": [5, 6], "s": [0, 2], "n": [2]}, {"v": [[8]], "s": [[0, 1]], "n": [[1]]}),
    ({}, {}),
    ({"v": [7]}, {"v": [[1, 2]], "n": [[1, 1]], "s": [[0, 2]]}),
]
PARTITIONS = {
    "splits": lambda f: [f.RowSplits("s")],
    "lengths": lambda f: [f.RowLengths("n")],
    "starts": lambda f: [f.RowStarts("s")],
    "limits": lambda f: [f.RowLimits("s")],
    "ids": lambda f: [f.ValueRowIds("s")],
    "uniform": lambda f: [f.UniformRowLength(1)],
    "two": lambda f: [f.UniformRowLength(2), f.UniformRowLength(1)],
    "splits of pairs": lambda f: [f.RowSplits("s"), f.UniformRowLength(1)],
    "lengths of lengths": lambda f: [f.RowLengths("n"), f.RowLengths("n")],
}


@pytest.mark.parametrize("split", ["int32", "int64"])
@pytest.mark.parametrize("name", PARTITIONS)
def test_partitions(both, name, split):
    def program(tf):
        texts = [text(tf, *parts) for parts in PARTED]
        batches = [[x] for x in texts] + [texts[:2], texts[1:3], texts[:3], tf.constant([], tf.string)]
        feature = tf.io.RaggedFeature(
            tf.int64,
            "v",
            PARTITIONS[name](tf.io.RaggedFeature),
            tf.dtypes.as_dtype(split),
        )
        asked = {"x": feature}
        found = []
        for given in ((asked, None), (None, asked), (asked, asked)):
            parse = tf.io.parse_sequence_example
            found += [outcome(lambda b=b, g=given: parse(b, *g)) for b in batches]
            parse = tf.io.parse_single_sequence_example
            found += [outcome(lambda x=x, g=given: parse(x, *g)) for x in texts]

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def traced(given):
            return tf.io.parse_sequence_example(given, None, asked)

        found.append(outcome(lambda: traced(tf.constant(texts[:3]))))
        return found

    ours, theirs = program(both.ours), program(both.theirs)
    # Where TensorFlow's shapes are at odds, ours may say so by the op's error.
    refused = ("ValueError", "InvalidArgumentError")
    for a, b in zip(ours, theirs, strict=True):
        assert a == b or (a in refused and b in refused)


@pytest.mark.parametrize("damaged", [b"\xff", b"\x0a\x05ab", b"\x12\x03\x0a\x01\xff"])
def test_damaged_sequence_examples(both, damaged):
    def program(tf):
        wanted = {"a": tf.io.VarLenFeature(tf.int64)}
        return outcome(lambda: tf.io.parse_sequence_example([damaged], wanted, wanted))

    assert program(both.ours) == program(both.theirs) == "InvalidArgumentError"


SINGLE = {
    "all": {},
    "no name": {"debug_name": ""},
    "another example": {"example": 1},
    "a third": {"example": 2},
    "lists may miss": {"example": 2, "missing": ["w", "a", "z"]},
    "no default": {"defaults": [[]], "key": "q"},
    "default": {"defaults": [[7]], "key": "q"},
    "wrong type": {"key": "t"},
    "wrong default": {"defaults": [[1, 2]]},
    "wrong steps": {"dense": "w"},
    "both kinds": {"dense": "w", "sparse": "w"},
    "damaged": {"serialized": b"\x0a\x05ab"},
    "several": {"serialized": [b"", b""]},
    "a matrix": {"missing": [["a"]]},
    "keys": {"key": ["n", "n"]},
    "names": {"debug_name": ["p", "q"]},
    "wrong number": {"count": 2},
}


@pytest.mark.parametrize("name", SINGLE)
def test_one_sequence_example(both, name):
    how = SINGLE[name]

    def program(tf):
        serialized = how.get("serialized")
        if serialized is None:
            serialized = text(tf, *EXAMPLES[how.get("example", 0)])

        def call(given):
            return tf.raw_ops.ParseSingleSequenceExample(
                serialized=given,
                feature_list_dense_missing_assumed_empty=how.get("missing", []),
                context_sparse_keys=["t", "f"],
                context_dense_keys=[how.get("key", "n")],
                feature_list_sparse_keys=[how.get("sparse", "w")],
                feature_list_dense_keys=[how.get("dense", "a")],
                context_dense_defaults=[
                    tf.constant(d, tf.int64) for d in how.get("defaults", [[]])
                ],
                debug_name=how.get("debug_name", "p"),
                context_sparse_types=[tf.string, tf.float32],
                feature_list_dense_types=[tf.int64],
                context_dense_shapes=[[1]] * how.get("count", 1),
                feature_list_sparse_types=[tf.string],
                feature_list_dense_shapes=[[2]],
            )

        def values(call):
            try:
                return [np.asarray(t).tolist() for t in tf.nest.flatten(call())]
            except Exception as error:
                return type(error).__name__

        shapes = []

        @tf.function
        def traced(given):
            found = call(given)
            shapes.extend(str(t.shape) for t in tf.nest.flatten(found))
            return found

        return [
            values(lambda: call(serialized)),
            values(lambda: traced(tf.constant(serialized))),
            shapes,
        ]

    assert program(both.ours) == program(both.theirs)
