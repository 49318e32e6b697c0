"""tf.compat.v1.train.Checkpoint."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from graphkiln._src.checkpoint.checkpoint import Checkpoint
from graphkiln._src.checkpoint.options import CheckpointOptions
from graphkiln._src.session.default_session import DefaultSession


def _within(session: Any) -> Any:
    if session is None:
        return contextlib.nullcontext()
    return DefaultSession(session)


class CheckpointV1(Checkpoint):
    """Saves and restores objects, as tf.train.Checkpoint does, which a graph's
    values take from a session.

    Args:
      **kwargs: objects that become attributes of it.

    Raises:
      ValueError: one of them is nothing that can be saved.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.Variable(7)
    ...     session.run(step.initializer)
    ...     checkpoint = tf.compat.v1.train.Checkpoint(step=step)
    ...     path = checkpoint.save(tempfile.mkdtemp() + "/ckpt", session=session)
    >>> path.endswith("ckpt-1")
    True
    """

    def __init__(self, **kwargs: Any) -> None:
        self._begin(None, kwargs)

    def write(
        self,
        file_prefix: str | os.PathLike,
        session: Any = None,
        options: CheckpointOptions | None = None,
    ) -> str:
        """Writes a checkpoint of that very name, without a number.

        Args:
          file_prefix: what the names of the files begin with.
          session: of the values of a graph; by default the default one.
          options: a tf.train.CheckpointOptions.
        """
        with _within(session):
            return super().write(file_prefix, options)

    def save(
        self,
        file_prefix: str | os.PathLike,
        session: Any = None,
        options: CheckpointOptions | None = None,
    ) -> str:
        """Writes a checkpoint with the next number, and notes it in its folder.

        Args:
          file_prefix: what the names of the files begin with.
          session: of the values of a graph; by default the default one.
          options: a tf.train.CheckpointOptions.
        """
        with _within(session):
            return super().save(file_prefix, options)

    def restore(self, save_path: str | os.PathLike | None) -> Any:
        """Restores a checkpoint.

        Args:
          save_path: of the checkpoint; None restores nothing.
        """
        return super().restore(save_path)
