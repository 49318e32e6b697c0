"""Values that are no tensors: what they raise eagerly, and in a trace, where
a value with elements of no dtype is a TypeError as a whole."""

from __future__ import annotations

from outcomes import failure


class Odd:
    def __repr__(self):
        return "<odd>"


def _values(tf):
    return [
        Odd(), [Odd()], [1, Odd()], [[1.0], [Odd()]], {1}, {"a": 1}, (1, "a"),
        Odd, slice(1), [None], tf.TensorSpec([]), tf.sparse.from_dense([1, 0]),
        None, 2**70,
    ]


def _raised(tf, *functions):
    found = []
    for f in functions:
        for value in _values(tf):
            traced = tf.function(
                lambda f=f, value=value: f(value), autograph=False
            )
            for made in (failure(f, value), failure(traced)):
                if made[0] == "ok":
                    found.append(made)
                    continue
                # How a value is described is each module's own.
                found.append([made[0], made[1].partition(" to Tensor")[0]
                              .partition(" of <")[0]])
    return found


def program_as_tensors(tf):
    return _raised(tf, tf.convert_to_tensor)


def program_as_operands(tf):
    return [found[0] for found in _raised(tf, tf.identity, tf.negative)]


def program_as_elements_of_a_dtype(tf):
    found = []
    for value in (Odd(), [Odd()], {1}, [[Odd()]], ([Odd()], [1])):
        for dtype in (tf.float32, tf.int64, tf.bool):
            traced = tf.function(
                lambda value=value, dtype=dtype: tf.convert_to_tensor(
                    value, dtype
                ),
                autograph=False,
            )
            found.append(failure(traced))
    return found


def program_ragged_tensors(tf):
    ragged = tf.ragged.constant([[1], [2, 3]])
    return [
        failure(tf.function(f, autograph=False))[0]
        for f in (
            lambda: tf.convert_to_tensor(ragged), lambda: tf.stack([1, ragged]),
            lambda: tf.transpose(ragged), lambda: tf.argmax(ragged),
        )
    ]
