"""What a thread says of its summaries: who writes them, at which step, and
whether they are written at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor


class _State(threading.local):
    writer: Any = None
    step: Any = None
    # A bool, a bool tensor, what gives one, or None: nobody said anything.
    condition: Any = None


state = _State()


def get_step() -> Any:
    """The step that this thread's summaries have unless they are given one.

    Returns:
      What `tf.summary.experimental.set_step` or `as_default` was given, or None.

    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    return state.step


def set_step(step: Any) -> None:
    """Sets the step that this thread's summaries have unless they are given one.

    Args:
      step: an integer, an int64 tensor or variable, or None. What a tf.function
        writes has the step of its tracing, unless that is a variable.

    >>> step = tf.Variable(0, dtype=tf.int64)
    >>> tf.summary.experimental.set_step(step)
    >>> tf.summary.experimental.get_step() is step
    True
    >>> tf.summary.experimental.set_step(None)
    """
    state.step = step


@contextlib.contextmanager
def record_if(condition: bool | Tensor | Callable[[], Any]) -> Iterator[None]:
    """Decides whether summaries in a `with` block are written.

    Args:
      condition: a bool, a bool scalar, or a function that gives one, which is
        called for each summary. A function that is traced has the condition in
        its graph if it is a function that computes tensors there.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
    ...     with tf.summary.record_if(False):
    ...         written = tf.summary.scalar("loss", 0.5)
    >>> written.numpy().item()
    False
    """
    before = state.condition
    state.condition = condition
    try:
        yield
    finally:
        state.condition = before


def recording() -> bool | Tensor:
    """Whether summaries are written now: a bool, or a tensor of the graph that is
    built if only a run will tell."""
    if state.writer is None:
        return False
    condition = state.condition
    if callable(condition) and not isinstance(condition, _graphkiln.Variable):
        condition = condition()
    if condition is None or isinstance(condition, bool):
        return condition is not False
    condition = _graphkiln.convert_to_tensor(condition, dtype=_graphkiln.bool)
    known = _graphkiln.get_static_value(condition)
    return condition if known is None else bool(known)


def should_record_summaries() -> Tensor:
    """Whether summaries are written now.

    Returns:
      A bool scalar: false without a writer, else what `tf.summary.record_if`
      was given, or true.

    >>> tf.summary.should_record_summaries().numpy().item()
    False
    """
    now = recording()
    return _graphkiln.constant(now) if isinstance(now, bool) else now


def checked_step(step: Any) -> Tensor:
    """A step as an int64 tensor; ValueError unless it is one number."""
    step = _graphkiln.convert_to_tensor(step, dtype=_graphkiln.int64)
    if step.shape.num_elements() != 1:
        raise ValueError(
            f"Argument `step` must be a scalar. Received step with shape {step.shape}."
        )
    return step


def required_step(step: Any) -> Any:
    """The step of a summary: what was given, or the thread's."""
    if step is None:
        step = state.step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or "
            "through tf.summary.experimental.set_step()"
        )
    return step
