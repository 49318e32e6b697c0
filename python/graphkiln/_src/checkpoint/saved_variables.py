"""Which variables tf.compat.v1.train.Saver saves, and under which names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.checkpoint.saveables import (
    is_saveable,
    saveables_by_name,
    value_of,
)
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.version_one.partitioned_variables import (
    PartitionedVariable,
    slice_info_of,
)


def all_saved(scope: str | None = None) -> list:
    """What a saver of the default graph saves unless told otherwise."""
    graph = _graphkiln.get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
    return found + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


class Saved(NamedTuple):
    """A variable, with its name in checkpoints and, of a part, which part; or a
    tensor of a SaveableObject."""

    name: str
    slice: str
    variable: Any
    saveable: Any = None

    def value(self) -> Tensor:
        """What is written."""
        if self.saveable is not None:
            return self.variable.tensor
        return value_of(self.variable)


def owners(saved: list[Saved]) -> Iterator[tuple[Any, list[int]]]:
    """Each variable or SaveableObject, with the places of its tensors."""
    places: dict[int, list[int]] = {}
    for place, one in enumerate(saved):
        owner = one.variable if one.saveable is None else one.saveable
        places.setdefault(id(owner), []).append(place)
    for found in places.values():
        first = saved[found[0]]
        yield first.variable if first.saveable is None else first.saveable, found


def _listed(variables: Any) -> dict[str, Any]:
    """Variables by their names; parts of one variable in a list."""
    named: dict[str, Any] = {}
    for variable in variables:
        info = slice_info_of(variable)
        if isinstance(variable, PartitionedVariable) or is_saveable(variable):
            name = variable.name
        elif not isinstance(variable, Variable):
            name = getattr(variable, "name", None) or ""
            try:
                found = saveables_by_name(variable, name.rpartition(":")[0] or name)
            except TypeError:
                raise TypeError(
                    f"Variable to save is not a Variable: {variable}"
                ) from None
            named.update(found)
            continue
        elif info is not None:
            parts = named.setdefault(info.full_name, [])
            if not isinstance(parts, list):
                raise ValueError(
                    f"Mixing slices and non-slices with the same name: {info.full_name}"
                )
            parts.append(variable)
            continue
        else:
            name = variable.name.rpartition(":")[0]
        if name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
        named[name] = variable
    return named


def parts_in_checkpoint(name: str, value: Any) -> Iterator[Saved]:
    """A variable by its name in checkpoints, or each part of one that has some."""
    if not isinstance(value, (list, tuple, PartitionedVariable)):
        for full, one in saveables_by_name(value, name):
            if not is_saveable(one):
                yield Saved(full, "", one)
                continue
            for spec in one.specs:
                yield Saved(spec.name, spec.slice_spec, spec, one)
        return
    whole = None
    for variable in value:
        info = slice_info_of(variable)
        if info is None:
            raise ValueError(f"Slices must all be slices: {variable}")
        if whole not in (None, info.full_name):
            raise ValueError(
                f"Slices must all be from the same tensor: {whole} != {info.full_name}"
            )
        whole = info.full_name
        yield Saved(name, info.spec, variable)


def by_names(var_list: Any) -> list[Saved]:
    """What is to be saved, in the order of its names in checkpoints."""
    if isinstance(var_list, Mapping):
        named = dict(var_list)
    elif isinstance(var_list, (list, tuple, set)):
        named = _listed(var_list)
    else:
        raise TypeError(
            f"Variables to save should be passed in a dict or a list. Got {var_list}"
        )
    for name in named:
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable "
                f"operations. Name is not a string: {name}"
            )
    saved = [
        part
        for name in sorted(named)
        for part in parts_in_checkpoint(name, named[name])
    ]
    seen: set[int] = set()
    for name, _, variable, _ in saved:
        if id(variable) in seen:
            raise ValueError(
                f"The same saveable will be restored with two names: {name}"
            )
        seen.add(id(variable))
    return saved
