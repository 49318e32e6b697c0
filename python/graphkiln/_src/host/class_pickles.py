"""Pickles of objects whose classes go by another module's name for a while: they
name the class as graphkiln does."""

from __future__ import annotations

import copyreg
from typing import Any

from graphkiln import _graphkiln


def new_of(name: str, *arguments: Any) -> Any:
    """An object of that class of graphkiln's, as unpickling makes it."""
    cls = getattr(_graphkiln, name)
    return cls.__new__(cls, *arguments)


def _reduced(value: Any) -> tuple:
    make, (cls, *arguments), *rest = object.__reduce_ex__(value, 2)
    if make is not copyreg.__newobj__:
        raise TypeError(f"cannot pickle {cls.__name__!r} object")
    return new_of, (_names[cls], *arguments), *rest


_names: dict[type, str] = {}


def pickle_by_name(cls: type, name: str) -> None:
    """Objects of exactly `cls`, `name` of graphkiln's, are pickled so from now on."""
    _names[cls] = name
    copyreg.pickle(cls, _reduced)


def pickle_as_before(cls: type) -> None:
    """Ends it."""
    if _names.pop(cls, None) is not None:
        copyreg.dispatch_table.pop(cls, None)
