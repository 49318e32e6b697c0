"""Functions of a loaded model, each made when it is asked for first: a model may
have thousands, and a program wants a few."""

from __future__ import annotations

from collections.abc import Mapping

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_LATE = "_late_functions"


class _Makers:
    """What makes the functions of an object, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, Callable[[], Any]] = {}


class _LateSpecial:
    """A function that Python finds in the class of an object: `__call__`, or one
    that takes the place of a method."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        if self._name in instance.__dict__:
            return instance.__dict__[self._name]
        return instance.__getattr__(self._name)


class HasLateFunctions:
    """Base of objects with such functions among their attributes."""

    def __getattr__(self, name: str) -> Any:
        late = self.__dict__.get(_LATE)
        make = None if late is None else late.by_name.get(name)
        if make is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        made = self.__dict__[name] = make()
        return made

    def __delattr__(self, name: str) -> None:
        late = self.__dict__.get(_LATE)
        if late is None or name not in late.by_name:
            super().__delattr__(name)
            return
        # Copies of the object share what there was.
        self.__dict__.pop(name, None)
        left = self.__dict__[_LATE] = _Makers()
        left.by_name = {n: make for n, make in late.by_name.items() if n != name}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *late_names(self)]


def late_names(value: Any) -> list[str]:
    """The names of the functions of an object that nobody asked for yet."""
    late = getattr(value, "__dict__", {}).get(_LATE)
    if late is None:
        return []
    return [name for name in late.by_name if name not in value.__dict__]


def add_late(owner: HasLateFunctions, name: str, make: Callable[[], Any]) -> None:
    """Gives an object an attribute that is made when it is asked for.

    Args:
      owner: of a class of its own.
      name: of the attribute.
      make: gives it.
    """
    owner.__dict__.setdefault(_LATE, _Makers()).by_name[name] = make
    if name.startswith("__") or hasattr(type(owner), name):
        find_in_object(type(owner), name)


def find_in_object(cls: type, name: str) -> None:
    """Makes Python, which looks for `name` in the class, find an object's own."""
    setattr(cls, name, _LateSpecial(name))


class SignatureMap(Mapping):
    """The signatures of a loaded model: ConcreteFunctions by name."""

    def __init__(self) -> None:
        self._signatures: dict[str, Any] = {}
        self._makers: dict[str, Callable[[], Any]] = {}

    def _add_signature(self, name: str, concrete_function: Any) -> None:
        self._signatures[name] = concrete_function

    def _add_late(self, name: str, make: Callable[[], Any]) -> None:
        self._signatures[name] = None
        self._makers[name] = make

    def __getitem__(self, key: str) -> Any:
        if key in self._makers:
            self._signatures[key] = self._makers[key]()
            self._makers.pop(key, None)
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __contains__(self, key: object) -> bool:
        return key in self._signatures

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)})"
