"""tf.compat: texts, kinds of numbers, and which version this is."""

from __future__ import annotations

import contextlib
import datetime
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphkiln import _graphkiln

complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
bytes_or_text_types = (bytes, str)

# The day of the version whose interface this is.
_horizon = datetime.date(2026, 1, 16)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A text as bytes; bytes as they are.

    Args:
      bytes_or_text: a str, bytes or a bytearray.
      encoding: of the bytes.

    >>> tf.compat.as_bytes("text")
    b'text'
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text; a text as it is.

    Args:
      bytes_or_text: a str or bytes.
      encoding: of the bytes.

    >>> tf.compat.as_text(b"text")
    'text'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """The same as `as_text`.

    Args:
      bytes_or_text: a str or bytes.
      encoding: of the bytes.

    >>> tf.compat.as_str(b"text")
    'text'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Anything as a text.

    Args:
      value: bytes, which are decoded, or what `str` shows.
      encoding: of the bytes.

    >>> tf.compat.as_str_any(3)
    '3'
    """
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as a text; other things as they are.

    Args:
      path: what has `__fspath__`.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.Path("a/b"))
    'a/b'
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Is this version younger than a day?

    Args:
      year: of the day.
      month: of the day.
      day: of the day.

    >>> tf.compat.forward_compatible(2019, 1, 1)
    True
    """
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A `with` statement in which the version is of that day.

    Args:
      year: of the day.
      month: of the day.
      day: of the day.

    >>> with tf.compat.forward_compatibility_horizon(2099, 1, 2):
    ...     tf.compat.forward_compatible(2099, 1, 1)
    True
    """
    global _horizon
    before, _horizon = _horizon, datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = before


def dimension_at_index(shape: Any, index: int) -> Any:
    """A dimension of a shape, as TensorFlow's first version has it.

    Args:
      shape: a tf.TensorShape.
      index: of the dimension.

    >>> tf.compat.dimension_at_index(tf.TensorShape([2, 3]), 1).value
    3
    """
    if shape.rank is None:
        return _graphkiln.Dimension(None)
    return _graphkiln.Dimension(shape[index])
