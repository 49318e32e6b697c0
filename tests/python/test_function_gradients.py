"""Gradients of tf.functions: values against finite differences, both
orders, nested functions, slices, custom gradients."""

import numpy as np
import pytest

import graphkiln as tf

STEP = 1e-5


def numeric(f, x, index):
    """The derivative of the sum of f by one element, by central
    differences."""
    up, down = x.copy(), x.copy()
    up[index] += STEP
    down[index] -= STEP
    total = lambda a: float(np.sum(f(tf.constant(a)).numpy()))
    return (total(up) - total(down)) / (2 * STEP)


def assert_gradient(f, x):
    """Gradients of the first and second order of `f` at `x`."""

    def first(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = f(a)
        return tape.gradient(y, a)

    tensor = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(tensor)
        got = first(tensor)
    second = outer.gradient(got, tensor)
    for index in np.ndindex(x.shape):
        want = numeric(f, x, index)
        np.testing.assert_allclose(got.numpy()[index], want, rtol=1e-5)
        want = numeric(first, x, index)
        np.testing.assert_allclose(
            second.numpy()[index], want, rtol=1e-5, atol=1e-6
        )


X = np.array([[0.3, -1.2], [0.7, 2.0]])


@tf.function
def cube(x):
    return x * x * x


@tf.function
def with_nested(x):
    return cube(tf.sin(x)) * cube(x) + x


@tf.function
def with_tape_inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x) * cube(x)
    return tape.gradient(y, x) * x


@tf.function
def with_matmul(x):
    return tf.matmul(tf.tanh(x), x)


@pytest.mark.parametrize(
    "f", [cube, with_nested, with_tape_inside, with_matmul],
    ids=lambda f: f.__name__,
)
def test_first_and_second_order(f):
    assert_gradient(f, X)


def test_three_orders():
    x = tf.constant(2.0)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = cube(x) * cube(x)
            first = t1.gradient(y, x)
        second = t2.gradient(first, x)
    assert first.numpy() == 6 * 2.0**5
    assert second.numpy() == 30 * 2.0**4
    assert t3.gradient(second, x).numpy() == 120 * 2.0**3


def test_orders_by_one_persistent_tape():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = cube(x)
        first = tape.gradient(y, x)
    assert first.numpy() == 27.0
    assert tape.gradient(first, x).numpy() == 18.0
    assert tape.gradient(y, x).numpy() == 27.0


def test_gradient_function_of_a_function():
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return tape.gradient(y, x)

    @tf.function
    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(x)
        return tape.gradient(y, x)

    assert derivative(tf.constant(2.0)).numpy() == 12.0
    assert second(tf.constant(2.0)).numpy() == 12.0
    assert derivative.experimental_get_tracing_count() == 1


def test_several_results_and_output_gradients():
    @tf.function
    def f(x, y):
        return {"product": x * y, "sum": [x + y]}

    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        result = f(x, y)
    weights = {"product": tf.constant([1.0, 10.0]), "sum": [tf.ones([2])]}
    dx, dy = tape.gradient(result, [x, y], output_gradients=weights)
    assert dx.numpy().tolist() == [4.0, 51.0]
    assert dy.numpy().tolist() == [2.0, 21.0]
    assert tape.gradient(result["sum"], x).numpy().tolist() == [1.0, 1.0]


def test_unconnected():
    @tf.function
    def f(x, y):
        return x * 2.0

    x, y = tf.constant(1.0), tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = f(x, y)
    assert tape.gradient(z, y) is None
    zero = tape.gradient(
        z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO
    )
    assert zero.numpy().tolist() == [0.0, 0.0]


def test_captured_tensor():
    w = tf.constant(3.0)
    f = tf.function(lambda x: x * w * w)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = f(tf.constant(2.0))
    assert tape.gradient(y, w).numpy() == 12.0


def test_captured_variable_and_nested():
    v = tf.Variable(3.0)
    inner = tf.function(lambda x: v * x * v)
    outer = tf.function(lambda x: inner(x) + inner(2.0 * x) * v)
    with tf.GradientTape() as second:
        with tf.GradientTape() as tape:
            y = outer(tf.constant(2.0))
        dv = tape.gradient(y, v)
    assert y.numpy() == 18.0 + 36.0 * 3.0
    assert dv.numpy() == 12.0 + 3 * 9.0 * 4.0
    assert second.gradient(dv, v).numpy() == 4.0 + 6 * 3.0 * 4.0


def test_variable_argument():
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda a: a * a)
    with tf.GradientTape() as tape:
        y = f(v)
    assert tape.watched_variables()[0] is v
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]


