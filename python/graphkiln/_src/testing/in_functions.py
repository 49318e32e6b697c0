"""Assertions of tensors of a function that is traced: they wait for its
calls."""

from __future__ import annotations

import functools
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._src.host.py_function import numpy_function


def checked_in_calls(assertion: Callable) -> Callable:
    """An assertion that, while a function is traced, becomes a part of it."""

    @functools.wraps(assertion)
    def check(*args: object, **kwargs: object) -> object:
        if not _graphkiln.inside_function():
            return assertion(*args, **kwargs)
        kinds = (_graphkiln.Tensor, _graphkiln.Variable)
        places = [i for i, a in enumerate(args) if isinstance(a, kinds)]

        def check_values(*values: object) -> None:
            given = list(args)
            for i, value in zip(places, values):
                given[i] = value
            assertion(*given, **kwargs)

        return numpy_function(check_values, [args[i] for i in places], [])

    return check
