"""tf.compat.v1.Session: runs parts of graphs."""

from __future__ import annotations

from graphkiln import _graphkiln
from graphkiln._graphkiln import Graph
from graphkiln._src.session.base_session import BaseSession, sessions
from graphkiln._src.session.eager_switch import within_session


class Session(BaseSession):
    """Runs parts of a graph, with values of variables of its own.

    Args:
      target: only "", this process, is known.
      graph: what is run; the default graph unless given.
      config: a ConfigProto, accepted for compatibility.

    In a `with` statement the session and its graph are the default ones; it is
    closed behind.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     more = v.assign_add(2.0)
    ...     with tf.compat.v1.Session() as session:
    ...         session.run(tf.compat.v1.global_variables_initializer())
    ...         print(session.run(more).item(), session.run(v).item())
    3.0 3.0
    """

    def __init__(
        self,
        target: str = "",
        graph: Graph | None = None,
        config: object = None,
    ) -> None:
        super().__init__(target, graph, config)
        self._entered: tuple | None = None

    @staticmethod
    def reset(target: str, containers: object = None, config: object = None) -> None:
        """Closes all sessions of this process and drops the values of their
        variables: runs of theirs are a CancelledError from then on.

        Args:
          target: only "", this process, is known.
          containers: accepted for compatibility: all are dropped.
          config: a ConfigProto, accepted for compatibility.

        Raises:
          TypeError: the target is no text.
          NotFoundError: the target is another.

        >>> with tf.Graph().as_default():
        ...     session = tf.compat.v1.Session()
        ...     tf.compat.v1.Session.reset("")
        ...     try: session.run(tf.constant(1))
        ...     except tf.errors.CancelledError as e: e.message
        'Session has been closed.'
        """
        if not isinstance(target, (str, bytes)):
            raise TypeError(f"Expected binary or unicode string, got {target!r}")
        if target:
            raise _graphkiln.NotFoundError(
                None, None,
                "No session factory registered for the given session options: "
                f"{{target: {target!r}}} Registered factories are {{DIRECT_SESSION}}.",
            )
        for session in sessions():
            session._was_reset = True
            session._drop_values()

    def __enter__(self) -> Session:
        if self._entered is not None:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use "
                "`Session.as_default()` if you want to enter a session multiple "
                "times."
            )
        scopes = (within_session(self._graph), self.as_default())
        for scope in scopes:
            scope.__enter__()
        self._entered = scopes
        return self

    def __exit__(self, *error: object) -> None:
        for scope in reversed(self._entered or ()):
            scope.__exit__(*error)
        self._entered = None
        self.close()


class InteractiveSession(BaseSession):
    """A session that is the default one from the start until it is closed, for
    shells.

    Args:
      target: only "", this process, is known.
      graph: what is run; it becomes the default graph. Without it the default
        graph is run.
      config: a ConfigProto, accepted for compatibility.

    >>> g = tf.Graph()
    >>> session = tf.compat.v1.InteractiveSession(graph=g)
    >>> (tf.constant(2) * 3).eval().item()
    6
    >>> session.close()
    """

    def __init__(
        self,
        target: str = "",
        graph: Graph | None = None,
        config: object = None,
    ) -> None:
        super().__init__(target, graph, config)
        scopes: list = [self.as_default()]
        if graph is not None:
            scopes.append(graph.as_default())
        for scope in scopes:
            scope.__enter__()
        self._scopes = scopes

    def close(self) -> None:
        """Leaves what it entered and drops the values of its variables."""
        super().close()
        for scope in reversed(self._scopes):
            scope.__exit__(None, None, None)
        self._scopes = []
