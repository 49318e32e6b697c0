"""The names that tf.compat.v1.gfile has for the functions of tf.io.gfile."""

from __future__ import annotations

import typing

from graphkiln import _graphkiln

Path = typing.Any


def copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:
    """Copies a file, as `tf.io.gfile.copy` does."""
    _graphkiln.gfile_copy(oldpath, newpath, overwrite)


def delete_recursively(dirname: Path) -> None:
    """Deletes a folder and all in it, as `tf.io.gfile.rmtree` does."""
    _graphkiln.gfile_rmtree(dirname)


def exists(filename: Path) -> bool:
    """Is there a file or folder? As `tf.io.gfile.exists` says.

    >>> tf.compat.v1.gfile.Exists('/nowhere')
    False
    """
    return _graphkiln.gfile_exists(filename)


def glob(filename: Path | list[Path]) -> list[str]:
    """The paths that patterns describe, as `tf.io.gfile.glob` finds them."""
    return _graphkiln.gfile_glob(filename)


def is_directory(dirname: Path) -> bool:
    """Is it a folder? As `tf.io.gfile.isdir` says.

    >>> tf.compat.v1.gfile.IsDirectory('/')
    True
    """
    return _graphkiln.gfile_isdir(dirname)


def list_directory(dirname: Path) -> list[str]:
    """The names in a folder, as `tf.io.gfile.listdir` gives them."""
    return _graphkiln.gfile_listdir(dirname)


def make_dirs(dirname: Path) -> None:
    """Makes a folder and those around it, as `tf.io.gfile.makedirs` does."""
    _graphkiln.gfile_makedirs(dirname)


def mk_dir(dirname: Path) -> None:
    """Makes a folder, as `tf.io.gfile.mkdir` does."""
    _graphkiln.gfile_mkdir(dirname)


def remove(filename: Path) -> None:
    """Deletes a file, as `tf.io.gfile.remove` does."""
    _graphkiln.gfile_remove(filename)


def rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:
    """Gives a file another name, as `tf.io.gfile.rename` does."""
    _graphkiln.gfile_rename(oldname, newname, overwrite)


def stat(filename: Path) -> _graphkiln.FileStatistics:
    """What is known of a file, as `tf.io.gfile.stat` tells it."""
    return _graphkiln.gfile_stat(filename)


def walk(
    top: Path, in_order: bool = True
) -> typing.Iterator[tuple[str, list[str], list[str]]]:
    """A folder and those in it, as `tf.io.gfile.walk` visits them."""
    return _graphkiln.gfile_walk(top, in_order)
