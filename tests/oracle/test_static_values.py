"""What is known of a tensor before it is computed, and messages of values."""

import numpy as np
import pytest


def stacked(tf):
    with tf.Graph().as_default():
        unknown = tf.compat.v1.placeholder(tf.float32)
        row = tf.compat.v1.placeholder(tf.float32, [2])
        part = tf.stack([np.ones(2, np.float32), row])
        return [
            tf.get_static_value(t, partial=True)
            for t in (
                tf.stack([np.ones(2, np.float32), unknown]),
                part,
                *tf.unstack(part),
                tf.stack([row, row], axis=1),
                tf.stack([1.0, 2.0]),
                tf.unstack(tf.stack([3.0, 4.0]))[1],
                unknown,
            )
        ]


def test_values_known_in_part(both):
    ours, theirs = stacked(both.ours), stacked(both.theirs)
    for our, their in zip(ours, theirs, strict=True):
        assert (our is None) == (their is None)
        assert getattr(our, "dtype", None) == getattr(their, "dtype", None)
        assert repr(np.asarray(our)) == repr(np.asarray(their))


@pytest.mark.parametrize(
    "make",
    [
        lambda tf: "text",
        lambda tf: 3,
        lambda tf: None,
        lambda tf: [1, 2],
        lambda tf: np.ones(2),
        lambda tf: tf.constant([1, 2]),
        lambda tf: tf.Variable(1),
        lambda tf: tf.ragged.constant([[1]]),
        lambda tf: tf.sparse.from_dense([1]),
    ],
)
def test_what_is_no_tensor_is_its_own_value(both, make):
    values = [tf.get_static_value(make(tf)) for tf in (both.ours, both.theirs)]
    assert repr(values[0]) == repr(values[1])


@pytest.mark.parametrize(
    "value",
    [
        10.0,
        [10.0, 20.0],
        3,
        [1, 2],
        "a",
        True,
        1j,
        np.float64(2.0),
        np.ones(3),
        [np.float32(1.5)],
    ],
)
def test_messages_made_while_a_graph_is_built(both, value):
    def texts(tf):
        eager = str(tf.make_tensor_proto(value))
        with tf.Graph().as_default():
            return eager, str(tf.make_tensor_proto(value))

    ours, theirs = texts(both.ours), texts(both.theirs)
    assert ours[0] == ours[1]
    assert ours[0] == theirs[0]


class WithInterface:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


def test_the_array_interface(both):
    both.agree(lambda tf: tf.constant(WithInterface(np.arange(3.0))))
