"""Random pipelines give what plain Python gives: iterated over in Python, by a
loop in a function, and by next of an iterator."""

import pathlib
import sys

import graphkiln as tf
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import pipelines  # noqa: E402

SEEDS = range(300)


def listed(elements) -> list:
    return [getattr(x, "tolist", lambda x=x: x)() for x in elements]


def in_a_function(dataset) -> list:
    """The sum and number of all components, as a loop makes them."""

    @tf.function
    def run(d):
        total, count = tf.constant(0, tf.int64), 0
        for x in d:
            if tf.size(x) == 0:
                continue
            total = total * 3 + tf.reduce_sum(x)
            count += 1
            if count >= 40:
                break
        return total, count

    return [int(x) for x in run(dataset)]


def expected_of_function(elements) -> list:
    total = count = 0
    for x in elements:
        if x.size == 0:
            continue
        total = total * 3 + int(x.sum())
        total = (total + 2**63) % 2**64 - 2**63
        count += 1
        if count >= 40:
            break
    return [total, count]


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
def test_pipelines(first: int):
    for seed in SEEDS[first : first + 10]:
        make = pipelines.program(seed)
        wanted = listed(make(pipelines.Source()))
        dataset = make(pipelines.Source(tf)).dataset
        found = listed(dataset.as_numpy_iterator())
        assert found == wanted, f"seed {seed}"
        again = listed(x.numpy() for x in dataset)
        assert again == wanted, f"seed {seed}, the second time"
        n = int(dataset.cardinality())
        assert n in (len(wanted), tf.data.UNKNOWN_CARDINALITY), f"seed {seed}"
        if seed % 3 == 0:
            assert in_a_function(dataset) == expected_of_function(
                make(pipelines.Source())
            ), f"seed {seed}"


def test_older_names_of_options():
    options = tf.data.Options()
    options.experimental_deterministic = False
    assert options.deterministic is False
    options.deterministic = True
    assert options.experimental_deterministic is True
    assert options.experimental_threading is options.threading
