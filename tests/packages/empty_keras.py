"""pytest's plugin for packages that import Keras whole for a part of theirs: on
graphkiln, until it has Keras, a `tensorflow.keras`, and a `tf_keras`, of whose
objects nothing can be used. Tests of that part fail by it and are held back."""

from __future__ import annotations

import sys
import types


class Empty:
    """Any class of Keras. Its objects are made, as default arguments are, when a
    package is imported."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def __call__(self, *args: object, **kwargs: object) -> None:
        raise NotImplementedError("Keras is of a later step")

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError("Keras is of a later step")


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if full in sys.modules:
            return sys.modules[full]
        if name[0].islower():
            return Empty  # a function that makes an object
        return type(name, (Empty,), {})


def _version() -> str:
    return "3.0"


_NAMES = (
    "", ".__internal__", ".__internal__.utils", ".activations", ".backend",
    ".initializers", ".layers", ".losses", ".models", ".optimizers",
    ".optimizers.legacy", ".regularizers", ".utils", ".api", ".api._v1",
    ".api._v1.keras", ".api._v1.keras.__internal__",
    ".api._v1.keras.__internal__.legacy",
    ".api._v1.keras.__internal__.legacy.layers",
)

if "graphkiln" in sys.modules:
    for _package in ("keras", "tensorflow.keras", "tf_keras"):
        for _name in _NAMES:
            _full = f"{_package}{_name}"
            sys.modules[_full] = _module = _Module(_full)
            _above, _, _last = _full.rpartition(".")
            if _above in sys.modules:
                setattr(sys.modules[_above], _last, _module)
        # What some ask before they compute anything: a setting.
        _kept = {"floatx": "float32"}
        _backend = sys.modules[f"{_package}.backend"]
        _backend.floatx = lambda kept=_kept: kept["floatx"]
        _backend.set_floatx = lambda x, kept=_kept: kept.update(floatx=x)
    _keras = sys.modules["tensorflow.keras"]
    _keras.version = _version
    sys.modules["tf_keras.utils"].get_custom_objects = dict
    _utils = sys.modules["tf_keras.__internal__.utils"]
    _utils.register_symbolic_tensor_type = lambda cls: None
    sys.modules["tf_keras"].__all__ = [
        *(n.lstrip(".") for n in _NAMES if n.count(".") == 1),
        "Model", "Sequential",
    ]
    sys.modules["graphkiln"].keras = _keras
