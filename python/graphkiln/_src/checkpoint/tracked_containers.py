"""Containers that are tracked with what is in them, and what becomes of those that
are set as attributes."""

from __future__ import annotations

import collections
import sys
from collections import abc

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.trackable import PLAIN, Trackable, is_tracked
from graphkiln._src.checkpoint.waiting import facts_of

# Nothing is imported for annotations: what only loads a model would wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The classes of list, dictionary and tuple that know what is in them; they are
# derived from what is here.
WRAPPERS: dict[type, type] = {}


class NoDependency:
    """Marks a value that is set as an attribute and that no checkpoint follows.

    >>> from graphkiln._src.checkpoint.tracked_containers import NoDependency
    >>> module = tf.__internal__.tracking.AutoTrackable()
    >>> module.helper = NoDependency(tf.Variable(1.0))
    >>> len(tf.train.TrackableView(module).descendants())
    1
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _should_wrap_tuple(value: tuple) -> bool:
    return any(
        isinstance(element, NoDependency)
        or type(element) in (list, dict, collections.OrderedDict)
        or is_tracked(element)
        or (isinstance(element, tuple) and _should_wrap_tuple(element))
        for element in value
    )


def wrap_or_unwrap(value: Any) -> Any:
    """What an attribute becomes that is set to `value`: a list, a dictionary and a
    tuple that holds something to be tracked are wrapped.

    Args:
      value: anything.

    >>> tf.__internal__.tracking.wrap([1, {"a": 2}])
    ListWrapper([1, DictWrapper({'a': 2})])
    """
    if isinstance(value, NoDependency):
        return value.value
    kind = type(value)
    if kind is tuple or (isinstance(value, tuple) and not isinstance(value, Trackable)):
        return WRAPPERS[tuple](value) if _should_wrap_tuple(value) else value
    wrapper = WRAPPERS.get(kind)
    return value if wrapper is None else wrapper(value)


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Tells an object of an attribute that is being set, and gives what it becomes.

    Args:
      trackable: the object.
      name: of the attribute.
      value: of the attribute.

    >>> owner = tf.__internal__.tracking.Trackable()
    >>> tf.__internal__.tracking.sticky_attribute_assignment(owner, "a", [1])
    ListWrapper([1])
    >>> list(owner._trackable_children())
    ['a']
    """
    if isinstance(value, NoDependency):
        return value.value
    value = wrap_or_unwrap(value)
    if is_tracked(value):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


class _UntrackableError(ValueError):
    def __init__(self, value: Any) -> None:
        self._value = value

    def __str__(self) -> str:
        return (
            "Only trackable objects (such as Layers or Optimizers) may be stored in "
            f"a List object. Got {self._value}, which does not inherit from Trackable."
        )


def _is_layer(value: Any) -> bool:
    return hasattr(value, "_is_layer") and not isinstance(value, type)


def _has_weights(value: Any) -> bool:
    return (
        hasattr(type(value), "trainable_weights")
        and hasattr(type(value), "non_trainable_weights")
        and not isinstance(value, type)
    )


class TrackableDataStructure(Trackable):
    """Base of containers that are tracked with what is in them.

    >>> module = tf.Module()
    >>> module.rows = [tf.Variable(1.0)]
    >>> isinstance(module.rows, tf.__internal__.tracking.TrackableDataStructure)
    True
    """

    def __init__(self) -> None:
        facts = facts_of(self)
        facts["_self_trainable"] = True
        facts["_self_extra_variables"] = []

    @property
    def trainable(self) -> bool:
        """Whether variables in it count as trainable."""
        return self._self_trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        facts_of(self)["_self_trainable"] = value

    def _stored(self, value: Any, name: str) -> Any:
        """Tracks an element, if that can be, and gives what is to be stored."""
        if type(value) in PLAIN:
            return value
        value = sticky_attribute_assignment(self, name, value)
        if isinstance(value, _graphkiln.Variable):
            self._self_extra_variables.append(value)
        return value

    def _track_value(self, value: Any, name: str) -> Any:
        value = self._stored(value, name)
        if not is_tracked(value):
            raise _UntrackableError(value)
        return value

    @property
    def _values(self) -> Any:
        raise NotImplementedError("Abstract method")

    @property
    def _layers(self) -> list:
        return [
            value
            for value in self._values
            if isinstance(value, TrackableDataStructure)
            or _is_layer(value)
            or _has_weights(value)
        ]

    @property
    def layers(self) -> list:
        """The layers in it, and in containers in it, each once."""
        found, seen, left = [], set(), self._layers[::-1]
        while left:
            value = left.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if _is_layer(value):
                found.append(value)
            else:
                left.extend((getattr(value, "layers", None) or [])[::-1])
        return found

    def _variables_of_values(self, name: str) -> list:
        found: list = []
        for value in self._values:
            if is_tracked(value) and hasattr(value, name):
                found += getattr(value, name)
        return found

    @property
    def trainable_weights(self) -> list:
        """Those of what is in it, and the variables in it."""
        if not self._self_trainable:
            return []
        return self._variables_of_values("trainable_variables") + [
            v for v in self._self_extra_variables if v.trainable
        ]

    @property
    def non_trainable_weights(self) -> list:
        """The others; all, if it is not trainable."""
        extra = self._self_extra_variables
        others = self._variables_of_values("non_trainable_variables")
        fixed = [v for v in extra if not v.trainable]
        if self._self_trainable:
            return others + fixed
        trained = self._variables_of_values("trainable_variables")
        return trained + [v for v in extra if v.trainable] + others + fixed

    @property
    def weights(self) -> list:
        """All variables of what is in it."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list:
        """As `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list:
        """As `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list:
        """As `weights`."""
        return self.weights

    def _of_layers(self, name: str) -> list:
        return [x for layer in self.layers for x in getattr(layer, name, ())]

    @property
    def updates(self) -> list:
        """Those of the layers in it."""
        return self._of_layers("updates")

    @property
    def losses(self) -> list:
        """Those of the layers in it."""
        return self._of_layers("losses")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


