"""What Keras of the second version registers when it is imported, for those who
call it without importing it."""

from __future__ import annotations

from collections.abc import Callable

registered: dict[str, object] = {}


def register_call_context_function(func: Callable) -> None:
    """Registers what tells in which layer's call this code runs.

    >>> tf.__internal__.register_call_context_function(lambda: None)
    """
    registered["call_context"] = func


def register_clear_session_function(func: Callable) -> None:
    """Registers what forgets all that Keras keeps.

    >>> tf.__internal__.register_clear_session_function(lambda: None)
    """
    registered["clear_session"] = func


def register_get_session_function(func: Callable) -> None:
    """Registers what gives Keras' session for graphs of the first version.

    >>> tf.__internal__.register_get_session_function(lambda op_input_list=(): None)
    """
    registered["get_session"] = func


def register_load_model_function(func: Callable) -> None:
    """Registers what loads a model of Keras.

    >>> tf.__internal__.register_load_model_function(lambda path: None)
    """
    registered["load_model"] = func


def register_session_provider(session_provider: Callable) -> None:
    """Registers what gives the session in which values of graphs are restored.

    >>> tf.__internal__.tracking.register_session_provider(lambda: None)
    """
    registered["session_provider"] = session_provider
