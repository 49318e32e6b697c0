"""Graphs that are entered while they are being built: tapes go on seeing what is
made."""

from __future__ import annotations

import threading

import pytest


def _again(tf, v):
    with tf.GradientTape() as tape:
        y = v * 3.0
        with tf.compat.v1.get_default_graph().as_default():
            loss = y * y
    return tape.gradient(loss, v)


def _tape_inside(tf, v):
    with tf.compat.v1.get_default_graph().as_default():
        with tf.GradientTape() as tape:
            loss = v * v
    return tape.gradient(loss, v)


def _from_another_graph(tf, v):
    graph = tf.compat.v1.get_default_graph()
    with tf.GradientTape() as tape:
        y = v * 3.0
        with tf.Graph().as_default():
            with graph.as_default():
                loss = y * y
        loss = loss + v
    return tape.gradient(loss, v)


def _tape_stopped_inside(tf, v):
    graph = tf.compat.v1.get_default_graph()
    tape = tf.GradientTape()
    with tape:
        y = v * 3.0
        with tf.Graph().as_default(), graph.as_default():
            with tape.stop_recording():
                y = y + v
            loss = y * v
    return tape.gradient(loss, v)


def _after_init_scope(tf, v):
    graph = tf.compat.v1.get_default_graph()
    with tf.GradientTape() as tape:
        with tf.init_scope(), graph.as_default():
            loss = v * v
    return tape.gradient(loss, v)


CASES = (
    _again,
    _tape_inside,
    _from_another_graph,
    _tape_stopped_inside,
    _after_init_scope,
)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.__name__)
def test_gradients(both, case):
    def program(tf):
        v = tf.Variable(2.0)
        seen = []

        @tf.function
        def f():
            gradient = case(tf, v)
            seen.append(gradient is None)
            return v * 0.0 if gradient is None else gradient

        return float(f()), seen[0]

    both.agree(program)


def test_left_in_another_order():
    """No use, but no harm either: to whom it happens is told."""
    import graphkiln as tf

    told = []

    def leave() -> None:
        first, second = tf.Graph().as_default(), tf.Graph().as_default()
        first.__enter__()
        second.__enter__()
        for scope in (first, second):
            try:
                scope.__exit__(None, None, None)
            except Exception as error:  # noqa: BLE001
                told.append(error)

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = v * v
    assert float(tape.gradient(loss, v)) == 4.0
