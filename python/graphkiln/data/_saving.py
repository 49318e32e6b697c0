"""Datasets that are saved with checkpoints of how far that came."""

from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.checkpoint import Checkpoint
from graphkiln._src.checkpoint.manager import CheckpointManager


def save_with_checkpoints(saving: Any, checkpoint_args: dict[str, Any]) -> None:
    """Asks a dataset that is saved as it is read for all of its elements.

    Those that the newest checkpoint says were saved are not made again; behind each
    other one a checkpoint is saved.
    """
    if "checkpoint" in checkpoint_args:
        raise ValueError(
            "Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include "
            "'checkpoint'."
        )
    iterator = iter(saving)
    checkpoint = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **checkpoint_args)
    checkpoint.restore(manager.latest_checkpoint)
    step_counter = checkpoint_args.get("step_counter")
    for _ in iterator:
        if step_counter is not None:
            step_counter.assign_add(1)
        manager.save(check_interval=True)


_graphkiln.provide(save_with_checkpoints)
