"""Objects that tell what is saved of them by `_gather_saveables_for_checkpoint`: for
each name a tensor, a variable, or a function that gives one or a saveable object
(`specs`, each with `name` and `tensor`; `restore(tensors, shapes)`)."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, Variable


def _saveables(value: Any) -> dict[str, Any]:
    gather = getattr(type(value), "_gather_saveables_for_checkpoint", None)
    if gather is None:
        return {}
    return {
        name: made(name="") if callable(made) else made
        for name, made in gather(value).items()
    }


def _tensor(value: Any) -> Any:
    return value() if callable(value) else value


def saveable_names(value: Any) -> list[tuple[str, str, list[str]]]:
    """Each value's name, what it is called, and the suffixes of its tensors."""
    found = []
    for name, saveable in _saveables(value).items():
        suffixes = [""]
        if not isinstance(saveable, Variable | Tensor):
            suffixes = [spec.name for spec in saveable.specs]
        found.append((name, getattr(saveable, "full_name", ""), suffixes))
    return found


def saveable_tensors(value: Any) -> list[Any]:
    """The tensors of all of them."""
    found = []
    for saveable in _saveables(value).values():
        if isinstance(saveable, Variable):
            found.append(value_of(saveable))
        elif isinstance(saveable, Tensor):
            found.append(saveable)
        else:
            found += [_tensor(spec.tensor) for spec in saveable.specs]
    return found


def restore_saveable(value: Any, name: str, tensors: list[Any]) -> Any:
    """Gives one its tensors; what a graph is to run for that."""
    saveable = _saveables(value)[name]
    if isinstance(saveable, Variable):
        return saveable.assign(tensors[0])
    if isinstance(saveable, Tensor):
        raise ValueError(f"A tensor, {saveable}, cannot be restored: it never changes")
    return saveable.restore(tensors, None)


def value_of(variable: Variable) -> Tensor:
    """Its value, by the operation that the graph has for that."""
    if _graphkiln.executing_eagerly() or _graphkiln.inside_function():
        return variable.read_value()
    graph = variable.handle.graph
    try:
        return graph.get_tensor_by_name(variable.to_proto().snapshot_name)
    except KeyError:
        return variable.read_value()
