"""Calls of functions that another thread stops."""

import threading

import pytest

import graphkiln as tf
from graphkiln._src.host.private_parts import CancellationManager


def _waiting():
    queue = tf.queue.FIFOQueue(1, [tf.int32])

    @tf.function
    def wait():
        return queue.dequeue() + 1

    return queue, wait.get_concrete_function()


def test_a_call_that_waits_is_stopped():
    queue, wait = _waiting()
    manager = CancellationManager()
    call = manager.get_cancelable_function(wait)
    threading.Timer(0.1, manager.start_cancel).start()
    with pytest.raises(tf.errors.CancelledError):
        call()
    assert manager.is_cancelled
    with pytest.raises(tf.errors.CancelledError, match="stopped before it began"):
        call()
    # Others go on.
    queue.enqueue(1)
    assert wait().numpy() == 2


def test_calls_that_nothing_stops():
    queue, wait = _waiting()
    call = CancellationManager().get_cancelable_function(wait)
    queue.enqueue(4)
    assert call().numpy() == 5
    with pytest.raises(TypeError, match="takes a ConcreteFunction, got int"):
        CancellationManager().get_cancelable_function(3)


def test_callbacks_at_the_end_of_a_trace():
    from graphkiln._src.host.private_graphs import (
        add_exit_callback_to_default_func_graph,
    )

    seen = []

    @tf.function
    def f(x):
        add_exit_callback_to_default_func_graph(lambda: seen.append("left"))
        seen.append("traced")
        return x

    f(1.0)
    assert seen == ["traced", "left"]
    with pytest.raises(RuntimeError, match="when not building a function"):
        add_exit_callback_to_default_func_graph(lambda: None)
