"""tf.compat.v1.resource_loader: files beside the code that asks for them."""

from __future__ import annotations

import os
import sys


def _folder(frames: int) -> str:
    return os.path.dirname(sys._getframe(frames + 1).f_code.co_filename)


def get_data_files_path() -> str:
    """The folder of the file that calls.

    >>> folder = tf.compat.v1.resource_loader.get_data_files_path()
    """
    return _folder(1)


def get_root_dir_with_all_resources() -> str:
    """The folder of Bazel's runfiles in which the file that calls stands; the
    file's own folder where there are none.

    >>> folder = tf.compat.v1.resource_loader.get_root_dir_with_all_resources()
    """
    own = path = _folder(1)
    below = own
    while ".runfiles" not in os.path.basename(path):
        below, path = path, os.path.dirname(path)
        if path == below:
            return own
    return below


def get_path_to_datafile(path: str) -> str:
    """The path of a file beside the one that calls.

    Args:
      path: from that one's folder.

    >>> path = tf.compat.v1.resource_loader.get_path_to_datafile("words.txt")
    """
    return os.path.join(_folder(1), path)


def load_resource(path: str) -> bytes:
    """What a file beside the one that calls holds.

    Args:
      path: from that one's folder.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "words.txt"
    >>> _ = path.write_text("a b")
    >>> tf.compat.v1.resource_loader.load_resource(str(path))
    b'a b'
    """
    with open(os.path.join(_folder(1), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path that is given.

    Args:
      path: of a file.
      readahead: has no effect.

    >>> tf.compat.v1.resource_loader.readahead_file_path("words.txt")
    'words.txt'
    """
    return path
