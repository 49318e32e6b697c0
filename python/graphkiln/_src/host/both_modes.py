"""Decorators of TensorFlow's private test_util, which tests of packages use: methods
of test cases that run in a graph and eagerly."""

from __future__ import annotations

import contextlib
import functools
import unittest
from collections.abc import Callable, Iterator

from graphkiln._graphkiln import EagerMode, executing_eagerly
from graphkiln._src.session.eager_switch import graph_mode


def run_in_graph_and_eager_modes(
    func: Callable | None = None,
    config: object = None,
    use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Callable:
    """A method that is run in a graph, with a session, and then eagerly."""

    def decorate(test: Callable) -> Callable:
        if isinstance(test, type):
            raise ValueError(
                "run_in_graph_and_eager_modes is for methods of tests, "
                "run_all_in_graph_and_eager_modes for their class."
            )

        @functools.wraps(test)
        def run(self: object, *args: object, **named: object) -> None:
            try:
                with graph_mode(), self.test_session(config=config):
                    test(self, *args, **named)
            except unittest.SkipTest:
                pass
            self.tearDown()
            self._tempdir = None
            # A class and its method may both be decorated.
            eagerly = executing_eagerly()
            with contextlib.nullcontext() if eagerly else eager_mode():
                self.setUp()
                test(self, *args, **named)

        return run

    return decorate if func is None else decorate(func)


def deprecated_graph_mode_only(func: Callable) -> Callable:
    """A method, or `setUp` and the tests of a class, that is run in a graph alone."""
    if isinstance(func, type):
        for name, value in vars(func).copy().items():
            if name == "setUp" or (name.startswith("test") and callable(value)):
                setattr(func, name, deprecated_graph_mode_only(value))
        return func

    @functools.wraps(func)
    def run(*args: object, **named: object) -> object:
        with graph_mode():
            return func(*args, **named)

    return run


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """A class all of whose tests are run in a graph and eagerly."""
    for name in dir(cls):
        skips = name.startswith(("testSkipEager", "test_skip_eager"))
        if not name.startswith("test") or skips or name == "test_session":
            continue
        value = getattr(cls, name, None)
        if callable(value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Ops run at once, in functions and graphs too.

    >>> with tf.__internal__.eager_context.eager_mode():
    ...     tf.executing_eagerly()
    True
    """
    with EagerMode():
        yield


@contextlib.contextmanager
def use_gpu() -> Iterator[None]:
    """Where there is a device of that kind, what is inside is placed there."""
    yield


def _skipped(reason: str) -> Callable:
    def decorate(func: Callable | str | None = None) -> Callable:
        """`func`: what is decorated, or TensorFlow's reason."""
        return unittest.skip(reason)(func) if callable(func) else decorate

    return decorate


run_v1_only = _skipped("only of TensorFlow 1's behavior")
run_gpu_only = _skipped("only where there is a GPU")


def run_v2_only(func: Callable | None = None, reason: str | None = None) -> Callable:
    """A test of TensorFlow 2's behavior."""
    return run_v2_only if func is None else func


def disable_xla(description: str) -> Callable:
    """A test that TensorFlow does not run with its compiler."""
    return lambda func: func


disable_tfrt = disable_xla


def assert_no_new_pyobjects_executing_eagerly(
    func: Callable | None = None, **how: object
) -> Callable:
    """A test in which TensorFlow counts objects."""
    return assert_no_new_pyobjects_executing_eagerly if func is None else func
