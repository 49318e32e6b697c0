"""Sets and dictionaries of objects that compare by what they hold, or have no hash:
these ask which object it is, as TensorFlow's object_identity does."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet, Set
from typing import Any

from graphkiln._graphkiln import Reference


class ObjectIdentityDictionary(MutableMapping):
    """A dictionary whose keys are told apart by identity."""

    def __init__(self) -> None:
        self._storage: dict[Reference, Any] = {}

    def __getitem__(self, key: object) -> Any:
        return self._storage[Reference(key)]

    def __setitem__(self, key: object, value: object) -> None:
        self._storage[Reference(key)] = value

    def __delitem__(self, key: object) -> None:
        del self._storage[Reference(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator:
        return (key.deref() for key in self._storage)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._storage!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """The same, which keeps no key alive; entries go with their keys."""

    def __init__(self) -> None:
        self._storage: dict[int, tuple[weakref.ref, Any]] = {}

    def __getitem__(self, key: object) -> Any:
        return self._storage[id(key)][1]

    def __setitem__(self, key: object, value: object) -> None:
        # Not `self`: the entry would keep the dictionary alive.
        storage, place = self._storage, id(key)
        gone = weakref.ref(key, lambda _: storage.pop(place, None))
        storage[place] = gone, value

    def __delitem__(self, key: object) -> None:
        del self._storage[id(key)]

    def __iter__(self) -> Iterator:
        keys = [reference() for reference, _ in self._storage.values()]
        return (key for key in keys if key is not None)


class ObjectIdentitySet(MutableSet):
    """A set whose elements are told apart by identity."""

    _kind = ObjectIdentityDictionary

    def __init__(self, items: Iterable = ()) -> None:
        self._storage = self._kind()
        self.update(items)

    def __contains__(self, key: object) -> bool:
        return key in self._storage

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator:
        return iter(list(self._storage))

    def __ge__(self, other: Set) -> bool:
        # Whether an element is in `other` may be a question of equality there.
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) >= len(other) and all(item in self for item in other)

    def add(self, key: object) -> None:
        self._storage[key] = None

    def discard(self, key: object) -> None:
        self._storage.pop(key, None)

    def update(self, items: Iterable) -> None:
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable) -> set[Reference]:
        """TensorFlow gives references here."""
        return {Reference(item) for item in items if item in self}

    def difference(self, items: Iterable) -> ObjectIdentitySet:
        other = ObjectIdentitySet(items)
        return ObjectIdentitySet(item for item in self if item not in other)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """The same, which keeps no element alive."""

    _kind = ObjectIdentityWeakKeyDictionary
