"""tf.train.CheckpointManager."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.options import CheckpointOptions
from graphkiln._src.checkpoint.state_file import (
    get_checkpoint_state,
    update_checkpoint_state,
)
from graphkiln._src.host.logging import get_logger

_HOUR = 3600.0


def _number(value: Any) -> int:
    return int(value.numpy()) if hasattr(value, "numpy") else int(value)


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
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                "Expected a positive integer or `None` for `max_to_keep`, got "
                f"{max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_checkpoint_step = last_checkpoint_step
        self._kept: dict[str, float] = {}  # when each was saved, oldest first
        self._latest_checkpoint: str | None = None
        self._go_on()

    def _go_on(self) -> None:
        now = time.time()
        state = get_checkpoint_state(self._directory)
        if state is None:
            # A manager that is made again at once keeps what this one saves.
            self._last_preserved = now - 1.0
            return
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved = state.last_preserved_timestamp
        if now < self._last_preserved:
            get_logger().warning(
                "time.time() returned a value %f seconds behind the last preserved "
                "checkpoint timestamp.",
                self._last_preserved - now,
            )
            self._last_preserved = now
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps)
        for path, saved in zip(
            paths, times or [self._last_preserved] * len(paths), strict=False
        ):
            if min(saved, now) > self._last_preserved:
                self._kept[path] = min(saved, now)

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
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept, oldest first; without those that stay
        for ever."""
        return list(self._kept)

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
        if self._checkpoint_interval is not None:
            step = _number(self._step_counter)
            last = self._last_checkpoint_step
            if last is not None and (
                step == last
                or (check_interval and step < last + self._checkpoint_interval)
            ):
                return None
            self._last_checkpoint_step = step
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = _number(counter if checkpoint_number is None else checkpoint_number)
        options = (options or CheckpointOptions())._with_callback(self._saved)
        return self._checkpoint._write(f"{self._checkpoint_prefix}-{number}", options)

    def _saved(self, path: str) -> None:
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest_checkpoint = path
        # Whoever reads in between finds the new one.
        self._record()
        self._sweep()
        self._record()

    def _record(self) -> None:
        update_checkpoint_state(
            self._directory,
            self._latest_checkpoint or "",
            list(self._kept),
            all_model_checkpoint_timestamps=list(self._kept.values()),
            last_preserved_timestamp=self._last_preserved,
        )

    def _sweep(self) -> None:
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            saved = self._kept.pop(path)
            hours = self._keep_hours
            if hours and saved - hours * _HOUR >= self._last_preserved:
                self._last_preserved = saved
                continue
            _graphkiln._delete_checkpoint(path)

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint, or calls `init_fn` if there is none.

        Returns:
          The path of what was restored, or None.
        """
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint)
            if self._checkpoint_interval is not None:
                self._last_checkpoint_step = _number(self._step_counter)
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
            get_logger().info(
                "Customized initialization is done through the passed `init_fn`."
            )
        return None

    def sync(self) -> None:
        """Waits for checkpoints that are written by another thread."""
        self._checkpoint.sync()
