"""Checkpoints as tf.compat.v1.train sees them: whether they are there, since when,
and how they go."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.state_file import checkpoint_state


def checkpoint_exists(checkpoint_prefix: str | os.PathLike) -> bool:
    """Is there a checkpoint of this path?

    >>> tf.compat.v1.train.checkpoint_exists("/nowhere/ckpt-1")
    False
    """
    return _graphkiln._checkpoint_exists(os.fspath(checkpoint_prefix))


def new_checkpoint_reader(filepattern: str | os.PathLike) -> Any:
    """The tensors of a checkpoint, as of tf.train.load_checkpoint; a folder is
    none.

    Args:
      filepattern: the checkpoint's path, or the pattern of the files of one in
        pieces.

    Raises:
      NotFoundError: there is none of that path.
      DataLossError: a file is damaged; the message names it.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0])).write(
    ...     tempfile.mkdtemp() + "/ckpt")
    >>> reader = tf.compat.v1.train.NewCheckpointReader(path)
    >>> reader.has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    True
    """
    return _graphkiln._open_checkpoint(os.fspath(filepattern))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """When checkpoints were written, in seconds since 1970, without those that are
    not there.

    >>> tf.compat.v1.train.get_checkpoint_mtimes(["/nowhere/ckpt-1"])
    []
    """
    times = []
    for prefix in checkpoint_prefixes:
        index = f"{prefix}.index"
        files = (
            [index] if _graphkiln.gfile_exists(index) else _graphkiln.gfile_glob(prefix)
        )
        if files:
            times.append(_graphkiln.gfile_stat(files[0]).mtime_nsec / 1e9)
    return times


def meta_graph_file(checkpoint: str, suffix: str = "meta") -> str:
    """The file of the meta graph beside a checkpoint; the files of one in pieces
    ("m-?????-of-00002") share it."""
    return f"{re.sub(r'-[0-9?]+-of-[0-9?]+$', '', checkpoint)}.{suffix}"


def remove_checkpoint(
    checkpoint_prefix: str,
    checkpoint_format_version: int = 2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Deletes a checkpoint's files and its meta graph, as far as they are there.

    Args:
      checkpoint_prefix: its path.
      checkpoint_format_version: SaverDef.V2; the files of others have no index.
      meta_graph_suffix: of the file of the meta graph.

    >>> tf.compat.v1.train.remove_checkpoint("/nowhere/ckpt-1")
    """
    patterns = [meta_graph_file(checkpoint_prefix, meta_graph_suffix)]
    if checkpoint_format_version == _proto.SaverDef.V2:
        patterns += [
            f"{checkpoint_prefix}.index",
            f"{checkpoint_prefix}.data-?????-of-?????",
        ]
    else:
        patterns.append(checkpoint_prefix)
    for pattern in patterns:
        for file in _graphkiln.gfile_glob(pattern):
            _graphkiln.gfile_remove(file)


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """A CheckpointState message; paths are relative to a relative folder.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all of them, oldest first.
      all_model_checkpoint_timestamps: when each was saved.
      last_preserved_timestamp: when the last that stays for ever was.

    Raises:
      ValueError: the timestamps are not as many as the paths.

    >>> tf.compat.v1.train.generate_checkpoint_state_proto(
    ...     "/models", "/models/ckpt-1").all_model_checkpoint_paths
    ['/models/ckpt-1']
    """
    state = checkpoint_state(
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    if not os.path.isabs(save_dir):
        state.model_checkpoint_path = _within(model_checkpoint_path, save_dir)
        paths = [_within(path, save_dir) for path in state.all_model_checkpoint_paths]
        state.all_model_checkpoint_paths[:] = paths
    return state


def _within(path: str, folder: str) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, folder)
