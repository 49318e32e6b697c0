"""pytest's plugin for packages that import TensorFlow Probability whole for a part of
theirs: on both sides a package of that name that has nothing. Tests that need it
fail on TensorFlow too, and do not count."""

from __future__ import annotations

import sys
import types


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)

        def nothing(*args: object, **named: object) -> None:
            raise NotImplementedError(f"{self.__name__}.{name} is not there")

        return nothing


for _name in ("", ".python", ".python.optimizer"):
    _full = f"tensorflow_probability{_name}"
    sys.modules[_full] = _Module(_full)
