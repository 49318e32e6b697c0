"""Which seeds each pass over a dataset has: iterators draw them when they are made,
whether they are asked for an element or not."""

from __future__ import annotations

import pytest


def shuffled(tf):
    return tf.data.Dataset.range(8).shuffle(8, seed=1).batch(4)


def listed(iterator):
    return [x.numpy().tolist() for x in iterator]


def unused(tf):
    d = shuffled(tf)
    first, second = iter(d), iter(d)
    yield listed(second)
    yield listed(iter(d))
    yield listed(first)


def partly_used(tf):
    d = shuffled(tf)
    first = iter(d)
    next(first)
    yield listed(iter(d))
    yield listed(first)


def repeated(tf):
    d = shuffled(tf)
    for count in (2, 1, 0, 3):
        yield listed(d.repeat(count))
    yield listed(d.repeat().take(5))
    yield listed(d)


def repeated_at_once(tf):
    d = tf.data.Dataset.range(8).shuffle(8, seed=1)
    for count in (2, 1, 3):
        iter(d.repeat(count))
        yield listed(d.repeat(count))
        yield listed(d.repeat(count).batch(5))
    yield listed(d.repeat().take(20))
    yield listed(d)


def below_others(tf):
    d = shuffled(tf)
    made = [
        d.prefetch(2), d.map(lambda x: x + 1), d.take(1), d.skip(1), d.cache(),
        tf.data.Dataset.zip((d, d)).map(lambda a, b: a + b), d.concatenate(d),
        d.shuffle(2, seed=3), d.unbatch().batch(3), d.with_options(tf.data.Options()),
        tf.data.Dataset.range(3).flat_map(lambda i: d),
        tf.data.Dataset.range(3).interleave(lambda i: d, cycle_length=2),
        d.window(2).flat_map(lambda w: w), d.enumerate().map(lambda i, x: x + i),
    ]  # fmt: skip
    for other in made:
        iter(other)
        yield listed(other)
        yield listed(d)


def in_functions(tf):
    d = shuffled(tf)

    @tf.function
    def read():
        all_of_them = tf.zeros([4], tf.int64)
        for x in d:
            all_of_them = all_of_them * 10 + x
        return all_of_them

    for _ in range(3):
        yield read().numpy().tolist()
    yield listed(d)


def random_numbers(tf):
    d = tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)
    iter(d)
    yield listed(d)
    yield listed(d.repeat(2))
    yield listed(d)


def kept_order(tf):
    d = tf.data.Dataset.range(6).shuffle(6, seed=2, reshuffle_each_iteration=False)
    iter(d)
    yield listed(d)
    yield listed(d.repeat(2))


def distributed(tf):
    d = tf.distribute.get_strategy().experimental_distribute_dataset(shuffled(tf))
    iter(d)
    yield listed(iter(d))
    yield listed(iter(d))


@pytest.mark.parametrize(
    "program",
    [unused, partly_used, repeated, repeated_at_once, below_others, in_functions, random_numbers,
     kept_order, distributed],
)  # fmt: skip
def test_seeds(both, program):
    own, theirs = list(program(both.ours)), list(program(both.theirs))
    assert own == theirs
    assert own
