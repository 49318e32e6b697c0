"""What lists, dictionaries and tuples become as attributes of trackable objects:
they know what in them a checkpoint holds, and whether it would be found again.

Each is its container and beside that the one that was given, which it goes by: what
is changed there, behind it, shows in it. What it is itself (to code that looks into
a list without asking its methods) is what it saw last.
"""

from __future__ import annotations

import collections
from collections import abc

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.trackable import is_tracked
from graphkiln._src.checkpoint.tracked_containers import (
    WRAPPERS,
    List,
    NoDependency,
    TrackableDataStructure,
    deep_copy,
    sorted_values,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)
from graphkiln._src.checkpoint.waiting import facts_of

# Nothing is imported for annotations: what only loads a model would wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FUNCTIONS = (_graphkiln.Function, _graphkiln.ConcreteFunction)


def _stored_or_left(container: Any, value: Any, name: str) -> Any:
    """What a container that is an attribute stores. An element whose value in a
    checkpoint does not fit it keeps its own, as TensorFlow's do: optimizers that
    Keras builds a second time go on."""
    try:
        return container._stored(value, name)
    except ValueError:
        # Nobody waits for it any more.
        return sticky_attribute_assignment(container, name, value)


class ListWrapper(List, abc.MutableSequence, list):
    """A list that is an attribute. It changes as any list does, and is not saved
    after elements that were tracked are not where they were.

    Args:
      wrapped_list: the list, which it goes on with.
    """

    def __init__(self, wrapped_list: list) -> None:
        self._non_append_mutation = False
        self._external_modification = False
        super().__init__(wrapped_list)
        list.__init__(self, self._storage)

    def _make_storage(self, wrapped_list: list) -> list:
        return wrapped_list

    def _track_value(self, value: Any, name: str) -> Any:
        return _stored_or_left(self, value, name)

    def _copied(self, storage: list) -> ListWrapper:
        made = type(self)(storage)
        made._non_append_mutation = self._non_append_mutation
        made._external_modification = self._external_modification
        return made

    def __copy__(self) -> ListWrapper:
        return self._copied(self._storage.copy())

    def __deepcopy__(self, memo: dict) -> ListWrapper:
        return self._copied(deep_copy(self._storage, memo))

    def __reduce_ex__(self, protocol: int) -> tuple:
        return type(self), (self._storage,)

    @property
    def _dirty(self) -> bool:
        return self._external_modification or self._non_append_mutation

    @property
    def _last_wrapped_list_snapshot(self) -> list | None:
        return None if self._external_modification else list.copy(self)

    def _check_external_modification(self) -> None:
        if not self._dirty and not list.__eq__(self, self._storage):
            self._external_modification = True

    def _saw(self) -> None:
        """Takes what there is for what was seen last."""
        list.__setitem__(self, slice(None), self._storage)

    def _has_mutation_or_trackable(self) -> bool:
        return self._non_append_mutation or any(map(is_tracked, self._storage))

    def _mutated(self, otherwise: bool = False) -> None:
        """Notes that elements move, before they do."""
        self._check_external_modification()
        if self._has_mutation_or_trackable() or otherwise:
            self._non_append_mutation = True

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        self._check_external_modification()
        if self._non_append_mutation:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to "
                "track trackable TensorFlow objects). A list element was replaced "
                "(__setitem__, __setslice__), deleted (__delitem__, __delslice__), "
                "or moved (sort). In order to support restoration on object "
                "creation, tracking is exclusively for append-only data structures."
                "\n\nIf you don't need this list checkpointed, wrap it in a "
                "non-trackable object; it will be subsequently ignored."
            )
        if self._external_modification:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to "
                "track trackable TensorFlow objects). The wrapped list was modified "
                f"outside the wrapper (its final value was {self._storage}, its value "
                "when a checkpoint dependency was added was "
                f"{self._last_wrapped_list_snapshot}), which breaks restoration on "
                "object creation.\n\nIf you don't need this list checkpointed, wrap "
                "it in a NoDependency object; it will be subsequently ignored."
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            for index, value in enumerate(self):
                if isinstance(value, _FUNCTIONS):
                    children[str(index)] = value
        return children

    def append(self, value: Any) -> None:
        # As long as they are as many, what is beside the new one shows later.
        if len(self._storage) != list.__len__(self):
            self._check_external_modification()
            self._saw()
        super().append(value)
        list.append(self, self._storage[-1])

    def extend(self, values: Any) -> None:
        self._check_external_modification()
        super().extend(values)

    def insert(self, index: int, obj: Any) -> None:
        self._mutated(is_tracked(obj))
        self._storage.insert(index, obj)
        self._saw()

    def sort(self) -> None:
        self._mutated()
        self._storage.sort()
        self._saw()

    def __delitem__(self, key: Any) -> None:
        self._mutated()
        del self._storage[key]
        self._saw()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_external_modification()
        storage = self._storage
        if isinstance(key, slice):
            before = list(storage)
            storage[key] = value
            after = len(storage)
            for i in range(max(len(before), after)):
                now = storage[i] if i < after else None
                then = before[i] if i < len(before) else None
                if is_tracked(then):
                    self._non_append_mutation = True
                if now is None or now is then:
                    continue
                if is_tracked(now) or now != then:
                    storage[i] = self._track_value(now, self._name_element(i))
        else:
            if is_tracked(storage[key]):
                self._non_append_mutation = True
            storage[key] = self._track_value(value, self._name_element(key))
        self._saw()

    def __imul__(self, times: int) -> ListWrapper:
        if times > 0:
            return super().__imul__(times)
        self._mutated()
        self._storage *= times
        self._saw()
        return self

    def __eq__(self, other: object) -> bool:
        return self._storage == getattr(other, "_storage", other)

    def __ne__(self, other: object) -> bool:
        return self._storage != getattr(other, "_storage", other)

    def __lt__(self, other: Any) -> bool:
        return self._storage < getattr(other, "_storage", other)

    def __le__(self, other: Any) -> bool:
        return self._storage <= getattr(other, "_storage", other)

    def __gt__(self, other: Any) -> bool:
        return self._storage > getattr(other, "_storage", other)

    def __ge__(self, other: Any) -> bool:
        return self._storage >= getattr(other, "_storage", other)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'ListWrapper'")

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"


