"""How often the parts of staged loops run while they are traced."""

from __future__ import annotations

import pytest

import graphkiln as tf


class Counted:
    """Counts what runs while tracing."""

    def __init__(self):
        self.conditions = self.bodies = 0

    def below(self, x, limit):
        self.conditions += 1
        return x < limit

    def asked(self, x):
        self.conditions += 1
        return x

    def step(self, x):
        self.bodies += 1
        return x + 1


def of_tensors(counted, n):
    i = tf.constant(0)
    while counted.below(i, n):
        i = counted.step(i)
    return i


def with_a_late_value(counted, n):
    i = tf.constant(0)
    while counted.below(i, n):
        i = counted.step(i)
        last = i * 10
    return i + last - last


def in_another(counted, n):
    i = tf.constant(0)
    total = tf.constant(0)
    while i < 1:
        i += 1
        while counted.below(total, n):
            total = counted.step(total)
    return total


def with_a_break(counted, n):
    i = tf.constant(0)
    while counted.below(i, n):
        i = counted.step(i)
        if i > 100:
            break
    return i


def with_returns(counted, n):
    i = tf.constant(0)
    while counted.below(i, n) and i < 50:
        i = counted.step(i)
        if i > 100:
            break
        if i > 90:
            return i * 2
    return i


def of_a_number(counted, n):
    i = 0
    while tf.less(counted.asked(i), n):
        i = counted.step(i)
    return i


def of_a_number_in_a_comparison(counted, n):
    i = 0
    while 2 * n > tf.add(counted.asked(i), i):
        i = counted.step(i)
        if i > 100:
            break
    return i


def of_a_number_and_more(counted, n):
    i = 0
    while not tf.math.greater_equal(counted.asked(i), n) and i < 50:
        i = counted.step(i)
        if i > 90:
            return i * 2
    return i


@pytest.mark.parametrize(
    "function",
    [
        of_tensors, with_a_late_value, in_another, with_a_break, with_returns,
        of_a_number, of_a_number_in_a_comparison, of_a_number_and_more,
    ],
)
def test_conditions_and_bodies_are_traced_once(function):
    counted = Counted()
    traced = tf.function(lambda n: function(counted, n))
    assert int(traced(tf.constant(5))) == 5
    assert (counted.conditions, counted.bodies) == (1, 1)
    assert int(traced(tf.constant(7))) == 7
    assert (counted.conditions, counted.bodies) == (1, 1)


def test_conditions_of_pythons_values_are_asked_once():
    """Their effects are those that Python gives them."""

    @tf.function
    def f(x):
        rest, numbers = [1, 2, 3, 4, 0, 5], iter([3, 2, 1, 0, 7])
        turns = 0
        while rest.pop(0):
            turns += 1
        while next(numbers):
            turns += 10
        return x + turns, len(rest), next(numbers)

    assert [int(v) for v in f(tf.constant(0))] == [34, 1, 7]


def test_conditions_that_may_be_tensors_are_asked_as_such_once_more():
    """Only a call tells that a function gives a tensor for a number; what it
    computes of the number it computes anew of the loop's variable."""
    asked = []

    def below(i, n):
        asked.append(type(i))
        return tf.less(i * 2, n)

    @tf.function
    def f(n):
        i = 0
        while below(i, n):
            i += 1
        return i

    assert int(f(tf.constant(5))) == 3
    assert len(asked) == 2
    assert asked[0] is int


def test_ops_that_give_no_tensor_are_conditions_of_pythons():
    @tf.function
    def f(x):
        i = 0
        while tf.unstack(x[i:]):
            i += 1
        return i

    assert int(f(tf.constant([1, 2, 3]))) == 3


def test_conditions_of_pythons_values_stay_pythons():
    @tf.function
    def widen(x):
        while x.shape[0] < 8:
            x = tf.concat([x, x], 0)
        return x

    assert widen(tf.constant([1.0, 2.0])).shape == (8,)


def test_conditions_of_pythons_values_beside_a_break_stay_pythons():
    @tf.function
    def widen(x, stop):
        while x.shape[0] < 8:
            x = tf.concat([x, x], 0)
            if stop:
                break
        return x

    assert widen(tf.constant([1.0, 2.0]), False).shape == (8,)
    assert widen(tf.constant([1.0, 2.0]), True).shape == (4,)


def test_what_stands_beside_a_break_is_not_asked_behind_it():
    @tf.function
    def last(x):
        i = tf.constant(0)
        while x[i] > 0:
            i += 1
            if i >= tf.size(x):
                break
        return i

    assert int(last(tf.constant([1, 2, 3]))) == 3
    assert int(last(tf.constant([1, -2, 3]))) == 1


def test_conditions_that_fail_fail_as_they_are_asked():
    def wrong(x):
        raise KeyError("mine")

    @tf.function
    def f(x):
        while wrong(x):
            x = x + 1
        return x

    with pytest.raises(KeyError, match="mine"):
        f(tf.constant(1))


def test_numbers_that_a_condition_reads_become_variables_of_the_loop():
    @tf.function
    def f(n):
        i, big = 0, tf.constant(True)
        while tf.logical_and(tf.less(i, n), big):
            i = i + 1
        return i

    assert int(f(tf.constant(4))) == 4
