"""The mappings that are fields of extension types."""

import collections.abc

from graphkiln import _graphkiln


class ImmutableDict(collections.abc.Mapping):
    """A mapping that does not change."""

    __slots__ = ("_items",)

    def __init__(self, *args, **kwargs):
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._items[key]

    def __contains__(self, key) -> bool:
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


_graphkiln.provide(ImmutableDict)
