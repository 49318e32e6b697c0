"""tf.GradientTape and tf.custom_gradient."""

import functools
import gc
import inspect
import threading

import numpy as np
import pytest
from op_support import needs_op

import graphkiln as tf
from graphkiln import _graphkiln

pytestmark = needs_op("OnesLike", "ZerosLike")


def test_gradient_of_structure():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
    gradients = tape.gradient(y, {"x": x, "v": [v]})
    assert gradients["x"].numpy().tolist() == [3.0, 4.0]
    assert gradients["v"][0].numpy().tolist() == [1.0, 2.0]


def test_used_once_unless_persistent():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can"):
        tape.gradient(y, v)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.gradient(y, v).numpy() == tape.gradient(y, v).numpy() == 6.0


def test_unconnected():
    v, w = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.gradient(y, w) is None
    zero = tape.gradient(y, w, unconnected_gradients="zero")
    assert zero.numpy().tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Unknown value for unconnected"):
        tape.gradient(y, w, unconnected_gradients="foo")


def test_output_gradients():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradient = tape.gradient(y, x, output_gradients=[1.0, 2.0])
    assert gradient.numpy().tolist() == [2.0, 8.0]


def test_second_order():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    assert first.numpy() == 27.0
    assert outer.gradient(first, x).numpy() == 18.0


def test_stop_recording_and_reset():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            y = x * x
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as tape:
        x * x
        tape.reset()
        y = x * 2.0
    assert tape.gradient(y, x).numpy() == 2.0


def test_misuse():
    tape = tf.GradientTape()
    with pytest.raises(ValueError, match="Tape is not recording."):
        tape.reset()
    with tape:
        with pytest.raises(ValueError, match="Tape is still recording"):
            tape.__enter__()
        with pytest.raises(ValueError, match="Passed in object 3 of type 'int'"):
            tape.watch(3)
    with pytest.raises(TypeError, match="but received None"):
        tape.gradient(None, [])


def test_custom_gradient():
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: dy * 100.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = clipped(x)
    assert y.numpy() == 4.0
    assert tape.gradient(y, x).numpy() == 100.0


def test_custom_gradient_errors_pass_through():
    @tf.custom_gradient
    def broken(x):
        def grad(dy):
            raise KeyError("mine")

        return x * 1.0, grad

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = broken(x)
    with pytest.raises(KeyError, match="mine"):
        tape.gradient(y, x)


@needs_op("OneHot", "Pack", "Reshape", "Cast")
def test_jacobian():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


POLES = {
    "sqrt": lambda x: tf.sqrt(x - x),
    "rsqrt": lambda x: tf.math.rsqrt(x - x),
    "reciprocal": lambda x: tf.math.reciprocal(x - x),
    "norm": lambda x: tf.norm(x - x),
    "std": tf.math.reduce_std,
}


def _overwritten_in_a_loop(pole, x, n):
    y = pole(x)
    for _ in tf.range(n):
        y = tf.sin(x)
    return y


def _overwritten_in_a_branch(pole, x, n):
    y = pole(x)
    if n > 0:
        y = tf.sin(x)
    else:
        y = y * 2.0
    return y


@pytest.mark.parametrize(
    "overwritten", (_overwritten_in_a_loop, _overwritten_in_a_branch))
@pytest.mark.parametrize("pole", POLES)
def test_zeros_from_a_way_not_taken_stay_zeros(pole, overwritten):
    """A loop sends back zeros for a value that it has overwritten; times an
    infinite slope they are none the less."""
    x, n = tf.constant(0.25), tf.constant(2)
    f = tf.function(lambda x, n: overwritten(POLES[pole], x, n))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, n)
    np.testing.assert_allclose(tape.gradient(y, x), np.cos(0.25), 1e-6)


def test_what_wraps_a_custom_gradient_keeps_its_own():
    class Scaled:
        @tf.custom_gradient
        def twice(self, x):
            return x * 2.0, lambda upstream: upstream * 10.0

    def plain(x):
        return x * 3.0, lambda upstream: upstream * 5.0

    scaled, x = Scaled(), tf.constant(1.5)
    other = tf.custom_gradient(functools.wraps(scaled.twice)(plain))
    for f, value, slope in (
        (tf.grad_pass_through(scaled.twice), 3.0, 1.0),
        (other, 4.5, 5.0), (scaled.twice, 3.0, 10.0),
    ):
        for run in (f, tf.function(f, autograph=False)):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = run(x)
            assert y.numpy() == value
            assert tape.gradient(y, x).numpy() == slope


def on_another_thread(f):
    out = []

    def run():
        try:
            out.append(f())
        except Exception as e:
            out.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return out[0]


