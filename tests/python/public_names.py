"""The public names of the package, and of its classes, for tests that walk them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import graphkiln


def public_names(
    without: tuple[str, ...] = ("raw_ops", "compat"),
) -> Iterator[tuple[str, object]]:
    """("math.add", what that is) for each name but those of modules; each module
    is walked once, those called as in `without` are not."""
    seen = {graphkiln}

    def walk(module: ModuleType, space: str) -> Iterator[tuple[str, object]]:
        for key in dir(module):
            if key.startswith("_") or key in without:
                continue
            value = getattr(module, key)
            if is_numpys(value) or is_protobufs(value):
                continue
            if not inspect.ismodule(value):
                yield space + key, value
            elif value.__name__.startswith("graphkiln") and value not in seen:
                seen.add(value)
                yield from walk(value, f"{space}{key}.")

    return walk(graphkiln, "")


def is_numpys(value: object) -> bool:
    """Is it a class or function of NumPy's, which shows what NumPy says?"""
    return getattr(value, "__module__", None) == "numpy"


def public_members(value: object) -> list[str]:
    """What a class shows; nothing of errors, which are Python's, nor of what is
    no class."""
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return []
    return [member for member in dir(value) if not member.startswith("_")]


def found(module: ModuleType, name: str) -> object:
    """What a public name stands for in a module such as TensorFlow; None for
    what it lacks."""
    value: object = module
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def is_protobufs(value: object) -> bool:
    """Is it a class that the package protobuf made of a message?"""
    return isinstance(value, type) and hasattr(value, "DESCRIPTOR")
