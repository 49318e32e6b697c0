"""Iterators whose elements come in any order go on exactly all the same."""

import random
import time

import pytest

import graphkiln as tf


def _pipeline(cycle_length, block_length, around=lambda d: d):
    """Parts that take their time, whoever is ready first."""
    pauses = random.Random(7)

    def pause(x):
        time.sleep(pauses.choice([0, 0, 0.0005, 0.002]))
        return x

    def part(x):
        slow = tf.data.Dataset.range(10 * x, 10 * x + x % 4 + 3)
        return slow.map(lambda y: tf.numpy_function(pause, [y], tf.int64))

    made = tf.data.Dataset.range(9).interleave(
        part,
        cycle_length=cycle_length,
        block_length=block_length,
        num_parallel_calls=3,
        deterministic=False,
    )
    return around(made)


def _options(dataset):
    options = tf.data.Options()
    options.experimental_external_state_policy = (
        tf.data.experimental.ExternalStatePolicy.IGNORE
    )
    return dataset.with_options(options)


def _goes_on(dataset, wanted, stops):
    given, state = [], None
    for stop in [*stops, None]:
        iterator = iter(dataset)
        if state is not None:
            iterator._restore(state)
        for element in iterator:
            given.append(int(element))
            if len(given) == stop:
                break
        state = iterator._save()
    assert sorted(given) == wanted


@pytest.mark.parametrize(("cycle_length", "block_length"), [(2, 1), (3, 2), (5, 1)])
def test_each_element_comes_once(cycle_length, block_length):
    dataset = _options(_pipeline(cycle_length, block_length))
    wanted = sorted(10 * x + i for x in range(9) for i in range(x % 4 + 3))
    for stops in ([1], [7], [20], [len(wanted)], [3, 9, 10, 25], range(1, 39, 9)):
        _goes_on(dataset, wanted, list(stops))


@pytest.mark.parametrize("behind", ["shuffle", "prefetch", "repeat", "filter"])
def test_what_reads_them_goes_on_too(behind):
    around = {
        "shuffle": lambda d: d.shuffle(6, seed=3),
        "prefetch": lambda d: d.prefetch(4),
        "repeat": lambda d: d.repeat(2),
        "filter": lambda d: d.filter(lambda x: x % 3 != 0),
    }[behind]
    dataset = _options(_pipeline(4, 1, around))
    wanted = [10 * x + i for x in range(9) for i in range(x % 4 + 3)]
    if behind == "repeat":
        wanted *= 2
    if behind == "filter":
        wanted = [x for x in wanted if x % 3 != 0]
    _goes_on(dataset, sorted(wanted), [5, 6, 14, 26])
