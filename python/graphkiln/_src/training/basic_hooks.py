"""tf.compat.v1.train: hooks that log, stop, feed and watch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._src.training.global_step import get_global_step
from graphkiln._src.training.session_run_hook import (
    SessionRunArgs,
    SessionRunHook,
    element_of,
)


def step_of(hook: str) -> Any:
    """The global step, which must be there."""
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step


class SecondOrStepTimer:
    """Tells when so many seconds, or steps, have gone.

    Args:
      every_secs: how many seconds; None: steps count.
      every_steps: how many steps.

    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=5)
    >>> _ = timer.update_last_triggered_step(3)
    >>> timer.should_trigger_for_step(7), timer.should_trigger_for_step(8)
    (False, True)
    """

    def __init__(
        self, every_secs: float | None = None, every_steps: int | None = None
    ) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it was the last time."""
        self._last_step: int | None = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Is it time? At first always, twice in a step never.

        Args:
          step: which step it is.
        """
        if self._last_step is None or self._last_time is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        assert self._every_steps is not None
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple:
        """Says that it was the time, and gives seconds and steps since the last
        one; None and None at first.

        Args:
          step: which step it is.
        """
        now = time.time()
        gone = (
            (None, None)
            if self._last_step is None or self._last_time is None
            else (now - self._last_time, step - self._last_step)
        )
        self._last_step, self._last_time = step, now
        return gone

    def last_triggered_step(self) -> int | None:
        """The step of the last time."""
        return self._last_step


class LoggingTensorHook(SessionRunHook):
    """Logs values of tensors now and then.

    Args:
      tensors: tensors or their names, by what they are called; or a list.
      every_n_iter: after so many runs.
      every_n_secs: after so many seconds.
      at_end: at the end, too.
      formatter: makes the text of a dictionary of values.

    Raises:
      ValueError: unless one of the numbers is given, or `at_end` alone.

    >>> hook = tf.compat.v1.train.LoggingTensorHook({"x": "x:0"}, every_n_iter=10)
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1, name="x")
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         session.run(x).item()
    1
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs "
                "must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        named = isinstance(tensors, Mapping)
        self._tags = list(tensors)
        self._tensors = [tensors[t] for t in tensors] if named else list(tensors)
        self._formatter = formatter
        self._timer = (
            None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        )
        self._at_end = at_end
        self._now = False

    def begin(self) -> None:
        """Looks for the tensors in the graph."""
        if self._timer is not None:
            self._timer.reset()
        self._count = 0
        graph = _graphkiln.get_default_graph()
        self._elements = [
            t if isinstance(t, _graphkiln.Variable) else element_of(graph, t)
            for t in self._tensors
        ]

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Asks for the values if it is time."""
        self._now = self._timer is not None and self._timer.should_trigger_for_step(
            self._count
        )
        return SessionRunArgs(self._elements) if self._now else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs them."""
        if self._now:
            self._log(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        """Logs values of the end."""
        if self._at_end:
            self._log(session.run(self._elements))

    def _log(self, values: list) -> None:
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter:
            found = dict(zip(self._tags, values, strict=True))
            _graphkiln.info(self._formatter(found))
            return
        before = np.get_printoptions()
        np.set_printoptions(suppress=True)
        parts = [f"{t} = {v}" for t, v in zip(self._tags, values, strict=True)]
        np.set_printoptions(**before)
        text = ", ".join(parts)
        if seconds is None:
            _graphkiln.info("%s", text)
        else:
            _graphkiln.info("%s (%.3f sec)", text, seconds)


class StopAtStepHook(SessionRunHook):
    """Asks to stop at a step.

    Args:
      num_steps: after so many, from where the session began.
      last_step: at this one.

    Raises:
      ValueError: for both or none.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     more = step.assign_add(1)
    ...     hooks = [tf.compat.v1.train.StopAtStepHook(last_step=3)]
    ...     with tf.compat.v1.train.MonitoredSession(hooks=hooks) as session:
    ...         while not session.should_stop():
    ...             last = session.run(more)
    >>> last.item()
    3
    """

    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        """Looks for the global step."""
        self._step = step_of("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Counts from the step that holds now."""
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + self._num_steps

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Asks to stop; what was read may have been before the step was taken."""
        if run_values.results + 1 >= self._last_step and (
            run_context.session.run(self._step) >= self._last_step
        ):
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss is no number.

    >>> str(tf.compat.v1.train.NanLossDuringTrainingError())
    'NaN loss during training.'
    """

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Watches whether a loss is a number.

    Args:
      loss_tensor: of floats.
      fail_on_nan_loss: raises an error, else it asks to stop.

    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(float("nan"))
    ...     hooks = [tf.compat.v1.train.NanTensorHook(loss, fail_on_nan_loss=False)]
    ...     with tf.compat.v1.train.MonitoredSession(hooks=hooks) as session:
    ...         _ = session.run(loss)
    ...         session.should_stop()
    True
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail = fail_on_nan_loss

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Raises or asks to stop if it is NaN."""
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fail:
            _graphkiln.error(message)
            raise NanLossDuringTrainingError
        _graphkiln.warning(message)
        run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Waits before the first run until the global step, which others count, is so
    far.

    Args:
      wait_until_step: how far.

    >>> hook = tf.compat.v1.train.GlobalStepWaiterHook(0)
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Looks for the global step."""
        self._waits = self._wait_until_step > 0
        self._step = step_of("_GlobalStepWaiterHook")

    def before_run(self, run_context: Any) -> None:
        """Waits."""
        told = None
        while self._waits:
            now = int(run_context.session.run(self._step))
            if now >= self._wait_until_step:
                self._waits = False
                return
            if told is None or now - told > 1000:
                _graphkiln.info(
                    "Waiting for global step %d before starting training. Current "
                    "step is %d.", self._wait_until_step, now,
                )
                told = now
            time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
    """Runs something at the end.

    Args:
      final_ops: a structure of tensors and operations.
      final_ops_feed_dict: what they are fed.

    >>> with tf.Graph().as_default():
    ...     hook = tf.compat.v1.train.FinalOpsHook(tf.constant(3))
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]):
    ...         pass
    >>> hook.final_ops_values.item()
    3
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops = final_ops
        self._feed_dict = final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, once it has ended."""
        return self._values

    def end(self, session: Any) -> None:
        """Runs them."""
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function gives.

    Args:
      feed_fn: gives a dictionary of values.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.int32, [])
    ...     hooks = [tf.compat.v1.train.FeedFnHook(lambda: {x: 3})]
    ...     with tf.compat.v1.train.MonitoredSession(hooks=hooks) as session:
    ...         session.run(x).item()
    3
    """

    def __init__(self, feed_fn: Callable) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Feeds it."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
