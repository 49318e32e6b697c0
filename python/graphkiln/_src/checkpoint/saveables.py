"""Objects that tell what is saved of them by `_gather_saveables_for_checkpoint`: for
each name a tensor, a variable, or a function that gives one or a saveable object
(`specs`, each with `name` and `tensor`; `restore(tensors, shapes)`)."""

from __future__ import annotations

import contextlib
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.session.graph_keys import GraphKeys

_WHOLE = "VARIABLE_VALUE"


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
    snapshot = variable.to_proto().snapshot_name  # which not all messages have
    with contextlib.suppress(KeyError):
        if snapshot:
            return variable.handle.graph.get_tensor_by_name(snapshot)
    return variable.read_value()


class SaveSpec:
    """A tensor that is saved, and what it is called.

    Args:
      tensor: the tensor, or a function that gives it.
      slice_spec: which slice of a larger one it is.
      name: of the tensor.
      dtype: of the tensor, if it is a function's.
      device: as `dtype`.
    """

    def __init__(
        self,
        tensor: Any,
        slice_spec: str,
        name: str,
        dtype: Any = None,
        device: Any = None,
    ) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype "
                "and device must be provided."
            )
        self.dtype = dtype if callable(tensor) else tensor.dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Base of what is saved of an object, as several tensors.

    Args:
      op: the object.
      specs: a SaveSpec of each tensor.
      name: what it is saved by.
    """

    def __init__(self, op: Any, specs: list[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self) -> Any:
        """Where the first tensor is."""
        return self.specs[0].device

    def restore(self, restored_tensors: list, restored_shapes: list | None) -> Any:
        """Gives the object its tensors; what a graph runs for that."""
        raise ValueError("Calling an abstract method.")


class TableSaveable(SaveableObject):
    """Keys and values of a table whose keys come and go.

    Args:
      table: the table.
      name: what it is saved by.
    """

    def __init__(self, table: Any, name: str) -> None:
        keys, values = table.export()
        specs = [
            SaveSpec(keys, "", f"{name}-keys"),
            SaveSpec(values, "", f"{name}-values"),
        ]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: list, restored_shapes: list | None) -> Any:
        """Gives the table what was saved of it."""
        return raw_ops.LookupTableImportV2(
            table_handle=self.op.resource_handle,
            keys=restored_tensors[0],
            values=restored_tensors[1],
        )


def collect_table(table: Any, name: str) -> None:
    """Notes in a session's graph that savers save a table."""
    if _graphkiln.executing_eagerly() or _graphkiln.inside_function():
        return
    graph = _graphkiln.get_default_graph()
    graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, TableSaveable(table, name))


def saveables_by_name(value: Any, name: str) -> list[tuple[str, Any]]:
    """What of an object savers save under a name: variables and SaveableObjects, of
    one that tells it by `_gather_saveables_for_checkpoint`.

    Raises TypeError if nothing is known of it.
    """
    if isinstance(value, Variable) or is_saveable(value):
        return [(name, value)]
    if hasattr(value, "export") and hasattr(value, "resource_handle"):
        return [(name, TableSaveable(value, name))]
    found = []
    gather = getattr(type(value), "_gather_saveables_for_checkpoint", None)
    if gather is None:
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to "
            f"Tensors/Variables. Not a variable: {value}"
        )
    for part, made in gather(value).items():
        # One that stands for a variable keeps the name.
        full = name if part == _WHOLE else f"{name}_{part}"
        one = made(name=full) if callable(made) and not is_saveable(made) else made
        found += saveables_by_name(one, full)
    return found


def is_saveable(value: Any) -> bool:
    """Does it have specs of tensors, and restores them?"""
    return hasattr(value, "specs") and hasattr(value, "restore")
