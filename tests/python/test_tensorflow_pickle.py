"""Pickles that name TensorFlow's modules, without TensorFlow."""

import io
import pickle

import pytest

import graphkiln as tf
from graphkiln import tensorflow_pickle

DTYPE = b"ctensorflow.python.framework.dtypes\nas_dtype\n(Vfloat32\ntR"
SHAPE = (
    b"ctensorflow.python.framework.tensor_shape\nTensorShape\n"
    b"((lctensorflow.python.framework.tensor_shape\nDimension\n(I2\ntRa"
    b"ctensorflow.python.framework.tensor_shape\nDimension\n(NtRatR"
)
SPEC = (
    b"ctensorflow.python.framework.tensor\nTensorSpec\n("
    + SHAPE + DTYPE + b"Vname\ntR"
)
TENSOR = (
    b"ctensorflow.python.framework.ops\nconvert_to_tensor\n((lF1.5\naF2.0\n"
    b"atR"
)


@pytest.mark.parametrize(
    "data, expected",
    [
        (DTYPE, tf.float32),
        (SHAPE, tf.TensorShape([2, None])),
        (SPEC, tf.TensorSpec([2, None], tf.float32, "name")),
    ],
)
def test_facts(data, expected):
    read = tensorflow_pickle.loads(data + b".")
    assert type(read) is type(expected)
    assert repr(read) == repr(expected)


def test_tensors():
    read = tensorflow_pickle.load(io.BytesIO(TENSOR + b"."))
    assert isinstance(read, tf.Tensor)
    assert read.numpy().tolist() == [1.5, 2.0]


def test_own_pickles_are_read_as_well():
    spec = tf.TensorSpec([2, None], tf.int64, "x")
    assert tensorflow_pickle.loads(pickle.dumps(spec)) == spec


def test_plain_pickle_is_left_alone():
    with pytest.raises(ImportError):
        pickle.loads(b"ctensorflow.no.such.module\nname\n.")


def test_names_that_are_not_there():
    with pytest.raises(
        pickle.UnpicklingError, match="tensorflow.python.ops.no_such_thing"
    ):
        tensorflow_pickle.loads(b"ctensorflow.python.ops\nno_such_thing\n.")
