"""fsspec's file systems as the extension asks for them.

An fsspec file system works with dictionaries of facts, with paths that it makes
itself, and with the exceptions of Python; what is here says in a few plain
values what files are.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.util
import typing

from graphkiln import _graphkiln


class FsspecFiles:
    """The files of one fsspec file system."""

    def __init__(self, file_system: typing.Any) -> None:
        self._files = file_system

    def read(self, path: str, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset` on, before which there are some."""
        end = offset + count
        return bytes(self._files.cat_file(path, start=offset, end=end))

    def open_to_write(self, path: str, append: bool) -> typing.BinaryIO:
        return self._files.open(path, "ab" if append else "wb")

    def stat(self, path: str) -> tuple[int, int, bool]:
        """Length, nanoseconds since 1970 and whether it is a folder."""
        facts = self._info(path)
        folder = facts.get("type") == "directory"
        return int(facts.get("size") or 0), _nanoseconds(facts), folder

    def list(self, path: str) -> list[str]:
        names = []
        for entry in self._files.ls(path, detail=False):
            name = entry.rstrip("/").rpartition("/")[2]
            if name:
                names.append(name)
        return names

    def make_directory(self, path: str) -> None:
        if self._files.exists(path):
            raise FileExistsError("it is there")
        self._files.mkdir(path, create_parents=False)

    def delete_file(self, path: str) -> None:
        if self._info(path).get("type") == "directory":
            raise IsADirectoryError("it is a folder: use rmtree")
        self._files.rm_file(path)

    def delete_directory(self, path: str) -> None:
        self._files.rmdir(path)

    def delete_recursively(self, path: str) -> None:
        self._files.rm(path, recursive=True)

    def rename(self, old: str, new: str) -> None:
        folder = self._info(old).get("type") == "directory"
        self._files.mv(old, new, recursive=folder)

    def _info(self, path: str) -> dict[str, typing.Any]:
        # Listings that are kept would hide what others write.
        self._files.invalidate_cache()
        return self._files.info(path)


def _nanoseconds(facts: dict[str, typing.Any]) -> int:
    for key in ("mtime", "LastModified", "last_modified", "updated", "created"):
        when = facts.get(key)
        if isinstance(when, datetime.datetime):
            return int(when.timestamp() * 10**9)
        if isinstance(when, (int, float)):
            return int(when * 10**9)
    return 0


def files_of(file_system: typing.Any) -> FsspecFiles:
    missing = [
        name
        for name in ("cat_file", "info", "ls", "open", "rm", "mkdir")
        if not callable(getattr(file_system, name, None))
    ]
    if missing:
        raise TypeError(
            "A file system has the methods of fsspec.AbstractFileSystem, but "
            f"{type(file_system).__name__} has no {', '.join(missing)}"
        )
    return FsspecFiles(file_system)


def find_file_system(scheme: str) -> FsspecFiles | None:
    """That of fsspec for a scheme; None if it has none or is not installed."""
    if importlib.util.find_spec("fsspec") is None:
        return None
    fsspec = importlib.import_module("fsspec")
    if scheme not in fsspec.available_protocols():
        return None
    return FsspecFiles(fsspec.filesystem(scheme))


_graphkiln.provide(files_of, find_file_system)
