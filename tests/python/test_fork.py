"""A process may fork after it has used tensors, functions and threads."""

import os
import signal
import threading

import numpy as np
import pytest

import graphkiln as tf


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_computes_after_parallel_work():
    x = tf.constant(np.ones((600, 600), np.float32))

    @tf.function
    def f(a):
        return tf.reduce_sum(tf.matmul(a, a) + tf.tanh(a))

    want = float(f(x))
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        same = float(f(x)) == want
        traced_anew = float(f(x[:300, :300])) > 0
        os._exit(0 if same and traced_anew else 1)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert float(f(x)) == want


# What another thread is in the middle of when the process forks: it waits
# there, and the child does the same anew.
@pytest.fixture
def pause():
    reached, go_on = threading.Event(), threading.Event()

    class Pause:
        on = True

        def __call__(self):
            if self.on:
                reached.set()
                assert go_on.wait(60)

        def until_reached(self):
            assert reached.wait(60)

    pause = Pause()
    yield pause
    go_on.set()


def first_trace(pause):
    @tf.function
    def f(x):
        pause()
        return x + 1.0

    return lambda: f(tf.constant(1.0))


def later_trace(pause):
    @tf.function
    def f(x):
        if x.dtype == tf.float32:
            pause()
        return x + 1

    f(tf.constant(1))
    return lambda: f(tf.constant(1.0))


def trace_that_makes_a_variable(pause):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(1.0))
        pause()
        return x + made[0]

    return lambda: f(1.0)


def gradient_of_a_function(pause):
    @tf.custom_gradient
    def g(x):
        def grad(dy):
            pause()
            return 2.0 * dy

        return x * 1.0, grad

    f = tf.function(lambda x: g(x))

    def call():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return call


def elements_of_a_generator(pause):
    def numbers():
        for i in range(3):
            pause()
            yield float(i)

    d = tf.data.Dataset.from_generator(
        numbers, output_signature=tf.TensorSpec([], tf.float32)
    )
    d = d.prefetch(2).cache()
    return lambda: list(d)[2]


def iterator_that_is_shared(pause):
    def numbers():
        pause()
        yield 2.0

    d = tf.data.Dataset.from_generator(
        numbers, output_signature=tf.TensorSpec([], tf.float32)
    )
    iterator = iter(d)

    def call():
        try:
            return next(iterator)
        except tf.errors.FailedPreconditionError as e:
            assert "forked" in str(e)
            return next(iter(d))

    return call


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "what",
    [
        first_trace,
        later_trace,
        trace_that_makes_a_variable,
        gradient_of_a_function,
        elements_of_a_generator,
        iterator_that_is_shared,
    ],
    ids=lambda f: f.__name__,
)
def test_child_does_what_another_thread_was_doing(what, pause):
    call = what(pause)
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    pause.until_reached()
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        pause.on = False
        try:
            same = float(call()) == 2.0 and float(call()) == 2.0
        except BaseException as e:
            print(repr(e), flush=True)
            same = False
        os._exit(0 if same else 1)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
