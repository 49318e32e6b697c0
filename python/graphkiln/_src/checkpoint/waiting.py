"""Objects that wait for values of a checkpoint's that are not there yet."""

from __future__ import annotations

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of an object: who waits for which of its children, by name. Each is called with
# the object, the name and the child, and says whether that was it.
WAITING = "_deferred_dependencies"

# Of an object: the names of the attributes that were set, by its __setattr__, to
# dictionaries. Those set around that are not tracked by TensorFlow.
DICTIONARIES = "_tracked_dictionaries"


def attribute_set(owner: Any, name: str, value: Any) -> None:
    """Notes what a checkpoint has to know of an attribute that was set."""
    if isinstance(value, dict):
        owner.__dict__.setdefault(DICTIONARIES, set()).add(name)
    if WAITING in owner.__dict__:
        child_came(owner, name, value)


def child_came(owner: Any, name: Any, child: Any) -> None:
    """Tells those who wait for it, if anybody does."""
    waiting = getattr(owner, WAITING, None)
    if not waiting or name not in waiting:
        return
    left = [waiter for waiter in waiting.pop(name) if not waiter(owner, name, child)]
    if left:
        waiting[name] = left


class WaitingList(list):
    """A list some of whose elements are in a checkpoint and not there yet."""

    def _came(self, start: int) -> None:
        for i in range(start, len(self)):
            child_came(self, str(i), self[i])

    def append(self, value: Any) -> None:
        super().append(value)
        self._came(len(self) - 1)

    def extend(self, values: Any) -> None:
        start = len(self)
        super().extend(values)
        self._came(start)

    def insert(self, index: int, value: Any) -> None:
        super().insert(index, value)
        self._came(0)

    def __iadd__(self, values: Any) -> WaitingList:
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._came(0)

    def __reduce__(self) -> tuple:
        return list, (list(self),)


class WaitingDict(dict):
    """A dictionary some of whose values are in a checkpoint and not there yet."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        child_came(self, key, value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __reduce__(self) -> tuple:
        return dict, (dict(self),)