def test_slices_of_a_gathered_variable():
    table = tf.Variable(np.arange(12.0).reshape(4, 3))
    look_up = tf.function(lambda i: tf.gather(table, i) ** 2.0)
    with tf.GradientTape() as tape:
        y = look_up(tf.constant([3, 1, 3]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [3, 1, 3]
    dense = tf.convert_to_tensor(gradient).numpy()
    want = np.zeros([4, 3])
    want[1] = 2 * np.array([3.0, 4.0, 5.0])
    want[3] = 4 * np.array([9.0, 10.0, 11.0])
    np.testing.assert_allclose(dense, want)


def test_tape_around_stops_recording():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = cube(x)
        z = y * x
    assert tape.gradient(z, x).numpy() == 8.0


def test_stop_gradient():
    @tf.function
    def f(x):
        return tf.stop_gradient(x * x) * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 9.0


def test_integers_have_no_gradient():
    f = tf.function(lambda x, i: (x * 2.0, i + 1))
    x, i = tf.constant(1.0), tf.constant(1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, j = f(x, i)
    assert j.numpy() == 2
    assert tape.gradient(y, x).numpy() == 2.0


@tf.custom_gradient
def clipped(x):
    y = x * x

    def grad(upstream):
        return upstream * 100.0 * x

    return y, grad


def gradient_of(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_custom_gradient():
    x = tf.constant(3.0)
    function = tf.function(lambda x: clipped(x) + x)
    nested = tf.function(lambda x: function(x) * 2.0)
    inside = tf.function(lambda x: gradient_of(clipped, x))
    assert gradient_of(clipped, x).numpy() == 300.0
    assert gradient_of(function, x).numpy() == 301.0
    assert gradient_of(nested, x).numpy() == 602.0
    assert inside(x).numpy() == 300.0


def test_custom_gradient_second_order():
    x = tf.constant(3.0)
    for f in (
        clipped,
        tf.function(clipped),
        tf.function(lambda x: tf.function(clipped)(x) * 1.0),
    ):
        second = gradient_of(lambda x: gradient_of(f, x), x)
        assert second.numpy() == 100.0


def test_custom_gradient_outlives_its_function():
    def make():
        inner = tf.function(lambda x: clipped(x))
        return tf.function(lambda x: inner(x))

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = make()(x)
    assert tape.gradient(y, x).numpy() == 300.0


def test_custom_gradient_with_variables():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        y = v * x

        def grad(upstream, variables=None):
            assert [w is v for w in variables] == [True]
            return upstream * 10.0, [upstream * 1000.0]

        return y, grad

    for f in (scaled, tf.function(scaled)):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert y.numpy() == 6.0
        dx, dv = tape.gradient(y, [x, v])
        assert dx.numpy() == 10.0
        assert dv.numpy() == 1000.0


def test_custom_gradient_must_take_variables():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        return v * x, lambda upstream: upstream

    for f in (scaled, tf.function(scaled)):
        with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
            f(tf.constant(1.0))


def test_custom_gradient_counts():
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: upstream

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = f(x, x)
    with pytest.raises(
        ValueError, match="expected to return 2 gradients, but returned 1"
    ):
        tape.gradient(z, x)


def test_recompute_grad_pass_through():
    f = tf.grad_pass_through(tf.round)
    x = tf.constant(1.6)
    for g in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert y.numpy() == 2.0
        assert tape.gradient(y, x).numpy() == 1.0


def _array(x):
    array = tf.TensorArray(
        x.dtype, size=4, clear_after_read=False, element_shape=x.shape[1:])
    return array.unstack(x)


ROWS = {
    "known": lambda: [0, 2, 0, 3],
    "computed": lambda: tf.cast(tf.range(8) // 2, tf.int32) % 3,
    "distinct": lambda: tf.reverse(tf.range(4), [0]),
    "none": lambda: tf.range(0),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("shape", ((4,), (4, 2)))
def test_elements_that_are_read_twice(shape, rows):
    def f(x):
        read = _array(x).gather(ROWS[rows]())
        weights = tf.reshape(
            tf.range(1.0, tf.cast(tf.size(read), tf.float64) + 1,
                     dtype=tf.float64), tf.shape(read))
        return tf.sin(read) * weights

    assert_gradient(tf.function(f), np.arange(1.0, 1 + np.prod(shape)).reshape(shape))


@pytest.mark.parametrize("rows", ("known", "computed", "distinct"))
@pytest.mark.parametrize("shape", ((4,), (4, 2)))
def test_elements_that_are_written_twice(shape, rows):
    def f(x):
        indices = tf.convert_to_tensor(ROWS[rows]())[:4]
        array = tf.TensorArray(tf.float64, size=4, element_shape=shape[1:])
        done = array.scatter(indices, tf.sin(x)).stack()
        weights = tf.reshape(
            tf.range(1.0, np.prod(shape) + 1, dtype=tf.float64), shape)
        return done * weights

    assert_gradient(tf.function(f), np.arange(1.0, 1 + np.prod(shape)).reshape(shape))


@tf.custom_gradient
def _own_slope(x):
    return tf.sin(x), lambda dy: dy * tf.cos(x)


@tf.recompute_grad
def _recomputed(x):
    return tf.sin(x)


@pytest.mark.parametrize("order", (1, 2))
@pytest.mark.parametrize("place", ("loop", "branch", "both"))
@pytest.mark.parametrize("own", (_own_slope, _recomputed))
def test_own_gradients_of_what_comes_from_outside(own, place, order):
    """The gradient is made when branch and body are long done."""

    def f(x):
        def work():
            return own(x)

        if place == "branch":
            return tf.cond(tf.reduce_sum(x) > 0, work, lambda: x)
        body = work
        if place == "both":
            body = lambda: tf.cond(tf.reduce_sum(x) > 0, work, lambda: x)
        return tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, body()), (0, x))[1]

    def gradient(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.function(f)(x)
            slope = tape.gradient(y, x)
        return slope if order == 1 else outer.gradient(slope, x)

    x = tf.constant(0.25)
    want = np.cos(0.25) if order == 1 else -np.sin(0.25)
    for run in (gradient, tf.function(gradient, autograph=False)):
        np.testing.assert_allclose(run(x), want, 1e-5)
