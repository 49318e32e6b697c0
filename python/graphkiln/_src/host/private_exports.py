"""The decorators that name public functions in TensorFlow's sources and in those of
Keras' second version, and words for its documents."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

from graphkiln import _tensorflow_names

_by_name: dict[str, object] = {}


class api_export:  # noqa: N801
    """Decorates a function or class with public names, which it is found by.

    Args:
      *args: names.
      api_name: whose they are: "keras" or "tensorflow".
      v1: names in the first version.
      allow_multiple_exports: accepted for compatibility.
    """

    def __init__(
        self,
        *args: str,
        api_name: str = "tensorflow",
        v1: list | tuple | None = None,
        allow_multiple_exports: bool = True,
    ) -> None:
        self._names = args
        self._names_v1 = tuple(v1) if v1 is not None else args
        self._attribute = f"_{'keras' if api_name == 'keras' else 'tf'}_api_names"

    def __call__(self, symbol: object) -> object:
        setattr(symbol, self._attribute, self._names)
        setattr(symbol, f"{self._attribute}_v1", self._names_v1)
        for name in self._names_v1:
            _by_name[f"compat.v1.{name}"] = symbol
        for name in self._names:
            _by_name[name] = symbol
        return symbol

    def export_constant(self, module_name: str, name: str) -> None:
        """A constant is named where it is defined."""


def tf_export(*args: str, **kwargs: object) -> api_export:
    return api_export(*args, api_name="tensorflow", **kwargs)


def keras_export(*args: str, **kwargs: object) -> api_export:
    return api_export(*args, api_name="keras", **kwargs)


def get_symbol_from_name(name: str) -> object:
    """What a public name was given to, or None."""
    if name in _by_name:
        return _by_name[name]
    value: object = sys.modules["graphkiln"]
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


@functools.cache
def _names_here() -> dict[int, str]:
    """Public names of this package's functions and classes, by id: these live as
    long as it does. The shortest name, but one below `math` before one of tf itself,
    as TensorFlow has it."""
    root = sys.modules["graphkiln"]
    names: dict[int, str] = {}

    def rank(name: str) -> tuple:
        return not name.startswith("math."), name.count("."), name

    spaces = dict(_tensorflow_names.NAMES)
    spaces["__operators__"] = {"add", "eq", "getitem", "ne", "ragged_getitem"}
    for space, held in spaces.items():
        if space.startswith(("compat.v2", "keras")):
            continue
        for name in held:
            full = f"{space}.{name}" if space else name
            value: object = root
            try:
                for part in full.split("."):
                    value = getattr(value, part)
            except (AttributeError, ImportError):
                continue
            if callable(value):
                known = names.get(id(value))
                if known is None or rank(full) < rank(known):
                    names[id(value)] = full
    return names


def get_canonical_name_for_symbol(
    symbol: object,
    api_name: str = "tensorflow",
    add_prefix_to_v1_names: bool = False,
) -> str | None:
    """The name of a function or class that has some, else None."""
    attribute = f"_{'keras' if api_name == 'keras' else 'tf'}_api_names"
    if api_name != "keras" and id(symbol) in _names_here():
        return _names_here()[id(symbol)]
    own = vars(symbol) if hasattr(symbol, "__dict__") else {}
    names = own.get(attribute) or ()
    if names:
        return next((n for n in names if "experimental" not in n), names[0])
    names = own.get(f"{attribute}_v1") or ()
    if not names:
        return None
    return f"compat.v1.{names[0]}" if add_prefix_to_v1_names else names[0]


def get_canonical_name(api_names: list, deprecated_api_names: list) -> str | None:
    return next((n for n in api_names if n not in deprecated_api_names), None)


def _same(obj: object) -> object:
    return obj


# Words for the documents of a class, which change nothing else.
do_not_generate_docs = _same
do_not_doc_inheritable = _same
do_not_doc_in_subclasses = _same
for_subclass_implementers = _same
doc_in_current_and_subclasses = _same
doc_private = _same


def inheritable_header(text: str) -> Callable:
    return _same


def header(text: str) -> Callable:
    return _same
