"""Which saved trace serves a call of a loaded function, and what is said where none
does: the same in both, whoever wrote the model."""

import collections

import numpy as np
import pytest
import tensorflow as original

import graphkiln as own

Pair = collections.namedtuple("Pair", "left right")
BOTH = {"own": own, "original": original}


def model_of(tf):
    model = tf.Module()

    def said(x, what):
        return tf.constant(f"{x.dtype.name} {x.shape} {what}")

    @tf.function
    def plain(x, kind="none", *, mode=True):
        return said(x, f"{kind} {mode}")

    float_spec, whole = tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32)
    for shape in ([3], [None, 2], []):
        plain.get_concrete_function(tf.TensorSpec(shape, tf.float32))
    plain.get_concrete_function(whole, "some")
    plain.get_concrete_function(whole, 7, mode=False)
    plain.get_concrete_function(tf.TensorSpec([], tf.string), 2.5)
    model.plain = plain

    @tf.function
    def nested(x):
        return tf.add_n([tf.cast(leaf, tf.float32) for leaf in tf.nest.flatten(x)])

    nested.get_concrete_function([float_spec, whole])
    nested.get_concrete_function((float_spec, float_spec))
    nested.get_concrete_function({"b": float_spec, "a": whole})
    nested.get_concrete_function(Pair(float_spec, whole))
    model.nested = nested

    @tf.function
    def composite(x, n=1):
        return tf.reduce_sum(x.values) * float(n)

    composite.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    composite.get_concrete_function(tf.SparseTensorSpec([None, 2], tf.float32), 3)
    model.composite = composite
    return model


CALLS = {
    "shape": lambda tf, m: m.plain(tf.zeros([3])),
    "partial": lambda tf, m: m.plain(tf.zeros([5, 2])),
    "wrong shape": lambda tf, m: m.plain(tf.zeros([4])),
    "number": lambda tf, m: m.plain(1.0),
    "array": lambda tf, m: m.plain(np.zeros([3], np.float32)),
    "list": lambda tf, m: m.plain([1.0, 2.0, 3.0]),
    "variable": lambda tf, m: m.plain(tf.Variable(tf.zeros([3]))),
    "default by name": lambda tf, m: m.plain(x=1.0, kind="none"),
    "other literal": lambda tf, m: m.plain(tf.constant(1), kind="other"),
    "text": lambda tf, m: m.plain(tf.constant(1), "some"),
    "whole number": lambda tf, m: m.plain(1, "some"),
    "two literals": lambda tf, m: m.plain(tf.constant(1), 7, mode=False),
    "wrong mode": lambda tf, m: m.plain(tf.constant(1), 7),
    "real literal": lambda tf, m: m.plain("a", 2.5),
    "no argument": lambda tf, m: m.plain(None),
    "list of two": lambda tf, m: m.nested([tf.constant(1.0), tf.constant(2)]),
    "numbers in it": lambda tf, m: m.nested([1.0, 2]),
    "a tuple": lambda tf, m: m.nested((tf.constant(1.0), tf.constant(2.0))),
    "tuple for list": lambda tf, m: m.nested((tf.constant(1.0), tf.constant(2))),
    "dictionary": lambda tf, m: m.nested({"a": tf.constant(1), "b": tf.constant(2.0)}),
    "other keys": lambda tf, m: m.nested({"a": tf.constant(1), "c": tf.constant(2.0)}),
    "too many": lambda tf, m: m.nested([tf.constant(1.0)] * 3),
    "ragged": lambda tf, m: m.composite(tf.ragged.constant([[1.0, 2.0], [3.0]])),
    "sparse": lambda tf, m: m.composite(tf.sparse.from_dense([[1.0, 2.0]]), 3),
    "sparse for ragged": lambda tf, m: m.composite(tf.sparse.from_dense([[1.0]])),
    "tensor for ragged": lambda tf, m: m.composite(tf.constant([[1.0]])),
}


@pytest.fixture(scope="module", params=BOTH)
def models(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("restored"))
    writer = BOTH[request.param]
    writer.saved_model.save(model_of(writer), path)
    return {tf: tf.saved_model.load(path) for tf in BOTH.values()}


def outcome(tf, models, call):
    try:
        return np.asarray(CALLS[call](tf, models[tf])).tolist()
    except Exception as error:
        text = str(error)
        if "sparse" in call or "ragged" in call:  # repr of these shows its parts
            text = text[: text.index("Got:")] + text[text.index("Expected these") :]
        return type(error).__name__, text


@pytest.mark.parametrize("call", CALLS)
def test_the_outcome_is_that_of_tensorflow(models, call):
    assert outcome(own, models, call) == outcome(original, models, call)
