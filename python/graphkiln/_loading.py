"""Modules that are loaded when somebody first needs what is in them.

Python shows a module that is still being loaded to whoever comes across it:
to a finaliser that the garbage collector runs meanwhile, and to one of two
threads that load modules which import each other. So one thread loads at a
time, and nothing is collected while it does.
"""

import _thread
import gc
import sys
import types

from graphkiln import _graphkiln

_lock = _thread.RLock()
# Whoever has it never waits for somebody who wants it, as far as we know.
_PATIENCE = 20.0


class _Alone:
    """While one of these is entered no other thread loads and nothing is
    collected. Written out: `contextlib` and `threading` would be a part of
    every program's start."""

    def __enter__(self) -> None:
        self._taken = _lock.acquire(timeout=_PATIENCE)
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._collects:
            gc.enable()
        if self._taken:
            _lock.release()


def load(name: str) -> types.ModuleType:
    module = sys.modules.get(name)
    if module is not None and not getattr(
        getattr(module, "__spec__", None), "_initializing", False
    ):
        return module
    with _Alone():
        __import__(name)
        return sys.modules[name]


def spec_of_module(name: str, module: types.ModuleType) -> object:
    """By which Python's import statement finds under that name what is there, and
    leaves it as it was."""
    before = module.__spec__, getattr(module, "__loader__", None)

    def leave(module: types.ModuleType) -> None:
        module.__spec__, module.__loader__ = before

    loader = types.SimpleNamespace(create_module=lambda spec: module, exec_module=leave)
    return load("importlib.machinery").ModuleSpec(name, loader)


_graphkiln.provide(load)
