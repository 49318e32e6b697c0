"""Ops as TensorFlow's private modules `gen_*_ops` have them: with arguments by place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from graphkiln import raw_ops

_by_name: dict[str, Callable] = {}


def _by_place(op: Callable) -> Callable:
    names = list(inspect.signature(op).parameters)

    @functools.wraps(op)
    def call(*args: object, **kwargs: object) -> object:
        if len(args) > len(names):
            raise TypeError(
                f"{op.__name__}() takes at most {len(names)} arguments, got {len(args)}"
            )
        return op(**dict(zip(names, args, strict=False)), **kwargs)

    return call


def __getattr__(name: str) -> Callable:
    if not _by_name:
        for op in (getattr(raw_ops, public) for public in dir(raw_ops)):
            _by_name[getattr(op, "__name__", "")] = op
    if name not in _by_name:
        raise AttributeError(f"there is no op {name!r}")
    return _by_place(_by_name[name])