class _DictWrapper(TrackableDataStructure, dict):
    """A dictionary that is an attribute. It is not saved if something that is
    tracked has another key than a string, or after it was changed behind it.

    Args:
      wrapped_dict: the dictionary, which it goes on with; a sequence of pairs.
    """

    def __init__(self, wrapped_dict: Any = None) -> None:
        if wrapped_dict is None:
            wrapped_dict = {}
        if not isinstance(wrapped_dict, abc.Mapping):
            wrapped_dict = dict(wrapped_dict)
        facts_of(self)["_self_wrapped"] = wrapped_dict
        super().__init__()
        self._self_non_string_key = False
        self._self_external_modification = False
        wrapped_dict.update(
            {key: self._track_value(value, key) for key, value in wrapped_dict.items()}
        )
        self._keep_up()

    @property
    def __wrapped__(self) -> dict:
        return facts_of(self)["_self_wrapped"]

    @property
    def __class__(self) -> type:
        return type(self.__wrapped__)

    def _copied(self, wrapped: Any) -> _DictWrapper:
        made = _DictWrapper(wrapped)
        made._self_external_modification = self._self_external_modification
        made._self_non_string_key = self._self_non_string_key
        return made

    def copy(self) -> _DictWrapper:
        return self.__copy__()

    def __copy__(self) -> _DictWrapper:
        return self._copied(self.__wrapped__.copy())

    def __deepcopy__(self, memo: dict) -> _DictWrapper:
        return self._copied(deep_copy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol: int) -> tuple:
        return self.__class__, (self.__wrapped__,)

    @property
    def _values(self) -> Any:
        return sorted_values(self)

    @property
    def _dirty(self) -> bool:
        return self._self_external_modification or self._self_non_string_key

    @property
    def _self_last_wrapped_dict_snapshot(self) -> dict | None:
        if self._self_external_modification:
            return None
        seen = facts_of(self).get("_self_seen_last")
        return dict(dict.items(self)) if seen is None else seen

    def _keep_up(self) -> None:
        """Has itself what there is."""
        dict.clear(self)
        dict.update(self, self.__wrapped__)

    def _check_self_external_modification(self) -> None:
        seen = facts_of(self).get("_self_seen_last")
        same = dict.__eq__(self if seen is None else seen, self.__wrapped__)
        if not (self._dirty or same):
            self._self_external_modification = True

    def _check_before(self, key: Any) -> None:
        """Whether it was changed behind it, before `key` changes: what is beside
        that shows later as well, as long as there are as many."""
        wrapped = self.__wrapped__
        if (
            "_self_seen_last" in facts_of(self)
            or len(wrapped) != dict.__len__(self)
            or (key in wrapped) != dict.__contains__(self, key)
            or (key in wrapped and wrapped[key] is not dict.__getitem__(self, key))
        ):
            self._check_self_external_modification()
            facts_of(self).pop("_self_seen_last", None)
            self._keep_up()

    def _change_unseen(self, method: str, *args: Any) -> Any:
        """What TensorFlow's wrapper does not notice, until it is asked."""
        if not self._dirty:
            facts_of(self).setdefault("_self_seen_last", dict(dict.items(self)))
        try:
            return getattr(self.__wrapped__, method)(*args)
        finally:
            self._keep_up()

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        self._check_self_external_modification()
        if self._self_non_string_key:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed "
                "automatically on attribute assignment). The wrapped dictionary "
                "contains a non-string key which maps to a trackable object or "
                "mutable data structure.\n\nIf you don't need this dictionary "
                "checkpointed, wrap it in a non-trackable object; it will be "
                "subsequently ignored."
            )
        if self._self_external_modification:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed "
                "automatically on attribute assignment). The wrapped dictionary was "
                f"modified outside the wrapper (its final value was {self}, its value "
                "when a checkpoint dependency was added was "
                f"{self._self_last_wrapped_dict_snapshot}), which breaks restoration "
                "on object creation.\n\nIf you don't need this dictionary "
                "checkpointed, wrap it in a non-trackable object; it will be "
                "subsequently ignored."
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            for key, value in self.items():
                if isinstance(value, _FUNCTIONS):
                    children[key] = value
        return children

    def _track_value(self, value: Any, name: Any) -> Any:
        if isinstance(name, str):
            return _stored_or_left(self, value, name)
        untracked = isinstance(value, NoDependency)
        value = _stored_or_left(self, value, "-non_string_key")
        if is_tracked(value) and not untracked:
            self._self_non_string_key = True
        return value

    def _name_element(self, key: Any) -> Any:
        return key

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_before(key)
        if isinstance(key, str):
            value = self._track_value(value, key)
        else:
            untracked = isinstance(value, NoDependency)
            value = wrap_or_unwrap(value)
            if is_tracked(value) and not untracked:
                self._self_non_string_key = True
        self.__wrapped__[key] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._check_before(key)
        del self.__wrapped__[key]
        dict.pop(self, key, None)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def clear(self) -> None:
        self._change_unseen("clear")

    def pop(self, *args: Any) -> Any:
        return self._change_unseen("pop", *args)

    def popitem(self) -> tuple:
        return self._change_unseen("popitem")

    def setdefault(self, *args: Any) -> Any:
        return self._change_unseen("setdefault", *args)

    def __ior__(self, other: Any) -> _DictWrapper:
        self._change_unseen("__ior__", other)
        return self

    def __getattr__(self, name: str) -> Any:
        if "_self_wrapped" not in facts_of(self):
            raise AttributeError(name)  # it is being made
        return getattr(self.__wrapped__, name)

    def __getitem__(self, key: Any) -> Any:
        return self.__wrapped__[key]

    def __contains__(self, key: object) -> bool:
        return key in self.__wrapped__

    def __iter__(self) -> Any:
        return iter(self.__wrapped__)

    def __reversed__(self) -> Any:
        return reversed(self.__wrapped__)

    def __len__(self) -> int:
        return len(self.__wrapped__)

    def get(self, *args: Any) -> Any:
        return self.__wrapped__.get(*args)

    def keys(self) -> Any:
        return self.__wrapped__.keys()

    def values(self) -> Any:
        return self.__wrapped__.values()

    def items(self) -> Any:
        return self.__wrapped__.items()

    def __or__(self, other: Any) -> Any:
        return self.__wrapped__ | other

    def __ror__(self, other: Any) -> Any:
        return other | self.__wrapped__

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == other

    def __ne__(self, other: object) -> bool:
        return self.__wrapped__ != other

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'DictWrapper'")

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __format__(self, spec: str) -> str:
        return format(self.__wrapped__, spec)


