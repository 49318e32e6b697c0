"""What variables and their scopes are called, by graphs, threads and templates."""

from __future__ import annotations

import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager

from graphkiln import _graphkiln
from graphkiln._graphkiln import Graph, Variable


class _OfThread(threading.local):
    """Variables by their names: of the templates that this thread calls eagerly, and
    of the functions that its eager code calls."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Variable]] = []
        self.of_functions: dict[str, Variable] = {}


_of_thread = _OfThread()


def free_name(prefix: str, scope: str, taken: Container[str]) -> str:
    """`prefix`, or with the first number with which it is not taken in the scope."""
    outer = f"{scope}/" if scope else ""
    name, i = prefix, 0
    while outer + name in taken:
        i += 1
        name = f"{prefix}_{i}"
    return name


def _graph_around() -> Graph | None:
    """That around bodies; None if eager code is there."""
    with _graphkiln.init_scope():
        if _graphkiln.executing_eagerly():
            return None
        return _graphkiln.get_default_graph()


def kept_by_graph(what: str) -> dict:  # by that around bodies
    """A dictionary that the graph keeps."""
    return _kept_by(_graph_around() or _graphkiln.get_default_graph(), what)


def _kept_by(graph: Graph, what: str) -> dict:
    collection = graph.get_collection_ref((what,))
    if not collection:
        collection.append({})
    return collection[0]


def known_variables() -> dict[str, Variable]:
    """By their names: those of the graph or of the template that is called. Eager code
    shares none otherwise; all functions that it calls share theirs, so that each of
    their traces finds what the first one made."""
    if _of_thread.kept:
        return _of_thread.kept[-1]
    if _graphkiln.executing_eagerly():
        return {}
    graph = _graph_around()
    if graph is None:
        return _of_thread.of_functions
    return _kept_by(graph, "_variables_by_name")


def kept_by_template() -> dict[str, Variable]:
    """Those of the template that is called, or a new place for them."""
    return _of_thread.kept[-1] if _of_thread.kept else {}


@contextmanager
def variables_kept_in(kept: dict[str, Variable]) -> Iterator[None]:
    """A `with` statement in which code finds and keeps variables there."""
    _of_thread.kept.append(kept)
    try:
        yield
    finally:
        _of_thread.kept.pop()


def opened(where: str) -> set[str]:
    """The names of scopes that this thread opened in a scope of the graph."""
    key = threading.get_ident(), where
    return kept_by_graph("_opened_scopes").setdefault(key, set())


def opened_below(where: str) -> dict[tuple, set[str]]:
    """The same of this scope and of those in it."""
    thread = threading.get_ident()
    return {
        key: set(names)
        for key, names in kept_by_graph("_opened_scopes").items()
        if key[0] == thread and f"{key[1]}/".startswith(f"{where}/")
    }


def leave(where: str, before: dict[tuple, set[str]]) -> None:
    """Names in a scope are free again, but those that were opened before."""
    scopes = kept_by_graph("_opened_scopes")
    for key in opened_below(where):
        del scopes[key]
    scopes.update(before)
