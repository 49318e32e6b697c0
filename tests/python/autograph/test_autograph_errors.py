"""Texts of errors, which name the user's lines and symbols."""

from __future__ import annotations

import re

import pytest

import graphkiln as tf


def message(f, *args, raises=Exception) -> str:
    with pytest.raises(raises) as error:
        tf.function(f)(*(tf.constant(a) for a in args))
    return str(error.value)


def dtype_of_branches(x):
    if x > 0:
        y = 1
    else:
        y = 2.0
    return y


def one_branch_only(x):
    if x > 0:
        y = 1
    return y


def returns_once(x):
    if x > 0:
        return x


def returns_none(x):
    if x > 0:
        return x
    else:
        return None


def none_in_branch(x):
    if x > 0:
        y = None
    else:
        y = 1
    return y


def structure_of_branches(x):
    if x > 0:
        y = (x, (x, x))
    else:
        y = (x, [x])
    return y


def objects_of_branches(x):
    if x > 0:
        y = object()
    else:
        y = object()
    z = y
    return x


def condition_dtype(x):
    if x:
        return 1
    return 2


def expression(x):
    return 1 if x > 0 else 2.0


def loop_shape(x):
    for _ in tf.range(3):
        x = tf.stack([x, x])
    return x


def loop_dtype(x):
    while tf.cast(x, tf.int32) < 5:
        x = tf.cast(x, tf.int64) + 1
    return x


def loop_structure(x):
    t = (x, x)
    while x < 5:
        x += 1
        t = (x,)
    return t


def loop_undefined(x):
    for i in tf.range(x):
        if i > 1:
            z = i
    return z


def loop_invariant(x):
    r = tf.stack([x])
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(r, tf.TensorShape([2]))]
        )
        r = r + 1
    return r


def condition_turns(x):
    n = 0
    while n < 10:
        n = n + x
    return n


def arrays_of_branches(x):
    a = tf.TensorArray(tf.int32, 1)
    if x > 0:
        a = tf.TensorArray(tf.float32, 1).write(0, 1.5)
    else:
        a = a.write(0, x)
    return a.stack()


def arrays_of_iterations(x):
    a = tf.TensorArray(tf.int32, 1)
    while x < 3:
        a = tf.TensorArray(tf.float32, 1).write(0, 1.5)
        x = x + 1
    return a.stack()


def int_and(x):
    return x and x


CASES = [
    (dtype_of_branches, TypeError,
     "'y' has dtype int32 in the main branch, but dtype float32 in the else "
     "branch"),
    (one_branch_only, ValueError,
     "'y' must also be initialized in the else branch"),
    (returns_once, ValueError,
     "the else branch must also have a return statement."),
    (returns_none, ValueError,
     "'retval_' is None at the end of the else branch."),
    (none_in_branch, ValueError,
     "'y' is None at the end of the main branch."),
    (structure_of_branches, TypeError,
     "'y' must have the same nested structure in the main and else "
     "branches:"),
    (structure_of_branches, TypeError, "More specifically: y[1]: "),
    (arrays_of_branches, TypeError,
     "Incompatible CompositeTensor TypeSpecs: type=TensorArraySpec str="),
    (arrays_of_iterations, TypeError,
     "'a' does not have the same nested structure after one iteration."),
    (objects_of_branches, TypeError, "To be compatible with tf.function"),
    (condition_dtype, ValueError,
     "condition of if statement expected to be `tf.bool` scalar, got "
     'Tensor("x:0", shape=(), dtype=int32); to use as boolean Tensor, use '
     "`tf.cast`; to check for None, use `is not None`"),
    (expression, TypeError,
     "'x > 0' has dtype int32 in the main branch, but dtype float32 in the "
     "else branch"),
    (loop_shape, ValueError,
     "'x' has shape () before the loop, but shape (2,) after one iteration. "
     "Use tf.autograph.experimental.set_loop_options to set shape "
     "invariants."),
    (loop_dtype, TypeError,
     "'x' has dtype int32 before the loop, but dtype int64 after one "
     "iteration"),
    (loop_structure, TypeError,
     "'t' does not have the same nested structure after one iteration."),
    (loop_undefined, ValueError,
     "'z' must be defined before the loop\n    Note: AutoGraph tried to define "
     "it automatically, but ran into a ValueError: "),
    (loop_invariant, ValueError,
     "'r' has shape (1,) before the loop, which does not conform with the "
     "shape invariant (2,)."),
    (condition_turns, NotImplementedError,
     "The condition of while loop started as non-Tensor, then changed to "
     "Tensor."),
    (int_and, TypeError, "operand 1 of `and` is "),
]


@pytest.mark.parametrize(
    "f,raises,text", CASES, ids=lambda v: getattr(v, "__name__", "")
)
def test_text(f, raises, text):
    told = message(f, 3, raises=raises)
    assert told.startswith("in user code:\n\n    File ")
    assert f'  File "{__file__}", line ' in told
    assert f", in {f.__name__}  *\n" in told
    assert text in told


def test_zero_iterations():
    def f(n):
        for i in tf.range(n):
            z = i
        return z

    told = message(f, 0, raises=tf.errors.InvalidArgumentError)
    assert "loop must iterate at least once to initialize z" in told


class TwoArguments(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


class Plain(Exception):
    pass


def inner(x, error):
    raise error


def outer(error):
    def f(x):
        if x > 0:
            inner(x, error)
        return x

    return f


def test_stack_of_the_user():
    told = message(outer(ValueError("boo")), 1, raises=ValueError)
    assert re.fullmatch(
        r"in user code:\n\n"
        rf'    File "{re.escape(__file__)}", line \d+, in f  \*\n'
        r"        inner\(x, error\)\n"
        rf'    File "{re.escape(__file__)}", line \d+, in inner  \*\n'
        r"        raise error\n\n"
        r"    ValueError: boo\n",
        told,
    )


def test_types_are_kept():
    assert "Plain: told" in message(outer(Plain("told")), 1, raises=Plain)
    told = message(outer(KeyError("k")), 1, raises=KeyError)
    assert told.endswith("KeyError: 'k'\n")
    with pytest.raises(Exception, match=r"TwoArguments: \(1, 2\)") as error:
        tf.function(outer(TwoArguments(1, 2)))(tf.constant(1))
    assert type(error.value).__name__ == "StagingError"


def test_unconverted_frames_are_marked():
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return deeper(x)

    def deeper(x):
        return x + tf.constant("a")

    told = message(lambda x: plain(x), 1)
    assert "in plain  **\n" in told and "in deeper\n" in told


def test_state_after_an_error_is_that_before():
    calls = []

    @tf.function
    def f(x):
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("first")
        return x + 1

    with pytest.raises(ValueError, match="first"):
        f(tf.constant(1))
    assert int(f(tf.constant(1))) == 2