class _TupleWrapper(TrackableDataStructure, tuple):
    """A tuple, of names or not, that is an attribute and holds what is tracked.

    Args:
      original_wrapped_tuple: the tuple.
    """

    def __new__(cls, original_wrapped_tuple: Any = ()) -> _TupleWrapper:
        given = original_wrapped_tuple
        if type(given) is _TupleWrapper:
            given = given.__wrapped__
        kind = type(given)
        elements = [wrap_or_unwrap(element) for element in given]
        fields = getattr(given, "_fields", None)
        constructable = True
        try:
            if fields is None:
                wrapped = kind(elements)
            else:
                wrapped = kind(**dict(zip(fields, elements, strict=False)))
        except TypeError:
            if fields is None:
                raise
            wrapped, constructable = given, False
        made = tuple.__new__(cls, wrapped)
        facts = facts_of(made)
        facts["_self_wrapped"] = wrapped
        facts["_self_tuple_is_constructable"] = constructable
        TrackableDataStructure.__init__(made)
        if constructable:
            tracked = [
                (index, element)
                for index, (old, element) in enumerate(zip(given, wrapped, strict=True))
                if not isinstance(old, NoDependency)
            ]
            if fields is not None:
                # By their names as well, as those of dictionaries.
                for index, element in tracked:
                    TrackableDataStructure._stored(made, element, fields[index])
            for index, element in tracked:
                TrackableDataStructure._stored(made, element, f"{index}")
        return made

    def __init__(self, original_wrapped_tuple: Any = ()) -> None:
        """All is done where it is made."""

    @property
    def __wrapped__(self) -> tuple:
        return facts_of(self)["_self_wrapped"]

    def __getattribute__(self, name: str) -> Any:
        # The tuple's own come first: a field may be called as something here.
        wrapped = facts_of(self)["_self_wrapped"]
        if name == "__wrapped__":
            return wrapped
        try:
            return getattr(wrapped, name)
        except AttributeError as none:
            try:
                return object.__getattribute__(self, name)
            except AttributeError:
                raise none from None

    @property
    def _values(self) -> Any:
        return self

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        if not self._self_tuple_is_constructable:
            raise ValueError(
                f"Unable to save because the namedtuple {self.__wrapped__} is not "
                "constructable from its _fields (i.e. __new__ is overridden). "
                f"Expected keyword arguments {self.__wrapped__._fields}. If you do "
                "not need to save this object, consider wrapping it in a custom "
                "object that does not inherit from tuple."
            )
        return super()._trackable_children(save_type, **kwargs)

    def __copy__(self) -> _TupleWrapper:
        return _TupleWrapper(self.__wrapped__)

    def __deepcopy__(self, memo: dict) -> _TupleWrapper:
        return _TupleWrapper(deep_copy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol: int) -> tuple:
        return self.__wrapped__.__reduce_ex__(protocol)

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == other

    def __ne__(self, other: object) -> bool:
        return self.__wrapped__ != other

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __format__(self, spec: str) -> str:
        return format(self.__wrapped__, spec)


WRAPPERS.update(
    {
        list: ListWrapper,
        dict: _DictWrapper,
        collections.OrderedDict: _DictWrapper,
        tuple: _TupleWrapper,
    }
)
