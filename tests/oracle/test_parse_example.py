"""Features parsed out of serialized examples, as TensorFlow parses them."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk


def example(**features):
    """A serialized Example: bytes, floats or integers by name; None is a feature
    of no kind."""
    made = {}
    for name, values in features.items():
        feature = tf.train.Feature()
        if values is None:
            pass
        elif values and isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif values and isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.SetInParent()
            feature.int64_list.value.extend(values)
        made[name] = feature
    return tf.train.Example(
        features=tf.train.Features(feature=made)
    ).SerializeToString(deterministic=True)


A = example(a=[1, -2], b=[b"x"], c=[1.5])
B = example(a=[3, 2**62], c=[2.5, float("inf")], e=[])
LONG = example(a=[7, 8], b=[b"", b"a string that is longer than others"], f=None)
DOUBLED = A + example(a=[5, 6])
# Lists that are not packed, and fields that nobody knows.
UNPACKED = b"\x0a\x10\x0a\x0e\x0a\x01a\x12\x09\x1a\x04\x08\x05\x08\x06\x22\x01z"


def outcome(m, serialized, **asked):
    call = {
        "names": [],
        "sparse_keys": [],
        "dense_keys": [],
        "ragged_keys": [],
        "dense_defaults": [],
        "num_sparse": len(asked.get("sparse_keys", [])),
        "sparse_types": [],
        "ragged_value_types": [],
        "ragged_split_types": [],
        "dense_shapes": [],
        **asked,
    }
    call["dense_defaults"] = [
        m.constant(value, dtype) for value, dtype in call["dense_defaults"]
    ]
    try:
        made = m.raw_ops.ParseExampleV2(serialized=m.constant(serialized), **call)
    except Exception as e:
        text = str(e)
        return type(e).__name__, text[text.rfind("}}") + 1 :].split(" [Op:")[0].strip(
            "} "
        )
    return [
        (np.asarray(t).tolist(), np.asarray(t).dtype.str)
        for t in m.nest.flatten(list(made))
    ]


def dense(key, shape, dtype="int64", default=()):
    return {
        "dense_keys": [key],
        "dense_shapes": [shape],
        "dense_defaults": [
            (list(default) if isinstance(default, tuple) else default, dtype)
        ],
    }


def sparse(key, dtype="int64"):
    return {"sparse_keys": [key], "sparse_types": [dtype]}


def ragged(key, dtype="int64", splits="int32"):
    return {
        "ragged_keys": [key],
        "ragged_value_types": [dtype],
        "ragged_split_types": [splits],
    }


WANTED = [
    dense("a", [2]),
    dense("a", [1, 2]),
    dense("a", []),
    dense("a", [3]),
    dense("a", [2], "float32"),
    dense("b", [], "string"),
    dense("b", [], "string", "d"),
    dense("b", [2], "string", ("p", "q")),
    dense("q", [2, 2], "float32", ([[1.0, 2.0], [3.0, 4.0]],)[0]),
    dense("q", [0]),
    dense("c", [None], "float32"),
    dense("c", [None], "float32", -1.0),
    dense("c", [None, 2], "float32"),
    dense("a", [None, 2], "int64", 9),
    dense("a", [None, 1]),
    dense("b", [None], "string", "pad"),
    dense("e", [None]),
    dense("a", [None], "int64", (1, 2, 3)),
    dense("q", [2], "int64", (1, 2, 3)),
    sparse("a"),
    sparse("a", "float32"),
    sparse("b", "string"),
    sparse("c", "float32"),
    sparse("e"),
    sparse("f", "string"),
    sparse("nothing"),
    ragged("a"),
    ragged("b", "string", "int64"),
    ragged("c", "float32"),
    ragged("e", "int64", "int64"),
    ragged("c"),
    {**dense("a", [2]), **sparse("c", "float32"), **ragged("b", "string")},
    {
        **dense("a", [2]),
        "names": ["first", "second"],
        **sparse("c", "string"),
    },
]
BATCHES = {
    "two": [A, B],
    "long": [LONG, A, B, DOUBLED],
    "unpacked": [UNPACKED, A],
    "none": np.array([], object),
    "empty": [b"", A],
    "one": A,
    "one_long": LONG,
    "matrix": [[A, B]],
}


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("wanted", range(len(WANTED)))
def test_values_and_errors_are_those_of_tensorflow(batch, wanted):
    theirs, ours = (outcome(m, BATCHES[batch], **WANTED[wanted]) for m in (tf, gk))
    if "Can't parse serialized Example" in str(theirs[-1]):
        ours, theirs = ours[0], theirs[0]  # of which ours says what it is
    assert ours == theirs


BROKEN = [
    A[:-1],
    b"\x0a",
    b"\x0a\x07\x0a\x05\x0a\x01a\x12\x09",
]


@pytest.mark.parametrize("broken", range(len(BROKEN)))
def test_broken_examples_are_errors(broken):
    text = BROKEN[broken]
    made = outcome(gk, [A, text], **dense("a", [2]))
    assert made[0] == "InvalidArgumentError"
    assert made[1].startswith("Name: <unknown>, Could not parse example input, value: ")


@pytest.mark.parametrize("size", [None, [], [None], [4]])
def test_static_shapes(size):
    def shapes(m):
        def f(s):
            made = m.raw_ops.ParseExample(
                serialized=s,
                names=[],
                sparse_keys=["a"],
                dense_keys=["b", "c"],
                dense_defaults=[m.constant([], "int64"), m.constant([], "float32")],
                sparse_types=["int64"],
                dense_shapes=[[2], [None, 3]],
            )
            return m.nest.flatten(list(made))

        try:
            g = m.function(f).get_concrete_function(m.TensorSpec(size, "string"))
        except ValueError as e:
            return type(e)
        return [o.shape.as_list() for o in g.outputs]

    assert shapes(gk) == shapes(tf)


@pytest.mark.parametrize("key", ["b", "c", "q"])
def test_single_examples(key):
    def made(m):
        try:
            out = m.raw_ops.ParseSingleExample(
                serialized=A,
                dense_defaults=[m.constant([1, 2], "int64"), m.constant([], "float32")],
                num_sparse=1,
                sparse_keys=[key],
                dense_keys=["a", "c"],
                sparse_types=["int64"],
                dense_shapes=[[2], [1]],
            )
        except Exception as e:
            return type(e).__name__
        return [np.asarray(t).tolist() for t in m.nest.flatten(list(out))]

    assert made(gk) == made(tf)
