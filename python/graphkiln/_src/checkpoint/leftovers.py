"""What a checkpoint had and nobody asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphkiln._src.host.logging import get_logger

if TYPE_CHECKING:
    from graphkiln._graphkiln import _Restoration

_UNRESTORED = (
    "Detecting that an object or model or tf.train.Checkpoint is being deleted "
    "with unrestored values. See the following logs for the specific values in "
    "question. To silence these warnings, use `status.expect_partial()`. See "
    "https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restore"
    "for details about the status object returned by the restore function."
)


_SPLIT = (
    "Inconsistent references when loading the checkpoint into this object graph. For "
    "example, in the saved checkpoint object, `model.layer.weight` and "
    "`model.layer_copy.weight` reference the same variable, while in the current "
    "object these are two different variables. The referenced variables are:%s."
)


def warn_of_split_objects(restoration: _Restoration) -> None:
    """Tells of objects that are one in the checkpoint and several in the program."""
    for pair in restoration.take_split_objects():
        get_logger().warning(_SPLIT, pair)


class Leftovers:
    """Held by the status and by all objects that wait for others: once none of
    them is left, values that were not restored never will be, and are told."""

    restoration: _Restoration | None = None
    expected = False

    def __init__(self) -> None:
        # In graphs: what a session is to run, and variables with their values.
        self.operations: list = []
        self.values: list[tuple] = []

    def __del__(self) -> None:
        if self.expected or self.restoration is None:
            return
        nodes, values = self.restoration.unused()
        if not nodes and not values:
            return
        logger = get_logger()
        logger.warning(_UNRESTORED)
        for name in nodes:
            logger.warning(
                "Value in checkpoint could not be found in the restored object: %s",
                name,
            )
        for name in values:
            logger.warning(
                "An attribute in the restored object could not be found in the "
                "checkpoint. %s",
                name,
            )
