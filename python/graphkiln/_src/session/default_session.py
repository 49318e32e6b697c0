"""Which session runs what is not told one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from graphkiln import _graphkiln

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphkiln._src.session.base_session import BaseSession


class _Stack(threading.local):
    def __init__(self) -> None:
        self.sessions: list[BaseSession] = []


_stack = _Stack()


def get_default_session() -> BaseSession | None:
    """The session of the innermost `with session:` or `session.as_default()` of
    this thread, or None.

    >>> tf.compat.v1.get_default_session() is None
    True
    >>> with tf.compat.v1.Session(graph=tf.Graph()) as session:
    ...     tf.compat.v1.get_default_session() is session
    True
    """
    return _stack.sessions[-1] if _stack.sessions else None


class DefaultSession:
    """A `with` statement in which a session is the default one."""

    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        _stack.sessions.append(self._session)
        return self._session

    def __exit__(self, *error: object) -> None:
        for i in reversed(range(len(_stack.sessions))):
            if _stack.sessions[i] is self._session:
                del _stack.sessions[i]
                return


def evaluate_in_session(
    thing: object,
    feed_dict: Mapping | None = None,
    session: BaseSession | None = None,
) -> object:
    """What `thing.eval()` or `thing.run()` gives."""
    is_operation = not hasattr(thing, "dtype")
    what, call = (
        ("execute operation", "run") if is_operation else ("evaluate tensor", "eval")
    )
    graph = thing.graph
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError(
                f"Cannot {what} using `{call}()`: No default session is "
                "registered. Use `with sess.as_default()` or pass an explicit "
                f"session to `{call}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {what}: the graph of it is "
                "not the session's graph. Pass an explicit session to "
                f"`{call}(session=sess)`."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {what}: the graph of it is not "
            "the session's graph."
        )
    return session.run(thing, feed_dict)


def load_in_session(
    variable: object, value: object, session: BaseSession | None
) -> None:
    """Gives a variable of a graph a value."""
    session = session or get_default_session()
    if session is None:
        raise ValueError(
            "Either session argument should be provided or default session "
            "should be established"
        )
    initializer = variable.initializer
    session.run(initializer, {initializer.inputs[1]: value})


_graphkiln.provide(evaluate_in_session, load_in_session)
