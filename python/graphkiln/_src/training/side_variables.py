"""Variables that are made for other variables: averages, slots of optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln._graphkiln import (
    Variable,
    executing_eagerly,
    get_default_graph,
    init_scope,
)
from graphkiln._src.version_one.variable_store import get_variable, variable_scope


def in_graph() -> bool:
    """In a graph of the first version, not eager and not in a function?"""
    with init_scope():
        return not executing_eagerly()


def graph_of_variables() -> Any:
    """The graph in which variables are made here, whose branches and loops are none;
    None eagerly and in functions."""
    with init_scope():
        return None if executing_eagerly() else get_default_graph()


def name_of(value: Any) -> str:
    return value.name.partition(":")[0]


def scoped_name(wanted: str) -> str:
    """That name, with a number if a scope has it already."""
    with variable_scope(None, wanted, auxiliary_name_scope=False) as scope:
        return scope.name


def side_variable(name: str, start: Callable[[], Any]) -> Variable:
    """A variable of that very name, not trainable; one of the graph in a graph."""
    if in_graph():
        return get_variable(
            name, initializer=start(), trainable=False, use_resource=True
        )
    return Variable(start(), trainable=False, name=name)
