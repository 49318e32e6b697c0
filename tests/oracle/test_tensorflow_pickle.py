"""Pickles that TensorFlow wrote are read as graphkiln's objects."""

import pickle

import numpy as np
import pytest
import tensorflow

import graphkiln
from graphkiln import tensorflow_pickle


def _options(tf):
    options = tf.data.Options()
    options.deterministic = True
    options.autotune.enabled = False
    options.threading.private_threadpool_size = 3
    options.experimental_optimization.map_fusion = True
    return options


MAKERS = {
    "spec": lambda tf: tf.TensorSpec([1, None], tf.float32, "a"),
    "shape": lambda tf: tf.TensorShape([1, None]),
    "unknown shape": lambda tf: tf.TensorShape(None),
    "dtypes": lambda tf: [tf.float32, tf.bfloat16, tf.resource, tf.variant],
    "ragged spec": lambda tf: tf.RaggedTensorSpec([None, None], tf.int32),
    "sparse spec": lambda tf: tf.SparseTensorSpec([None], tf.int32),
    "slices spec": lambda tf: tf.IndexedSlicesSpec([3], tf.int32),
    "array spec": lambda tf: tf.TensorArraySpec([1], tf.int32),
    "dataset spec": lambda tf: tf.data.DatasetSpec(tf.TensorSpec([])),
    "optional spec": lambda tf: tf.OptionalSpec(tf.TensorSpec([])),
    "tensor": lambda tf: tf.constant([[1.5, 2.0]]),
    "text": lambda tf: tf.constant("abc"),
    "texts": lambda tf: tf.constant(["abc", "d"]),
    "bfloat16": lambda tf: tf.constant([1.5], tf.bfloat16),
    "empty": lambda tf: tf.zeros([0, 2], tf.int64),
    "variable": lambda tf: tf.Variable([1.0], name="v"),
    "untrained": lambda tf: tf.Variable(1, trainable=False),
    "ragged": lambda tf: tf.ragged.constant([[1, 2], [3]]),
    "deep ragged": lambda tf: tf.ragged.constant([[[1, 2], []], [[3]]]),
    "uniform ragged": lambda tf: tf.RaggedTensor.from_uniform_row_length(
        tf.ragged.constant([[1], [2, 3], [4], []]), 2
    ),
    "sparse": lambda tf: tf.SparseTensor([[0, 1]], ["a"], [2, 2]),
    "device": lambda tf: tf.DeviceSpec.from_string("/job:a/cpu:0"),
    "enumerations": lambda tf: [
        tf.VariableAggregation.SUM, tf.VariableSynchronization.ON_READ,
        tf.UnconnectedGradients.ZERO,
    ],
    "error": lambda tf: tf.errors.InvalidArgumentError(None, None, "text"),
    "class": lambda tf: [tf.TensorSpec, tf.DType, tf.errors.NotFoundError],
    "function": lambda tf: [tf.add, tf.nn.relu, tf.reduce_sum],
    "options": lambda tf: _options(tf),
    "threading": lambda tf: tf.data.ThreadingOptions(),
    "nest": lambda tf: {"a": (tf.constant(1), [tf.int32]), "b": None},
}


def _shown(value):
    return str(value).replace("tensorflow.python.framework.", "graphkiln.")


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_same_objects(name, protocol):
    theirs = MAKERS[name](tensorflow)
    ours = MAKERS[name](graphkiln)
    read = tensorflow_pickle.loads(pickle.dumps(theirs, protocol))
    assert type(read) is type(ours)
    if name in ("class", "function", "options", "threading"):
        assert read == ours
    else:
        assert repr(read) == repr(ours) or name == "error"
    # It is as good as one made here.
    again = pickle.loads(pickle.dumps(read))
    assert type(again) is type(ours)


def test_indexed_slices():
    def make(tf):
        return tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]))

    read = tensorflow_pickle.loads(pickle.dumps(make(tensorflow)))
    assert type(read) is graphkiln.IndexedSlices
    np.testing.assert_array_equal(read.values, [1.0])
    np.testing.assert_array_equal(read.indices, [2])


def test_errors_keep_their_message():
    theirs = tensorflow.errors.OutOfRangeError(None, None, "text")
    read = tensorflow_pickle.loads(pickle.dumps(theirs))
    assert type(read) is graphkiln.errors.OutOfRangeError
    assert read.message == "text"


def test_one_object_stays_one():
    spec = tensorflow.TensorSpec([2])
    ragged = tensorflow.ragged.constant([[1], []])
    read = tensorflow_pickle.loads(pickle.dumps([spec, spec, ragged, ragged]))
    assert read[0] is read[1]
    assert read[2] is read[3]
    assert read[2].to_list() == [[1], []]


def test_what_is_not_there():
    data = pickle.dumps(tensorflow.Module(name="m"))
    with pytest.raises(pickle.UnpicklingError, match="name_scope"):
        tensorflow_pickle.loads(data)
    with pytest.raises(pickle.UnpicklingError, match="no_such_thing"):
        tensorflow_pickle.loads(b"ctensorflow.python.ops\nno_such_thing\n.")


def test_options_keep_what_was_set():
    read = tensorflow_pickle.loads(pickle.dumps(_options(tensorflow)))
    assert read == _options(graphkiln)
    assert read.threading.private_threadpool_size == 3
    dataset = graphkiln.data.Dataset.range(3).with_options(read)
    assert dataset.options().deterministic is True


@pytest.mark.parametrize("name", [
    "Zeros", "Ones", "Constant", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "VarianceScaling", "GlorotUniform", "GlorotNormal",
    "HeNormal", "HeUniform", "LecunNormal", "LecunUniform",
])
def test_initializers_give_the_same_numbers(name):
    for seed in ({}, {"seed": 3}):
        if seed and name in ("Zeros", "Ones", "Constant"):
            continue
        theirs = getattr(tensorflow.initializers, name)(**seed)
        read = tensorflow_pickle.loads(pickle.dumps(theirs))
        assert type(read) is getattr(graphkiln.initializers, name)
        np.testing.assert_allclose(
            read([2, 3]).numpy(), theirs([2, 3]).numpy(), rtol=1e-5, atol=1e-6
        )
