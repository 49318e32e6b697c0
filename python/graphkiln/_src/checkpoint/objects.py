"""What a checkpoint sees of Python's objects: the answers to the core's questions
(Trackable)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Iterator, Variable
from graphkiln._src.checkpoint.leftovers import Leftovers, warn_of_split_objects
from graphkiln._src.checkpoint.saveables import (
    restore_saveable,
    saveable_names,
    saveable_tensors,
    value_of,
)
from graphkiln._src.checkpoint.slots import SlotPosition, slot_of
from graphkiln._src.checkpoint.trackable import Trackable, is_trackable
from graphkiln._src.checkpoint.waiting import WAITING, facts_of
from graphkiln._src.lookup.tables import DenseHashTable, MutableHashTable


class PythonState(Trackable):
    """Base of objects whose state is bytes that Python makes, saved with them.

    >>> class Words(tf.train.experimental.PythonState):
    ...     def __init__(self):
    ...         self.text = ""
    ...     def serialize(self):
    ...         return self.text
    ...     def deserialize(self, string_value):
    ...         self.text = string_value.decode()
    >>> words = Words()
    >>> checkpoint = tf.train.Checkpoint(words=words)
    """

    def __init__(self) -> None:
        """Nothing is needed."""

    def serialize(self) -> str | bytes:
        """The state, to be saved."""
        raise NotImplementedError

    def deserialize(self, string_value: bytes) -> None:
        """Takes a saved state."""
        raise NotImplementedError


def named_children(
    value: Any, save_type: str = "checkpoint"
) -> Iterable[tuple[str, Any]]:
    """What of an object a checkpoint can hold, and how it is called there."""
    return (
        (n, part) for n, part in named_parts(value, save_type) if is_trackable(part)
    )


def named_parts(
    value: Any, save_type: str = "checkpoint", **kwargs: Any
) -> Iterable[tuple[str, Any]]:
    """What is in an object, whatever it is, and how it is called there. `kwargs` are
    for classes that say it themselves."""
    if isinstance(value, _graphkiln.Generator):
        return [("_state_var", value._state)]
    if hasattr(type(value), "_trackable_children"):
        return value._trackable_children(save_type, **kwargs).items()
    if isinstance(value, list | tuple):
        numbered = [(str(i), element) for i, element in enumerate(value)]
        # Those of a named tuple are found as those of a dictionary, too.
        return [*zip(getattr(value, "_fields", ()), value, strict=False), *numbered]
    if isinstance(value, dict):
        return ((key, part) for key, part in value.items() if isinstance(key, str))
    return ()


def held_variable(value: Any) -> Any:
    """The variable of an object that acts as one (Keras'), else `value` itself."""
    if isinstance(value, Variable) or not getattr(
        type(value), "_should_act_as_resource_variable", False
    ):
        return value
    held = value.value
    return held if isinstance(held, Variable) else value


class Protocol:
    """Answers the core."""

    def __init__(
        self,
        leftovers: Leftovers | None = None,
        attached: tuple[Any, dict[str, Any]] = (None, {}),
    ) -> None:
        self._leftovers = leftovers  # held by what waits
        self._attached = attached  # to which object, what

    def children(self, value: Any) -> list[tuple[str, Any]]:
        found = [(name, held_variable(part)) for name, part in named_children(value)]
        if value is self._attached[0]:
            found += self._attached[1].items()
        return found

    def values(self, value: Any) -> list[tuple[str, str, list[str]]]:
        if isinstance(value, PythonState):
            return [("py_state", "", [""])]
        if isinstance(value, Iterator):
            return [("ITERATOR", "", [""])]
        if isinstance(value, MutableHashTable | DenseHashTable):
            return [("table", value.name or "", ["-keys", "-values"])]
        if hasattr(type(value), "_saveable_values"):
            return value._saveable_values()
        if hasattr(type(value), "_serialize_to_tensors"):
            return [(str(name), "", [""]) for name in value._serialize_to_tensors()]
        return saveable_names(value)

    def save(self, value: Any) -> list[Any]:
        if isinstance(value, PythonState):
            return [value.serialize()]
        if isinstance(value, Iterator):
            return value._save_state()
        if isinstance(value, MutableHashTable | DenseHashTable):
            return list(value.export())
        if hasattr(type(value), "_saveable_values"):
            return value._saveable_tensors()
        if hasattr(type(value), "_serialize_to_tensors"):
            return list(value._serialize_to_tensors().values())
        return saveable_tensors(value)

    def value_in_graph(self, variable: Any) -> Any:
        return value_of(variable)

    def restore(self, value: Any, restored: dict[str, list]) -> None:
        """Gives it the tensors of its values, all at once."""
        in_graph = not (_graphkiln.executing_eagerly() or _graphkiln.inside_function())
        if in_graph and not isinstance(value, PythonState | Iterator):
            # What was read becomes constants of the graph that assigns it.
            restored = {
                name: [_graphkiln.constant(t.numpy(), dtype=t.dtype) for t in tensors]
                for name, tensors in restored.items()
            }
        operations = []
        for name, tensors in restored.items():
            if isinstance(value, PythonState):
                value.deserialize(tensors[0].numpy())
            elif isinstance(value, Iterator):
                value._restore_state(tensors[0])
            elif isinstance(value, MutableHashTable | DenseHashTable):
                operations.append(
                    raw_ops.LookupTableImportV2(
                        table_handle=value.resource_handle,
                        keys=tensors[0],
                        values=tensors[1],
                    )
                )
            elif hasattr(type(value), "_saveable_values"):
                value._restore_saveable(name, tensors)
            elif not hasattr(type(value), "_serialize_to_tensors"):
                operations.append(restore_saveable(value, name, tensors))
        if hasattr(type(value), "_serialize_to_tensors"):
            first = {name: tensors[0] for name, tensors in restored.items()}
            operations.append(value._restore_from_tensors(first))
        if self._leftovers is not None and not _graphkiln.executing_eagerly():
            self._leftovers.operations += [o for o in operations if o is not None]

    def restore_in_graph(self, variable: Any, value: Any) -> None:
        self._leftovers.values.append((variable, value.numpy()))

    def walked(self) -> None:
        """Lets go of what only a walk needs: the restoration keeps this."""
        self._leftovers = None
        self._attached = (None, {})

    def wait(self, value: Any, child: str, restoration: Any, node: int) -> None:
        """Makes an object wait for a part that is not there yet."""
        try:
            waiting = facts_of(value).setdefault(WAITING, {})
        except AttributeError:
            return
        leftovers = self._leftovers

        def resume(owner: Any, name: Any, came: Any) -> bool:
            if not is_trackable(came):
                return False
            protocol = Protocol(leftovers)
            restoration.resume(node, came, protocol)
            warn_of_split_objects(restoration)
            protocol.walked()
            return True

        waiting.setdefault(child, []).append(resume)

    def slot_names(self, value: Any) -> list[str]:
        if not hasattr(value, "get_slot_names"):
            return []
        return list(value.get_slot_names())

    def slot(self, optimizer: Any, variable: Any, name: str) -> Any:
        return slot_of(optimizer, variable, name)

    def create_slot(
        self, optimizer: Any, variable: Any, name: str, restoration: Any, node: int
    ) -> Any:
        if not hasattr(optimizer, "_create_or_restore_slot_variable"):
            return None
        protocol = Protocol(self._leftovers)
        optimizer._create_or_restore_slot_variable(
            slot_variable_position=SlotPosition(restoration, node, protocol),
            variable=variable,
            slot_name=name,
        )
        return slot_of(optimizer, variable, name)

    def restored_by(self, value: Any) -> int:
        return getattr(value, "_update_uid", 0)

    def set_restored_by(self, value: Any, number: int) -> None:
        if isinstance(value, Trackable):
            value._update_uid = number
        elif hasattr(value, "__dict__"):
            object.__setattr__(value, "_update_uid", number)