class List(TrackableDataStructure, abc.Sequence):
    """A list of trackable objects that is only appended to.

    Args:
      *args: what `list` takes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._storage = self._make_storage(*args, **kwargs)
        for index, element in enumerate(self._storage):
            self._storage[index] = self._track_value(element, f"{index}")

    def copy(self) -> Any:
        return type(self)(self._storage.copy())

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> Any:
        return type(self)(deep_copy(self._storage, memo))

    def _make_storage(self, *args: Any, **kwargs: Any) -> list:
        return list(*args, **kwargs)

    def _name_element(self, index: int) -> str:
        return f"{index:d}"

    @property
    def _values(self) -> Any:
        return self

    def append(self, value: Any) -> None:
        """Adds something trackable."""
        self._storage.append(self._track_value(value, f"{len(self._storage)}"))

    def extend(self, values: Any) -> None:
        """Adds several."""
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Any:
        self.extend(values)
        return self

    def __add__(self, other: Any) -> Any:
        return self._storage + getattr(other, "_storage", other)

    def __radd__(self, other: Any) -> Any:
        return other + self._storage

    def __imul__(self, times: int) -> Any:
        if times <= 0:
            raise ValueError(
                f"List only supports append, multiplying in place by {times} removes "
                "elements."
            )
        for value in list(self._storage) * (times - 1):
            self.append(value)
        return self

    def __mul__(self, times: int) -> Any:
        return self._storage * times

    def __rmul__(self, times: int) -> Any:
        return self * times

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __iter__(self) -> Any:
        return iter(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage

    def __len__(self) -> int:
        return len(self._storage)

    def __repr__(self) -> str:
        return f"List({self._storage!r})"

    def __sizeof__(self) -> int:
        return super().__sizeof__() + sys.getsizeof(self._storage)


class Mapping(TrackableDataStructure, abc.Mapping):
    """A dictionary of trackable objects, by strings, that is only added to.

    Args:
      *args: what `dict` takes.
      **kwargs: what `dict` takes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._storage = self._make_storage(*args, **kwargs)
        for key, value in self._storage.items():
            self._storage[key] = self._track_value(value, self._name_element(key))

    def __copy__(self) -> Any:
        return type(self)(self._storage.copy())

    def __deepcopy__(self, memo: dict) -> Any:
        return type(self)(deep_copy(self._storage, memo))

    def _make_storage(self, *args: Any, **kwargs: Any) -> dict:
        return dict(*args, **kwargs)

    @property
    def _values(self) -> Any:
        return sorted_values(self)

    def _name_element(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        return str(key)

    def __setitem__(self, key: str, value: Any) -> None:
        value = self._track_value(value, self._name_element(key))
        known = self._storage.setdefault(key, value)
        if known is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the "
                f"key '{key}' with value {value}, but it already contains {known}"
            )

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds what `dict` makes of the arguments."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Any:
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"


def deep_copy(value: Any, memo: dict) -> Any:
    """What `copy` makes of a part of what it copies."""
    import copy  # here already, then: programs that copy nothing do not load it

    return copy.deepcopy(value, memo)


def sorted_values(mapping: Any) -> list:
    return [mapping[key] for key in sorted(mapping)]
