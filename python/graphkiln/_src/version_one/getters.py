"""How functions that variables are made with are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def needs_nothing(initializer: Callable) -> bool:
    """Can it be called without arguments?"""
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in inspect.signature(initializer).parameters.values()
    )


def takes_partition_info(initializer: Any) -> bool:
    return "partition_info" in inspect.signature(initializer).parameters


def nested_getter(inner: Callable, outer: Callable) -> Callable:
    def get(getter: Callable, *args: Any, **kwargs: Any) -> Any:
        def next_getter(*a: Any, **k: Any) -> Any:
            return outer(getter, *a, **k)

        return inner(next_getter, *args, **kwargs)

    return get
