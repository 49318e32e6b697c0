"""What a checkpoint had and nobody asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphkiln._src.host.logging import get_logger

if TYPE_CHECKING:
    from graphkiln._graphkiln import _Restoration

_UNRESTORED = (
    "Detecting that an object or model or tf.train.Checkpoint is being deleted "
    "with unrestored values. See the following logs for the specific values in "
    "question. To silence these warnings, use `status.expect_partial()`."
)


class Leftovers:
    """Held by the status and by all objects that wait for others: once none of
    them is left, values that were not restored never will be, and are told."""

    restoration: _Restoration | None = None
    expected = False

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
