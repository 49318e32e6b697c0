"""A variable that is an argument and also captured: one variable, whose
gradient is that of both uses. A call with another variable has a trace of its
own (the original uses the first one's and computes with the wrong one)."""

import pytest

import graphkiln as tf


def _product(w):
    @tf.function
    def product(a):
        with tf.GradientTape() as tape:
            y = a * w
        return y, tape.gradient(y, a)

    return product


@pytest.mark.parametrize("own_first", [True, False])
def test_another_variable_has_its_own_trace(own_first):
    w, u = tf.Variable(3.0), tf.Variable(5.0)
    product = _product(w)
    expected = {"w": (9.0, 6.0), "u": (15.0, 3.0)}
    variables = {"w": w, "u": u}
    order = ["w", "u"] if own_first else ["u", "w"]
    for name in order * 3:
        got = tuple(float(t) for t in product(variables[name]))
        assert got == expected[name]
    assert product.experimental_get_tracing_count() == 2


def test_the_second_trace_is_explained():
    w, u = tf.Variable(3.0), tf.Variable(5.0)
    product = _product(w)
    product(u), product(w)
    [retrace] = product.explain_retraces()
    [reason] = retrace.reasons
    assert (reason.argument, reason.cause) == ("a", "variable")
    assert "captures" in reason.advice


def test_variables_that_are_not_captured_share_a_trace():
    w = tf.Variable(3.0)
    product = _product(w)
    for value in (1.0, 2.0, 4.0):
        y, gradient = product(tf.Variable(value))
        assert (float(y), float(gradient)) == (3.0 * value, 3.0)
    assert product.experimental_get_tracing_count() == 1


def test_through_a_function_around_it():
    w, u = tf.Variable(3.0), tf.Variable(5.0)
    inner = _product(w)

    @tf.function
    def outer(b):
        return inner(b)[1]

    for variable, gradient in ((u, 3.0), (w, 6.0), (u, 3.0), (w, 6.0)):
        assert float(outer(variable)) == gradient


def test_several_variables():
    w, u = tf.Variable(3.0), tf.Variable(5.0)

    @tf.function
    def f(a, b):
        with tf.GradientTape() as tape:
            y = a * b * w
        return tape.gradient(y, a)

    expected = {(0, 1): 30.0, (1, 0): 9.0, (0, 0): 27.0, (1, 1): 30.0}
    variables = (w, u)
    for _ in range(2):
        for (i, j), gradient in expected.items():
            assert float(f(variables[i], variables[j])) == gradient


def test_without_gradients_one_trace_serves_all():
    w, u = tf.Variable(3.0), tf.Variable(5.0)
    f = tf.function(lambda a: a * w)
    assert [float(f(x)) for x in (u, w, u)] == [15.0, 9.0, 15.0]
    assert f.experimental_get_tracing_count() == 1
    first = tf.function(lambda a: a * w)
    assert [float(first(x)) for x in (w, u, w)] == [9.0, 15.0, 9.0]


def test_in_containers_and_with_a_signature():
    w, u = tf.Variable(3.0), tf.Variable(5.0)

    def body(d):
        with tf.GradientTape() as tape:
            y = d["v"][0] * w
        return tape.gradient(y, d["v"][0])

    f = tf.function(body)
    for variable, gradient in ((w, 6.0), (u, 3.0), (w, 6.0)):
        assert float(f({"v": [variable]})) == gradient


def test_a_concrete_function_refuses_another_variable():
    w, u = tf.Variable(3.0), tf.Variable(5.0)
    product = _product(w)
    concrete = product.get_concrete_function(w)
    assert float(concrete(w)[1]) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="captures"):
        concrete(u)


def test_second_derivatives():
    w = tf.Variable(3.0)

    @tf.function
    def f(a):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = a * a * w
            d = inner.gradient(y, a)
        return d, outer.gradient(d, a)

    d, second = f(w)
    assert (float(d), float(second)) == (27.0, 18.0)


def test_watched_variables_are_the_callers():
    w = tf.Variable(3.0)
    seen = []

    @tf.function
    def f(a):
        with tf.GradientTape() as tape:
            y = a * w
        seen.extend(tape.watched_variables())
        return y

    f(w)
    assert len(seen) == 1 and seen[0] is w


def test_optimizer_steps_on_a_captured_argument():
    w = tf.Variable(3.0)

    @tf.function
    def step(a):
        with tf.GradientTape() as tape:
            loss = a * w
        a.assign_sub(0.1 * tape.gradient(loss, a))
        return w + 0.0

    assert float(step(w)) == pytest.approx(3.0 - 0.6)


@pytest.mark.parametrize("where", ["loop", "branch", "plain", "callee"])
def test_callers_are_traced_again(where):
    w = tf.Variable(2.0)

    @tf.function
    def inner(a, b):
        with tf.GradientTape() as tape:
            loss = a * b * w
        d = tape.gradient(loss, b)
        w.assign_add(1.0)
        return d

    middle = tf.function(lambda a, b: inner(a, b))

    @tf.function
    def f(x, n, u):
        if where == "loop":
            for _ in tf.range(2):
                inner(x, u)
        elif where == "branch":
            if x > 0.0:
                inner(x, u)
        elif where == "callee":
            middle(x, u)
        return inner(x, u) * n

    x = tf.constant(3.0)
    written = {"loop": 2.0, "branch": 1.0, "plain": 0.0, "callee": 1.0}[where]
    for n in (1, 2, 1):
        expected = 2.0 * 3.0 * (float(w) + written) * n
        assert float(f(x, n, w)) == pytest.approx(expected)
    other = tf.Variable(5.0)
    expected = 3.0 * (float(w) + written)
    assert float(f(x, 1, other)) == pytest.approx(expected)
