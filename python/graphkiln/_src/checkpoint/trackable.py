"""Objects whose parts a checkpoint follows: what they are told of, and how."""

from __future__ import annotations

import collections

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.waiting import WAITING, child_came, facts_of

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of an object: the parts that it was told of, by name.
TOLD = "_self_unconditional_dependency_names"
_UID = "_self_update_uid"
# Of a variable: what a checkpoint calls its value.
VARIABLE_VALUE_KEY = "VARIABLE_VALUE"


class TrackableReference:
    """A part of an object, by the name that the object has for it.

    Args:
      name: of the part.
      ref: the part.
    """

    __slots__ = ("_name", "_ref")

    def __init__(self, name: str, ref: Any) -> None:
        self._name = name
        self._ref = ref

    @property
    def name(self) -> str:
        return self._name

    @property
    def ref(self) -> Any:
        return self._ref

    def __iter__(self) -> Any:
        yield self.name
        yield self.ref

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name}, ref={self.ref})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            return (self.name, self.ref) == other
        if isinstance(other, TrackableReference):
            return self.name == other.name and self.ref == other.ref
        return False

    __hash__ = None


class _Methods:
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

    def _maybe_initialize_trackable(self) -> None:
        """Prepares it to be told of parts."""
        facts_of(self).setdefault(TOLD, {})

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
        if not getattr(self, "_manual_tracking", True):
            return trackable
        told = facts_of(self).setdefault(TOLD, {})
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

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = _graphkiln.float32,
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable by `getter` and a part of it, and gives it: with the
        value that a checkpoint has for it, if one waits."""
        made = getter(
            name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs
        )
        if overwrite and not is_tracked(made):
            return made
        return self._track_trackable(made, name=name, overwrite=overwrite)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """What is in it, by name; `save_type` is "checkpoint" or "savedmodel"."""
        return dict(facts_of(self).get(TOLD, ()))

    def _lookup_dependency(
        self, name: str, cached_dependencies: dict[str, Any] | None = None
    ) -> Any:
        """The part of that name, or None."""
        if cached_dependencies:
            return cached_dependencies.get(name)
        return facts_of(self).get(TOLD, {}).get(name)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Gives `trackable` what a checkpoint has for the part of that name."""
        child_came(self, name, trackable)

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [
            TrackableReference(name, part)
            for name, part in facts_of(self).get(TOLD, {}).items()
        ]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """What is in it, in a list."""
        return self._unconditional_checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return facts_of(self).setdefault(TOLD, {})

    @property
    def _deferred_dependencies(self) -> dict[str, list]:
        """Who waits for which part that is not there yet, by name."""
        return facts_of(self).setdefault(WAITING, {})

    @property
    def _setattr_tracking(self) -> bool:
        return getattr(self, "_self_setattr_tracking", True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        facts_of(self)["_self_setattr_tracking"] = value

    @property
    def _update_uid(self) -> int:
        """The number of the restoration that gave it values last."""
        return facts_of(self).get(_UID, -1)

    @_update_uid.setter
    def _update_uid(self, uid: int) -> None:
        facts_of(self)[_UID] = uid

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    def _no_dependency(self, value: Any) -> Any:
        return value


# The core's, so that what it makes is of this class, too; and of no metaclass, so
# that classes below it may have one of their own.
Trackable = _graphkiln.Trackable


def _new(cls: type, *args: Any, **kwargs: Any) -> Any:
    if (args or kwargs) and cls.__init__ is object.__init__:
        raise TypeError(f"{cls.__name__}() takes no arguments")
    if cls is Trackable:
        # Objects of the class itself have no room for what they are told, which the
        # core's kinds have no use for.
        return object.__new__(_Plain)
    following = super(Trackable, cls).__new__
    if following is object.__new__:
        return following(cls)
    return following(cls, *args, **kwargs)


_graphkiln._complete_trackable(
    {
        **{n: m for n, m in vars(_Methods).items() if not n.startswith("__")},
        "__doc__": _Methods.__doc__,
        "__new__": staticmethod(_new),
    }
)
_Plain = type("Trackable", (Trackable,), {"__module__": Trackable.__module__})


_COLLECTIONS = frozenset((list, dict, collections.OrderedDict))


# Classes of objects that never are.
PLAIN = frozenset((int, float, str, bytes, bool, type(None), _graphkiln.EagerTensor))


def is_tracked(value: object) -> bool:
    """Whether an object that is told of it keeps it as a part."""
    if type(value) in PLAIN:
        return False
    return hasattr(type(value), "_trackable_children") or isinstance(value, Trackable)


def is_trackable(value: object) -> bool:
    """Whether a checkpoint can hold it, or something in it: those that are not
    wrapped, too, which a class may say are in its objects."""
    if isinstance(value, _graphkiln.Function | _graphkiln.ConcreteFunction):
        return False
    # Not of classes of the user's, which TensorFlow leaves alone, too.
    if isinstance(value, tuple) or type(value) in _COLLECTIONS:
        return True
    return is_tracked(value)
