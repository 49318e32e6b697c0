"""tf.train.CheckpointOptions."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

from graphkiln._src.checkpoint.sharding import check_sharding_callback


class CheckpointOptions:
    """How a checkpoint is written and read.

    Args:
      experimental_io_device: accepted for compatibility; files are read and
        written where the program runs.
      experimental_enable_async_checkpoint: the old name of `enable_async`.
      experimental_write_callbacks: functions that are called when a checkpoint is
        written, with its path if they take an argument.
      enable_async: is the checkpoint written by another thread, while the program
        goes on? The values are those at the time of the call.
      experimental_skip_slot_variables: are the slots of optimizers left as they
        are when it is restored, and not missed?
      experimental_sharding_callback: a tf.train.experimental.ShardingCallback, which
        decides how many data files there are; by default one.

    Raises:
      ValueError: experimental_sharding_callback is none.

    >>> options = tf.train.CheckpointOptions(enable_async=True)
    >>> options.enable_async
    True
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: list[Callable] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        for callback in experimental_write_callbacks or ():
            if len(inspect.signature(callback).parameters) > 1:
                raise AssertionError(
                    "Callback functions for checkpoint are required to have 0 or 1 "
                    f"parameters: {callback}"
                )
        self.experimental_write_callbacks = experimental_write_callbacks
        check_sharding_callback(experimental_sharding_callback)
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.experimental_write_callbacks = copy.copy(
            self.experimental_write_callbacks
        )
        return copied

    def _with_callback(self, callback: Callable[[str], None]) -> CheckpointOptions:
        options = copy.copy(self)
        options.experimental_write_callbacks = [
            *(self.experimental_write_callbacks or ()),
            callback,
        ]
        return options

    def _written(self, path: str) -> None:
        for callback in self.experimental_write_callbacks or ():
            if inspect.signature(callback).parameters:
                callback(path)
            else:
                callback()
