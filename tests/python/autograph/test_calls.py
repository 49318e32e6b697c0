"""Which code is converted, found and left alone."""

from __future__ import annotations

import functools
import logging
import subprocess
import sys

import pytest

import graphkiln as tf

absolute, halved = (lambda x: x if x > 0 else -x), (lambda x: x // 2 if x > 0 else x)


class Base:
    def m(self, x):
        if x > 0:
            return x * 2
        return x


class Derived(Base):
    k = 3

    def m(self, x):
        y = super().m(x)
        if y > 5:
            y = y + self.__private(y)
        return y

    def __private(self, y):
        if y > 100:
            return y
        return y * self.k

    def __call__(self, x, *, by=1):
        if x > 1:
            x = x + by
        return x

    @classmethod
    def c(cls, x):
        return x + cls.k if x > 0 else x

    @staticmethod
    def s(x):
        if x > 0:
            x = -x
        return x

    @property
    def p(self):
        return self.k


def call(f, *args):
    return int(tf.function(f)(*(tf.constant(a) for a in args)))


def test_lambdas_on_one_line():
    assert call(absolute, -4) == 4 and call(halved, 8) == 4
    nested = lambda x: (lambda y: y if y > 0 else -y)(x)  # noqa: E731
    assert call(nested, -3) == 3


def test_methods_and_objects():
    d = Derived()

    def f(x):
        return d.m(x) * 10000 + d(x, by=2) * 100 + Derived.c(x) * 10 + d.s(x)

    assert call(f, 4) == 32 * 10000 + 600 + 70 - 4
    assert call(d, 4) == 5
    assert call(d.m, 4) == 32
    assert call(functools.partial(d.m), 4) == 32


def test_partial_and_defaults():
    def f(x, y=2, *, z=3):
        if x > 0:
            return x + y * z
        return x

    def g(x):
        return functools.partial(f, y=5)(x, z=2) + f(x)

    assert call(g, 1) == 11 + 7


def test_recursion_over_python_values():
    def f(x, n):
        if n == 0:
            return x
        if x > 10:
            x = x - 10
        return f(x, n - 1)

    assert int(tf.function(f)(tf.constant(35), 3)) == 5


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        if result > 3:
            result = result + 100
        return result

    return wrapper


def test_decorators():
    @decorated
    def f(x):
        if x > 0:
            return x
        return -x

    assert call(f, -5) == 105

    def outer(x):
        @decorated
        def inner(y):
            return y if y > 0 else -y

        return inner(x)

    assert call(outer, -5) == 105


def test_nested_tf_function():
    @tf.function
    def inner(x):
        if x > 0:
            return x
        return -x

    assert call(lambda x: inner(x) + 1, -5) == 6


def test_do_not_convert():
    @tf.autograph.experimental.do_not_convert
    def left_alone(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        call(left_alone, 1)
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        call(lambda x: left_alone(x), 1)
    assert left_alone(3) == 3
    assert tf.autograph.experimental.do_not_convert()(len)([1]) == 1


def generate(x):
    for i in range(3):
        yield x + i


def test_generators_are_left_alone(caplog):
    def f(x):
        total = 0
        for item in generate(x):
            total += item
        return total

    with caplog.at_level(logging.WARNING):
        assert call(f, 1) == 6
    assert not caplog.text


def _without_source():
    scope = {}
    exec("def f(x):\n  return x + 1\ndef g(x):\n  if x > 0: return x", scope)
    return scope["f"], scope["g"]


def test_missing_source_is_told(caplog):
    f, g = _without_source()
    with caplog.at_level(logging.WARNING):
        assert call(f, 1) == 2
    assert "AutoGraph could not transform <function f at" in caplog.text
    assert "could not get source code" in caplog.text
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        call(g, 1)


def test_strict_mode():
    f, _ = _without_source()
    tf.autograph.experimental.set_strict(True)
    try:
        with pytest.raises(RuntimeError, match="could not get source code"):
            call(f, 1)
    finally:
        tf.autograph.experimental.set_strict(False)


def test_conversion_happens_once_per_code_object():
    from graphkiln.autograph import conversion

    def make(k):
        def f(x):
            return x + k if x > 0 else x

        return f

    first, second = make(1), make(2)
    assert call(first, 1) == 2 and call(second, 1) == 3
    a, b = conversion.convert(first), conversion.convert(second)
    assert a.__code__ is b.__code__


def test_autograph_false():
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        f(tf.constant(1))


def test_to_graph_and_to_code():
    def f(x):
        """Doubles."""
        while x < 10:
            x = x * 2
        return x

    code = tf.autograph.to_code(f)
    for part in (
        "def tf__f(x):", "ag__.FunctionScope('f', 'fscope'",
        "ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('x',)",
        "return fscope.ret(retval_, do_return)",
    ):
        assert part in code
    made = tf.autograph.to_graph(f)
    assert made(3) == 12 and int(tf.function(made)(tf.constant(3))) == 12
    assert made.__code__.co_filename == __file__
    assert made.__code__.co_firstlineno == f.__code__.co_firstlineno


def test_features():
    feature = tf.autograph.experimental.Feature
    assert feature.LISTS in feature.all()
    assert feature.LISTS not in feature.all_but(feature.LISTS)
    f = tf.function(
        lambda x: x if x > 0 else -x,
        experimental_autograph_options=(feature.LISTS,),
    )
    assert int(f(tf.constant(-1))) == 1
    g = tf.function(lambda x: x, experimental_autograph_options="lists")
    with pytest.raises(TypeError, match="must be None, a Feature"):
        g(tf.constant(1))


def test_user_lines_in_tracebacks():
    lines = []

    @tf.function
    def f(x):
        import inspect

        if x > 0:
            lines.append(inspect.currentframe().f_lineno)
            x = x + 1
        return x

    f(tf.constant(1))
    first = f.python_function.__code__.co_firstlineno
    assert lines == [first + 5]


def test_conversion_before_any_function(tmp_path):
    """In a program of its own, which has made no tf.function."""
    program = tmp_path / "program.py"
    program.write_text("""
import graphkiln as tf
context = tf.__internal__.autograph.control_status_ctx()
f = tf.__internal__.autograph.tf_convert(lambda x: x if x > 0 else -x, context)
with tf.Graph().as_default():
    y = f(tf.constant(-2))
    with tf.compat.v1.Session() as session:
        print(session.run(y))
""")
    told = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=60
    )
    assert told.stdout == "2\n", told.stderr[-600:]
