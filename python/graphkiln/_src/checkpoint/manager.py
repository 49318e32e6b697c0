"""tf.train.CheckpointManager."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.options import CheckpointOptions
from graphkiln._src.checkpoint.state_file import get_checkpoint_state
from graphkiln._src.host.logging import get_logger
from graphkiln._src.session.default_session import get_default_session


def _number(value: Any) -> int:
    if not hasattr(value, "numpy"):
        return int(value)
    if _graphkiln.executing_eagerly():
        return int(value.numpy())
    return int(get_default_session().run(value))


class CheckpointManager:
    """Keeps the newest checkpoints of a tf.train.Checkpoint in a folder.

    A manager of a folder that has checkpoints goes on with them.

    Args:
      checkpoint: what is saved.
      directory: the folder.
      max_to_keep: how many checkpoints stay; the oldest go. All of them if None.
      keep_checkpoint_every_n_hours: one that would go stays for ever if it is so
        much newer than the last that stayed so.
      checkpoint_name: what the names of the files begin with.
      step_counter: a variable, the step of the training.
      checkpoint_interval: how many steps are between two checkpoints at least.
      init_fn: called by `restore_or_initialize` if there is no checkpoint.
      last_checkpoint_step: the step at which one was saved before.

    Raises:
      ValueError: `max_to_keep` is not positive, or there is an interval and no
        counter.

    >>> import tempfile
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> manager = tf.train.CheckpointManager(
    ...     checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path[-1] for path in manager.checkpoints]
    ['2', '3']
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: str | os.PathLike,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], None] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._init_fn = init_fn
        state = get_checkpoint_state(self._directory)
        self._kept = _graphkiln._KeptCheckpoints(
            self._directory,
            max_to_keep,
            keep_checkpoint_every_n_hours or 0.0,
            checkpoint_interval,
            last_checkpoint_step,
            None if state is None else state.SerializeToString(),
            time.time(),
        )
        if self._kept.seconds_behind > 0:
            get_logger().warning(
                "time.time() returned a value %f seconds behind the last preserved "
                "checkpoint timestamp.",
                self._kept.seconds_behind,
            )

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Any:
        """The tf.train.Checkpoint."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps are between two checkpoints at least."""
        return self._kept.interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, None if there is none."""
        return self._kept.latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept, oldest first; without those that stay
        for ever."""
        return self._kept.paths()

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Writes a checkpoint and deletes those that are too many.

        Args:
          checkpoint_number: an integer, tensor or variable, the number in its
            name; by default that of `checkpoint.save_counter`, which is counted
            up anyway.
          check_interval: is nothing saved if the interval is not over? Two are
            never saved at one step.
          options: a tf.train.CheckpointOptions.

        Returns:
          The path; None if nothing was saved.
        """
        if self._kept.interval is not None and not self._kept.is_due(
            _number(self._step_counter), check_interval
        ):
            return None
        prefix = self._checkpoint_prefix
        number = self._checkpoint._count(prefix)
        if checkpoint_number is not None:
            number = _number(checkpoint_number)
        options = (options or CheckpointOptions())._with_callback(self._saved)
        return self._checkpoint._write(f"{prefix}-{number}", options)

    def _saved(self, path: str) -> None:
        self._kept.add(path, time.time())

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint, or calls `init_fn` if there is none.

        Returns:
          The path of what was restored, or None.
        """
        latest = self._kept.latest
        if latest is not None:
            self._checkpoint.restore(latest)
            if self._kept.interval is not None:
                self._kept.restored_at(_number(self._step_counter))
            return latest
        if self._init_fn is not None:
            self._init_fn()
            get_logger().info(
                "Customized initialization is done through the passed `init_fn`."
            )
        return None

    def sync(self) -> None:
        """Waits for checkpoints that are written by another thread."""
        self._checkpoint.sync()
