"""Python's builtins on tensors."""

from __future__ import annotations

import pytest

import graphkiln as tf


def run(f, *args):
    result = tf.function(f)(*(tf.constant(a) for a in args))
    return tf.nest.map_structure(lambda t: t.numpy().tolist(), result)


def unknown(f, values):
    spec = [tf.TensorSpec([None], tf.int32)]
    result = tf.function(f, input_signature=spec)(tf.constant(values))
    return tf.nest.map_structure(lambda t: t.numpy().tolist(), result)


@pytest.mark.parametrize("how", [run, unknown])
def test_enumerate_zip_map_filter(how):
    def f(x):
        total = 0
        for i, (a, b) in enumerate(zip(x, x * 2), 1):
            total += i * (a + b)
        for y in map(lambda v: v * 10 if v > 1 else v, x):
            total += y
        for y in filter(lambda v: v > 1, x):
            total += 1000 * y
        return total

    want = sum(i * 3 * a for i, a in enumerate([1, 2, 3], 1)) + 51 + 5000
    assert how(f, [1, 2, 3]) == want


@pytest.mark.parametrize("how", [run, unknown])
def test_reductions(how):
    def f(x):
        return (
            sum(x), sum(x, 5), max(x), min(x), any(v > 2 for v in [x[0]]),
            any(map(lambda v: v > 2, x)), all(map(lambda v: v > 2, x)),
            max(x, key=lambda v: -v), min(x[0], x[1], 7), sorted(x),
            sorted(x, reverse=True), sorted(x, key=lambda v: -v),
        )

    assert how(f, [2, 1, 3]) == (
        6, 11, 3, 1, False, True, False, 1, 1, [1, 2, 3], [3, 2, 1], [3, 2, 1]
    )


def test_scalars():
    def f(x, s):
        return (
            abs(x), int(x), float(x), bool(x), int(s), float(s),
            len(range(3)), [i for i in range(2)],
        )

    got = run(f, -2.5, "12")
    assert got == (2.5, -2, -2.5, True, 12, 12.0, 3, [0, 1])


def test_len_and_range():
    def f(x):
        total = 0
        for i in range(len(x)):
            total += x[i]
        return total, len(x), len([1, 2])

    assert run(f, [1, 2]) == (3, 2, 2)
    assert unknown(f, [1, 2]) == (3, 2, 2)
    with pytest.raises(ValueError, match="len requires a non-scalar tensor"):
        run(lambda x: len(x), 1)


def test_len_of_an_array():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i)
        return len(array)

    assert int(f(tf.constant(4))) == 4
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        tf.TensorArray(tf.int32, size=1.5)
    for make in (lambda f: f, tf.function):
        with pytest.raises(tf.errors.OutOfRangeError, match=str(2**40)):
            make(lambda: tf.TensorArray(tf.int32, size=2**40).size())()
        with pytest.raises(tf.errors.OutOfRangeError, match=str(2**40)):
            make(
                lambda: tf.TensorArray(tf.int32, size=1).write(2**40, 1).size()
            )()


def test_strict_zip():
    def f(x, y):
        total = 0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    assert run(f, [1, 2], [3, 4]) == 11
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is longer"):
        run(f, [1, 2], [3, 4, 5])


def test_comprehensions():
    def f(x):
        return [v * 2 for v in x], {k: x[0] for k in "ab"}, sum(v for v in x)

    assert run(f, [1, 2]) == ([2, 4], {"a": 1, "b": 1}, 3)


def test_next_with_default():
    def f(x):
        it = iter([x])
        return next(it), next(it, 7)

    assert run(f, 1) == (1, 7)


def test_python_arguments_are_pythons():
    def f(x):
        return x + sum([1, 2]) + max(3, 1) + len("ab") + sorted([3, 1])[0]

    assert run(f, 0) == 9
