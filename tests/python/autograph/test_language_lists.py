"""Lists that grow in staged loops, comprehensions, and what is left to Python."""

from __future__ import annotations

import logging

import pytest
from language import F

import graphkiln as tf


def test_gradient_through_lists_that_grow():
    def f(x):
        kept = [v * v for v in x if v > 0.0]
        more = []
        tf.autograph.experimental.set_element_type(more, tf.float32, [])
        for v in x:
            if v < 2.5:
                more.append(v * 3.0)
        return sum(kept) + sum(more)

    x = F([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f, [tf.TensorSpec([None], tf.float32)])(x)
    assert float(y) == 7.0
    assert tape.gradient(y, x).numpy().tolist() == [5.0, 3.0, 6.0]


def test_lists_that_grow_come_out_stacked():
    @tf.function
    def f(n):
        pairs = [(i, tf.cast([i, i], tf.float32)) for i in tf.range(n)]
        del pairs[1:0]
        pairs.insert(0, (n, tf.zeros([2])))
        first = pairs.pop(0)
        pairs[0] = first
        pairs.extend([(n, tf.ones([2]))])
        return pairs[1:], pairs[-1], first

    numbers, vectors = f(tf.constant(3))[0]
    assert numbers.numpy().tolist() == [1, 2, 3]
    assert vectors.numpy().tolist() == [[1, 1], [2, 2], [1, 1]]
    last, first = f(tf.constant(3))[1:]
    assert int(last[0]) == int(first[0]) == 3


@pytest.mark.parametrize("change", [
    lambda found, n: found.pop(n),
    lambda found, n: found.pop(3),
    lambda found, n: found.pop(-4),
    lambda found, n: found.__delitem__(n),
    lambda found, n: found.pop(tf.cast(n - 3, tf.int64) + 2**32),
])
def test_what_is_not_there_is_not_taken_off(change):
    @tf.function
    def f(n):
        found = [i for i in tf.range(n)]
        change(found, n)
        return found

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(3))


def test_places_in_lists_are_integers():
    @tf.function
    def f(n, at):
        found = [i for i in tf.range(n)]
        return found[at]

    assert int(f(tf.constant(3), tf.constant(1, tf.uint8))) == 1
    assert int(f(tf.constant(3), tf.constant(-1, tf.int64))) == 2
    assert int(f(tf.constant(3), tf.constant(2, tf.uint64))) == 2
    for place in (
        tf.constant(2**32, tf.int64), tf.constant(-(2**32) + 1, tf.int64),
        tf.constant(2**32 - 1, tf.uint32), tf.constant(2**32 + 1, tf.uint64),
        tf.constant(2**64 - 1, tf.uint64),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(3), place)
    for place in (tf.constant(1.5), 1.5, "a"):
        with pytest.raises(TypeError, match="list indices must be integers"):
            f(tf.constant(3), place)


def test_lists_are_joined_along_axes_that_they_have():
    @tf.function
    def f(n, axis):
        found = [tf.fill([2, 1], i) for i in tf.range(n)]
        return tf.concat(found, axis)

    assert f(tf.constant(2), -1).numpy().tolist() == [[0, 1], [0, 1]]
    for axis in (2, -3):
        with pytest.raises(ValueError, match="axis"):
            f(tf.constant(2), axis)


def test_elements_of_a_list_are_alike():
    def f(n, dtype, shape, *elements):
        found = []
        tf.autograph.experimental.set_element_type(found, dtype, shape)
        for _ in tf.range(n):
            for element in elements:
                found.append(element)
        return found[0]

    staged = tf.function(f)
    with pytest.raises(TypeError, match="element has dtype float32, but the "
                                        "list's others have dtype int32"):
        staged(tf.constant(3), tf.int32, [], 1.5)
    with pytest.raises(ValueError, match="shape \\(3,\\), but the list's "
                                         "others have shape \\(2,\\).*"
                                         "set_element_type"):
        staged(tf.constant(3), tf.float32, [2], tf.ones([3]))
    two = tf.ones([2]), tf.ones([3])
    assert staged(tf.constant(3), tf.float32, [None], *two).shape == (2,)


def test_lists_that_nobody_told_of_hold_what_a_body_leaks():
    @tf.function
    def f(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found[0] + 1

    with pytest.raises(ValueError, match="out of scope"):
        f(tf.constant(3))


def test_lists_of_what_no_tensor_holds_are_filled_while_tracing():
    seen = []

    @tf.function
    def f(n):
        names = []
        for i in tf.range(n):
            names.append("body")
            if i > 1:
                names.append(object())
        seen.append(names)
        return n

    f(tf.constant(3))
    assert len(seen[0]) == 2 and seen[0][0] == "body"


def test_bodies_with_lists_are_traced_once():
    count = []

    @tf.function
    def f(n):
        found = [count.append(1) or i for i in tf.range(n)]
        return found

    assert f(tf.constant(3)).numpy().tolist() == [0, 1, 2]
    assert len(count) == 1


def test_comprehensions_stay_lazy_and_pythons_where_nothing_is_staged():
    import itertools

    @tf.function
    def f(x):
        first = next(n for n in itertools.count() if n * n > 10)
        names = [w for w in ("a", "bb") if len(w) > 1]
        pick = (lambda values: [v + 1 for v in values if v > 1])([1, 2])
        assert any(w == "bb" for w in names)
        assert type(names) is list and pick == [3]
        return x + first

    assert int(f(tf.constant(1))) == 5


def test_any_and_all_stop_where_pythons_values_decide():
    seen = []

    def tell(value):
        seen.append(value)
        return value

    @tf.function
    def f(x):
        found = any(tell(k) for k in (0, 3, 4)), all(tell(k) for k in (0, 1))
        return *found, any(k > x for k in [1, 2]), all(k > x for k in [5, x])

    assert [bool(v) for v in f(tf.constant(1))] == [True, False, True, False]
    assert seen == [0, 3, 0]


def test_async_functions_are_left_alone(caplog):
    async def later(x):
        return x

    @tf.function
    def f(x):
        coroutine = later(x)
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value + 1

    with caplog.at_level(logging.WARNING):
        assert int(f(tf.constant(1))) == 2
    assert "async functions are not supported" in caplog.text


def test_a_decorated_generator_is_refused():
    def f(x):
        yield x

    traced = tf.function(f)
    with pytest.raises(TypeError, match="is a generator function"):
        traced(1)
