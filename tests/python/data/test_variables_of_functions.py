"""Variables that functions of datasets make: in their first trace, as those of
tf.function do."""

from __future__ import annotations

import pytest

import graphkiln as tf


class Scaling:
    """Makes its variable where it is first called, as layers do."""

    def __init__(self, initial=2.0):
        self.traces, self.v, self.initial = 0, None, initial

    def __call__(self, x):
        self.traces += 1
        if self.v is None:
            self.v = tf.Variable(self.initial)
        return x * self.v


def _values(dataset):
    return [float(x) for x in dataset]


DATASET = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "initial", [2.0, lambda: tf.ones([]) * 2.0], ids=["value", "function"]
)
def test_map(initial):
    scaling = Scaling(initial)
    dataset = DATASET.map(scaling)
    assert scaling.traces == 2
    assert _values(dataset) == [2.0, 4.0, 6.0]
    scaling.v.assign(3.0)
    assert _values(dataset) == [3.0, 6.0, 9.0]
    assert _values(DATASET.map(scaling, num_parallel_calls=2)) == [3.0, 6.0, 9.0]
    assert scaling.traces == 3


@pytest.mark.parametrize(
    "run, want, traces",
    [
        (lambda d, f: _values(d.filter(lambda x: f(x) > 3.0)), [2.0, 3.0], 2),
        (lambda d, f: float(d.reduce(0.0, lambda s, x: s + f(x))), 12.0, 2),
        (
            lambda d, f: _values(
                d.flat_map(lambda x: tf.data.Dataset.from_tensors(f(x)))
            ),
            [2.0, 4.0, 6.0],
            2,
        ),
        (
            lambda d, f: _values(d.scan(0.0, lambda s, x: (s + f(x), s + f(x)))),
            [2.0, 6.0, 12.0],
            4,
        ),
        (
            lambda d, f: _values(
                d.map(lambda x: tf.cond(x > 1.0, lambda: f(x), lambda: x))
            ),
            [1.0, 4.0, 6.0],
            2,
        ),
    ],
    ids=["filter", "reduce", "flat_map", "scan", "cond"],
)
def test_other_functions(run, want, traces):
    scaling = Scaling()
    assert run(DATASET, scaling) == want
    assert scaling.traces == traces


def test_in_a_function():
    scaling = Scaling()

    @tf.function
    def total():
        result = 0.0
        for x in DATASET.map(scaling):
            result += x
        return result

    assert float(total()) == float(total()) == 12.0
    assert scaling.traces == 2


def test_each_trace_makes_one():
    with pytest.raises(ValueError, match="only supports singleton tf.Variables"):
        DATASET.map(lambda x: x * tf.Variable(2.0))


def test_the_value_of_an_element_is_none_that_is_known():
    made = []

    def of_element(x):
        made.append(tf.Variable(x))
        return x

    with pytest.raises(Exception, match="Unable to lift tensor"):
        DATASET.map(of_element)
    assert made == []
