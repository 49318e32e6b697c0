"""Gradient functions in loops, branches and calls that capture what is around these:
asked for where they were made, saved by one framework and loaded by the other.

TensorFlow itself differentiates fewer of them: it refuses constants and variables
that a gradient captures in a loop, and tensors of around a branch."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

X = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], np.float32)
W = np.array([0.5, 1.0, -0.25], np.float32)


def sine(t, factor):
    """sin(z), whose gradient is `factor()` instead of cos(z)."""

    @t.custom_gradient
    def f(z):
        return t.sin(z), lambda dy: dy * factor()

    return f


def loop(t, body, x):
    step = t.constant(0)
    return t.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, body(i, z)), [step, x])


def tensor_around_a_loop(t, m, x):
    c = t.exp(m.w)
    f = sine(t, lambda: c * 2.0)
    return loop(t, lambda i, z: f(z) * x, x * m.w)[1]


def in_a_list_around_a_loop(t, m, x):
    held = {"c": [t.exp(m.w), t.constant(2.0)]}
    f = sine(t, lambda: held["c"][0] * held["c"][1])
    return loop(t, lambda i, z: f(z) * x, x * m.w)[1]


def row_by_row(t, m, x):
    c = t.exp(m.w)
    return t.map_fn(lambda row: sine(t, lambda: c)(row * m.w), x)


def tensor_around_a_call(t, m, x):
    c = t.exp(m.w)
    inner = t.function(lambda x: sine(t, lambda: c)(x) * 2.0, autograph=False)
    return inner(inner(x) * m.w)


def gradient_with_a_gradient(t, m, x):
    @t.custom_gradient
    def h(z):
        return t.cos(z), lambda dy: dy * m.k * m.w

    @t.custom_gradient
    def f(z):
        return t.sin(z), lambda dy: dy * h(z)

    return loop(t, lambda i, z: f(z) * x, x * m.w)[1]


def constant_in_a_loop(t, m, x):
    f = sine(t, lambda: m.k * 2.0)
    return loop(t, lambda i, z: f(z) * x, x * m.w)[1]


def variable_in_a_loop(t, m, x):
    f = sine(t, lambda: m.v * 2.0)
    return loop(t, lambda i, z: f(z) * x, x * m.w)[1]


def tensor_around_a_branch(t, m, x):
    c = t.exp(m.w)
    f = sine(t, lambda: c)
    return t.cond(t.reduce_sum(x) > 0, lambda: f(x * m.w) * x, lambda: x * m.w)


def branch_in_a_loop(t, m, x):
    c = t.exp(m.w)

    def body(i, z):
        q = t.cos(z)
        f = sine(t, lambda: c * q)
        return t.cond(i > 1, lambda: f(z) * x, lambda: z * m.w)

    return loop(t, body, x * m.w)[1]


BOTH = [
    tensor_around_a_loop,
    in_a_list_around_a_loop,
    row_by_row,
    tensor_around_a_call,
]
OURS = [
    gradient_with_a_gradient,
    constant_in_a_loop,
    variable_in_a_loop,
    tensor_around_a_branch,
    branch_in_a_loop,
]
# What TensorFlow refuses to save, for reasons of its own.
UNSAVED = [constant_in_a_loop]


def module(t, program):
    m = t.Module()
    m.w = t.Variable(W)
    m.v = t.Variable(W * 3.0, trainable=False)
    m.k = t.constant([1.0, 2.0, 3.0])
    spec = t.TensorSpec([None, 3], t.float32)
    m.f = t.function(
        lambda x: program(t, m, x), input_signature=[spec], autograph=False
    )
    return m


def gradients(t, m):
    x = t.constant(X)
    with t.GradientTape() as tape:
        tape.watch(x)
        y = m.f(x)
    return [np.asarray(g) for g in tape.gradient(y, [x, m.w])]


def want(program):
    """As if the factor were an argument: by TensorFlow where it can, else here."""
    t = tf if program in BOTH else gk
    return gradients(t, module(t, program))


def check(found, program):
    for f, w in zip(found, want(program), strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-5)


@pytest.mark.parametrize("program", BOTH, ids=lambda p: p.__name__)
def test_in_place(program):
    check(gradients(gk, module(gk, program)), program)


@pytest.mark.parametrize("writer", [gk, tf], ids=lambda t: t.__name__)
@pytest.mark.parametrize("program", BOTH + OURS, ids=lambda p: p.__name__)
def test_saved(program, writer, tmp_path):
    if writer is tf and program in UNSAVED:
        pytest.skip("TensorFlow does not save it")
    first, again = str(tmp_path / "first"), str(tmp_path / "again")
    writer.saved_model.save(module(writer, program), first)
    loaded = gk.saved_model.load(first)
    check(gradients(gk, loaded), program)
    gk.saved_model.save(loaded, again)
    check(gradients(gk, gk.saved_model.load(again)), program)
    if program in BOTH:
        check(gradients(tf, tf.saved_model.load(again)), program)
