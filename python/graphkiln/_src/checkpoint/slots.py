"""Slots: variables that an optimizer has for variables of others."""

from __future__ import annotations

from typing import Any


def slot_of(optimizer: Any, variable: Any, name: str) -> Any:
    """An optimizer's slot for an object; None if that is none of its variables."""
    if variable is None:  # it is gone
        return None
    try:
        return optimizer.get_slot(variable, name)
    except (AttributeError, KeyError):
        return None


class SlotPosition:
    """Where a slot is in a checkpoint that is being restored: what
    `_create_or_restore_slot_variable` of an optimizer is given. It calls `restore`
    with the slot, now or once there is one."""

    def __init__(self, restoration: Any, node: int, protocol: Any) -> None:
        self._restoration = restoration
        self._node = node
        self._protocol = protocol

    @property
    def restore_uid(self) -> int:
        """Of the restoration among all; a later one has a greater one."""
        return self._restoration.number

    def is_simple_variable(self) -> bool:
        """Is it a variable and no more?"""
        return self._restoration.is_variable(self._node)

    def value(self) -> Any:
        """The value in the checkpoint, of a variable.

        Raises InvalidArgumentError of what is none."""
        return self._restoration.value(self._node)

    def restore(self, trackable: Any) -> None:
        """Gives the slot its value, unless it has that of a later restoration.

        Raises ValueError if it has another shape."""
        self._restoration.resume(self._node, trackable, self._protocol)
        self._protocol.walked()


class CheckpointInitialValueCallable:
    """The value that a variable has in a checkpoint, for its initial value.

    >>> position = tf.__internal__.tracking.CheckpointInitialValueCallable(None)
    >>> position.checkpoint_position is None
    True
    """

    def __init__(self, checkpoint_position: Any) -> None:
        self._position = checkpoint_position

    @property
    def checkpoint_position(self) -> Any:
        """Where it is: what `_create_or_restore_slot_variable` was given."""
        return self._position

    @property
    def restore_uid(self) -> int:
        """Of the restoration among all; a later one has a greater one."""
        return self._position.restore_uid

    def __call__(
        self, shape: Any = None, dtype: Any = None, shard_info: Any = None
    ) -> Any:
        """The value. Raises DataLossError if it is damaged."""
        return self._position.value()
