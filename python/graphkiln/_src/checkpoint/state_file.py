"""The file "checkpoint" beside checkpoints, which says which there are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import OpError
from graphkiln._src.host.logging import get_logger

_FILE = "checkpoint"


def get_checkpoint_state(
    checkpoint_dir: str | os.PathLike, latest_filename: str | None = None
) -> Any:
    """Which checkpoints a folder has, a CheckpointState message, by the file that
    tf.train.Checkpoint.save and tf.train.CheckpointManager keep there.

    Args:
      checkpoint_dir: the folder.
      latest_filename: of the file, "checkpoint" by default.

    Returns:
      The message, its paths within the folder; None without a readable file.

    Raises:
      ValueError: the file names no checkpoint.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/ckpt")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True
    """
    folder = os.fspath(checkpoint_dir)
    file = latest_filename or _FILE
    try:
        message = _graphkiln._read_checkpoint_state(folder, file)
    except OpError as error:
        get_logger().warning("%s: %s", type(error).__name__, error)
        get_logger().warning("%s: Checkpoint ignored", os.path.join(folder, file))
        return None
    if message is None:
        return None
    state = _proto.CheckpointState.FromString(message)
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    return state


def checkpoint_state(
    newest: str,
    paths: Sequence[str] | None,
    times: Sequence[float] | None,
    last_preserved: float | None,
) -> Any:
    """A CheckpointState of these checkpoints, of which the newest is the last.

    Raises ValueError if the times are not as many as the paths.
    """
    paths = list(paths or ())
    if not paths or paths[-1] != newest:
        paths.append(newest)
    times = list(times or ())
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got "
            f"paths {paths} and timestamps {times})"
        )
    return _proto.CheckpointState(
        model_checkpoint_path=newest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved,
    )


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: list[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes which checkpoints a folder has; paths in it are relative to it.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all of them, oldest first.
      latest_filename: of the file, "checkpoint" by default.
      all_model_checkpoint_timestamps: when each was saved.
      last_preserved_timestamp: when the last that stays for ever was.

    Raises:
      ValueError: the timestamps are not as many as the paths.
      RuntimeError: the file is the checkpoint.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.compat.v1.train.update_checkpoint_state(folder, folder + "/ckpt-1")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path[-6:]
    'ckpt-1'
    """
    state = checkpoint_state(
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    _graphkiln._write_checkpoint_state(
        os.fspath(save_dir), state.SerializeToString(), latest_filename or _FILE
    )


def latest_checkpoint(
    checkpoint_dir: str | os.PathLike, latest_filename: str | None = None
) -> str | None:
    """The path of the newest checkpoint of a folder, None if there is none.

    Args:
      checkpoint_dir: the folder.
      latest_filename: of the file that says so, "checkpoint" by default.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/ckpt")
    >>> tf.train.latest_checkpoint(folder) == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if _graphkiln._checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    get_logger().error(
        "Couldn't match files for checkpoint %s", state.model_checkpoint_path
    )
    return None


def checkpoints_iterator(
    checkpoint_dir: str | os.PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Gives the paths of checkpoints as they appear in a folder, for ever.

    Only the newest is given: those that were replaced while the caller was busy
    are left out.

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: the least time between two of them.
      timeout: how many seconds to wait for the next; for ever if None.
      timeout_fn: called then: whether to stop. By default it stops.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/ckpt")
    >>> [p == path for p in tf.train.checkpoints_iterator(folder, timeout=0)]
    [True]
    """
    path = None
    while True:
        new = _wait_for_new(checkpoint_dir, path, timeout)
        if new is None:
            if timeout_fn is None:
                get_logger().info("Timed-out waiting for a checkpoint.")
                return
            if timeout_fn():
                return
            continue
        began = time.time()
        path = new
        yield path
        left = began + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


def _wait_for_new(folder: Any, last: str | None, timeout: float | None) -> str | None:
    step = 1.0
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(folder)
        if path is not None and path != last:
            return path
        if stop is not None and time.time() + step > stop:
            return None
        time.sleep(step)
