"""tf.compat.v1.train: what is called around each run of a session."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphkiln._graphkiln import Graph


class SessionRunHook:
    """Is called when a `MonitoredSession` begins, runs and ends.

    >>> class Count(tf.compat.v1.train.SessionRunHook):
    ...     runs = 0
    ...     def after_run(self, run_context, run_values):
    ...         self.runs += 1
    >>> count = Count()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[count]) as session:
    ...         _ = session.run(x)
    >>> count.runs
    1
    """

    def begin(self) -> None:
        """Before the session is made; may add to the graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """When a session has been made, at first and after one was lost.

        Args:
          session: a tf.compat.v1.Session.
          coord: the Coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each run: what is to be fetched and fed besides, or None.

        Args:
          run_context: of this run.
        """
        return None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """After each run.

        Args:
          run_context: of this run.
          run_values: what `before_run` asked for.
        """

    def end(self, session: Any) -> None:
        """When no run failed and the session will be closed.

        Args:
          session: a tf.compat.v1.Session.
        """


class SessionRunArgs(
    NamedTuple(
        "SessionRunArgs", [("fetches", Any), ("feed_dict", Any), ("options", Any)]
    )
):
    """What a hook adds to a run: fetches, values of tensors, and options.

    >>> tf.compat.v1.train.SessionRunArgs("loss:0").fetches
    'loss:0'
    """

    def __new__(
        cls, fetches: Any, feed_dict: Any = None, options: Any = None
    ) -> SessionRunArgs:
        return super().__new__(cls, fetches, feed_dict, options)


class SessionRunContext:
    """What hooks know of a run.

    Args:
      original_args: the SessionRunArgs of the program's own call.
      session: a tf.compat.v1.Session.

    >>> context = tf.compat.v1.train.SessionRunContext(None, None)
    >>> context.request_stop()
    >>> context.stop_requested
    True
    """

    def __init__(self, original_args: Any, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """The SessionRunArgs of the program's own call."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Has a hook asked for this to be the last run?"""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks for this to be the last run."""
        self._stop_requested = True


class SessionRunValues(NamedTuple):
    """What a run gave a hook: values of its fetches, options and metadata.

    >>> tf.compat.v1.train.SessionRunValues([1], None, None).results
    [1]
    """

    results: Any
    options: Any
    run_metadata: Any


def element_of(graph: Graph, value: Any) -> Any:
    """A tensor or an operation of the graph, by its name too."""
    return graph.as_graph_element(value, allow_operation=True)
