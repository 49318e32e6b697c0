"""Modules that are loaded when somebody first needs what is in them.

Python shows a module that is still being loaded to whoever comes across it:
to a finaliser that the garbage collector runs meanwhile, and to one of two
threads that load modules which import each other. So one thread loads at a
time, and nothing is collected while it does.
"""

import contextlib
import gc
import importlib
import sys
import threading
import types
from collections.abc import Iterator

_lock = threading.RLock()
# Whoever has it never waits for somebody who wants it, as far as we know.
_PATIENCE = 20.0


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    taken = _lock.acquire(timeout=_PATIENCE)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if taken:
            _lock.release()


def load(name: str) -> types.ModuleType:
    module = sys.modules.get(name)
    if module is not None and not getattr(
        getattr(module, "__spec__", None), "_initializing", False
    ):
        return module
    with _alone():
        return importlib.import_module(name)
