"""Checkpoints by the names of their tensors."""

from __future__ import annotations

import os
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.state_file import latest_checkpoint


def path_of(ckpt_dir_or_file: str | os.PathLike) -> str:
    """The path, or that of a folder's newest checkpoint; ValueError without one."""
    path = os.fspath(ckpt_dir_or_file)
    if not _graphkiln._is_folder(path):
        return path
    found = latest_checkpoint(path)
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return found


def load_checkpoint(ckpt_dir_or_file: str | os.PathLike) -> Any:
    """The tensors of a checkpoint.

    Args:
      ckpt_dir_or_file: a checkpoint's path, or a folder, of which the newest is
        taken.

    Returns:
      A reader: `get_tensor`, `has_tensor`, `get_variable_to_shape_map`,
      `get_variable_to_dtype_map`.

    Raises:
      ValueError: the folder has no checkpoint.
      NotFoundError: there is none of that path.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0])).save(
    ...     tempfile.mkdtemp() + "/ckpt")
    >>> reader = tf.train.load_checkpoint(path)
    >>> reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1.0]
    """
    return _graphkiln._open_checkpoint(path_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: str | os.PathLike, name: str) -> Any:
    """The value of a tensor of a checkpoint, an array.

    Args:
      ckpt_dir_or_file: a checkpoint's path, or a folder, of which the newest is
        taken.
      name: of the tensor.

    Raises:
      NotFoundError: the checkpoint has none of that name.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0])).save(
    ...     tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1.0]
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str | os.PathLike) -> list[tuple[str, list[int]]]:
    """The names and shapes of all tensors of a checkpoint, sorted by name.

    Args:
      ckpt_dir_or_file: a checkpoint's path, or a folder, of which the newest is
        taken.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0])).write(
    ...     tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.list_variables(path)[1]
    ('v/.ATTRIBUTES/VARIABLE_VALUE', [1])
    """
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())
