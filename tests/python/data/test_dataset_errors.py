"""Errors of functions that datasets call show the user's line."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphkiln as tf

D = tf.data.Dataset


def fails(x):
    quotient = 1 // (x - x)  # the line
    return quotient


LINE = inspect.getsourcelines(fails)[1] + 1


def number(x):
    return tf.cast(x, tf.int64)


SOURCES = {
    "map": lambda r: r.map(fails),
    "parallel map": lambda r: r.map(fails, num_parallel_calls=2),
    "filter": lambda r: r.filter(lambda x: fails(x) > 0),
    "take_while": lambda r: r.take_while(lambda x: fails(x) > 0),
    "scan": lambda r: r.scan(np.int64(0), lambda s, x: (s, fails(x))),
    "flat_map": lambda r: r.flat_map(lambda x: D.range(fails(x))),
    "inside of flat_map": lambda r: r.flat_map(lambda x: D.range(1).map(fails)),
    "interleave": lambda r: r.interleave(
        lambda x: D.range(2).map(fails), cycle_length=2
    ),
    "parallel interleave": lambda r: r.interleave(
        lambda x: D.range(2).map(fails), cycle_length=2, num_parallel_calls=2
    ),
    "batch": lambda r: r.map(fails).batch(2, num_parallel_calls=2),
    "shuffle": lambda r: r.map(fails).shuffle(3),
    "prefetch": lambda r: r.map(fails).prefetch(2),
    "prefetch of a prefetch": lambda r: r.map(fails).prefetch(2).prefetch(2),
    "under a call": lambda r: r.map(lambda x: tf.function(fails)(x)),
    "under a branch": lambda r: r.map(
        lambda x: tf.cond(x >= 0, lambda: fails(x), lambda: x)
    ),
}


def eagerly(dataset):
    return list(dataset)


@tf.function
def looped(dataset):
    total = tf.constant(0, tf.int64)
    for x in dataset:
        total += tf.reduce_sum(tf.cast(x, tf.int64))
    return total


@tf.function
def asked(iterator):
    return next(iterator)


RUNS = {
    "eagerly": eagerly,
    "in a loop": looped,
    "in a function": lambda d: asked(iter(d)),
    "reduced": lambda d: d.reduce(
        np.int64(0), lambda s, x: s + tf.reduce_sum(x)
    ),
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("source", SOURCES)
def test_error_shows_the_line(source, run):
    dataset = SOURCES[source](D.range(4))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        RUNS[run](dataset)
    text = str(caught.value)
    assert "Integer division by zero" in text
    assert "Error in user-defined function passed to" in text
    assert f'File "{__file__}", line {LINE}, in fails' in text
    assert text.count("Detected at node") == 1


@pytest.mark.parametrize("in_function", [False, True])
def test_error_of_reduce_shows_the_line(in_function):
    def run():
        return D.range(3).reduce(np.int64(0), lambda s, x: s + fails(x))

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        (tf.function(run) if in_function else run)()
    text = str(caught.value)
    assert f'File "{__file__}", line {LINE}, in fails' in text


def test_error_of_a_generator_shows_where_the_dataset_was_made():
    def broken():
        yield 1
        raise ValueError("boom")

    dataset = D.from_generator(broken, tf.int32)  # here
    line = inspect.currentframe().f_lineno - 1
    for data in (dataset, dataset.prefetch(1)):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            list(data)
        text = str(caught.value)
        assert "ValueError: boom" in text
        assert f'File "{__file__}", line {line}, in ' in text


def test_the_next_error_has_no_line_of_the_last():
    iterator = iter(D.range(1).map(fails))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError) as caught:
        iterator.get_next()
    assert "Detected at" not in str(caught.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.reshape([1, 2], [3])
    assert "Detected at" not in str(caught.value)


def test_a_wrong_number_of_arguments_speaks_of_the_users_function():
    for function, dataset in (
        (lambda x, y: x, D.range(2)),
        (lambda x: x, D.zip(D.range(2), D.range(2))),
    ):
        with pytest.raises(TypeError, match="argument") as caught:
            dataset.map(function)
        text = str(caught.value)
        assert "tf__" not in text and "<lambda>()" in text


def test_what_is_no_function_is_refused():
    for f in (D.range(2).map, D.range(2).filter, D.range(2).flat_map):
        with pytest.raises(ValueError, match="must be a callable"):
            f(5)


def test_functions_lose_no_writes():
    def loses(x):
        array = tf.TensorArray(tf.int64, 1)
        array.write(0, x)
        return x

    with pytest.raises(ValueError, match="was never used"):
        D.range(2).map(loses)
    kept = D.range(2).map(lambda x: tf.TensorArray(tf.int64, 1).write(0, x).stack())
    assert [v.tolist() for v in kept.as_numpy_iterator()] == [[0], [1]]
