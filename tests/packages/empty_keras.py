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
    for _package in ("keras", "tensorflow.keras"):
        _whole = sys.modules[_package] = _Module(_package)
        for _name in ("backend", "layers", "initializers", "models", "optimizers"):
            _part = sys.modules[f"{_package}.{_name}"] = _Module(f"{_package}.{_name}")
            setattr(_whole, _name, _part)
        # What some ask before they compute anything: a setting.
        _kept = {"floatx": "float32"}
        _whole.backend.floatx = lambda kept=_kept: kept["floatx"]
        _whole.backend.set_floatx = lambda x, kept=_kept: kept.update(floatx=x)
    sys.modules["graphkiln"].keras = _whole
