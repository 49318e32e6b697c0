"""pytest's plugin for packages that import Keras whole for a part of theirs: on
graphkiln, until it has Keras, a `tensorflow.keras` whose classes cannot be made.
Tests of that part fail by it and are held back."""

from __future__ import annotations

import sys
import types


class Empty:
    """Any class of Keras."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise NotImplementedError("Keras is of a later step")


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Empty,), {})


if "graphkiln" in sys.modules:
    for _name in ("", ".layers", ".initializers", ".models", ".optimizers"):
        _full = f"tensorflow.keras{_name}"
        sys.modules[_full] = _Module(_full)
