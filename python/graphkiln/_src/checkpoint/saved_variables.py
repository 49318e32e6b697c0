"""Which variables tf.compat.v1.train.Saver saves, and under which names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.session.graph_keys import GraphKeys


def all_saved(scope: str | None = None) -> list:
    """What a saver of the default graph saves unless told otherwise."""
    graph = _graphkiln.get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
    return found + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def by_names(var_list: Any) -> dict[str, Variable]:
    """Variables by their names in checkpoints, in the order of these."""
    if isinstance(var_list, Mapping):
        named = dict(var_list)
    elif isinstance(var_list, (list, tuple, set)):
        named = {}
        for variable in var_list:
            if not isinstance(variable, Variable):
                raise TypeError(f"Variable to save is not a Variable: {variable}")
            name = variable.name.rpartition(":")[0]
            if named.setdefault(name, variable) is not variable:
                raise ValueError(f"At least two variables have the same name: {name}")
    else:
        raise TypeError(
            f"Variables to save should be passed in a dict or a list. Got {var_list}"
        )
    owners: dict[int, str] = {}
    for name, variable in named.items():
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable "
                f"operations. Name is not a string: {name}"
            )
        if not isinstance(variable, Variable):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to "
                f"Tensors/Variables. Not a variable: {variable}"
            )
        if id(variable) in owners:
            raise ValueError(
                "The same saveable will be restored with two names: "
                f"{owners[id(variable)]} and {name}"
            )
        owners[id(variable)] = name
    return dict(sorted(named.items()))


def value_of(variable: Variable) -> Tensor:
    """Its value, by the operation that the graph has for that."""
    if _graphkiln.executing_eagerly():
        return variable.read_value()
    graph = variable.handle.graph
    try:
        return graph.get_tensor_by_name(variable.to_proto().snapshot_name)
    except KeyError:
        return variable.read_value()
