"""TensorFlow's private functions of files, which its tests and some packages use."""

from __future__ import annotations

import uuid
import zlib

from graphkiln import io

FileIO = io.gfile.GFile
_BLOCK = 1 << 20  # bytes that are read at a time


def create_dir(dirname: str) -> None:
    """Makes a folder, whose own has to be there."""
    io.gfile.mkdir(dirname)


def read_file_to_string(filename: str, binary_mode: bool = False) -> str | bytes:
    """All that is in a file."""
    with io.gfile.GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: str, file_content: str | bytes) -> None:
    """Makes a file of what is to be in it."""
    mode = "wb" if isinstance(file_content, bytes) else "w"
    with io.gfile.GFile(filename, mode) as file:
        file.write(file_content)


def has_atomic_move(path: str) -> bool:
    """Whether renaming below `path` is one step."""
    return True


def atomic_write_string_to_file(
    filename: str, contents: str | bytes, overwrite: bool = True
) -> None:
    """The same, so that nobody sees a part of it."""
    if not has_atomic_move(filename):
        write_string_to_file(filename, contents)
        return
    beside = f"{filename}.tmp{uuid.uuid4().hex}"
    write_string_to_file(beside, contents)
    try:
        io.gfile.rename(beside, filename, overwrite)
    except BaseException:
        io.gfile.remove(beside)
        raise


def file_crc32(filename: str, block_size: int = _BLOCK) -> str:
    """The CRC32 of a file, in hexadecimal."""
    crc = 0
    with io.gfile.GFile(filename, "rb") as file:
        while chunk := file.read(block_size):
            crc = zlib.crc32(chunk, crc)
    return hex(crc & 0xFFFFFFFF)


def filecmp(filename_a: str, filename_b: str) -> bool:
    """Whether two files are equal."""
    if io.gfile.stat(filename_a).length != io.gfile.stat(filename_b).length:
        return False
    gfile = io.gfile.GFile
    with gfile(filename_a, "rb") as one, gfile(filename_b, "rb") as other:
        while chunk := one.read(_BLOCK):
            if chunk != other.read(_BLOCK):
                return False
    return True
