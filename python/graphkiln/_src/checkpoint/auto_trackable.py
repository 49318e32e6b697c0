"""Objects whose parts a checkpoint follows: Trackable, which is told of them, and
AutoTrackable, whose attributes they are."""

from __future__ import annotations

import abc
import collections
import functools

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.data_structures import ListWrapper, _DictWrapper
from graphkiln._src.checkpoint.waiting import (
    DICTIONARIES,
    WAITING,
    WaitingDict,
    WaitingList,
    attribute_set,
    child_came,
)

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Of an object: the parts that it was told of, by name.
_TOLD = "_self_unconditional_dependency_names"
# Of an object: the names of attributes that were set while it tracked none.
_UNTRACKED = "_self_untracked_attributes"
_IS_TRACKING = "_self_setattr_tracking"
_UID = "_self_update_uid"
_OWN = frozenset((_TOLD, _UNTRACKED, _IS_TRACKING, _UID, WAITING, DICTIONARIES))


TrackableReference = collections.namedtuple("TrackableReference", ("name", "ref"))


class Trackable(metaclass=abc.ABCMeta):  # noqa: B024
    """Base of objects that checkpoints and saved models hold.

    What is in one it is told by `_track_trackable`, or its class says by
    `_trackable_children`. A class whose objects have values of their own gives
    them by `_serialize_to_tensors` and takes them by `_restore_from_tensors`.

    >>> class Pair(tf.__internal__.tracking.Trackable):
    ...     def __init__(self, first):
    ...         self._track_trackable(first, "first")
    >>> view = tf.train.TrackableView(Pair(tf.Variable(1.0)))
    >>> len(view.descendants())
    2
    """

    def _track_trackable(
        self, trackable: Any, name: str, overwrite: bool = False
    ) -> Any:
        """Makes `trackable` a part by that name, and gives it.

        Raises:
          TypeError: it is nothing that can be saved.
          ValueError: there is another part of that name, and `overwrite` is False.
        """
        if not (isinstance(trackable, Trackable) or is_trackable(trackable)):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of "
                f"type Trackable. Got type {type(trackable)}."
            )
        told = self.__dict__.setdefault(_TOLD, {})
        known = self._lookup_dependency(name)
        if not (overwrite or known is trackable or known is None):
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a "
                "Trackable with this name is already declared as a dependency. Names "
                "must be unique (or overwrite=True)."
            )
        told[name] = trackable
        child_came(self, name, trackable)
        return trackable

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """What is in it, by name; `save_type` is "checkpoint" or "savedmodel"."""
        return dict(self.__dict__.get(_TOLD, ()))

    def _lookup_dependency(
        self, name: str, cached_dependencies: dict[str, Any] | None = None
    ) -> Any:
        """The part of that name, or None."""
        known = cached_dependencies
        if known is None:
            known = self._trackable_children()
        part = known.get(name)
        return part if part is not None and is_trackable(part) else None

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        """What is in it, in a list."""
        return [
            TrackableReference(name, part)
            for name, part in self._trackable_children().items()
            if is_trackable(part)
        ]

    @property
    def _update_uid(self) -> int:
        """The number of the restoration that gave it values last."""
        return self.__dict__.get(_UID, -1)

    @_update_uid.setter
    def _update_uid(self, uid: int) -> None:
        self.__dict__[_UID] = uid

    def _no_dependency(self, value: Any) -> Any:
        return value


# Those that the core makes, and what says by itself what is in it.
for _kind in (
    _graphkiln.BaseVariable,
    _graphkiln.ConcreteFunction,
    _graphkiln.Function,
    _graphkiln.Generator,
    _graphkiln.Iterator,
):
    Trackable.register(_kind)


# Not of classes of the user's, which TensorFlow leaves alone, too.
_COLLECTIONS = frozenset(
    (
        list,
        dict,
        collections.OrderedDict,
        WaitingList,
        WaitingDict,
        ListWrapper,
        _DictWrapper,
    )
)


def is_trackable(value: object) -> bool:
    """Whether a checkpoint can hold it, or something in it."""
    return not isinstance(
        value, _graphkiln.Function | _graphkiln.ConcreteFunction
    ) and (
        isinstance(value, Trackable | tuple)
        or type(value) in _COLLECTIONS
        or hasattr(type(value), "_trackable_children")
    )


def _is_plain(value: object) -> bool:
    """Is it a number, a text, None, or a tuple of such?"""
    if isinstance(value, tuple):
        return all(_is_plain(part) for part in value)
    return value is None or isinstance(value, bool | int | float | str | bytes)


class NoDependency:
    """Marks a value that is set as an attribute and that no checkpoint follows.

    >>> from graphkiln._src.checkpoint.auto_trackable import NoDependency
    >>> module = tf.__internal__.tracking.AutoTrackable()
    >>> module.helper = NoDependency(tf.Variable(1.0))
    >>> len(tf.train.TrackableView(module).descendants())
    1
    """

    def __init__(self, value: Any) -> None:
        self.value = value


class AutoTrackable(Trackable):
    """Base of objects whose attributes are saved with them.

    >>> class Counter(tf.__internal__.tracking.AutoTrackable):
    ...     def __init__(self):
    ...         self.turns = tf.Variable(0)
    >>> checkpoint = tf.train.Checkpoint(counter=Counter())
    """

    def __setattr__(self, name: str, value: object) -> None:
        own = self.__dict__
        if type(value) is NoDependency or own.get(_IS_TRACKING) is False:
            if type(value) is NoDependency:
                value = value.value
            own.setdefault(_UNTRACKED, set()).add(name)
        elif _UNTRACKED in own:
            own[_UNTRACKED].discard(name)
        object.__setattr__(self, name, value)
        attribute_set(self, name, value)

    def __delattr__(self, name: str) -> None:
        own = self.__dict__
        own.get(_TOLD, {}).pop(name, None)
        own.get(_UNTRACKED, set()).discard(name)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        untracked = self.__dict__.get(_UNTRACKED, ())
        children = {
            name: value
            for name, value in vars(self).items()
            if name not in _OWN and name not in untracked and not _is_plain(value)
        }
        children.update(super()._trackable_children(save_type, **kwargs))
        return children


def tells_its_children(value: object) -> bool:
    """Does the class of an object say what is in it, by a method of its own?"""
    method = getattr(type(value), "_trackable_children", None)
    return method is not None and method is not AutoTrackable._trackable_children


def no_automatic_dependency_tracking(method: Callable) -> Callable:
    """A method during which attributes that are set are not tracked.

    >>> class Owner(tf.__internal__.tracking.AutoTrackable):
    ...     @tf.__internal__.tracking.no_automatic_dependency_tracking
    ...     def __init__(self):
    ...         self.helper = tf.Variable(1.0)
    >>> len(tf.train.TrackableView(Owner()).descendants())
    1
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, _IS_TRACKING, True)
        object.__setattr__(self, _IS_TRACKING, False)
        try:
            return method(self, *args, **kwargs)
        finally:
            object.__setattr__(self, _IS_TRACKING, before)

    return untracked
