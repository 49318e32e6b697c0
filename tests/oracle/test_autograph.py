"""AutoGraph on both modules: the same programs, the same values and errors."""

from __future__ import annotations

import linecache
import logging
import pathlib
import sys
import types

import numpy as np
import pytest

sys.path.insert(
    0, str(pathlib.Path(__file__).parent.parent / "python" / "autograph")
)
from generated_programs import Program, float_program  # noqa: E402

VALUES = """
def if_else(x):
    if x > 2:
        y = x * 2
    elif x > 0:
        y = x * 3
    else:
        y = -x
    return y

def returns(x):
    if x > 0:
        if x > 2:
            return x
        return x * 10
    return -x

def for_range(x):
    s = 0
    for i in tf.range(x):
        if i == 1:
            continue
        if i > 6:
            break
        s += i
    return s

def for_rows(x):
    s = 0
    for r in tf.reshape(tf.range(6), [2, 3]) * x:
        for v in r:
            s = s * 2 + v
    return s

def while_and_state(x):
    d = {'a': 0, 'b': (1, 2)}
    i = 0
    while i < x and d['a'] < 40:
        d['a'] += i * i
        i += 1
    return d, i

def logic(x):
    return x > 0 and x < 3, x > 0 or x < -2, not x > 0, 0 < x < 9

def conditional(x):
    return tf.sin(1.0) if x > 0 else tf.cos(1.0)

def late(x):
    for i in tf.range(3):
        z = i * x
    return z

def iterate(x):
    for i in tf.range(x):
        pass
    return i

def shapes(x):
    y = tf.ones([1], tf.int32) * x
    for i in tf.range(3):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, y + 1], 0)
    return y

def limited(x):
    n = 0
    for i in tf.range(x):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        n += 1
    return n

def python_loop(x):
    for i in range(3):
        if x > i:
            x = x + i
    return x

def builtins(x):
    t = tf.stack([x, 3, 1])
    return sorted(t), abs(x), int(x), float(x), len(t)
"""

ERRORS = """
def dtypes(x):
    if x > 0:
        y = 1
    else:
        y = 2.0
    return y

def undefined(x):
    if x > 0:
        y = 1
    return y

def no_return(x):
    if x > 0:
        return x

def none_return(x):
    if x > 0:
        return x
    else:
        return None

def condition(x):
    if x:
        return 1
    return 2

def loop_dtype(x):
    while tf.cast(x, tf.int32) < 5:
        x = tf.cast(x, tf.int64) + 1
    return x

def loop_shape(x):
    x = tf.stack([x])
    for i in tf.range(3):
        x = tf.concat([x, x], 0)
    return x

def loop_undefined(x):
    for i in tf.range(x):
        if i > 1:
            z = i
    return z

def turned(x):
    n = 0
    while n < 10:
        n = n + x
    return n

def expression(x):
    return 1 if x > 0 else 2.0

def unknown_name(x):
    if x > 0:
        x = nothing(x)
    return x

def key(x):
    return {}['k']

def deleted(x):
    del x
    return x

def always_raised(x):
    if x > 0:
        raise ValueError('always')
    return x
"""


def functions(source: str, name: str, tf) -> dict[str, types.FunctionType]:
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    scope = {"tf": tf, "__name__": "programs"}
    exec(compile(source, name, "exec"), scope)
    return {k: v for k, v in scope.items() if isinstance(v, types.FunctionType)}


def names(source: str) -> list[str]:
    return [
        line[4:].partition("(")[0] for line in source.splitlines()
        if line.startswith("def ")
    ]


@pytest.mark.parametrize("name", names(VALUES))
def test_values(both, name):
    both.agree(
        lambda tf: [
            tf.function(functions(VALUES, "<values>", tf)[name])(
                tf.constant(x)
            )
            for x in (1, 5, -4 if name not in ("late",) else 2)
        ]
    )


def _failure(tf, name):
    f = functions(ERRORS, "<errors>", tf)[name]
    with pytest.raises(Exception) as error:
        tf.function(f)(tf.constant(3))
    return type(error.value), str(error.value)


@pytest.mark.parametrize("name", names(ERRORS))
def test_errors(both, name):
    theirs, their_text = _failure(both.theirs, name)
    ours, our_text = _failure(both.ours, name)
    assert theirs.__name__ in [c.__name__ for c in ours.__mro__]
    # Ours goes on with the lines that do not agree and the cure.
    assert our_text.startswith(their_text.rstrip("\n"))


def _run(tf, seed: int):
    program = Program(seed)
    f = functions(program.source, f"<program {seed}>", tf)["f"]
    staged = tf.function(f)
    return [
        int(staged(tf.constant(x), tf.constant(v), 2))
        for x, v in ((0, (1, 2, 3)), (5, (7, -2, 40)))
    ]


# Seeds of those that tests/python/autograph compares with plain Python, and
# some more.
@pytest.mark.parametrize("first", range(0, 400, 40))
def test_generated_programs(both, caplog, first):
    """What TensorFlow accepts gives its values."""
    agreed = 0
    with caplog.at_level(logging.CRITICAL):
        for seed in range(first, first + 40):
            if Program(seed).loop_else:
                # The original runs such functions unconverted.
                continue
            ours = _run(both.ours, seed)
            try:
                theirs = _run(both.theirs, seed)
            except Exception:
                # Returns in loops, loops of Python that tensors end.
                continue
            assert ours == theirs, (seed, Program(seed).source)
            agreed += 1
    assert agreed >= 30


def _gradients(tf, seed: int):
    program = float_program(seed)
    f = functions(program.source, f"<float program {seed}>", tf)["f"]

    @tf.function
    def staged(x, v):
        with tf.GradientTape() as tape:
            tape.watch([x, v])
            y = f(x, v, 1)
        return y, *tape.gradient(y, [x, v], unconnected_gradients="zero")

    return [
        np.asarray(value)
        for x in (0.7, -1.3)
        for value in staged(tf.constant(x), tf.constant([0.3, -0.8, 1.1]))
    ]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_gradients_of_generated_programs(both, caplog, first):
    agreed = 0
    with caplog.at_level(logging.CRITICAL):
        for seed in range(first, first + 20):
            if float_program(seed).loop_else:
                continue
            ours = _gradients(both.ours, seed)
            try:
                theirs = _gradients(both.theirs, seed)
            except Exception:
                continue
            for a, b in zip(ours, theirs, strict=True):
                assert np.allclose(a, b, 1e-4, 1e-5), (
                    seed, float_program(seed).source
                )
            agreed += 1
    assert agreed >= 13