def records():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x) is not None


def blocks(scope):
    with scope:
        yield


def test_recording_that_goes_on_on_another_thread():
    """The tape records there, as in TensorFlow; no thread loses its own."""
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        block = blocks(tape.stop_recording())
        next(block)

        def go_on():
            next(block, None)
            return x * 3.0, records()

        there, well = on_another_thread(go_on)
        here = x * 5.0
    assert well and records()
    assert tape.gradient(there, x).numpy() == 3.0
    assert tape.gradient(here, x) is None


def test_recording_that_another_thread_stopped():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        block = blocks(tape.stop_recording())
        on_another_thread(lambda: next(block))
        meanwhile = x * 3.0
        next(block, None)
        after = x * 5.0
    assert records() and on_another_thread(records)
    assert tape.gradient(meanwhile, x) is None
    assert tape.gradient(after, x).numpy() == 5.0


def test_init_scopes_end_on_their_thread():
    def begin():
        block = blocks(tf.init_scope())
        next(block)
        return block

    def end(block):
        try:
            next(block, None)
        except RuntimeError as e:
            return str(e), records()
        return "", records()

    block = on_another_thread(begin)
    message, well = end(block)
    assert "thread" in message and well and records()

    def own():
        begun = begin()
        return on_another_thread(lambda: end(begun))

    message, well = on_another_thread(own)
    assert "thread" in message and well


def test_what_an_interrupt_leaves_entered_ends_with_its_object():
    v = tf.Variable(1.0)

    @tf.custom_gradient
    def interrupted(x):
        tf.GradientTape()._push()
        raise KeyboardInterrupt

    def leave():
        with pytest.raises(KeyboardInterrupt):
            interrupted(v * 2.0)
        return records()

    with tf.GradientTape() as tape:
        assert leave()
        y = v * v
    assert float(tape.gradient(y, v)) == 2.0
    assert on_another_thread(leave)
    gc.collect()
    assert records() and float(v) == 1.0
    scope = _graphkiln.DeviceScope("/job:elsewhere/task:7")
    scope.__enter__()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1.0) + 1.0
    del scope
    gc.collect()
    with tf.init_scope():
        assert float(tf.constant(1.0) + 1.0) == 2.0
    graph = _graphkiln.FuncGraph("f")
    graph._enter()
    del graph
    gc.collect()
    assert tf.executing_eagerly() and records()


def test_tapes_that_are_stopped_and_dropped_in_a_function_of_its_own_gradient():
    """What a function does to the tapes around it holds after it."""
    v = tf.Variable(3.0)
    tapes = [tf.GradientTape(persistent=True) for _ in range(3)]
    for tape in tapes:
        tape._push()

    @tf.custom_gradient
    def stops(x):
        tapes[0]._pop()
        with tapes[1].stop_recording():
            inside = x * x
        tapes.pop()
        gc.collect()
        return inside, lambda g: g * 10.0

    y = stops(v * 1.0)
    z = y * v
    assert tapes[0].gradient(z, v) is None
    assert float(tapes[1].gradient(z, v)) == 39.0  # 9 + 10 * 3
    tapes[1]._pop()
    assert records()


def test_functions_of_own_gradients_on_two_threads():
    go, started = threading.Event(), threading.Event()

    @tf.custom_gradient
    def waits(x):
        started.set()
        go.wait()
        return x * x, lambda g: g * 10.0

    outcome = []

    def run():
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = waits(v * 1.0) * v
        outcome.append(tape.gradient(y, v).numpy())

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    assert records()
    go.set()
    thread.join()
    assert outcome == [39.0] and records()


@pytest.mark.parametrize(
    "op",
    [
        lambda x: tf.identity_n([x, tf.constant(1)])[0],
        lambda x: tf.reverse(x, []),
        lambda x: tf.raw_ops.Reverse(tensor=x, dims=[]),
        tf.identity,
    ],
)
def test_outputs_that_are_their_inputs_count_once(op):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 2.0 * op(x)
    assert tape.gradient(y, x).numpy() == 2.0


def test_functions_with_their_own_gradient_keep_their_signature():
    @tf.custom_gradient
    def f(x, *, k=1, **rest):
        return x * k, lambda g: g * k

    again = tf.recompute_grad(f)
    for function in (f, again):
        assert str(inspect.signature(function)) == "(x, *, k=1, **rest)"
        # Keras' layers look at functions so.
        assert inspect.getfullargspec(function).args == ["x"]

    class Own:
        @tf.custom_gradient
        def method(self, x):
            return x, lambda g: g

    assert inspect.getfullargspec(Own().method).args == ["x"]
